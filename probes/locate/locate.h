/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who is bad: a machine that asks for tests, batch by batch, and takes in what
 * they showed, until nothing is open.
 *
 *	screen (S0..S4) -> retest suspects, few at a time -> follow what is
 *	flaky -> try many hashes where links of a set differ -> test whom the
 *	accused hid, and the accused, with partners that are clear -> done
 *
 * Pure: the same fabric, options and looks give the same questions and the
 * same answer. It does not know who measures, and takes no time.
 */
#ifndef FP_PROBES_LOCATE_LOCATE_H
#define FP_PROBES_LOCATE_LOCATE_H

#include "probes/attribute/layers.h"
#include "probes/decide/ladder.h"
#include "probes/locate/pack.h"

#define LOCATE_RETESTS 3

/** struct locate_opts - what decides a plan. In the report. */
struct locate_opts {
	struct locate_extent extent; /* see locate_extent_of() */
	uint64_t seed;
	uint32_t partners; /* more partners of the accused, where the plan has
	                      only sampled them */
};

/** struct locate_batch - asks sorted by round. Belongs to the machine. Several
 * looks at one test in one round follow each other, each by a new connection
 * with a new hash. */
struct locate_batch {
	struct locate_ask *asks;
	size_t n, room;
	const char *title; /* "S3 same rail" */
	uint8_t stage;     /* enum trial_stage */
};

/** struct locate_usual - what is usual in a class. */
struct locate_usual {
	struct decide_baseline rate, latency;
};

/** struct locate_retest - which suspects are tested again, and which go by
 * the others of their end and class. */
struct locate_retest {
	uint8_t *count;  /* [ends * ways * classes] that are tested again */
	uint8_t *common; /* signs that all of them showed again */
	uint8_t (*again)[SIGN_COUNT]; /* [tests] retests that showed each */
	bool *open;                   /* [tests] is being tested again */
	uint32_t *kin; /* [tests] 1 + number of the end it goes by; 0: none */
	/* Of a class that is slow as a whole: how many-th are its sample; 0: it
	 * is not. */
	uint32_t stride[LOCATE_CLASS_COUNT];
	bool rest_asked, last_asked;
	size_t from; /* first test in question */
};

/** struct locate_follow - looks at what shares a port with a flaky test. */
struct locate_follow {
	uint8_t *looks, *flaky; /* [tests.n] */
	bool *ports;            /* [components] that may be unsteady */
};

/** enum locate_phase - where the machine is. */
enum locate_phase {
	LOCATE_SCREEN, /* a batch for each stage of the plan */
	LOCATE_RETEST,
	LOCATE_FOLLOW,
	LOCATE_REHASH,
	LOCATE_PARTNERS,
	LOCATE_RETEST_PARTNERS,
	LOCATE_DONE,
	LOCATE_PHASE_COUNT
};

/** struct locate - the machine. locate_init(), locate_done(). */
struct locate {
	const struct fabric *f; /* borrowed */
	struct locate_opts opts;
	struct locate_tests tests;
	struct locate_batch batch; /* the one in hand */
	uint32_t n_rounds;         /* asked for so far */
	size_t n_asks, n_retests;
	uint32_t n_rehash;
	size_t n_open; /* suspects that were not tested again */

	/* what came of it; complete once the batch is empty */
	struct attribute_accusations a; /* notes have SIGN_LOADED */
	const char **names;             /* [a.n] see decide_signature() */
	struct locate_usual usual[LOCATE_CLASS_COUNT];
	struct locate_look *looks; /* [tests.n] the first of each */
	uint8_t *signs;            /* [tests.n] bits of enum attribute_sign */

	/* its own */
	uint32_t phase; /* enum locate_phase */
	uint32_t step;  /* batches of the phase so far */
	bool finished;
	size_t at;      /* first test that was not asked for yet */
	size_t planned; /* tests; behind them those with other partners */
	struct locate_pack pack;
	struct decide_ladder ladder;
	uint8_t *features; /* [tests.n] bits of enum decide_feature */
	size_t room_looks, room_signs, room_features;
	double *logit; /* [components] */
	struct evidence e, hashes;
	struct locate_retest retest;
	struct locate_follow follow;
	uint32_t widest;     /* asks of the largest round */
	bool oversubscribed; /* all that crosses leaves is slow among others */
	bool spines_slow;    /* or alone, too: it is no leaf's */
};

/**
 * locate_init() - plan. @f is borrowed until locate_done().
 *
 * Return: FP_OK, FP_ERR_NOMEM, FP_ERR_LIMIT; locate_done() in any case.
 */
enum fp_status locate_init(struct locate *l, const struct fabric *f,
                           const struct locate_opts *opts, struct fp_err *err);
void locate_done(struct locate *l); /* takes NULL */

/**
 * locate_next() - make the next batch: @l->batch. It is empty when nothing is
 * open any more; then the accusations stand.
 *
 * Return: FP_OK, FP_ERR_NOMEM, FP_ERR_INPUT.
 */
enum fp_status locate_next(struct locate *l, struct fp_err *err);

/**
 * locate_eat() - take in what the batch showed.
 * @looks: one for each ask, in their order. State NOTRUN where there is none.
 *
 * Return: FP_OK, FP_ERR_NOMEM, FP_ERR_INPUT.
 */
enum fp_status locate_eat(struct locate *l, const struct locate_look *looks,
                          struct fp_err *err);

/**
 * locate_stop() - no more time: accuse by what is known. What was suspect and
 * not tested again accuses nobody. The batch is empty then.
 *
 * Return: FP_OK, FP_ERR_NOMEM, FP_ERR_INPUT.
 */
enum fp_status locate_stop(struct locate *l, struct fp_err *err);

/** locate_cut() - take in what there is of the batch, then locate_stop(). */
enum fp_status locate_cut(struct locate *l, const struct locate_look *looks,
                          struct fp_err *err);

/** struct locate_cover - what was looked at. */
struct locate_cover {
	uint64_t pairs, pairs_total; /* directed, between ports of one rail and
	                                GPUs of one host */
	uint64_t ports_tx, ports_rx, ports_total; /* with a test */
	uint64_t comps, comps_total;
	uint64_t tests, not_run;
	double miss; /* chance to have missed a fault of a single directed pair
	                of hosts on one rail; 0: all were tested */
};

/** locate_cover() - what the tests so far have covered. */
struct locate_cover locate_cover(const struct locate *l);

#endif
