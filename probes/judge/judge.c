// SPDX-License-Identifier: Apache-2.0
// From results to matrices: what was measured, cell by cell, and its state.
#include "probes/judge/judge.h"

#include <stdlib.h>

#include "probes/judge/cell.h"
#include "probes/judge/clean.h"
#include "probes/judge/foreign.h"
#include "probes/judge/noise.h"
#include "topo/model/rails.h"

void judge_defaults(struct judge_opts *opts)
{
	*opts = (struct judge_opts){
		.slow_drop = 0.10,
		.suspect_drop = 0.05,
		.slow_z = -6,
		.suspect_z = -3.5,
		.sigma_floor = 0.01,
		.sigma_floor_latency = 0.10,
		.flaky_ratio = 0.7,
		.stall_excess_s = 20e-3,
		.loss_ratio = 0.002,
		.latency_factor = 2,
		.retests = 3,
		.retest_flags = 2,
		.end_drop = 0.08,
		.end_share = 0.8,
		.end_share_rare = 0.5,
		.small_class = 8,
		.small_drop = 0.20,
		.small_drop_local = 0.50,
		.slow_drop_local = 0.30,
		.sigma_floor_local = 0.05,
		.latency_factor_local = 5,
		.latency_excess_s = 100e-6,
		.jitter_factor = 5,
		.jitter_excess_s = 2e-3,
		.loss_factor = 4,
		.loss_min_segs = 200,
		.pace_drop = 0.5,
		.pace_apart = 0.4,
		.retests_local = 5,
	};
}

static bool same_pair(const struct judge_test *a, const struct judge_test *b)
{
	return a->src == b->src && a->dst == b->dst;
}

/* Cells of @g's tests, and which tests belong to each. */
static enum fp_status cells_make(struct judge_group *g, struct fp_err *err)
{
	struct matrix *m = g->m;
	size_t i, n = 0;

	for (i = 0; i < g->n_tests; i++)
		n += i == 0 || !same_pair(&g->tests[i - 1], &g->tests[i]);
	m->cells = calloc(n + 1, sizeof(*m->cells));
	g->first = calloc(n + 1, sizeof(*g->first));
	if (!m->cells || !g->first)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory to judge");
	for (i = 0; i < g->n_tests; i++)
		if (i == 0 || !same_pair(&g->tests[i - 1], &g->tests[i]))
			g->first[m->n_cells++] = i;
	g->first[m->n_cells] = g->n_tests;
	for (i = 0; i < m->n_cells; i++)
		judge_cell_values(g->tests + g->first[i],
		                  g->first[i + 1] - g->first[i], &m->cells[i]);
	return FP_OK;
}

static enum fp_status cells_judge(struct judge_group *g, struct fp_err *err)
{
	bool *clean = calloc(g->m->n_cells + 1, sizeof(*clean));
	size_t *n_bad = calloc(g->m->n_classes + 1, sizeof(*n_bad));
	enum fp_status status;
	size_t i;

	if (!clean || !n_bad) {
		free(clean);
		free(n_bad);
		return fp_err_set(err, FP_ERR_NOMEM, "no memory to judge");
	}
	for (i = 0; i < g->m->n_cells; i++) {
		clean[i] = judge_cell_is_clean(g, i);
		n_bad[g->m->cells[i].cls] +=
			!clean[i] && g->m->cells[i].value > 0;
	}
	for (i = 0; i < g->m->n_classes; i++)
		g->classes[i].lone = judge_class_lone(g, (int32_t)i, n_bad[i]);
	status = judge_clean_make(g, clean, err);
	if (!status)
		status = judge_noise_make(g, err);
	free(clean);
	free(n_bad);
	for (i = 0; !status && i < g->m->n_cells; i++)
		judge_cell_state(g, i);
	return status;
}

static enum fp_status group_judge(struct judge_group *g, struct fp_err *err)
{
	const struct trial *t = g->tests[0].trial;
	enum fp_status status;

	*g->m = (struct matrix){
		.xport = t->xport,
		.op = t->op,
		.mem = t->mem,
		.dir = t->dir,
		.bytes = t->bytes,
		.src_ep = g->tests[0].src_ep,
		.dst_ep = g->tests[0].dst_ep,
		.n_ranks = (int32_t)g->job->n_ranks,
	};
	g->latency = t->op == OP_LATENCY;
	status = cells_make(g, err);
	if (!status)
		status = judge_classes_make(g, err);
	if (!status)
		status = cells_judge(g, err);
	free(g->first);
	free(g->classes);
	free(g->clean);
	free(g->flags);
	return status;
}

static size_t group_length(const struct judge_test *tests, size_t n)
{
	size_t i = 1;

	while (i < n && judge_tests_same_matrix(&tests[0], &tests[i]))
		i++;
	return i;
}

/* What is measured by verbs is judged as its rail sees the job. */
static enum fp_status group_judge_on_rail(const struct judge_group *g,
                                          struct fp_err *err)
{
	struct judge_group seen = *g;
	struct judge_ports ports = { 0 };
	struct topo_job view = { 0 };
	enum fp_status status;

	if (g->tests[0].trial->xport != XPORT_VERBS)
		return group_judge(&seen, err);
	status = topo_job_on_rail(g->job, g->tests[0].src_ep, &view, err);
	if (!status)
		status = judge_ports_init(&ports, &view, err);
	seen.job = &view;
	seen.ports = &ports;
	if (!status)
		status = group_judge(&seen, err);
	judge_ports_done(&ports);
	topo_job_on_rail_done(&view);
	return status;
}

static enum fp_status groups_judge(const struct judge_group *all,
                                   struct matrices *ret, struct fp_err *err)
{
	enum fp_status status = FP_OK;
	struct judge_group g;
	size_t i, len, n = 0;

	for (i = 0; i < all->n_tests; i += len, n++)
		len = group_length(all->tests + i, all->n_tests - i);
	ret->m = calloc(n + 1, sizeof(*ret->m));
	if (!ret->m)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory to judge");
	for (i = 0; !status && i < all->n_tests; i += g.n_tests) {
		g = *all;
		g.tests = all->tests + i;
		g.n_tests = group_length(g.tests, all->n_tests - i);
		g.m = &ret->m[ret->n++];
		status = group_judge_on_rail(&g, err);
	}
	return status;
}

enum fp_status judge_matrices(const struct topo_job *job,
                              const struct results *results,
                              const struct judge_opts *opts,
                              struct matrices *ret, struct fp_err *err)
{
	struct judge_group all = { .job = job, .opts = opts };
	struct judge_test *tests = NULL;
	struct judge_ports ports = { 0 };
	struct matrices ms = { 0 };
	enum fp_status status;

	status = judge_tests_collect(job, results, &tests, &all.n_tests, err);
	if (status)
		return status;
	status = foreign_mark(job, results, tests, all.n_tests, err);
	if (!status)
		status = judge_ports_init(&ports, job, err);
	all.tests = tests;
	all.ports = &ports;
	if (!status)
		status = groups_judge(&all, &ms, err);
	if (status)
		matrices_done(&ms);
	else
		*ret = ms;
	judge_ports_done(&ports);
	free(tests);
	return status;
}
