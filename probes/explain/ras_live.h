/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the RAS of a running NCCL job for its status. */
#ifndef FP_PROBES_EXPLAIN_RAS_LIVE_H
#define FP_PROBES_EXPLAIN_RAS_LIVE_H

#include "topo/base/fmt.h"

#define RAS_LIVE_PORT "28028"     /* where NCCL listens unless told otherwise */
#define RAS_LIVE_MAX (256u << 20) /* bytes of a status */

/**
 * ras_live_fetch() - one status: JSON, or text from NCCL before 2.28. The
 * protocol is of lines, see "RAS" in NCCL's documentation.
 * @address: "host", "host:port" or "[v6]:port".
 * @limit_s: for all of it, connecting included.
 *
 * Return: FP_OK; FP_ERR_SYS if nobody listens there; FP_ERR_TIMEOUT;
 * FP_ERR_PEER if it hangs up too early; FP_ERR_PROTO if it speaks something
 * else; FP_ERR_LIMIT; FP_ERR_USAGE for an address that is none.
 */
enum fp_status ras_live_fetch(const char *address, double limit_s,
                              struct fp_text *ret, struct fp_err *err);

#endif
