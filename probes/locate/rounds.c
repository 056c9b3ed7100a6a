// SPDX-License-Identifier: Apache-2.0
// Which asks of a batch run at the same time.
#include <stdlib.h>

#include "probes/locate/book.h"

static int by_look(const void *pa, const void *pb)
{
	const struct locate_ask *a = pa, *b = pb;

	if (a->look != b->look)
		return (a->look > b->look) - (a->look < b->look);
	return (a->test > b->test) - (a->test < b->test);
}

static int by_round(const void *pa, const void *pb)
{
	const struct locate_ask *a = pa, *b = pb;

	if (a->round != b->round)
		return (a->round > b->round) - (a->round < b->round);
	if (a->test != b->test)
		return (a->test > b->test) - (a->test < b->test);
	return by_look(pa, pb);
}

/* Each stage of the plan is a batch, each of its groups packed by itself: so
 * matchings stay together. */
enum fp_status rounds_screen(struct locate *l, struct fp_err *err)
{
	struct locate_batch *b = &l->batch;
	enum fp_status status = FP_OK;
	size_t i, end;

	for (i = 0; !status && i < b->n; i = end) {
		uint32_t group = l->tests.t[b->asks[i].test].group;

		for (end = i;
		     end < b->n && l->tests.t[b->asks[end].test].group == group;
		     end++)
			;
		status = locate_pack(&l->pack, b->asks + i, end - i, 0,
		                     &l->n_rounds, err);
		if ((uint32_t)(end - i) > l->widest)
			l->widest = (uint32_t)(end - i);
	}
	return status;
}

static uint32_t most_again(const struct locate *l, uint32_t look)
{
	uint32_t most = l->widest >> look;

	return most ? most : 1;
}

/* Of each further look half as many at once: what is slow because of others
 * gets better. */
enum fp_status rounds_again(struct locate *l, struct fp_err *err)
{
	struct locate_batch *b = &l->batch;
	enum fp_status status = FP_OK;
	uint32_t most, look;
	size_t i, end;

	qsort(b->asks, b->n, sizeof(*b->asks), by_look);
	for (i = 0; !status && i < b->n; i = end) {
		look = b->asks[i].look;
		for (end = i; end < b->n && b->asks[end].look == look; end++)
			;
		most = l->widest >>
		       (look < LOCATE_RETESTS ? look : LOCATE_RETESTS);
		status = locate_pack(&l->pack, b->asks + i, end - i,
		                     most ? most : 1, &l->n_rounds, err);
	}
	return status;
}

/* All looks at a test go to the round of its first one. */
enum fp_status rounds_bursts(struct locate *l, struct fp_err *err)
{
	struct locate_batch *b = &l->batch;
	uint32_t *round_of = calloc(l->tests.n + 1, sizeof(*round_of));
	enum fp_status status;
	uint32_t from = l->n_rounds;
	size_t i, n = 0;

	if (!round_of)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for rounds");
	qsort(b->asks, b->n, sizeof(*b->asks), by_look);
	while (n < b->n && b->asks[n].look == b->asks[0].look)
		n++;
	status = locate_pack(&l->pack, b->asks, n,
	                     most_again(l, LOCATE_RETESTS), &l->n_rounds, err);
	for (i = 0; i < n; i++)
		round_of[b->asks[i].test] = b->asks[i].round;
	for (i = n; i < b->n; i++)
		b->asks[i].round = round_of[b->asks[i].test];
	free(round_of);
	/* One after the other there: each costs a round's time. */
	l->n_rounds +=
		(l->n_rounds - from) * (uint32_t)((b->n - n) / (n ? n : 1));
	qsort(b->asks, b->n, sizeof(*b->asks), by_round);
	return status;
}
