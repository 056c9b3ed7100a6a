// SPDX-License-Identifier: Apache-2.0
// Moments that several clocks saw.
#include <stdlib.h>

#include "probes/explain/clock_part.h"
#include "probes/explain/fr.h"

/*
 * What all that take part see at once; 0 for what each sees in its own time.
 * A watchdog bites as long behind the launch as its time-out is: that is one
 * moment only for those that launched together, so one alone proves nothing.
 */
static uint32_t weight_of(const struct events *ev, const struct event *e)
{
	switch (e->kind) {
	case KIND_INIT_DONE:
		return e->group ? CLOCK_SURE : 0;
	case KIND_FR_ENTRY:
		return e->n[1] == FR_COMPLETED && e->n[3] == FR_COLLECTIVE
		               ? CLOCK_SURE
		               : 0;
	case KIND_WATCHDOG: /* the next line tells the group as well */
		return e->n[0] >= 0 && !ev->kinds[KIND_WORK];
	case KIND_WORK:
		return e->n[0] >= 0;
	case KIND_DUMP:
		return 1;
	default:
		return 0;
	}
}

static uint64_t moment_of(const struct event *e)
{
	uint64_t h = e->kind * UINT64_C(0x9e3779b97f4a7c15);

	h = (h ^ e->group) * UINT64_C(0xbf58476d1ce4e5b9);
	if (e->kind != KIND_DUMP)
		h ^= (uint64_t)e->n[0];
	h = (h ^ h >> 31) * UINT64_C(0x94d049bb133111eb);
	return h ^ h >> 29;
}

static int by_moment(const void *a, const void *b)
{
	const struct clock_sight *x = a, *y = b;

	if (x->moment != y->moment)
		return x->moment < y->moment ? -1 : 1;
	if (x->clock != y->clock)
		return x->clock < y->clock ? -1 : 1;
	return (x->ns > y->ns) - (x->ns < y->ns);
}

/* Of one clock's sights of a moment the middle one; the more the surer. */
static size_t merge_own(struct clock_sight *s, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && s[end].moment == s[i].moment &&
		                  s[end].clock == s[i].clock;)
			end++;
		s[kept] = s[i + (end - i - 1) / 2];
		if (end - i > 1)
			s[kept].weight = CLOCK_SURE;
		kept++;
	}
	return kept;
}

/* What only one clock saw tells nothing of others. */
static size_t drop_lone(struct clock_sight *s, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && s[end].moment == s[i].moment;)
			end++;
		for (size_t k = i; end - i > 1 && k < end; k++)
			s[kept++] = s[k];
	}
	return kept;
}

enum fp_status clock_sights(const struct events *ev, struct clock_sight **ret,
                            size_t *ret_n, struct fp_err *err)
{
	struct clock_sight *s = calloc(ev->n + 1, sizeof(*s));
	size_t n = 0;

	if (!s)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory");
	for (size_t i = 0; i < ev->n; i++) {
		const struct event *e = &ev->e[i];
		uint32_t weight = e->clock ? weight_of(ev, e) : 0;

		if (weight)
			s[n++] = (struct clock_sight){
				.moment = moment_of(e),
				.clock = e->clock - 1,
				.weight = weight,
				.ns = e->time_ns,
			};
	}
	qsort(s, n, sizeof(*s), by_moment);
	n = merge_own(s, n);
	*ret_n = drop_lone(s, n);
	*ret = s;
	return FP_OK;
}
