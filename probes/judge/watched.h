/* SPDX-License-Identifier: Apache-2.0 */
/* Records of watched GPUs, rank by rank: how they began, ended, and what rose.
 */
#ifndef FP_PROBES_JUDGE_WATCHED_H
#define FP_PROBES_JUDGE_WATCHED_H

#include "probes/finding/finding.h"
#include "probes/judge/results.h"
#include "topo/model/model.h"

/** struct watched_rate - what a link of the rank carried, busbw; of a pair both
 * ends have it. */
struct watched_rate {
	int32_t rank;
	uint32_t trial;
	double start_s; /* CLOCK_MONOTONIC of the rank's host */
	double Bps;
};

/** struct watched - all that is known of one rank's GPU; into the results. */
struct watched {
	int32_t rank;
	const struct watch *const *records; /* in their order */
	size_t n;                           /* at least 1 */
	const struct watched_rate *rates;   /* as time went on */
	size_t n_rates;
	int64_t rise[GPU_LINK_FIRST];
	int64_t link_rise[GPU_LINK_VALUES][GPU_LINKS_MAX];
	int64_t events;  /* bits that were set after any trial */
	int64_t hottest; /* C; -1: not known */
	int64_t xids;    /* events */
};

/** struct watched_all - by rank, upwards; those without records are not in. */
struct watched_all {
	struct watched *ranks;
	size_t n;
	const struct watch **records; /* what ranks[].records point into */
	struct watched_rate *rates;   /* and ranks[].rates */
};

/** struct watched_span - part of watched.rates. */
struct watched_span {
	size_t first, n;
};

/** watched_between() - rates of @w that began after record @i - 1 and not
 * after record @i. */
struct watched_span watched_between(const struct watched *w, size_t i);

/**
 * watched_make() - of @r, which must not grow meanwhile.
 *
 * Return: FP_OK or FP_ERR_NOMEM. Undo with watched_done().
 */
enum fp_status watched_make(const struct results *r, struct watched_all *ret,
                            struct fp_err *err);
void watched_done(struct watched_all *all); /* takes a zeroed one */

/** watched_place() - where it is, as checks call the place:
 * "0000:1b:00.0/nvlink3", or @link -1, "GPU1 (0000:1b:00.0)". */
void watched_place(const struct topo_job *job, const struct watched *w,
                   int32_t link, struct locus *ret);

/** watched_known() - the finding @code of that place; NULL: there is none. */
struct finding *watched_known(struct findings *list, unsigned code,
                              const struct locus *place);

/** watched_while() - "while trials 3 to 5 ran"; @last 0: when is not known. */
void watched_while(uint32_t first, uint32_t last, char *buf, size_t size);

/** watched_last() - the latest value @id that is no counter; @none. */
int64_t watched_last(const struct watched *w, unsigned id, int64_t none);

#endif
