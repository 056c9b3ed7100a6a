// SPDX-License-Identifier: Apache-2.0
// The machine: what it asks for in each phase, and what it makes of it.
#include "probes/locate/locate.h"

#include <stdlib.h>
#include <string.h>

#include "probes/attribute/kinds.h"
#include "probes/locate/book.h"
#include "probes/trial/grow.h"
#include "probes/trial/trial.h"

#define LOOK_FOLLOW 256 /* other hashes than those of retests */

enum fp_status book_ask(struct locate *l, size_t test, uint32_t look, bool solo,
                        struct fp_err *err)
{
	struct locate_batch *b = &l->batch;
	enum fp_status status =
		grow_room(&b->asks, &b->room, b->n + 1, sizeof(*b->asks), err);

	if (!status)
		b->asks[b->n++] = (struct locate_ask){
			.test = (uint32_t)test,
			.look = look,
			.solo = solo,
		};
	return status;
}

enum fp_status book_room(struct locate *l, struct fp_err *err)
{
	size_t n = l->tests.n + 1, had = l->room_looks;
	enum fp_status status;

	status =
		grow_room(&l->looks, &l->room_looks, n, sizeof(*l->looks), err);
	if (!status)
		status = grow_room(&l->signs, &l->room_signs, n,
		                   sizeof(*l->signs), err);
	if (!status)
		status = grow_room(&l->features, &l->room_features, n,
		                   sizeof(*l->features), err);
	if (status || l->room_looks == had)
		return status;
	memset(l->looks + had, 0, (l->room_looks - had) * sizeof(*l->looks));
	memset(l->signs + had, 0, l->room_signs - had);
	memset(l->features + had, 0, l->room_features - had);
	return FP_OK;
}

enum fp_status locate_init(struct locate *l, const struct fabric *f,
                           const struct locate_opts *opts, struct fp_err *err)
{
	enum fp_status status;

	*l = (struct locate){ .f = f, .opts = *opts };
	decide_ladder_defaults(&l->ladder);
	evidence_init(&l->e, fabric_size(f));
	evidence_init(&l->hashes, fabric_size(f));
	status = locate_plan(f, &opts->extent, opts->seed, &l->tests, err);
	l->planned = l->tests.n;
	if (!status)
		status = locate_pack_init(&l->pack, f, &l->tests, err);
	if (!status)
		status = book_room(l, err);
	if (status)
		return status;
	l->logit = attribute_logits(f);
	if (!l->logit)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for a plan");
	return attribute_accusations_init(&l->a, fabric_size(f), err);
}

void locate_done(struct locate *l)
{
	if (!l)
		return;
	locate_tests_done(&l->tests);
	locate_pack_done(&l->pack);
	attribute_accusations_done(&l->a);
	evidence_done(&l->e);
	evidence_done(&l->hashes);
	free(l->batch.asks);
	free(l->names);
	free(l->looks);
	free(l->signs);
	free(l->features);
	free(l->logit);
	retest_done(&l->retest);
	*l = (struct locate){ 0 };
}

/* All tests of the next stage. */
static enum fp_status ask_screen(struct locate *l, struct fp_err *err)
{
	enum fp_status status = FP_OK;
	size_t i = l->at;

	for (; !status && i < l->tests.n &&
	       l->tests.t[i].stage == l->tests.t[l->at].stage;
	     i++)
		status = book_ask(l, i, 0, false, err);
	l->at = i;
	return status;
}

static enum fp_status
eat_first(struct locate *l, const struct locate_look *looks, struct fp_err *err)
{
	size_t i;

	(void)err;
	for (i = 0; i < l->batch.n; i++)
		l->looks[l->batch.asks[i].test] = looks[i];
	return FP_OK;
}

static enum fp_status ask_suspects(struct locate *l, struct fp_err *err)
{
	enum fp_status status = book_usual(l, err);

	l->at = 0;
	return status ? status : retest_ask(l, err);
}

/* Ports of tests that were flaky again and again. */
static void mark_ports(const struct locate *l, bool *ports)
{
	const struct fabric *f = l->f;
	size_t t, j;
	int32_t id;

	for (t = 0; t < l->e.n; t++) {
		/* Always slow is not unsteady. */
		if (!(l->signs[t] & SIGN_BIT(FLAKY)) ||
		    l->signs[t] & SIGN_BIT(SLOW))
			continue;
		for (j = l->e.first[t]; j < l->e.first[t + 1]; j++) {
			id = l->e.comps[j];
			ports[id] |= id >= f->first[FABRIC_PORT_TX] &&
			             id < f->first[FABRIC_PORT_RX + 1];
		}
	}
}

static bool touches(const struct locate *l, size_t t, const bool *comps)
{
	size_t j;

	for (j = l->e.first[t]; j < l->e.first[t + 1]; j++)
		if (comps[l->e.comps[j]])
			return true;
	return false;
}

/* Often enough to know: whether a few looks were flaky was luck. */
static enum fp_status ask_follow(struct locate *l, struct fp_err *err)
{
	bool *ports = calloc((size_t)l->e.n_comps + 1, sizeof(*ports));
	enum fp_status status;
	uint32_t k;
	size_t t;

	if (!ports)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for looks");
	book_spare_oversubscribed(l);
	status = book_evidence(l, err);
	if (!status)
		mark_ports(l, ports);
	for (t = 0; t < l->e.n; t++)
		for (k = 0;
		     !status && k < LOCATE_FOLLOWS && touches(l, t, ports); k++)
			status = book_ask(l, t, LOOK_FOLLOW + k, true, err);
	free(ports);
	return status;
}

static enum fp_status eat_follow(struct locate *l,
                                 const struct locate_look *looks,
                                 struct fp_err *err)
{
	uint8_t *flaky = calloc(l->tests.n + 1, sizeof(*flaky));
	size_t i, t;

	if (!flaky)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for looks");
	for (i = 0; i < l->batch.n; i++) {
		t = l->batch.asks[i].test;
		flaky[t] += book_is_flaky(l, l->tests.t[t].cls, &looks[i]);
	}
	for (i = 0; i < l->batch.n; i++) {
		t = l->batch.asks[i].test;
		l->signs[t] &= (uint8_t)~SIGN_BIT(FLAKY);
		if (2 * flaky[t] >= LOCATE_FOLLOWS)
			l->signs[t] |= SIGN_BIT(FLAKY);
	}
	free(flaky);
	return FP_OK;
}

static enum fp_status ask_rehash(struct locate *l, struct fp_err *err)
{
	enum fp_status status = book_blame_hard(l, err);

	return status ? status : rehash_ask(l, err);
}

static enum fp_status accuse_all(struct locate *l, struct fp_err *err)
{
	enum fp_status status = book_blame_hard(l, err);

	return status ? status : book_blame_rest(l, err);
}

static enum fp_status ask_partners(struct locate *l, struct fp_err *err)
{
	enum fp_status status = accuse_all(l, err);

	return status ? status : partners_ask(l, err);
}

static enum fp_status ask_nothing(struct locate *l, struct fp_err *err)
{
	enum fp_status status = accuse_all(l, err);

	return status ? status : book_name_all(l, err);
}

static const struct phase {
	const char *title;
	bool bursts; /* all looks at a test in one round */
	enum fp_status (*ask)(struct locate *l, struct fp_err *err);
	enum fp_status (*eat)(struct locate *l, const struct locate_look *looks,
	                      struct fp_err *err);
} phases[LOCATE_PHASE_COUNT] = {
	[LOCATE_SCREEN] = { NULL, false, ask_screen, eat_first },
	[LOCATE_RETEST] = { "S7 suspects again", false, ask_suspects,
	                    retest_eat },
	[LOCATE_FOLLOW] = { "S7 unsteady ports", true, ask_follow, eat_follow },
	[LOCATE_REHASH] = { "S7 links of leaves", true, ask_rehash,
	                    rehash_eat },
	[LOCATE_PARTNERS] = { "S7 other partners", false, ask_partners,
	                      eat_first },
	[LOCATE_RETEST_PARTNERS] = { "S7 other partners again", false,
	                             retest_ask, retest_eat },
	[LOCATE_DONE] = { "", false, ask_nothing, NULL },
};

static const char *const stages[] = {
	[TRIAL_S0_LOCAL] = "S0 memory and GPUs",
	[TRIAL_S1_HOST] = "S1 inside hosts",
	[TRIAL_S2_LOOPBACK] = "S2 loopback of HCAs",
	[TRIAL_S3_RAIL] = "S3 rails between hosts",
	[TRIAL_S4_CROSS] = "S4 other HCA, memory, rails",
};

static enum fp_status pack_batch(struct locate *l, struct fp_err *err)
{
	struct locate_batch *b = &l->batch;

	b->title = phases[l->phase].title;
	b->stage = TRIAL_S7_RETEST;
	l->n_asks += b->n;
	if (l->phase == LOCATE_SCREEN) {
		b->stage = l->tests.t[b->asks[0].test].stage;
		b->title = stages[b->stage];
	}
	if (!b->asks[0].solo)
		return rounds_screen(l, err);
	l->n_retests += b->n;
	return phases[l->phase].bursts ? rounds_bursts(l, err)
	                               : rounds_again(l, err);
}

enum fp_status locate_next(struct locate *l, struct fp_err *err)
{
	enum fp_status status = FP_OK;

	l->batch.n = 0;
	while (!status && !l->finished) {
		status = phases[l->phase].ask(l, err);
		if (status || l->batch.n)
			break;
		l->finished = l->phase == LOCATE_DONE;
		if (!l->finished)
			l->phase++;
	}
	return status || !l->batch.n ? status : pack_batch(l, err);
}

enum fp_status locate_eat(struct locate *l, const struct locate_look *looks,
                          struct fp_err *err)
{
	enum fp_status status = phases[l->phase].eat(l, looks, err);

	l->batch.n = 0;
	/* The screen has a batch for each stage. */
	if (!status && (l->phase != LOCATE_SCREEN || l->at == l->tests.n))
		l->phase++;
	return status;
}

/* What was suspect and not tested again speaks neither for nor against. */
static enum fp_status drop_open(struct locate *l, struct fp_err *err)
{
	enum fp_status status = book_usual(l, err);
	size_t i;

	for (i = 0; !status && i < l->tests.n; i++) {
		if (!book_signs(l, l->tests.t[i].cls, &l->looks[i]))
			continue;
		l->signs[i] = 0;
		l->looks[i].state = OUTCOME_NOTRUN;
		l->n_open++;
	}
	return status;
}

enum fp_status locate_stop(struct locate *l, struct fp_err *err)
{
	enum fp_status status = FP_OK;
	size_t i;

	l->batch.n = 0;
	if (l->finished)
		return FP_OK;
	if (l->phase <= LOCATE_RETEST)
		status = drop_open(l, err);
	for (i = l->planned; i < l->tests.n; i++)
		l->looks[i].state = OUTCOME_NOTRUN;
	if (!status)
		status = ask_nothing(l, err);
	l->phase = LOCATE_DONE;
	l->finished = true;
	return status;
}

enum fp_status locate_cut(struct locate *l, const struct locate_look *looks,
                          struct fp_err *err)
{
	enum fp_status status = FP_OK;

	/* Half a retest convicts and clears nobody. */
	if (l->phase == LOCATE_SCREEN)
		status = locate_eat(l, looks, err);
	return status ? status : locate_stop(l, err);
}
