/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of bisect.h share. */
#ifndef FP_PROBES_SESSION_BISECT_PART_H
#define FP_PROBES_SESSION_BISECT_PART_H

#include "probes/locate/bisect.h"
#include "probes/session/bisect.h"

/* struct inquest - one search, live or from the record. */
struct inquest {
	struct session *s;
	struct session_run *run; /* NULL: from the record */
	struct trial like;
	double floor_Bps; /* of busbw: a group below it fails; 0: none */
	const int32_t *members;
	struct bisect_units units;
	struct bisect_result hosts;
	struct findings *list; /* NULL: live, nothing is said yet */
	struct fp_err *err;
};

/** bisect_ask_of() - groups of @units of @q's collective. */
struct bisect_ask bisect_ask_of(const struct inquest *q,
                                const struct bisect_units *units);

/** bisect_collective() - the collective over everybody that a search is about:
 * one that failed, or is slower than an earlier run had it; of a bisection the
 * first. NULL: there is none. */
const struct trial *bisect_collective(const struct session *s);

/** bisect_floor_Bps() - of @whole: below this busbw it is slow; 0: it may be as
 * slow as it likes. */
double bisect_floor_Bps(const struct session *s, const struct trial *whole);

/** bisect_busbw() - mean over the members of @t that ended well; 0: none. */
double bisect_busbw(const struct results *r, const struct trial *t);

/** bisect_is_explained() - is there nothing to search, because nothing failed,
 * or because pairs explain what is slow? */
bool bisect_is_explained(const struct session *s);

/** bisect_accuse() - add a finding about set @i of @r, whose units are @u's.
 * FP_OK or FP_ERR_NOMEM. */
enum fp_status bisect_accuse(struct inquest *q, const struct bisect_units *u,
                             const struct bisect_result *r, size_t i);

/** bisect_tell_clean() - say that the fabric is healthy, if that was the
 * question. FP_OK or FP_ERR_NOMEM. */
enum fp_status bisect_tell_clean(struct inquest *q);

/**
 * bisect_settings() - the axis of settings, for what fails whoever takes part:
 * the whole again, each time with one thing changed, until it does not fail;
 * then once more as it was, which must fail. Where that tells something it is
 * a finding, else evidence of the last one.
 *
 * Return: FP_OK or FP_ERR_NOMEM.
 */
enum fp_status bisect_settings(struct inquest *q);

#endif
