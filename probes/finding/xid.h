/* SPDX-License-Identifier: Apache-2.0 */
/* NVIDIA's Xid numbers, from the kernel's log or as events of NVML. */
#ifndef FP_PROBES_FINDING_XID_H
#define FP_PROBES_FINDING_XID_H

#include <stdint.h>

#define FINDING_XID_REMAPPED 145 /* a link lost through another's fault */
#define FINDING_XID_RECOVERY 154 /* "recovery action changed": may be to none */
#define FINDING_XID_LINK_FIRST 144 /* of NVLink 5 */
#define FINDING_XID_LINK_LAST 150

/** finding_of_xid() - which finding Xid @number is: enum finding_code. */
unsigned finding_of_xid(int64_t number);

#endif
