/* SPDX-License-Identifier: Apache-2.0 */
/* What datagrams say of a directed pair: they need no way back. */
#ifndef FP_PROBES_JUDGE_GRAM_H
#define FP_PROBES_JUDGE_GRAM_H

#include "probes/judge/results.h"

enum gram_verdict {
	GRAM_UNKNOWN, /* none sent, or nobody was there to count */
	GRAM_ALIVE,   /* full-size ones arrive */
	GRAM_MTU,     /* small ones arrive, full-size ones do not */
	GRAM_DEAD,    /* none arrives */
};

/** struct gram - all datagram trials of one directed pair. */
struct gram {
	int32_t src, dst;
	uint32_t verdict; /* enum gram_verdict */
	uint32_t trial;   /* the last of them */
	int64_t small_sent, small_rcvd, full_sent, full_rcvd; /* sums */
	int64_t full_bytes;  /* of a full-size packet */
	int64_t path_bytes;  /* of the largest that arrived; 0: not told */
	const char *refused; /* why the sender could not send; "" */
};

struct grams {
	struct gram *g; /* sorted by src, dst */
	size_t n;
};

/** judge_grams_collect() - FP_OK or FP_ERR_NOMEM; judge_grams_done(). */
enum fp_status judge_grams_collect(const struct results *r, struct grams *ret,
                                   struct fp_err *err);
void judge_grams_done(struct grams *grams); /* takes NULL */

/** judge_grams_find() - of a directed pair, or NULL. */
const struct gram *judge_grams_find(const struct grams *grams, int32_t src,
                                    int32_t dst);

/** judge_grams_verdict() - GRAM_UNKNOWN where there is none. */
enum gram_verdict judge_grams_verdict(const struct grams *grams, int32_t src,
                                      int32_t dst);

#endif
