/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An HCA without a wire, behind libibverbs' own functions: it takes every
 * request, aborts where one reaches out of the memory that was registered for
 * it, and completes it at once. What "came" is written by the target.
 */
#ifndef FP_TESTS_FUZZ_VERBS_DEVICE_H
#define FP_TESTS_FUZZ_VERBS_DEVICE_H

#include "probes/xport/verbs_meet.h"

/** device_open() - a port of it, as if opened by the transport. */
void device_open(struct verbs *verbs, const struct xport_env *env, uint32_t op,
                 int32_t qps);

/** device_offers() - it has these ECE options; 0: none, as when opened. */
#define DEVICE_VENDOR 0x15b3u
void device_offers(uint32_t options);

/** device_mail() - the next receive of the door's queue pair takes @size bytes
 * of @data behind its GRH; dropped when none is posted. */
void device_mail(const struct ibv_qp *qp, const void *data, size_t size);

/** device_check() - all that was made is gone: else abort(3). */
void device_check(void);

#endif
