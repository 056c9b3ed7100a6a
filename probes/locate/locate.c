// SPDX-License-Identifier: Apache-2.0
// The machine: what it asks for in each phase, and what it makes of it.
#include "probes/locate/locate.h"

#include <stdlib.h>
#include <string.h>

#include "probes/attribute/kinds.h"
#include "probes/locate/book.h"
#include "probes/trial/grow.h"
#include "probes/trial/trial.h"

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
	follow_done(&l->follow);
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
	enum fp_status status = FP_OK;

	if (l->step == 0) {
		status = book_usual(l, err);
		l->at = 0;
	}
	return status ? status : retest_ask(l, err);
}

static enum fp_status ask_rehash(struct locate *l, struct fp_err *err)
{
	enum fp_status status = FP_OK;

	if (l->step == 0)
		status = book_blame_hard(l, err);
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
	bool bursts;  /* all looks at a test in one round */
	bool repeats; /* until it asks nothing; else once */
	enum fp_status (*ask)(struct locate *l, struct fp_err *err);
	enum fp_status (*eat)(struct locate *l, const struct locate_look *looks,
	                      struct fp_err *err);
} phases[LOCATE_PHASE_COUNT] = {
	[LOCATE_SCREEN] = { NULL, false, true, ask_screen, eat_first },
	[LOCATE_RETEST] = { "S7 suspects again", false, true, ask_suspects,
	                    retest_eat },
	[LOCATE_FOLLOW] = { "S7 unsteady ports", false, true, follow_ask,
	                    follow_eat },
	[LOCATE_REHASH] = { "S7 links of leaves", true, true, ask_rehash,
	                    rehash_eat },
	[LOCATE_PARTNERS] = { "S7 other partners", false, false, ask_partners,
	                      eat_first },
	[LOCATE_RETEST_PARTNERS] = { "S7 other partners again", false, true,
	                             retest_ask, retest_eat },
	[LOCATE_DONE] = { "", false, false, ask_nothing, NULL },
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

static void next_phase(struct locate *l)
{
	l->phase++;
	l->step = 0;
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
			next_phase(l);
	}
	return status || !l->batch.n ? status : pack_batch(l, err);
}

enum fp_status locate_eat(struct locate *l, const struct locate_look *looks,
                          struct fp_err *err)
{
	enum fp_status status = phases[l->phase].eat(l, looks, err);

	l->batch.n = 0;
	l->step++;
	if (!phases[l->phase].repeats)
		next_phase(l);
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
