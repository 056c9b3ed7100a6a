/* SPDX-License-Identifier: Apache-2.0 */
/* Between the machine of probes/locate and the executor: asks as trials. */
#ifndef FP_PROBES_SESSION_RELAY_H
#define FP_PROBES_SESSION_RELAY_H

#include "probes/session/located.h"

/** struct way_record - what came of a rank's first looks as sender or
 * receiver, by transport and kind of memory. */
struct way_record {
	uint8_t hangs;
	bool passed;
};
#define WAYS (2 * XPORT_COUNT * MEM_COUNT)
#define WAY_DEAD 2 /* hangs, and nothing that passed: each costs a deadline */

/** struct relay - between the machine and the executor. */
struct relay {
	struct session_run *run;
	struct locate *l;
	int32_t *rank_of; /* [hosts * FABRIC_MAX_PER_HOST] */
	struct locate_look *looks;
	size_t room_looks;
	struct batch batch;
	size_t room_trials;
	size_t *ask_of; /* [batch] the ask that each trial is for */
	size_t room_asks;
	const struct outcome **ends; /* [batch] src and dst of each trial */
	size_t room_ends;
	double usual_x; /* ln(B/s) of good pairs of hosts; NaN: not yet */
	struct way_record *ways; /* [ranks * WAYS] */
	bool cut;                /* no time after the last batch */
};

/** relay_init() - and start the machine: @run->s->locate. FP_OK, FP_ERR_NOMEM,
 * FP_ERR_LIMIT; relay_done() in any case. */
enum fp_status relay_init(struct relay *r, struct session_run *run,
                          struct fp_err *err);
void relay_done(struct relay *r);

/** relay_round() - run asks @first..@end-1 of the machine's batch, which are
 * one round; their looks are in @r->looks then. FP_OK, FP_ERR_NOMEM. */
enum fp_status relay_round(struct relay *r, size_t first, size_t end,
                           struct fp_err *err);

#endif
