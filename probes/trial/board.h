/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stage board: one page shared by an agent and its worker, so that the
 * agent knows where a worker stuck without its help, and can stop a trial.
 */
#ifndef FP_PROBES_TRIAL_BOARD_H
#define FP_PROBES_TRIAL_BOARD_H

#include <stdatomic.h>
#include <stdint.h>

struct board {
	_Atomic uint32_t trial;  /* in hand; 0: idle */
	_Atomic uint32_t stage;  /* enum outcome_stage */
	_Atomic uint64_t iter;   /* messages done in this trial */
	_Atomic int64_t beat_ns; /* begin of the trial, or its latest move */
	_Atomic uint32_t abort; /* trial that must stop now; set by the agent */
	_Atomic uint64_t bytes; /* moved in this trial */
	_Atomic uint64_t injected; /* --inject rules that acted in it, bits */
	char gpu[16]; /* "0000:1b:00.0", before READY; "": it has none */
};

/** board_moved() - @bytes of data were moved by @now_ns. */
static inline void board_moved(struct board *b, uint64_t bytes, int64_t now_ns)
{
	atomic_fetch_add_explicit(&b->bytes, bytes, memory_order_relaxed);
	atomic_store_explicit(&b->beat_ns, now_ns, memory_order_relaxed);
}

static inline void board_stage(struct board *b, uint32_t stage)
{
	atomic_store_explicit(&b->stage, stage, memory_order_relaxed);
}

#endif
