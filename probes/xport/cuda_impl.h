/* SPDX-License-Identifier: Apache-2.0 */
/* The insides of the CUDA transport. */
#ifndef FP_PROBES_XPORT_CUDA_IMPL_H
#define FP_PROBES_XPORT_CUDA_IMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probes/xport/cuda_gpu.h"
#include "probes/xport/cuda_load.h"
#include "probes/xport/team.h"
#include "probes/xport/xport.h"

#define CUDA_HANDLE_BYTES 64 /* of a cudaIpcMemHandle_t */

/** struct cuda_note - what two workers tell each other. */
struct cuda_note {
	uint8_t handle[CUDA_HANDLE_BYTES];
	char bus[CUDA_BUS_MAX];
	uint64_t value;
	double seconds;
};

/** struct cuda - the transport. */
struct cuda {
	struct xport x;
	const struct xport_env *env;
	struct cuda_gpu gpu;
	struct xport *words;    /* shared memory, for notes */
	struct cuda_load *load; /* NULL: none */
	bool broken;            /* something on the GPU may never end */
};

/** struct cuda_team - a trial under way: me 0 pushes into me 1's buffer, with
 * DIR_BI both push. */
struct cuda_team {
	struct xport_team t;
	struct cuda *cu;
	struct xport_join how;
	struct cuda_wait wait;
	struct xport_ep *ep; /* for notes */
	uint32_t type;
	size_t count;
	uint8_t *in;         /* what is pushed */
	size_t out_off;      /* in either arena: where it comes */
	uint8_t *theirs;     /* the peer's arena, mapped */
	int32_t peer_access; /* -1 not known, 0, 1 */
};

extern const struct xport_team_ops cuda_team_ops;

/** cuda_swap() - give @note, and get the peer's in its place. Both do it: it
 * is a barrier too. */
enum fp_status cuda_swap(struct cuda_team *t, struct cuda_note *note,
                         struct fp_err *err);

/** cuda_local() - see local() of struct xport_ops. */
enum fp_status cuda_local(struct xport *x, const struct xport_join *how,
                          struct outcome *o, struct fp_err *err);

/* See struct xport_team_ops. */
enum fp_status cuda_team_fill(struct xport_team *team, struct fp_err *err);
enum fp_status cuda_team_run(struct xport_team *team, uint32_t n, double *ret_s,
                             struct fp_err *err);
enum fp_status cuda_team_most(struct xport_team *team, uint64_t *value,
                              struct fp_err *err);
enum fp_status cuda_team_check(struct xport_team *team, uint64_t *ret_wrong,
                               struct fp_err *err);
void cuda_team_counters(struct xport_team *team, struct outcome *o);
void cuda_team_leave(struct xport_team *team, bool sound);

#endif
