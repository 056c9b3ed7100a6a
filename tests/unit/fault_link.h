/* SPDX-License-Identifier: Apache-2.0 */
/* A connection over the loop transport, its receiving end with faults. */
#ifndef FP_TESTS_UNIT_FAULT_LINK_H
#define FP_TESTS_UNIT_FAULT_LINK_H

#include "probes/measure/measure.h"
#include "probes/xport/fault.h"
#include "tests/unit/loop_xport.h"

#define FAULT_LINK_LIMIT_S 60.0

/** struct fault_link - two ends of a connection, rank 1 -> rank 3; the far one
 * may be wrapped. */
struct fault_link {
	struct trial trial;
	struct fault_set set; /* of rank 3 */
	struct board board;
	struct loop_net *net;
	struct xport_ep *near, *far;
};

/** fault_link_trial() - a short one from rank 1 to rank 3. */
struct trial fault_link_trial(uint16_t op, uint64_t bytes);

/** fault_link_open() - for @t under @rules. Undo with fault_link_close(). */
void fault_link_open(struct fault_link *l, const struct trial *t,
                     const char *rules);
void fault_link_close(struct fault_link *l);

#endif
