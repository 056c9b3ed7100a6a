// SPDX-License-Identifier: Apache-2.0
// GPUs under load: those that slow down while it lasts.
#include "probes/judge/load.h"

#include <stdlib.h>
#include <string.h>

#include "probes/judge/words.h"
#include "probes/stats/stats.h"

#define FELL 0.90   /* of its own beginning; clocks breathe by a few percent */
#define BEHIND 0.85 /* of the median GPU, as a GPU by itself is judged */
#define SECONDS_MIN 4 /* that have a beginning and an end */
#define FEWEST 3

static enum fp_status median(const double *x, size_t n, double *ret,
                             struct fp_err *err)
{
	double *copy = calloc(n + 1, sizeof(*copy));

	if (!copy)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory to judge");
	memcpy(copy, x, n * sizeof(*copy));
	*ret = n ? stats_median(copy, n) : 0;
	free(copy);
	return FP_OK;
}

static enum fp_status load_fill(const struct results *r,
                                const struct results_samples *k,
                                struct load *ret, struct fp_err *err)
{
	size_t part = (k->n + 3) / 4;
	enum fp_status status;

	*ret = (struct load){
		.rank = k->rank,
		.trial = k->trial,
		.rates = r->samples + k->first,
		.n = k->n,
	};
	status = median(ret->rates, part, &ret->first, err);
	if (!status)
		status =
			median(ret->rates + k->n - part, part, &ret->last, err);
	return status;
}

enum fp_status loads_make(const struct results *r, struct load **ret,
                          size_t *ret_n, struct fp_err *err)
{
	struct load *loads = calloc(r->n_kept + 1, sizeof(*loads));
	enum fp_status status = FP_OK;
	size_t n = 0;

	if (!loads)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory to judge");
	for (size_t i = 0; i < r->n_kept && !status; i++) {
		const struct trial *t = results_trial(r, r->kept[i].trial);

		if (t && t->flags & TRIAL_LOAD && trial_is_alone(t) &&
		    r->kept[i].n)
			status = load_fill(r, &r->kept[i], &loads[n++], err);
	}
	if (status) {
		free(loads);
		return status;
	}
	*ret = loads;
	*ret_n = n;
	return FP_OK;
}

bool load_fell(const struct load *l)
{
	return l->n >= SECONDS_MIN && l->last < FELL * l->first;
}

/* The first second from which on it stayed below. */
static size_t fell_at(const struct load *l)
{
	size_t i = l->n;

	while (i > 0 && l->rates[i - 1] < FELL * l->first)
		i--;
	return i;
}

static struct finding *slow_of(struct findings *list, int32_t rank)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->f[i].code == FINDING_GPU_SLOW &&
		    list->f[i].locus.rank == rank)
			return &list->f[i];
	return NULL;
}

static enum fp_status accuse(const struct topo_job *job, const struct load *l,
                             double usual, struct findings *list,
                             struct fp_err *err)
{
	struct finding *f = slow_of(list, l->rank);
	char name[WORDS_RANK_MAX];

	if (!f)
		f = findings_add(list, FINDING_GPU_SLOW);
	if (!f)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory to judge");
	words_locus_rank(job, l->rank, &f->locus);
	(void)words_rank(job, l->rank, name);
	if (load_fell(l))
		finding_evidence(f,
		                 "GPU of %s under load: %.3g TFLOP/s at first, "
		                 "%.3g from second %zu on",
		                 name, l->first / 1e12, l->last / 1e12,
		                 fell_at(l));
	else
		finding_evidence(f,
		                 "GPU of %s under load: %.3g TFLOP/s, median "
		                 "of all %.3g",
		                 name, l->last / 1e12, usual / 1e12);
	return FP_OK;
}

static enum fp_status usual_end(const struct load *loads, size_t n, double *ret,
                                struct fp_err *err)
{
	double *ends = calloc(n + 1, sizeof(*ends));
	enum fp_status status;

	if (!ends)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory to judge");
	for (size_t i = 0; i < n; i++)
		ends[i] = loads[i].last;
	status = median(ends, n, ret, err);
	free(ends);
	return status;
}

enum fp_status judge_load(const struct topo_job *job, const struct results *r,
                          struct findings *list, struct fp_err *err)
{
	struct load *loads = NULL;
	size_t n = 0, fell = 0;
	double usual = 0;
	enum fp_status status = loads_make(r, &loads, &n, err);

	if (!status)
		status = usual_end(loads, n, &usual, err);
	for (size_t i = 0; i < n && !status; i++)
		fell += load_fell(&loads[i]);
	for (size_t i = 0; i < n && !status; i++) {
		bool behind = n >= FEWEST && loads[i].last < BEHIND * usual;
		bool alone = n < FEWEST || fell * 2 <= n;

		if (behind || (alone && load_fell(&loads[i])))
			status = accuse(job, &loads[i], usual, list, err);
	}
	free(loads);
	return status;
}
