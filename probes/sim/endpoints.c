// SPDX-License-Identifier: Apache-2.0
// Endpoints located by random matchings and retests.
#include <stdlib.h>
#include <string.h>

#include "probes/decide/screen.h"
#include "probes/plan/plan.h"
#include "probes/sim/pairs.h"

struct hall {
	const struct sim_endpoints *c;
	struct decide_screen screen;
	struct stats_rng rng;
	int32_t *seat;     /* [n] endpoint of each place in the schedule */
	uint8_t *bad;      /* [n] */
	uint32_t *cleared; /* [n] */
	uint64_t suspects, wrong;
};

static bool test(struct hall *h, uint32_t a, uint32_t b)
{
	double p = h->bad[a] || h->bad[b] ? 1 - h->c->beta : h->c->alpha;

	return stats_rng_chance(&h->rng, p);
}

/* Any round of the schedule is a uniform matching once seats are shuffled. */
static void matching(struct hall *h)
{
	uint32_t v, a, b;
	int32_t w;

	stats_rng_shuffle(&h->rng, h->seat, h->c->n);
	h->screen.rounds++;
	for (v = 0; v < h->c->n; v++) {
		w = plan_partner(h->c->n, v, 0);
		if (w < (int32_t)v)
			continue;
		a = (uint32_t)h->seat[v];
		b = (uint32_t)h->seat[w];
		decide_screen_pair(&h->screen, a, b, test(h, a, b));
	}
}

static uint32_t partner_of(struct hall *h, uint32_t v, size_t n_cleared)
{
	uint32_t w = v;

	if (n_cleared)
		return h->cleared[stats_rng_below(&h->rng,
		                                  (uint32_t)n_cleared)];
	while (w == v)
		w = stats_rng_below(&h->rng, h->c->n);
	return w;
}

static void retest(struct hall *h)
{
	size_t n_cleared = decide_screen_cleared(&h->screen, h->cleared);
	uint32_t v, i;

	for (v = 0; v < h->c->n; v++) {
		if (!decide_screen_suspect(&h->screen, v))
			continue;
		h->suspects++;
		for (i = 0; i < h->c->retests; i++)
			decide_screen_retest(
				&h->screen, v,
				test(h, v, partner_of(h, v, n_cleared)));
	}
}

static bool one_trial(struct hall *h)
{
	bool exact = true, called;
	uint32_t i;

	decide_screen_clear(&h->screen);
	memset(h->bad, 0, h->c->n);
	stats_rng_shuffle(&h->rng, h->seat, h->c->n);
	for (i = 0; i < h->c->bad; i++)
		h->bad[h->seat[i]] = 1;
	for (i = 0; i < h->c->rounds; i++)
		matching(h);
	retest(h);
	for (i = 0; i < h->c->n; i++) {
		called = decide_screen_bad(&h->screen, i);
		exact = exact && called == (h->bad[i] != 0);
		h->wrong += called && !h->bad[i];
	}
	return exact;
}

static enum fp_status hall_init(struct hall *h, const struct sim_endpoints *c,
                                struct fp_err *err)
{
	enum fp_status status;
	uint32_t i;

	*h = (struct hall){ .c = c };
	if (c->n < 2 || c->n % 2 || c->bad > c->n)
		return fp_err_set(err, FP_ERR_INPUT, "%u of %u endpoints",
		                  c->bad, c->n);
	status = decide_screen_init(&h->screen, c->n, err);
	if (status)
		return status;
	h->seat = calloc(c->n, sizeof(*h->seat));
	h->bad = calloc(c->n, sizeof(*h->bad));
	h->cleared = calloc(c->n, sizeof(*h->cleared));
	if (!h->seat || !h->bad || !h->cleared)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for a model");
	for (i = 0; i < c->n; i++)
		h->seat[i] = (int32_t)i;
	stats_rng_init(&h->rng, c->seed, c->n);
	return FP_OK;
}

enum fp_status sim_endpoints_run(const struct sim_endpoints *c,
                                 struct sim_located *ret, struct fp_err *err)
{
	struct hall h;
	enum fp_status status = hall_init(&h, c, err);
	uint32_t i, exact = 0;

	for (i = 0; !status && i < c->trials; i++)
		exact += one_trial(&h);
	if (!status)
		*ret = (struct sim_located){
			.exact = (double)exact / c->trials,
			.wrong = (double)h.wrong / c->trials,
			.suspects = (double)h.suspects / c->trials,
		};
	decide_screen_done(&h.screen);
	free(h.seat);
	free(h.bad);
	free(h.cleared);
	return status;
}
