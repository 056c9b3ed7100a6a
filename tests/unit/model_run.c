// SPDX-License-Identifier: Apache-2.0
// A small model of a cluster that is measured as a run would do it.
#include "tests/unit/model_run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

/* struct run - a model at work. */
struct run {
	size_t tape_at[2]; /* 0: not begun */
	struct build_run *b;
	const struct model *m;
	uint64_t rng;
	uint32_t tests; /* so far */
	uint32_t rare;  /* tests that meet MODEL_RARE, so far */
	double weather; /* 1, or what a bad time leaves */
	bool spell;     /* does one of model.spells last? */
};

struct model model_clean(void)
{
	return (struct model){
		.local_Bps = 5e9,
		.net_Bps = 119.5e6,
		.local_sigma = 0.03,
		.net_sigma = 0.0005,
		.seed = 1,
	};
}

void model_add(struct model *m, struct model_fault fault)
{
	m->faults[m->n_faults++] = fault;
}

static bool same_host(const struct run *r, int32_t a, int32_t b)
{
	return topo_job_same_host(&r->b->job, a, b);
}

/* The value of the first fault of @kind on src -> dst; 0: there is none. */
static double fault(const struct run *r, enum model_kind kind, int32_t src,
                    int32_t dst)
{
	const struct topo_rank *ranks = r->b->job.ranks;
	const struct model_fault *f;
	int32_t a, b;
	size_t i;

	for (i = 0; i < r->m->n_faults; i++) {
		f = &r->m->faults[i];
		a = f->hosts ? ranks[src].host : src;
		b = f->hosts ? ranks[dst].host : dst;
		if (f->kind == kind && (f->src == MODEL_ANY || f->src == a) &&
		    (f->dst == MODEL_ANY || f->dst == b) &&
		    !(f->hosts && same_host(r, src, dst)) &&
		    !(f->inside && !same_host(r, src, dst)))
			return f->value > 0 ? f->value : 1;
	}
	return 0;
}

static bool is_cut(const struct run *r, int32_t src, int32_t dst)
{
	return fault(r, MODEL_HOLE, src, dst) > 0 ||
	       fault(r, MODEL_STUCK, src, dst) > 0;
}

/* Bulk data one way needs the other way for acknowledgements. */
static bool bulk_hangs(const struct run *r, int32_t src, int32_t dst)
{
	return is_cut(r, src, dst) || fault(r, MODEL_HOLE, dst, src) > 0 ||
	       fault(r, MODEL_MTU, src, dst) > 0;
}

static double noise(struct run *r, bool local)
{
	double x = exp((local ? r->m->local_sigma : r->m->net_sigma) *
	               build_normal(&r->rng));

	if (r->tests++ % 10 == 0)
		r->weather = build_random(&r->rng) < r->m->burst
		                     ? 0.3 + 0.4 * build_random(&r->rng)
		                     : 1;
	if (build_random(&r->rng) < r->m->contention)
		x *= 0.4 + 0.55 * build_random(&r->rng);
	return x * r->weather;
}

/* What others leave of a rate, and of the pace of single messages. */
static void steal(struct run *r, struct build_test *t)
{
	double left = build_random(&r->rng);

	t->pace = t->value;
	if (build_random(&r->rng) >= r->m->stolen)
		return;
	t->value *= 0.02 + 0.5 * left * left;
	t->pace *= build_random(&r->rng) < 0.15 ? 0.05 + 0.5 * left
	                                        : 0.6 + 0.6 * left;
}

/* Spells outlast a test or two, whoever it is of. */
static void fall(struct run *r, struct build_test *t)
{
	if (build_random(&r->rng) < 0.5)
		r->spell = build_random(&r->rng) < r->m->spells;
	if (!r->spell)
		return;
	t->pace = (t->pace > 0 ? t->pace : t->value) * 0.29;
	t->value *= 0.29;
}

/* The next of what was recorded. */
static void play(struct run *r, bool local, double slow, struct build_test *t)
{
	const struct model_tape *tape =
		local ? &r->m->local_tape : &r->m->net_tape;
	double usual = slow * (local ? r->m->local_Bps : r->m->net_Bps);
	size_t *at = &r->tape_at[local];

	if (!tape->n)
		return;
	if (*at == 0)
		*at = 1 + (size_t)(build_random(&r->rng) * (double)tape->n);
	t->value = usual * tape->noise[*at % tape->n].rate;
	t->pace = usual * tape->noise[*at % tape->n].pace;
	(*at)++;
}

static void end_badly(struct build_test *t, uint8_t state)
{
	t->src_state = t->dst_state = state;
	t->src_stage = t->dst_stage =
		state == OUTCOME_HANG ? STAGE_XFER : STAGE_CONNECT;
	t->err = state == OUTCOME_HANG ? "deadline" : "connection refused";
}

static void measure_write(struct run *r, struct build_test *t)
{
	bool local = same_host(r, t->src, t->dst);
	double slow = fault(r, MODEL_SLOW, t->src, t->dst);
	double stall = fault(r, MODEL_STALL, t->src, t->dst);

	t->value = (local ? r->m->local_Bps : r->m->net_Bps) * noise(r, local) *
	           (slow > 0 ? slow : 1);
	if (local && r->m->stolen > 0)
		steal(r, t);
	if (local && r->m->spells > 0)
		fall(r, t);
	play(r, local, slow > 0 ? slow : 1, t);
	t->low = t->value * (stall > 0 ? stall : 0.97);
	t->segs = 10000;
	t->retrans = (int64_t)(1e4 * fault(r, MODEL_LOSS, t->src, t->dst));
	t->rtt_s = fault(r, MODEL_ROUND, t->src, t->dst);
	t->wrong = (uint64_t)fault(r, MODEL_CORRUPT, t->src, t->dst);
	if (fault(r, MODEL_REFUSED, t->src, t->dst) > 0)
		end_badly(t, OUTCOME_ERROR);
	else if (bulk_hangs(r, t->src, t->dst))
		end_badly(t, OUTCOME_HANG);
}

static void measure_latency(struct run *r, struct build_test *t)
{
	bool local = same_host(r, t->src, t->dst);
	double late = fault(r, MODEL_LATE, t->src, t->dst) +
	              fault(r, MODEL_LATE, t->dst, t->src);
	double jitter = fault(r, MODEL_JITTER, t->src, t->dst) +
	                fault(r, MODEL_JITTER, t->dst, t->src);

	t->value = (local ? 2e-6 : 20e-6) / noise(r, local) + late;
	t->low = (t->value * 3) / noise(r, local) + jitter;
	if (is_cut(r, t->src, t->dst) || is_cut(r, t->dst, t->src) ||
	    (fault(r, MODEL_RARE, t->src, t->dst) > 0 && r->rare++ % 2 == 0))
		end_badly(t, OUTCOME_HANG);
}

static void measure_datagram(struct run *r, struct build_test *t)
{
	bool hole = fault(r, MODEL_HOLE, t->src, t->dst) > 0;
	bool mtu = fault(r, MODEL_MTU, t->src, t->dst) > 0;

	t->small_rcvd = hole ? 0 : 8;
	t->full_rcvd = hole || mtu ? 0 : 8;
}

static void measure(struct run *r, const struct trial *kind,
                    const struct plan_pairs *plan)
{
	struct build_test t;
	size_t i;

	for (i = 0; i < plan->n; i++) {
		t = (struct build_test){
			.src = plan->pairs[i].src,
			.dst = plan->pairs[i].dst,
			.xport = kind->xport,
			.op = kind->op,
			.stage = kind->stage,
			.segs = -1,
		};
		if (t.op == OP_WRITE)
			measure_write(r, &t);
		else if (t.op == OP_LATENCY)
			measure_latency(r, &t);
		else
			measure_datagram(r, &t);
		build_test(r->b, &t);
	}
}

static void measure_inside(struct run *r, uint16_t xport, uint16_t op)
{
	const struct trial kind = { .xport = xport,
		                    .op = op,
		                    .stage = TRIAL_S1_HOST };
	struct plan_pairs plan;

	assert_int_equal(plan_inside_hosts(&r->b->job, NULL, 1, 0, &plan, NULL),
	                 FP_OK);
	measure(r, &kind, &plan);
	plan_pairs_done(&plan);
}

static void measure_between(struct run *r, uint16_t op)
{
	const struct trial kind = { .xport = XPORT_TCP,
		                    .op = op,
		                    .stage = TRIAL_S3_RAIL };
	const struct plan_between how = { .job = &r->b->job,
		                          .matchings = r->m->matchings,
		                          .seed = r->m->seed };
	struct plan_pairs plan;

	assert_int_equal(plan_between_hosts(&how, &plan, NULL), FP_OK);
	measure(r, &kind, &plan);
	plan_pairs_done(&plan);
}

/* Both directions of every pair that hung between hosts. */
static void measure_grams(struct run *r)
{
	const struct trial kind = { .xport = XPORT_TCP,
		                    .op = OP_DATAGRAM,
		                    .stage = TRIAL_S7_RETEST };
	size_t i, n = r->b->results.n_trials;
	struct plan_pair pairs[2];
	struct plan_pairs plan = { pairs, 2, 2 };
	const struct trial *t;

	for (i = 0; i < n; i++) {
		t = &r->b->results.trials[i];
		if (t->op != OP_WRITE || same_host(r, t->src, t->dst) ||
		    !bulk_hangs(r, t->src, t->dst))
			continue;
		pairs[0] = (struct plan_pair){ 0, t->src, t->dst };
		pairs[1] = (struct plan_pair){ 1, t->dst, t->src };
		measure(r, &kind, &plan);
	}
}

static size_t retest_matrix(struct run *r, const struct matrix *m,
                            const struct judge_opts *opts)
{
	const struct trial kind = { .xport = (uint16_t)m->xport,
		                    .op = (uint16_t)m->op,
		                    .stage = TRIAL_S7_RETEST };
	struct plan_pair *pairs;
	struct plan_pairs plan;
	size_t n;

	assert_int_equal(judge_suspects(m, opts, &pairs, &n, NULL), FP_OK);
	assert_int_equal(plan_listed(&r->b->job, pairs, n, 0, &plan, NULL),
	                 FP_OK);
	measure(r, &kind, &plan);
	plan_pairs_done(&plan);
	free(pairs);
	return n;
}

static void retest(struct run *r)
{
	struct judge_opts opts;
	struct matrices ms;
	size_t i, n = 1;
	uint32_t k;

	judge_defaults(&opts);
	for (k = 0; n && k < JUDGE_LONE_MAX; k++) {
		assert_int_equal(judge_matrices(&r->b->job, &r->b->results,
		                                &opts, &ms, NULL),
		                 FP_OK);
		for (i = n = 0; i < ms.n; i++)
			n += retest_matrix(r, &ms.m[i], &opts);
		matrices_done(&ms);
	}
}

void model_run(struct build_run *b, const struct model *m)
{
	struct run r = { .b = b, .m = m, .rng = m->seed, .weather = 1 };

	measure_inside(&r, XPORT_SHM, OP_WRITE);
	if (m->loopback)
		measure_inside(&r, XPORT_TCP, OP_WRITE);
	measure_between(&r, OP_WRITE);
	if (m->latency) {
		measure_inside(&r, XPORT_SHM, OP_LATENCY);
		measure_between(&r, OP_LATENCY);
	}
	measure_grams(&r);
	retest(&r);
}

void model_judge(const struct build_run *b, struct matrices *ms,
                 struct findings *list)
{
	struct judge_opts opts;

	judge_defaults(&opts);
	assert_int_equal(judge_matrices(&b->job, &b->results, &opts, ms, NULL),
	                 FP_OK);
	assert_int_equal(
		judge_findings(&b->job, &b->results, ms, &opts, list, NULL),
		FP_OK);
}
