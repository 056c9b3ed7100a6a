// SPDX-License-Identifier: Apache-2.0
// Runs cases of faults through a model and the judge.
#include "tests/unit/judge_bed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define SEEDS 5

struct model judge_bed_model(const struct fault_case *c, uint64_t seed)
{
	struct model m = model_clean();
	size_t i;

	m.latency = true;
	m.seed = seed;
	for (i = 0; c && i < COUNT(c->faults); i++)
		if (c->faults[i].src || c->faults[i].dst)
			model_add(&m, c->faults[i]);
	return m;
}

static bool is_wanted(const struct finding *f, const struct want *w)
{
	return f->code == w->code && f->locus.kind == w->kind &&
	       f->locus.direction == w->direction && f->locus.rank == w->rank &&
	       f->locus.peer_rank == w->peer &&
	       strcmp(f->locus.host, w->host) == 0 &&
	       strcmp(f->locus.peer_host, w->peer_host ? w->peer_host : "") ==
	               0;
}

void judge_bed_print(const char *name, const struct findings *list)
{
	char place[256];
	size_t i;

	for (i = 0; i < list->n; i++) {
		locus_text(&list->f[i].locus, place, sizeof(place));
		print_error("%s: %s at %s\n", name,
		            finding_info(list->f[i].code)->id, place);
	}
}

static void check_wants(const struct fault_case *c, const struct findings *list)
{
	size_t i, k, n = 0;

	while (n < COUNT(c->wants) && c->wants[n].host)
		n++;
	if (list->n != n)
		judge_bed_print(c->name, list);
	assert_int_equal(list->n, n);
	for (i = 0; i < n; i++) {
		for (k = 0; k < list->n; k++)
			if (is_wanted(&list->f[k], &c->wants[i]))
				break;
		if (k == list->n)
			judge_bed_print(c->name, list);
		assert_true(k < list->n);
		assert_int_equal(list->f[k].severity, SEVERITY_FAULT);
		assert_true(list->f[k].n_evidence > 0);
		assert_true(list->f[k].confidence > 0 &&
		            list->f[k].confidence <= 1);
	}
}

/* Is the cell of src -> dst at the place of @l? */
static bool touches(const struct topo_job *job, const struct locus *l,
                    int32_t src, int32_t dst)
{
	switch (l->kind) {
	case LOCUS_PAIR:
		return (l->rank == src && l->peer_rank == dst) ||
		       (l->rank == dst && l->peer_rank == src);
	case LOCUS_RANK:
		return l->rank == src || l->rank == dst;
	default:
		return strcmp(l->host, topo_job_host_name(job, src)) == 0 ||
		       strcmp(l->host, topo_job_host_name(job, dst)) == 0;
	}
}

/* What is not accused must look well. */
static void check_others(const struct build_run *b, const struct matrices *ms,
                         const struct findings *list)
{
	const struct matrix_cell *cell;
	size_t m, i, k;

	for (m = 0; m < ms->n; m++)
		for (i = 0; i < ms->m[m].n_cells; i++) {
			cell = &ms->m[m].cells[i];
			for (k = 0; k < list->n; k++)
				if (touches(&b->job, &list->f[k].locus,
				            cell->src, cell->dst))
					break;
			if (k == list->n)
				assert_int_equal(cell->state, CELL_OK);
		}
}

static void judge_case_with(const struct fault_case *c, uint64_t seed)
{
	struct model m = judge_bed_model(c, seed);
	struct findings list;
	struct matrices ms;
	struct build_run b;

	build_job(&b, c->shape, BUILD_ONE_DEV);
	model_run(&b, &m);
	model_judge(&b, &ms, &list);
	check_wants(c, &list);
	check_others(&b, &ms, &list);
	findings_done(&list);
	matrices_done(&ms);
	build_done(&b);
}

static void clean_twin(const char *shape)
{
	struct model m = judge_bed_model(NULL, 7);
	struct findings list;
	struct matrices ms;
	struct build_run b;

	build_job(&b, shape, BUILD_ONE_DEV);
	model_run(&b, &m);
	model_judge(&b, &ms, &list);
	judge_bed_print(shape, &list);
	assert_int_equal(list.n, 0);
	check_others(&b, &ms, &list);
	findings_done(&list);
	matrices_done(&ms);
	build_done(&b);
}

static void assert_same(const struct findings *a, const struct findings *b)
{
	size_t i;

	assert_int_equal(a->n, b->n);
	for (i = 0; i < a->n; i++) {
		assert_int_equal(a->f[i].code, b->f[i].code);
		assert_int_equal(a->f[i].severity, b->f[i].severity);
		assert_memory_equal(&a->f[i].locus, &b->f[i].locus,
		                    sizeof(a->f[i].locus));
		assert_memory_equal(&a->f[i].confidence, &b->f[i].confidence,
		                    sizeof(a->f[i].confidence));
		assert_int_equal(a->f[i].n_evidence, b->f[i].n_evidence);
		assert_memory_equal(a->f[i].evidence, b->f[i].evidence,
		                    sizeof(a->f[i].evidence));
		assert_string_equal(a->f[i].detail, b->f[i].detail);
	}
}

static void in_any_order(const struct fault_case *c)
{
	struct model m = judge_bed_model(c, 3);
	struct findings list, again;
	struct matrices ms;
	struct build_run b;
	uint64_t seed;

	build_job(&b, c->shape, BUILD_ONE_DEV);
	model_run(&b, &m);
	model_judge(&b, &ms, &list);
	for (seed = 1; seed <= 3; seed++) {
		matrices_done(&ms);
		build_shuffle(&b, seed);
		model_judge(&b, &ms, &again);
		assert_same(&list, &again);
		findings_done(&again);
	}
	findings_done(&list);
	matrices_done(&ms);
	build_done(&b);
}

void judge_bed_cases(const struct fault_case *cases)
{
	const struct fault_case *c;
	uint64_t seed;

	for (c = cases; c->name; c++) {
		for (seed = 1; seed <= SEEDS; seed++)
			judge_case_with(c, seed);
		clean_twin(c->shape);
		in_any_order(c);
	}
}
