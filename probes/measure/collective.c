// SPDX-License-Identifier: Apache-2.0
// Collectives: how many is agreed round the ring, then all run that many.
#include <stdlib.h>
#include <string.h>

#include "probes/measure/log.h"
#include "probes/measure/pace.h"
#include "probes/measure/part.h"
#include "probes/measure/ring.h"
#include "probes/stats/stats.h"
#include "topo/base/clock.h"

#define SAMPLE_NS 5000000LL /* operations are timed together for so long */
#define RUNS_MAX 1000000u

struct collective {
	struct measure *m;
	struct ring ring;
	struct measure_lane next, prev; /* for words */
	float *own;                     /* an all-to-all's data */
	void *input; /* what has to be restored before each; or NULL */
	size_t input_bytes;
	struct measure_log log;
	size_t n_rates;
	struct outcome *o;
};

/* What all members agree on. */
struct agreement {
	uint32_t runs;     /* timed operations */
	uint32_t together; /* of them between two looks at the clock */
};

static enum fp_status run_once(struct collective *c, struct fp_err *err)
{
	struct board *board = c->m->board;
	enum fp_status status;

	/* Out of place: the input stays, and a copy of it is sent from. */
	if (c->input)
		memcpy(c->ring.data, c->input, c->input_bytes);
	status = ring_run(&c->ring, err);
	if (status == FP_OK)
		atomic_fetch_add_explicit(&board->iter, 1,
		                          memory_order_relaxed);
	return status;
}

/* @ret_ns: how long the last of them took, when all was warm. */
static enum fp_status warm_up(struct collective *c, int64_t *ret_ns,
                              struct fp_err *err)
{
	const struct trial *t = c->m->trial;
	uint32_t n = t->iters ? 1 : 2;
	enum fp_status status = FP_OK;
	int64_t begin_ns = 0;

	if (t->warmup > n)
		n = t->warmup;
	for (uint32_t i = 0; i < n && status == FP_OK; i++) {
		begin_ns = fp_now_ns();
		status = run_once(c, err);
	}
	*ret_ns = fp_now_ns() - begin_ns;
	return status;
}

static enum fp_status hear(struct collective *c, struct measure_word *ret,
                           struct fp_err *err)
{
	enum fp_status status = measure_lane_hear(&c->prev, ret, err);

	if (status == FP_OK && !measure_word_intact(ret))
		return measure_damaged(c->o, err);
	return status;
}

/* The longest of all members' times comes back to member 0. */
static enum fp_status agree_time(struct collective *c, uint32_t *us,
                                 struct fp_err *err)
{
	struct measure_word word = { .iters = *us };
	enum fp_status status = FP_OK;

	if (c->m->me != 0)
		status = hear(c, &word, err);
	if (word.iters < *us)
		word.iters = *us;
	if (status == FP_OK)
		status = measure_lane_tell(&c->next, word, err);
	if (status == FP_OK && c->m->me == 0)
		status = hear(c, &word, err);
	*us = word.iters;
	return status;
}

static struct agreement decide(const struct measure *m, uint32_t us)
{
	int64_t each_ns = ((int64_t)us + 1) * 1000;
	int64_t time_ns = measure_time_ns(m->trial);
	struct agreement a = { .runs = m->trial->iters };

	if (!a.runs)
		a.runs = time_ns / each_ns < RUNS_MAX
		                 ? (uint32_t)(time_ns / each_ns) + 1
		                 : RUNS_MAX;
	a.together = (uint32_t)(SAMPLE_NS / each_ns) + 1;
	if (a.together > a.runs)
		a.together = a.runs;
	return a;
}

/* Member 0's decision goes round; its return says that all are ready. */
static enum fp_status agree_runs(struct collective *c, struct agreement *a,
                                 struct fp_err *err)
{
	struct measure_word word = { .iters = a->runs, .piece = a->together };
	enum fp_status status = FP_OK;

	if (c->m->me != 0)
		status = hear(c, &word, err);
	if (status == FP_OK)
		status = measure_lane_tell(&c->next, word, err);
	if (status == FP_OK && c->m->me == 0)
		status = hear(c, &word, err);
	if (status != FP_OK)
		return status;
	if (word.iters == 0 || word.piece == 0)
		return measure_damaged(c->o, err);
	*a = (struct agreement){ .runs = word.iters, .together = word.piece };
	return FP_OK;
}

static enum fp_status agree(struct collective *c, int64_t each_ns,
                            struct agreement *ret, struct fp_err *err)
{
	int64_t us = each_ns / 1000;
	uint32_t longest = us < UINT32_MAX ? (uint32_t)us : UINT32_MAX;
	enum fp_status status = agree_time(c, &longest, err);

	if (status != FP_OK)
		return status;
	*ret = decide(c->m, longest);
	return agree_runs(c, ret, err);
}

static void sample(struct collective *c, int64_t took_ns, uint32_t runs)
{
	uint64_t bytes = ring_size_bytes(c->ring.op, c->ring.n, c->ring.count);
	double each_s = (double)(took_ns > 0 ? took_ns : 1) / 1e9 / runs;

	measure_log_add(&c->log, each_s);
	if (c->n_rates < c->m->room_rates)
		c->m->rates[c->n_rates++] = (double)bytes / each_s;
}

static enum fp_status run_timed(struct collective *c, struct agreement a,
                                struct fp_err *err)
{
	enum fp_status status = FP_OK;
	int64_t begin_ns = fp_now_ns(), now_ns;
	uint32_t n;

	c->o->start_s = (double)begin_ns / 1e9;
	for (uint32_t done = 0; done < a.runs; done += n) {
		n = a.runs - done < a.together ? a.runs - done : a.together;
		for (uint32_t i = 0; i < n && status == FP_OK; i++)
			status = run_once(c, err);
		if (status != FP_OK)
			return status;
		now_ns = fp_now_ns();
		sample(c, now_ns - begin_ns, n);
		begin_ns = now_ns;
	}
	return FP_OK;
}

static enum fp_status verify(struct collective *c, struct fp_err *err)
{
	enum fp_status status;

	ring_fill(&c->ring, c->m->trial->seed);
	status = ring_run(&c->ring, err);
	if (status == FP_OK)
		c->o->wrong_bytes += ring_verify(&c->ring, c->m->trial->seed);
	return status;
}

static enum fp_status run_all(struct collective *c, struct fp_err *err)
{
	struct agreement a;
	int64_t each_ns;
	enum fp_status status;

	ring_fill(&c->ring, c->m->trial->seed);
	if (c->input)
		memcpy(c->input, c->ring.data, c->input_bytes);
	status = warm_up(c, &each_ns, err);
	if (status == FP_OK)
		status = agree(c, each_ns, &a, err);
	if (status != FP_OK)
		return status;
	board_stage(c->m->board, STAGE_XFER);
	status = run_timed(c, a, err);
	if (status != FP_OK)
		return status;
	board_stage(c->m->board, STAGE_VERIFY);
	return verify(c, err);
}

static enum fp_status figures(struct collective *c, struct outcome *o,
                              struct fp_err *err)
{
	const struct measure *m = c->m;

	o->flags |= OUTCOME_RECEIVER;
	stats_sort(m->rates, c->n_rates);
	if (c->n_rates > 0) {
		o->algbw_Bps = stats_quantile(m->rates, c->n_rates, 0.5);
		o->low_Bps = stats_quantile(m->rates, c->n_rates, 0.05);
	}
	o->busbw_Bps =
		o->algbw_Bps * trial_busbw_factor(m->trial->op, m->n_members);
	return measure_log_figures(&c->log, o, err);
}

static uint32_t root_of(const struct measure *m)
{
	for (uint32_t i = 0; i < m->n_members; i++) {
		if (m->members[i] == m->trial->src)
			return i;
	}
	return 0;
}

static void ring_init(struct collective *c)
{
	struct measure *m = c->m;
	struct ring *r = &c->ring;

	r->op = m->trial->op;
	r->n = m->n_members;
	r->me = m->me;
	r->root = root_of(m);
	r->count = ring_count(r->op, r->n, m->trial->bytes);
	r->next = m->next;
	r->prev = m->prev;
	r->mesh = m->mesh;
	r->deadline_ns = m->deadline_ns;
	r->board = m->board;
	if (r->op == OP_ALLTOALL) {
		r->next = m->mesh[(r->me + 1) % r->n];
		r->prev = m->mesh[(r->me + r->n - 1) % r->n];
	}
}

/* Whatever it can take: collective_close() gives back. */
static enum fp_status collective_open(struct collective *c, struct fp_err *err)
{
	const struct trial *t = c->m->trial;
	struct ring *r = &c->ring;
	size_t region;

	ring_init(c);
	region = ring_region_bytes(r->op, r->n, r->count);
	c->next = measure_lane_of(c->m, r->next, region);
	c->prev = measure_lane_of(c->m, r->prev, region);
	r->data = r->next->ops->tx_region(r->next);
	r->scratch = measure_buffer(ring_scratch_bytes(r->op, r->n, r->count));
	if (r->op == OP_ALLTOALL)
		r->data = c->own = measure_buffer(region);
	if (!(t->flags & TRIAL_IN_PLACE))
		c->input_bytes = ring_clobbered_bytes(r->op, r->n, r->count);
	if (c->input_bytes)
		c->input = measure_buffer(c->input_bytes);
	if (!r->data || !r->scratch || (c->input_bytes && !c->input))
		return fp_err_set(
			err, FP_ERR_NOMEM, "no memory for a %s of %llu bytes",
			trial_op_name(t->op), (unsigned long long)t->bytes);
	measure_log_init(&c->log, c->m->samples, c->m->room_samples);
	return FP_OK;
}

static void collective_close(struct collective *c)
{
	free(c->input);
	free(c->own);
	free(c->ring.scratch);
}

enum fp_status measure_collective(struct measure *m, struct outcome *o,
                                  struct fp_err *err)
{
	struct collective c = { .m = m, .o = o };
	enum fp_status status = collective_open(&c, err);

	if (status == FP_OK)
		status = run_all(&c, err);
	m->n_samples = c.log.n;
	if (status == FP_OK)
		status = figures(&c, o, err);
	collective_close(&c);
	return status;
}
