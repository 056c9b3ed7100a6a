// SPDX-License-Identifier: Apache-2.0
// Which pairs want another test, and which clean ones are measured with them.
#include <stdlib.h>

#include "probes/judge/judge.h"
#include "probes/trial/grow.h"

#define CONTROLS_BETWEEN 2 /* of a class; a network is shared by all of it */

/* struct wanted - the answer in the making. */
struct wanted {
	const struct matrix *m;
	struct plan_pair *pairs;
	size_t n, room;
	bool *taken;        /* [n_cells] */
	uint32_t *controls; /* [n_classes] */
};

static bool wants_retest(const struct matrix_cell *c,
                         const struct judge_opts *opts)
{
	switch (c->state) {
	case CELL_SUSPECT:
		return true;
	case CELL_CORRUPT:
	case CELL_ERROR:
	case CELL_HANG:
		return c->n_tests < opts->retests;
	default:
		return c->why & CELL_WHY_OPEN;
	}
}

static enum fp_status want(struct wanted *w, size_t cell, bool control,
                           struct fp_err *err)
{
	const struct matrix_cell *c = &w->m->cells[cell];
	enum fp_status status = grow_room(&w->pairs, &w->room, w->n + 1,
	                                  sizeof(*w->pairs), err);

	if (status)
		return status;
	w->taken[cell] = true;
	w->pairs[w->n++] = (struct plan_pair){
		.round = control,
		.src = c->src,
		.dst = c->dst,
	};
	return FP_OK;
}

/* The first cell of @m whose source is @src or higher. */
static size_t row_begin(const struct matrix *m, int32_t src)
{
	size_t low = 0, high = m->n_cells, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (m->cells[mid].src < src)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Is cell @i a better control of class @cls than @best is? The one that was
 * measured most: its repeats tell how far a pair is from itself. */
static bool is_better(const struct wanted *w, size_t i, size_t best,
                      int32_t cls)
{
	const struct matrix_cell *c = &w->m->cells[i];

	return c->cls == cls && c->state == CELL_OK && !w->taken[i] &&
	       (best == w->m->n_cells ||
	        c->n_tests > w->m->cells[best].n_tests);
}

/* The best control of @rank's row. */
static size_t row_control(const struct wanted *w, int32_t rank, int32_t cls)
{
	size_t best = w->m->n_cells, i;

	for (i = row_begin(w->m, rank);
	     i < w->m->n_cells && w->m->cells[i].src == rank; i++)
		if (is_better(w, i, best, cls))
			best = i;
	return best;
}

/* The best control of @rank's column. */
static size_t column_control(const struct wanted *w, int32_t rank, int32_t cls)
{
	size_t best = w->m->n_cells, i;

	for (i = 0; i < w->m->n_cells; i++)
		if (w->m->cells[i].dst == rank && is_better(w, i, best, cls))
			best = i;
	return best;
}

/* Where nothing near is clean, something far away. */
static size_t any_control(const struct wanted *w, int32_t cls)
{
	const struct matrix_cell *c;
	size_t i;

	for (i = 0; i < w->m->n_cells; i++) {
		c = &w->m->cells[i];
		if (c->cls == cls && c->state == CELL_OK && !w->taken[i])
			break;
	}
	return i;
}

/* A clean pair near suspect @cell, so that both see the same conditions. */
static enum fp_status want_control(struct wanted *w, size_t cell,
                                   struct fp_err *err)
{
	const struct matrix_cell *c = &w->m->cells[cell];
	size_t control = row_control(w, c->src, c->cls);

	if (control == w->m->n_cells)
		control = row_control(w, c->dst, c->cls);
	if (control == w->m->n_cells && w->controls[c->cls] == 0)
		control = any_control(w, c->cls);
	if (control == w->m->n_cells)
		return FP_OK;
	w->controls[c->cls]++;
	return want(w, control, true, err);
}

/* Where cores are shared one of the receiver's as well. */
static enum fp_status want_controls(struct wanted *w, size_t cell,
                                    struct fp_err *err)
{
	const struct matrix_cell *c = &w->m->cells[cell];
	bool local = w->m->classes[c->cls].local;
	enum fp_status status;
	size_t control;

	if (c->state >= CELL_CORRUPT ||
	    (!local && w->controls[c->cls] >= CONTROLS_BETWEEN))
		return FP_OK;
	status = want_control(w, cell, err);
	if (status || !local)
		return status;
	control = column_control(w, c->dst, c->cls);
	return control < w->m->n_cells ? want(w, control, true, err) : FP_OK;
}

static enum fp_status want_all(struct wanted *w, const struct judge_opts *opts,
                               struct fp_err *err)
{
	enum fp_status status = FP_OK;
	size_t i;

	for (i = 0; !status && i < w->m->n_cells; i++) {
		if (!wants_retest(&w->m->cells[i], opts))
			continue;
		status = want(w, i, false, err);
		if (!status)
			status = want_controls(w, i, err);
	}
	return status;
}

enum fp_status judge_suspects(const struct matrix *m,
                              const struct judge_opts *opts,
                              struct plan_pair **ret, size_t *ret_n,
                              struct fp_err *err)
{
	struct wanted w = {
		.m = m,
		.taken = calloc(m->n_cells + 1, sizeof(*w.taken)),
		.controls = calloc(m->n_classes + 1, sizeof(*w.controls)),
	};
	enum fp_status status;

	status = w.taken && w.controls
	                 ? want_all(&w, opts, err)
	                 : fp_err_set(err, FP_ERR_NOMEM, "no memory to judge");
	free(w.taken);
	free(w.controls);
	if (status) {
		free(w.pairs);
		return status;
	}
	*ret = w.pairs;
	*ret_n = w.n;
	return FP_OK;
}
