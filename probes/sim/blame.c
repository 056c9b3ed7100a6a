// SPDX-License-Identifier: Apache-2.0
// Random faults, flags with errors, the real schedule and attribution.
#include "probes/sim/blame.h"

#include <stdlib.h>
#include <string.h>

#include "probes/attribute/evidence.h"
#include "probes/attribute/kinds.h"
#include "probes/plan/plan.h"

#define RAILS 8
#define TYPES 5
#define SCREENINGS_MAX 6

static const uint32_t types[TYPES] = { FABRIC_HOST, FABRIC_GPU, FABRIC_PORT_TX,
	                               FABRIC_PORT_RX, FABRIC_LEAF };

/* struct bench - one cluster, used again by every trial. */
struct bench {
	const struct sim_blame *cell;
	struct fabric f;
	double *logit;
	struct evidence e;
	struct stats_rng rng;
	uint8_t *bad; /* [components] planted and still there */
	size_t hits, misses, inventions, screenings;
};

uint32_t sim_blame_rounds(const struct sim_blame *c)
{
	return plan_rounds(RAILS) +
	       2 * (uint32_t)(c->matchings + c->swaps + c->memories);
}

static enum fp_status test(struct bench *b, const struct fabric_transfer *t,
                           struct fp_err *err)
{
	int32_t ids[FABRIC_PATH_MAX];
	size_t n = fabric_cross(&b->f, t, ids), i;
	double p = b->cell->alpha;

	for (i = 0; i < n; i++)
		if (b->bad[ids[i]])
			p = 1 - b->cell->beta;
	return evidence_add(&b->e, ids, n, stats_rng_chance(&b->rng, p), err);
}

static enum fp_status inside(struct bench *b, int32_t host, struct fp_err *err)
{
	enum fp_status status = FP_OK;
	struct fabric_transfer t;
	uint32_t round, v;

	for (round = 0; round < plan_rounds(RAILS); round++)
		for (v = 0; !status && v < RAILS; v++) {
			t.src = (struct fabric_end){ host, (int32_t)v, -1 };
			t.dst = (struct fabric_end){
				host, plan_partner(RAILS, v, round), -1
			};
			status = test(b, &t, err);
		}
	return status;
}

/* A flow from each NIC of each host to the same one of its partner.
 * @swap: 1 for the neighbour's HCA; @memory: without the GPUs. */
static enum fp_status matching(struct bench *b, uint32_t round, int32_t swap,
                               bool memory, struct fp_err *err)
{
	uint32_t n = (uint32_t)b->f.spec.hosts, h;
	enum fp_status status = FP_OK;
	struct fabric_transfer t;
	int32_t g;

	for (h = 0; h < n; h++)
		for (g = 0; !status && g < RAILS; g++) {
			t.src = (struct fabric_end){ (int32_t)h,
				                     memory ? -1 : g,
				                     g ^ swap };
			t.dst = t.src;
			t.dst.host = plan_partner(n, h, round);
			status = test(b, &t, err);
		}
	return status;
}

static enum fp_status screen(struct bench *b, struct fp_err *err)
{
	const struct sim_blame *c = b->cell;
	int32_t m = c->hosts > 1 ? c->hosts - 1 : 1, h, q;
	int32_t rot = (int32_t)stats_rng_below(&b->rng, (uint32_t)m);
	enum fp_status status = FP_OK;

	evidence_clear(&b->e);
	for (h = 0; !status && h < c->hosts; h++)
		status = inside(b, h, err);
	for (q = 0; !status && q < c->matchings; q++)
		status = matching(b, (uint32_t)((rot + q * (m / 4 + 1)) % m), 0,
		                  false, err);
	for (q = 0; !status && q < c->swaps; q++)
		status =
			matching(b, (uint32_t)((rot + 1 + q * (m / 3 + 1)) % m),
		                 1, false, err);
	for (q = 0; !status && q < c->memories; q++)
		status =
			matching(b, (uint32_t)((rot + 2 + q * (m / 3 + 1)) % m),
		                 0, true, err);
	return status;
}

static void plant(struct bench *b)
{
	int32_t left = b->cell->faults, id;
	uint32_t kind;

	while (left > 0) {
		kind = types[stats_rng_below(&b->rng, TYPES)];
		id = b->f.first[kind] +
		     (int32_t)stats_rng_below(
			     &b->rng, (uint32_t)fabric_count(&b->f, kind));
		if (b->bad[id])
			continue;
		b->bad[id] = 1;
		left--;
	}
}

/* Screen, attribute, and count; what was found is taken out of service or
 * repaired, and so no longer stands before others. */
static enum fp_status one_screening(struct bench *b, size_t *ret_new,
                                    struct fp_err *err)
{
	struct attribute_opts opts;
	struct attribute_result r;
	struct attribute_tests tests;
	enum fp_status status = screen(b, err);
	size_t i;

	if (status)
		return status;
	attribute_defaults(&opts, b->logit);
	opts.greedy_only = !b->cell->refined;
	tests = evidence_tests(&b->e);
	status = attribute(&tests, &opts, &r, err);
	if (status)
		return status;
	for (i = 0; i < r.n; i++) {
		int32_t id = r.culprits[i].comp;

		b->hits += b->bad[id];
		b->inventions += !b->bad[id];
		b->bad[id] = 0;
	}
	*ret_new = r.n;
	b->screenings++;
	attribute_result_done(&r);
	return FP_OK;
}

static enum fp_status one_trial(struct bench *b, bool *ret_exact,
                                struct fp_err *err)
{
	int32_t n = fabric_size(&b->f), i;
	size_t invented = b->inventions, missed = 0, found = 1, turn;
	enum fp_status status = FP_OK;

	memset(b->bad, 0, (size_t)n);
	plant(b);
	for (turn = 0; !status && found && turn < SCREENINGS_MAX; turn++) {
		status = one_screening(b, &found, err);
		if (!b->cell->unmask)
			break;
	}
	for (i = 0; i < n; i++)
		missed += b->bad[i];
	b->misses += missed;
	*ret_exact = missed == 0 && b->inventions == invented;
	return status;
}

static enum fp_status bench_init(struct bench *b, const struct sim_blame *c,
                                 struct fp_err *err)
{
	struct fabric_spec spec;
	enum fp_status status;
	size_t i, n;

	*b = (struct bench){ .cell = c };
	fabric_spec_defaults(&spec, c->hosts);
	spec.hosts_per_leaf = c->hosts <= 8 ? 8 : 32;
	spec.kinds = 0;
	for (i = 0; i < TYPES; i++)
		spec.kinds |= 1u << types[i];
	status = fabric_init(&b->f, &spec, err);
	if (status)
		return status;
	n = (size_t)fabric_size(&b->f);
	b->logit = attribute_logits(&b->f);
	b->bad = calloc(n, 1);
	evidence_init(&b->e, (int32_t)n);
	stats_rng_init(&b->rng, c->seed, (uint64_t)c->hosts);
	if (b->logit && b->bad)
		return FP_OK;
	(void)fp_err_set(err, FP_ERR_NOMEM, "no memory for a model");
	return FP_ERR_NOMEM;
}

static void bench_done(struct bench *b)
{
	fabric_done(&b->f);
	evidence_done(&b->e);
	free(b->logit);
	free(b->bad);
}

static double share(double part, double of)
{
	return of > 0 ? part / of : 1;
}

enum fp_status sim_blame_run(const struct sim_blame *c, struct sim_score *ret,
                             struct fp_err *err)
{
	uint32_t i, n_exact = 0;
	enum fp_status status;
	bool exact = false;
	struct bench b;

	if (c->hosts < 2 || c->hosts % 2)
		return fp_err_set(err, FP_ERR_INPUT, "%d hosts are not even",
		                  (int)c->hosts);
	status = bench_init(&b, c, err);
	for (i = 0; !status && i < c->trials; i++) {
		status = one_trial(&b, &exact, err);
		n_exact += exact;
	}
	if (!status)
		*ret = (struct sim_score){
			.trials = c->trials,
			.exact = share(n_exact, c->trials),
			.precision = share((double)b.hits,
			                   (double)(b.hits + b.inventions)),
			.recall = share((double)b.hits,
			                (double)(b.hits + b.misses)),
			.rounds = sim_blame_rounds(c),
			.repeats = share((double)b.screenings, c->trials),
		};
	bench_done(&b);
	return status;
}
