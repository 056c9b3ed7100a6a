// SPDX-License-Identifier: Apache-2.0
// A GPU that is slow by itself is told from a slow link: by what it copies and
// computes, compared with the others.
#include "probes/judge/local.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/judge/words.h"
#include "probes/stats/stats.h"
#include "topo/base/fmt.h"
#include "topo/model/model_map.h"

#define LOCAL_LOW 0.85 /* of the median; clean ones differ by a few percent */
#define LOCAL_FEWEST 3 /* GPUs that have a median worth the name */

/* What a GPU did, and what is slow if that is. */
static const struct {
	enum outcome_counter counter;
	const char *what, *unit;
	unsigned code;
} tests[] = {
	{ COUNTER_LOCAL_FLOPS, "multiply-adds", "/s", FINDING_GPU_SLOW },
	{ COUNTER_LOCAL_MEMORY, "writes of a kernel", "B/s", FINDING_GPU_SLOW },
	{ COUNTER_LOCAL_COPY, "copies in its memory", "B/s", FINDING_GPU_SLOW },
	{ COUNTER_LOCAL_H2D, "copies from the host", "B/s",
	  FINDING_GPU_PCIE_SLOW },
	{ COUNTER_LOCAL_D2H, "copies to the host", "B/s",
	  FINDING_GPU_PCIE_SLOW },
};
#define TESTS (sizeof(tests) / sizeof(tests[0]))

/* struct figures - the best of each rank in each test; 0: not tried. */
struct figures {
	double *best;   /* [rank * TESTS + test] */
	double *median; /* the same, of all with the GPU of this rank, at the
	                   first of them; 0: too few tell one */
	size_t *like;   /* [n_ranks] the first rank with such a GPU */
	double *room;   /* [n_ranks] to sort */
	size_t n_ranks;
};

/* The GPU of @rank by what it is called; "" where nobody read that. */
static const char *model_of(const struct topo_job *job, size_t rank)
{
	const struct topo_rank *r = &job->ranks[rank];
	const struct topo_map *map =
		r->host < 0 ? NULL : job->hosts[r->host].map;

	if (!map || map->n_gpus == 0 || r->local_rank < 0)
		return "";
	return map->gpus[(size_t)r->local_rank % map->n_gpus].name;
}

static size_t find_like(const struct topo_job *job, const struct figures *f,
                        size_t rank)
{
	for (size_t k = 0; k < rank; k++)
		if (f->like[k] == k &&
		    strcmp(model_of(job, k), model_of(job, rank)) == 0)
			return k;
	return rank;
}

static void figures_add(struct figures *f, const struct outcome *o)
{
	for (size_t i = 0; i < TESTS; i++) {
		double v = (double)outcome_get(o, tests[i].counter, 0);
		double *best = &f->best[(size_t)o->rank * TESTS + i];

		if (v > *best)
			*best = v;
	}
}

static double median_of(const struct figures *f, size_t like, size_t test)
{
	size_t n = 0;

	for (size_t r = like; r < f->n_ranks; r++)
		if (f->like[r] == like && f->best[r * TESTS + test] > 0)
			f->room[n++] = f->best[r * TESTS + test];
	return n < LOCAL_FEWEST ? 0 : stats_median(f->room, n);
}

/* Another model is as fast as it was made. */
static void find_medians(const struct topo_job *job, struct figures *f)
{
	for (size_t r = 0; r < f->n_ranks; r++)
		f->like[r] = find_like(job, f, r);
	for (size_t r = 0; r < f->n_ranks; r++)
		for (size_t i = 0; f->like[r] == r && i < TESTS; i++)
			f->median[r * TESTS + i] = median_of(f, r, i);
}

static double usual(const struct figures *f, size_t rank, size_t test)
{
	return f->median[f->like[rank] * TESTS + test];
}

static void figures_done(struct figures *f)
{
	free(f->best);
	free(f->median);
	free(f->like);
	free(f->room);
}

static enum fp_status figures_make(const struct topo_job *job,
                                   const struct results *r, struct figures *ret,
                                   struct fp_err *err)
{
	*ret = (struct figures){
		.best = calloc(job->n_ranks + 1, TESTS * sizeof(*ret->best)),
		.median =
			calloc(job->n_ranks + 1, TESTS * sizeof(*ret->median)),
		.like = calloc(job->n_ranks + 1, sizeof(*ret->like)),
		.room = calloc(job->n_ranks + 1, sizeof(*ret->room)),
		.n_ranks = job->n_ranks,
	};
	if (!ret->best || !ret->median || !ret->like || !ret->room) {
		figures_done(ret);
		(void)fp_err_set(err, FP_ERR_NOMEM, "no memory to judge");
		return FP_ERR_NOMEM;
	}
	for (size_t i = 0; i < r->n_outcomes; i++) {
		const struct outcome *o = &r->outcomes[i];
		const struct trial *t = results_trial(r, o->trial);

		if (t && trial_is_alone(t) && o->state == OUTCOME_OK &&
		    o->rank >= 0 && (size_t)o->rank < job->n_ranks)
			figures_add(ret, o);
	}
	find_medians(job, ret);
	return FP_OK;
}

static bool is_low(const struct figures *f, size_t rank, size_t test)
{
	double best = f->best[rank * TESTS + test];

	return best > 0 && best < LOCAL_LOW * usual(f, rank, test);
}

enum fp_status judge_local_low(const struct topo_job *job,
                               const struct results *r, bool *ret,
                               struct fp_err *err)
{
	struct figures f;
	enum fp_status status = figures_make(job, r, &f, err);

	if (status)
		return status;
	for (size_t rank = 0; rank < f.n_ranks; rank++)
		for (size_t i = 0; i < TESTS; i++)
			ret[rank] |= is_low(&f, rank, i);
	figures_done(&f);
	return FP_OK;
}

/* "61.2 TFLOP/s" or "55.4 GB/s" */
static const char *value_text(size_t test, double v, char buf[FP_FMT_MAX])
{
	if (tests[test].counter == COUNTER_LOCAL_FLOPS)
		(void)snprintf(buf, FP_FMT_MAX, "%.3g TFLOP/s", v / 1e12);
	else
		(void)fp_fmt_rate(v, 0, buf);
	return buf;
}

static void say(const struct topo_job *job, const struct figures *f,
                size_t rank, size_t test, struct finding *to)
{
	char name[WORDS_RANK_MAX], got[FP_FMT_MAX], most[FP_FMT_MAX];
	double v = f->best[rank * TESTS + test];

	finding_evidence(to, "GPU of %s, %s: %s at best, median of its like %s",
	                 words_rank(job, (int32_t)rank, name), tests[test].what,
	                 value_text(test, v, got),
	                 value_text(test, usual(f, rank, test), most));
	if (to->n_evidence > 1 || tests[test].unit[0] != 'B')
		return;
	to->observed = v;
	to->expected = usual(f, rank, test);
	fp_copy(to->unit, sizeof(to->unit), tests[test].unit);
}

static enum fp_status accuse(const struct topo_job *job,
                             const struct figures *f, size_t rank,
                             unsigned code, struct findings *list,
                             struct fp_err *err)
{
	struct finding *to = NULL;

	for (size_t i = 0; i < TESTS; i++) {
		if (tests[i].code != code || !is_low(f, rank, i))
			continue;
		if (!to)
			to = findings_add(list, code);
		if (!to)
			return fp_err_set(err, FP_ERR_NOMEM,
			                  "no memory to judge");
		words_locus_rank(job, (int32_t)rank, &to->locus);
		say(job, f, rank, i, to);
	}
	return FP_OK;
}

/* A pair between hosts that is slow because one of its GPUs is behind a slow
 * PCIe link. */
static bool is_effect(const struct finding *f, const struct locus *gpu)
{
	return f->code == FINDING_PAIR_SLOW && f->locus.kind == LOCUS_PAIR &&
	       strcmp(f->locus.host, f->locus.peer_host) != 0 &&
	       (f->locus.rank == gpu->rank || f->locus.peer_rank == gpu->rank);
}

static void absorb_effects(struct findings *list, struct finding *cause)
{
	for (size_t i = 0; i < list->n; i++) {
		struct finding *f = &list->f[i];

		if (!is_effect(f, &cause->locus))
			continue;
		for (uint32_t k = 0; k < f->n_evidence; k++)
			finding_evidence(cause, "%s", f->evidence[k]);
		f->n_evidence = 0;
	}
}

/* What was absorbed has nothing left to show. */
static void drop_absorbed(struct findings *list)
{
	size_t n = 0;

	for (size_t i = 0; i < list->n; i++)
		if (list->f[i].n_evidence ||
		    list->f[i].code != FINDING_PAIR_SLOW)
			list->f[n++] = list->f[i];
	list->n = n;
}

static void absorb(struct findings *list)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->f[i].code == FINDING_GPU_PCIE_SLOW)
			absorb_effects(list, &list->f[i]);
	drop_absorbed(list);
}

enum fp_status judge_local(const struct topo_job *job, const struct results *r,
                           struct findings *list, struct fp_err *err)
{
	struct figures f;
	enum fp_status status = figures_make(job, r, &f, err);

	if (status)
		return status;
	for (size_t rank = 0; !status && rank < f.n_ranks; rank++) {
		status = accuse(job, &f, rank, FINDING_GPU_SLOW, list, err);
		if (!status)
			status = accuse(job, &f, rank, FINDING_GPU_PCIE_SLOW,
			                list, err);
	}
	figures_done(&f);
	absorb(list);
	return status;
}
