/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who makes a collective fail: from a set of units that fails together to the
 * smallest ones that still do. Doubling groups find the first size that fails,
 * delta debugging (Zeller's ddmin) shrinks it. Pure: who tries a group is
 * somebody else's business.
 */
#ifndef FP_PROBES_LOCATE_BISECT_H
#define FP_PROBES_LOCATE_BISECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "topo/base/status.h"

/** struct bisect_group - units that are tried together. */
struct bisect_group {
	const int32_t *units;
	size_t n;
	bool again; /* run it, even if it is known how it ends */
	bool fails; /* set by the try */
};

/**
 * struct bisect_try - tries groups that share no unit, all at once.
 * Return: false if they could not be tried: there is no more time, or no
 * record of them.
 */
struct bisect_try {
	void *arg;
	bool (*run)(void *arg, struct bisect_group *groups, size_t n);
};

struct bisect_opts {
	int32_t n;        /* units 0..n-1, suspects first */
	int32_t suspects; /* of them; 0: none were named */
	int32_t least;    /* units that a group needs: 1 or 2 */
	uint32_t rounds;  /* at most; 24 is plenty for a few culprits */
};

/** enum bisect_kind - what a failing set means. */
enum bisect_kind {
	BISECT_CULPRIT,     /* one unit: whoever it is with */
	BISECT_INTERACTION, /* together only; each without the others passes */
	BISECT_SCALE,       /* other sets of its size fail as well */
	BISECT_EVERYTHING,  /* every group fails: not a matter of members */
	BISECT_UNRESOLVED,  /* the smallest failing set when time was up */
};

/** struct bisect_found - a failing set: slice of the result's units. */
struct bisect_found {
	uint32_t kind; /* enum bisect_kind */
	size_t first, n;
};

/** struct bisect_result - bisect_result_done(), which takes NULL. */
struct bisect_result {
	bool failed;  /* does the whole fail at all? */
	bool stopped; /* a try could not be made, or too many rounds */
	uint32_t rounds;
	int32_t first_size; /* units of the first doubling groups that failed;
	                       0: only the whole did */
	struct bisect_found *found;
	size_t n_found, room_found;
	int32_t *units;
	size_t n_units, room_units;
};

/**
 * bisect_run() - find them all. Nobody is named whose failing set did not fail
 * a second time.
 * The first try is the whole; it may be answered from what is known.
 *
 * Return: FP_OK whatever was found; FP_ERR_NOMEM; FP_ERR_INPUT for opts that
 * make no sense.
 */
enum fp_status bisect_run(const struct bisect_opts *opts,
                          const struct bisect_try *how,
                          struct bisect_result *ret, struct fp_err *err);
void bisect_result_done(struct bisect_result *r);

#endif
