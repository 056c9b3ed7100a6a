/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of bisect.h share. */
#ifndef FP_PROBES_SESSION_BISECT_PART_H
#define FP_PROBES_SESSION_BISECT_PART_H

#include "probes/locate/bisect.h"
#include "probes/session/bisect.h"
#include "probes/trial/variant.h"

/* struct inquest - one search, live or from the record. */
struct inquest {
	struct session *s;
	struct session_run *run; /* NULL: from the record */
	struct trial like;
	double floor_Bps; /* of busbw: a group below it fails; 0: none */
	bool for_cores;   /* see bisect_is_for_cores() */
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

/** bisect_floor_Bps() - of @whole: below this busbw it is slow, as --floor of a
 * bisection says, or in a run its pairs and an earlier run; 0: it may be as
 * slow as it likes. */
double bisect_floor_Bps(const struct session *s, const struct trial *whole);

/** bisect_is_for_cores() - is @whole held against its pairs only, over memory of
 * hosts? There cores decide how much a wider ring gets: that many ranks are
 * slower together is no fault. */
bool bisect_is_for_cores(const struct session *s, const struct trial *whole);

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

/** struct bisect_setting - another way to run the same collective. */
struct bisect_setting {
	uint16_t xport;
	uint32_t variant;
};

/**
 * bisect_try_setting() - does the whole fail with @with; NULL: as it is?
 * @again: run it, even if it is known how that ends.
 *
 * Return: false if it could not be tried.
 */
bool bisect_try_setting(const struct inquest *q,
                        const struct bisect_setting *with, bool again,
                        bool *ret_fails);

/**
 * bisect_settings() - the axis of settings, for what fails whoever takes part:
 * the whole again, without settings of the job's own, then each time with one
 * thing changed, until it does not fail; then once more as it was, which must
 * fail. Where that tells something it is a finding, else evidence of the last
 * one.
 * @own_only: the job's own ones only; the others were tried by a run's arms.
 *
 * Return: FP_OK or FP_ERR_NOMEM.
 */
enum fp_status bisect_settings(struct inquest *q, bool own_only);

#define BISECT_OWN_WORDS_MAX 96

/** struct bisect_own - the job's own NCCL_* settings, and what came of doing
 * without some. bisect_own_done(). */
struct bisect_own {
	char words[VARIANT_OWN_MAX][BISECT_OWN_WORDS_MAX]; /* "NCCL_X=1" */
	size_t n;
	bool mixed; /* not the same ones everywhere: nothing was tried */
	bool cured; /* without those of @r it does not fail */
	bool tried[VARIANT_OWN_MAX], fails[VARIANT_OWN_MAX]; /* without it */
	struct bisect_result r; /* sets without any of which it passes */
};

/** bisect_own() - the whole without each of them, and where that takes more
 * than one without those. FP_OK or FP_ERR_NOMEM; bisect_own_done() in any
 * case. */
enum fp_status bisect_own(const struct inquest *q, struct bisect_own *ret);
void bisect_own_done(struct bisect_own *own);

/** bisect_own_detail() - "Without NCCL_X=1 it runs". @runs: "it runs". */
void bisect_own_detail(const struct bisect_own *own, const char *runs,
                       struct finding *f);

/** bisect_own_evidence() - what came of each. */
void bisect_own_evidence(const struct bisect_own *own, struct finding *f);

#endif
