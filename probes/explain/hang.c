// SPDX-License-Identifier: Apache-2.0
// The graph of who waits for whom, and its sinks.
#include "probes/explain/hang.h"

#include <stdlib.h>
#include <string.h>

#include "probes/explain/fr.h"
#include "probes/explain/graph.h"
#include "probes/explain/hang_part.h"
#include "probes/trial/grow.h"

static const char *const class_names[HANG_CLASS_COUNT] = {
	[HANG_NONE] = "none",         [HANG_ABSENT] = "absent",
	[HANG_MISMATCH] = "mismatch", [HANG_PARTIAL] = "partial",
	[HANG_STUCK] = "stuck",       [HANG_ORDER] = "order",
	[HANG_DESYNC] = "desync",     [HANG_SILENT] = "silent",
};

const char *hang_class_name(unsigned class)
{
	return class_names[class < HANG_CLASS_COUNT ? class : HANG_NONE];
}

struct hang *hangs_new(struct hangs *hangs, unsigned class)
{
	if (grow_room(&hangs->h, &hangs->room, hangs->n + 1, sizeof(*hangs->h),
	              NULL))
		return NULL;
	hangs->h[hangs->n] = (struct hang){ .class = class };
	return &hangs->h[hangs->n++];
}

enum fp_status hang_add_rank(struct hang *hang, int32_t rank,
                             struct fp_err *err)
{
	enum fp_status status;
	size_t i;

	for (i = hang->n; i > 0 && hang->ranks[i - 1] >= rank; i--)
		if (hang->ranks[i - 1] == rank)
			return FP_OK;
	status = grow_room(&hang->ranks, &hang->room, hang->n + 1,
	                   sizeof(*hang->ranks), err);
	if (status != FP_OK)
		return status;
	memmove(hang->ranks + i + 1, hang->ranks + i,
	        (hang->n - i) * sizeof(*hang->ranks));
	hang->ranks[i] = rank;
	hang->n++;
	return FP_OK;
}

void hangs_done(struct hangs *hangs)
{
	if (!hangs)
		return;
	for (size_t i = 0; i < hangs->n; i++)
		free(hangs->h[i].ranks);
	free(hangs->h);
	*hangs = (struct hangs){ 0 };
}

static int by_class(const void *a, const void *b)
{
	static const unsigned order[HANG_CLASS_COUNT] = {
		[HANG_MISMATCH] = 1, [HANG_ABSENT] = 2, [HANG_PARTIAL] = 3,
		[HANG_ORDER] = 4,    [HANG_DESYNC] = 5, [HANG_STUCK] = 6,
		[HANG_SILENT] = 7,
	};
	const struct hang *x = a, *y = b;

	if (order[x->class] != order[y->class])
		return order[x->class] < order[y->class] ? -1 : 1;
	return x->n < y->n ? 1 : x->n > y->n ? -1 : 0;
}

enum fp_status hangs_find(const struct events *events, struct hangs *ret,
                          struct fp_err *err)
{
	struct hang_pass pass = { .events = events, .hangs = ret };
	enum fp_status status;

	*ret = (struct hangs){ 0 };
	status = seating_make(events, &pass.s, err);
	if (status != FP_OK)
		return status;
	ret->n_dumps = pass.s.n_heard;
	ret->n_members = pass.s.n_members;
	if (pass.s.n_ops)
		status = hang_slots_make(&pass, err);
	if (status == FP_OK && pass.s.n_ops)
		status = hang_link(&pass, err);
	if (status == FP_OK && pass.s.n_ops)
		status = hang_name_roots(&pass, err);
	if (ret->n)
		qsort(ret->h, ret->n, sizeof(*ret->h), by_class);
	graph_done(&pass.graph);
	free(pass.slots);
	free(pass.ranks);
	seating_done(&pass.s);
	if (status != FP_OK)
		hangs_done(ret);
	return status;
}
