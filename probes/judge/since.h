/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What got slower since an earlier run: the third opinion beside the others of
 * now and the data sheet. Pure. Ends are matched by their hosts' names and
 * their places in them, so ranks may be ordered otherwise.
 */
#ifndef FP_PROBES_JUDGE_SINCE_H
#define FP_PROBES_JUDGE_SINCE_H

#include "probes/judge/judge.h"

/** struct judge_run - what was measured in a run; all borrowed. */
struct judge_run {
	const struct topo_job *job;
	const struct results *results;
	const struct matrices *matrices;
};

/** struct since_row - one kind of transfer, or a collective, in both runs. */
struct since_row {
	char name[96];      /* "tcp between hosts 1 Gb/s, write" */
	uint64_t bytes;     /* of a message */
	size_t n;           /* pairs in both runs; 1: a collective */
	double before, now; /* typical: B/s, or s where latency is set */
	bool latency, slower;
};

/** struct since - all that was compared. since_done() takes NULL. */
struct since {
	struct since_row *rows;
	size_t n, room;
	size_t n_pairs; /* in both runs */
	size_t n_alone; /* measured now, but not before */
};
void since_done(struct since *s);

/**
 * judge_since() - compare @now with @before, by class of pairs, then hosts as
 * senders and receivers, then single pairs, and collectives. A pair is held
 * against what three quarters of its class lost at least: a whole class that
 * lost the same is one finding. What shares cores with others (inside a host,
 * over loopback) is only a warning, for nothing was tested again.
 * @ret: since_done(); may be NULL.
 * @list: findings FINDING_SINCE_* are added; sort it then.
 *
 * Return: FP_OK, FP_ERR_NOMEM.
 */
enum fp_status judge_since(const struct judge_run *before,
                           const struct judge_run *now,
                           const struct judge_opts *opts, struct since *ret,
                           struct findings *list, struct fp_err *err);

/** judge_since_floor() - the busbw below which collective @t of @now is slower
 * than @before had it, so that it is a fault; 0: there is no such collective,
 * or its ranks share cores. B/s. */
double judge_since_floor(const struct judge_run *before,
                         const struct judge_run *now,
                         const struct judge_opts *opts, const struct trial *t);

#endif
