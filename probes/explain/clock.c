// SPDX-License-Identifier: Apache-2.0
// Puts events of several clocks in order.
#include "probes/explain/clock.h"

#include <stdlib.h>

#include "probes/explain/clock_part.h"

enum fp_status clocks_find(struct events *events, struct clocks *ret,
                           struct fp_err *err)
{
	struct clock_sight *sights = NULL;
	enum fp_status status;
	size_t n = 0;

	*ret = (struct clocks){ 0 };
	status = clock_owners(events, ret, err);
	if (status == FP_OK && ret->n > 1)
		status = clock_sights(events, &sights, &n, err);
	if (status == FP_OK && n)
		status = clock_place(ret, sights, n, err);
	free(sights);
	if (status != FP_OK)
		clocks_done(ret);
	return status;
}

static const struct clock_row *row_of(const struct clocks *clocks,
                                      const struct event *e)
{
	return e->time_ns != EVENT_NO_TIME && e->clock && e->clock <= clocks->n
	               ? &clocks->c[e->clock - 1]
	               : NULL;
}

bool clocks_can_compare(const struct clocks *clocks, const struct event *a,
                        const struct event *b)
{
	const struct clock_row *x = row_of(clocks, a), *y = row_of(clocks, b);

	return x && y && (x == y || (x->island && x->island == y->island));
}

int64_t clocks_since_ns(const struct clocks *clocks, const struct event *a,
                        const struct event *b)
{
	const struct clock_row *x = row_of(clocks, a), *y = row_of(clocks, b);

	return (b->time_ns - y->ahead_ns) - (a->time_ns - x->ahead_ns);
}

enum clock_order clocks_order(const struct clocks *clocks,
                              const struct event *a, const struct event *b)
{
	int64_t since, slack = 0;

	if (!clocks_can_compare(clocks, a, b))
		return CLOCK_UNKNOWN;
	since = clocks_since_ns(clocks, a, b);
	if (a->clock != b->clock)
		slack = row_of(clocks, a)->slack_ns +
		        row_of(clocks, b)->slack_ns;
	if (since > slack)
		return CLOCK_BEFORE;
	return since < -slack ? CLOCK_BEHIND : CLOCK_UNKNOWN;
}

void clocks_done(struct clocks *clocks)
{
	if (!clocks)
		return;
	free(clocks->c);
	*clocks = (struct clocks){ 0 };
}
