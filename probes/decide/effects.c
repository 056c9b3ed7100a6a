// SPDX-License-Identifier: Apache-2.0
// Median polish on a sparse matrix, and medians of components.
#include "probes/decide/effects.h"

#include <math.h>
#include <stdlib.h>

#include "probes/stats/stats.h"

#define TURNS 10
#define SETTLED 1e-9
#define PART_Z (-3.0)
#define PART_MIN 4
#define PART_SHARE .75

/* struct lines - which cells are in each row, or in each column. */
struct lines {
	size_t *first; /* [n + 1] */
	size_t *cells;
	int32_t n;
	bool cols;
	double *effect; /* [n] */
};

static int32_t line_of(const struct lines *l, const struct decide_cell *c)
{
	return l->cols ? c->col : c->row;
}

static enum fp_status lines_init(struct lines *l,
                                 const struct decide_cell *cells, size_t n,
                                 struct fp_err *err)
{
	size_t i;

	l->first = calloc((size_t)l->n + 2, sizeof(*l->first));
	l->cells = calloc(n + 1, sizeof(*l->cells));
	l->effect = calloc((size_t)l->n + 1, sizeof(*l->effect));
	if (!l->first || !l->cells || !l->effect)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for effects");
	for (i = 0; i < n; i++) {
		if (line_of(l, &cells[i]) < 0 || line_of(l, &cells[i]) >= l->n)
			return fp_err_set(err, FP_ERR_INPUT,
			                  "a cell out of its matrix");
		l->first[line_of(l, &cells[i]) + 2]++;
	}
	for (i = 2; i <= (size_t)l->n + 1; i++)
		l->first[i] += l->first[i - 1];
	for (i = 0; i < n; i++)
		l->cells[l->first[line_of(l, &cells[i]) + 1]++] = i;
	return FP_OK;
}

static void lines_done(struct lines *l)
{
	free(l->first);
	free(l->cells);
	free(l->effect);
}

/* Take the median of each line out of its residuals. */
static double sweep(struct lines *l, struct decide_cell *cells, double *scratch)
{
	double med, moved = 0;
	size_t j, k;
	int32_t i;

	for (i = 0; i < l->n; i++) {
		k = 0;
		for (j = l->first[i]; j < l->first[i + 1]; j++)
			scratch[k++] = cells[l->cells[j]].residual;
		if (k == 0)
			continue;
		med = stats_median(scratch, k);
		for (j = l->first[i]; j < l->first[i + 1]; j++)
			cells[l->cells[j]].residual -= med;
		l->effect[i] += med;
		moved = fmax(moved, fabs(med));
	}
	return moved;
}

/* The median of effects goes to the whole. */
static double centre(struct lines *l, double *scratch)
{
	size_t k = 0;
	double med;
	int32_t i;

	for (i = 0; i < l->n; i++)
		if (l->first[i] < l->first[i + 1])
			scratch[k++] = l->effect[i];
	if (k == 0)
		return 0;
	med = stats_median(scratch, k);
	for (i = 0; i < l->n; i++)
		if (l->first[i] < l->first[i + 1])
			l->effect[i] -= med;
	return med;
}

static double polish(struct lines *rows, struct lines *cols,
                     struct decide_cell *cells, size_t n, double *scratch)
{
	double moved = 1, overall = 0;
	size_t i;

	for (i = 0; i < n; i++)
		cells[i].residual = cells[i].x;
	for (i = 0; i < TURNS && moved > SETTLED; i++) {
		moved = sweep(rows, cells, scratch);
		overall += centre(rows, scratch);
		moved = fmax(moved, sweep(cols, cells, scratch));
		overall += centre(cols, scratch);
	}
	return overall;
}

enum fp_status decide_polish(struct decide_cell *cells, size_t n,
                             int32_t n_rows, int32_t n_cols,
                             struct decide_polished *ret, struct fp_err *err)
{
	size_t room = n + (size_t)n_rows + (size_t)n_cols + 1;
	double *scratch = calloc(room, sizeof(*scratch));
	struct lines rows = { .n = n_rows },
		     cols = { .n = n_cols, .cols = true };
	enum fp_status status = FP_OK;

	if (!scratch)
		status = fp_err_set(err, FP_ERR_NOMEM, "no memory for effects");
	if (!status)
		status = lines_init(&rows, cells, n, err);
	if (!status)
		status = lines_init(&cols, cells, n, err);
	if (!status) {
		ret->overall = polish(&rows, &cols, cells, n, scratch);
		ret->rows = rows.effect;
		ret->cols = cols.effect;
		rows.effect = cols.effect = NULL;
	}
	lines_done(&rows);
	lines_done(&cols);
	free(scratch);
	return status;
}

void decide_polished_done(struct decide_polished *p)
{
	if (!p)
		return;
	free(p->rows);
	free(p->cols);
	*p = (struct decide_polished){ 0 };
}

/* @first is one ahead while it is filled. */
static void gather(const struct attribute_tests *t, const double *z,
                   size_t *first, double *by_comp)
{
	size_t links = t->first[t->n_tests], i, j;

	for (i = 0; i < links; i++)
		first[t->comps[i] + 2]++;
	for (i = 2; i <= (size_t)t->n_comps + 1; i++)
		first[i] += first[i - 1];
	for (i = 0; i < t->n_tests; i++)
		for (j = t->first[i]; j < t->first[i + 1]; j++)
			by_comp[first[t->comps[j] + 1]++] = z[i];
}

static struct decide_part one_part(double *z, size_t n)
{
	struct decide_part p = { .n = (uint32_t)n };
	size_t i;

	for (i = 0; i < n; i++)
		p.below += z[i] <= PART_Z;
	p.u = stats_median(z, n);
	p.flagged = p.u <= PART_Z && n >= PART_MIN &&
	            p.below >= PART_SHARE * (double)n;
	return p;
}

enum fp_status decide_parts(const struct attribute_tests *tests,
                            const double *z, struct decide_part *ret,
                            struct fp_err *err)
{
	size_t *first = calloc((size_t)tests->n_comps + 2, sizeof(*first));
	double *by_comp =
		calloc(tests->first[tests->n_tests] + 1, sizeof(*by_comp));
	int32_t c;

	if (!first || !by_comp) {
		free(first);
		free(by_comp);
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for effects");
	}
	gather(tests, z, first, by_comp);
	for (c = 0; c < tests->n_comps; c++)
		ret[c] = one_part(by_comp + first[c], first[c + 1] - first[c]);
	free(first);
	free(by_comp);
	return FP_OK;
}
