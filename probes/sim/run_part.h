/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of a modelled run share. */
#ifndef FP_PROBES_SIM_RUN_PART_H
#define FP_PROBES_SIM_RUN_PART_H

#include "probes/decide/ladder.h"
#include "probes/sim/run.h"

#define SIM_RETESTS 3
#define SIM_FOLLOW 6 /* of what shares a port with a flaky test */
/* Beside the bits of enum attribute_sign: slow at first, not later. */
#define SIM_MOVED (1u << SIGN_COUNT)

/** struct sim_usual - what is usual in a class. */
struct sim_usual {
	struct decide_baseline rate, latency;
};

/** struct sim_course - a run on its way. */
struct sim_course {
	const struct sim_model *m;
	const struct sim_tests *tests;
	struct decide_ladder ladder;
	struct sim_usual usual[SIM_CLASS_COUNT];
	struct sim_look *looks; /* [tests] the first one of each */
	uint8_t *signs;         /* [tests] bits 1 << enum attribute_sign */
	uint8_t *features;      /* [tests] bits of enum decide_feature */
	double *logit;          /* [components] */
	struct evidence e;
	struct attribute_accusations a;
	size_t n_retests;
	uint32_t n_rehash;
	bool oversubscribed;
};

/** sim_course_measure() - the first look at each test, and what is usual.
 * FP_OK or FP_ERR_NOMEM. */
enum fp_status sim_course_measure(struct sim_course *c, struct fp_err *err);

/** sim_course_decide() - test suspects again, alone; set signs. */
void sim_course_decide(struct sim_course *c);

/** sim_course_follow() - where a test was flaky again and again, test all that
 * shares a port with it again, too. @ports: [components]. */
void sim_course_follow(struct sim_course *c, const bool *ports);

/** sim_is_slow() - one look against its class and the data sheet. */
bool sim_is_slow(const struct sim_course *c, unsigned cls,
                 const struct sim_look *look);

/** sim_course_rehash() - for leaves some of whose flows moved from slow to
 * usual: many repetitions, alone; accuse sets of links with a bad one. FP_OK,
 * FP_ERR_NOMEM, FP_ERR_INPUT. */
enum fp_status sim_course_rehash(struct sim_course *c, struct fp_err *err);

#endif
