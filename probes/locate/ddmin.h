/* SPDX-License-Identifier: Apache-2.0 */
/* Shrinking a failing set, and who tried what: the inside of bisect.h. */
#ifndef FP_PROBES_LOCATE_DDMIN_H
#define FP_PROBES_LOCATE_DDMIN_H

#include "probes/locate/bisect.h"

/** struct bisect_set - units, in an order. */
struct bisect_set {
	int32_t *units;
	size_t n;
};

/** struct bisect_tried - a group that was tried: slice of known_units. */
struct bisect_tried {
	size_t first, n;
	bool fails;
};

/** struct bisect - a search on its way. */
struct bisect {
	const struct bisect_opts *opts;
	const struct bisect_try *how;
	struct bisect_result *ret;
	struct fp_err *err;
	int32_t *cleared; /* units of groups of two or more that passed: one
	                     that is alone has shown nothing of its links */
	size_t n_cleared;
	bool passed;                /* did any group? */
	struct bisect_tried *tried; /* so that nothing is tried twice */
	size_t n_tried, room_tried;
	int32_t *known_units;
	size_t n_known, room_known;
};

/** bisect_has() - is @unit one of the @n? */
bool bisect_has(const int32_t *units, size_t n, int32_t unit);

/** bisect_init() - FP_OK or FP_ERR_NOMEM; undo with bisect_done(). */
enum fp_status bisect_init(struct bisect *b);
void bisect_done(struct bisect *b);

/** bisect_whole() - all units, in order, for free(3). FP_OK, FP_ERR_NOMEM. */
enum fp_status bisect_whole(const struct bisect *b, struct bisect_set *ret);

/** bisect_set_copy() - FP_OK or FP_ERR_NOMEM. */
enum fp_status bisect_set_copy(struct bisect_set *ret,
                               const struct bisect_set *from,
                               struct fp_err *err);

/**
 * bisect_try_groups() - try disjoint groups in one round; those tried before
 * are remembered. false: could not, b->ret->stopped is set.
 */
bool bisect_try_groups(struct bisect *b, struct bisect_group *g, size_t n);

/** bisect_confirm() - does failing @s fail once more? */
bool bisect_confirm(struct bisect *b, const struct bisect_set *s);

/** bisect_acquit() - it was a freak that @s failed: remember that it passes. */
void bisect_acquit(struct bisect *b, const struct bisect_set *s);

/** bisect_ddmin() - shrink failing @s until no part of it that could be tried
 * fails, or the search has to stop. FP_OK or FP_ERR_NOMEM. */
enum fp_status bisect_ddmin(struct bisect *b, struct bisect_set *s);

#endif
