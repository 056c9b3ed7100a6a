/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which endpoints are bad, when a pair with a bad end is slow: screening
 * matchings, then each suspect against endpoints that were never flagged.
 */
#ifndef FP_PROBES_DECIDE_SCREEN_H
#define FP_PROBES_DECIDE_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "topo/base/status.h"

/** struct decide_screen - flags of @n endpoints. _init(), _done(). */
struct decide_screen {
	uint32_t n;
	uint32_t rounds; /* of the screening, so far */
	uint32_t *flags; /* [n] of its pairs that were slow */
	uint32_t *tried; /* [n] retests */
	uint32_t *again; /* [n] slow ones among them */
};

enum fp_status decide_screen_init(struct decide_screen *s, uint32_t n,
                                  struct fp_err *err);
void decide_screen_done(struct decide_screen *s); /* takes NULL */
void decide_screen_clear(struct decide_screen *s);

/** decide_screen_pair() - a pair of a matching was tested. */
void decide_screen_pair(struct decide_screen *s, uint32_t a, uint32_t b,
                        bool slow);

/** decide_screen_suspect() - was it ever in a slow pair? */
static inline bool decide_screen_suspect(const struct decide_screen *s,
                                         uint32_t v)
{
	return s->flags[v] > 0;
}

/** decide_screen_cleared() - whoever is no suspect, ascending.
 * Return: how many of @ret (room for n) are set. */
size_t decide_screen_cleared(const struct decide_screen *s, uint32_t *ret);

/** decide_screen_retest() - suspect @v was tested with a cleared one. */
void decide_screen_retest(struct decide_screen *s, uint32_t v, bool slow);

/** decide_screen_bad() - slow in most of its retests; without any: flagged in
 * more than half of @s->rounds matchings. */
bool decide_screen_bad(const struct decide_screen *s, uint32_t v);

#endif
