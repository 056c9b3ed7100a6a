// SPDX-License-Identifier: Apache-2.0
// Teams: how often is agreed, then all run that many, on the device's clock.
#include <math.h>

#include "probes/measure/log.h"
#include "probes/measure/pace.h"
#include "probes/measure/part.h"
#include "probes/stats/stats.h"
#include "probes/xport/team.h"
#include "topo/base/clock.h"

#define SAMPLE_NS 5000000LL /* operations are timed together for so long */
#define RUNS_MAX 1000000u

struct run {
	struct measure *m;
	struct xport_team *team;
	struct outcome *o;
	struct measure_log log;
	size_t n_rates;
	uint32_t runs;     /* timed operations */
	uint32_t together; /* of them between two looks at the clock */
};

static enum fp_status run_some(struct run *r, uint32_t n, double *ret_s,
                               struct fp_err *err)
{
	struct board *board = r->m->board;
	enum fp_status status = r->team->ops->run(r->team, n, ret_s, err);

	if (status != FP_OK)
		return status;
	atomic_fetch_add_explicit(&board->iter, n, memory_order_relaxed);
	atomic_fetch_add_explicit(&board->bytes, n * r->team->op_bytes,
	                          memory_order_relaxed);
	atomic_store_explicit(&board->beat_ns, fp_now_ns(),
	                      memory_order_relaxed);
	return FP_OK;
}

/* @ret_us: what the last of them took, by whichever clock says more: time is
 * spent on the host even where the device needs none. */
static enum fp_status warm_up(struct run *r, uint64_t *ret_us,
                              struct fp_err *err)
{
	const struct trial *t = r->m->trial;
	uint32_t n = t->iters ? 1 : 2;
	enum fp_status status = FP_OK;
	double host_us = 0, device_s = 0;
	int64_t begin_ns;

	if (t->warmup > n)
		n = t->warmup;
	for (uint32_t i = 0; i < n && status == FP_OK; i++) {
		begin_ns = fp_now_ns();
		status = run_some(r, 1, &device_s, err);
		host_us = (double)(fp_now_ns() - begin_ns) / 1e3;
	}
	*ret_us = (uint64_t)fmax(host_us, device_s * 1e6);
	return status;
}

/* All members have the same numbers, so they decide the same. */
static void decide(struct run *r, uint64_t each_us)
{
	int64_t each_ns = ((int64_t)each_us + 1) * 1000;
	int64_t time_ns = measure_time_ns(r->m->trial);

	r->runs = r->m->trial->iters;
	if (!r->runs)
		r->runs = time_ns / each_ns < RUNS_MAX
		                  ? (uint32_t)(time_ns / each_ns) + 1
		                  : RUNS_MAX;
	r->together = (uint32_t)(SAMPLE_NS / each_ns) + 1;
	if (r->together > r->runs)
		r->together = r->runs;
}

static void sample(struct run *r, double took_s, uint32_t n)
{
	bool there_and_back = r->m->trial->op == OP_LATENCY;
	double each_s = fmax(took_s, 1e-9) / n / (there_and_back ? 2 : 1);

	measure_log_add(&r->log, each_s);
	if (r->n_rates < r->m->room_rates)
		r->m->rates[r->n_rates++] = (double)r->team->op_bytes / each_s;
}

static enum fp_status run_timed(struct run *r, struct fp_err *err)
{
	enum fp_status status = FP_OK;
	double took_s = 0;
	uint32_t n;

	r->o->start_s = (double)fp_now_ns() / 1e9;
	for (uint32_t done = 0; done < r->runs; done += n) {
		n = r->runs - done < r->together ? r->runs - done : r->together;
		status = run_some(r, n, &took_s, err);
		if (status != FP_OK)
			return status;
		sample(r, took_s, n);
	}
	return FP_OK;
}

static enum fp_status verify(struct run *r, struct fp_err *err)
{
	enum fp_status status = r->team->ops->fill(r->team, err);
	uint64_t wrong = 0;
	double took_s;

	if (status == FP_OK)
		status = run_some(r, 1, &took_s, err);
	if (status == FP_OK)
		status = r->team->ops->check(r->team, &wrong, err);
	r->o->wrong_bytes += wrong;
	return status;
}

static enum fp_status run_all(struct run *r, struct fp_err *err)
{
	enum fp_status status = r->team->ops->fill(r->team, err);
	uint64_t each_us = 0;

	if (status == FP_OK)
		status = warm_up(r, &each_us, err);
	if (status == FP_OK)
		status = r->team->ops->most(r->team, &each_us, err);
	if (status != FP_OK)
		return status;
	decide(r, each_us);
	board_stage(r->m->board, STAGE_XFER);
	status = run_timed(r, err);
	if (status != FP_OK)
		return status;
	board_stage(r->m->board, STAGE_VERIFY);
	return verify(r, err);
}

static enum fp_status figures(struct run *r, struct outcome *o,
                              struct fp_err *err)
{
	const struct measure *m = r->m;

	if (!r->team->receives)
		return FP_OK;
	o->flags |= OUTCOME_RECEIVER;
	stats_sort(m->rates, r->n_rates);
	if (r->n_rates > 0 && m->trial->op != OP_LATENCY) {
		o->algbw_Bps = stats_quantile(m->rates, r->n_rates, 0.5);
		o->low_Bps = stats_quantile(m->rates, r->n_rates, 0.05);
	}
	o->busbw_Bps =
		o->algbw_Bps * trial_busbw_factor(m->trial->op, m->n_members);
	return measure_log_figures(&r->log, o, err);
}

enum fp_status measure_team(struct measure *m, struct outcome *o,
                            struct fp_err *err)
{
	struct run r = { .m = m, .team = m->team, .o = o };
	enum fp_status status;

	measure_log_init(&r.log, m->samples, m->room_samples);
	status = run_all(&r, err);
	m->n_samples = r.log.n;
	return status == FP_OK ? figures(&r, o, err) : status;
}
