// SPDX-License-Identifier: Apache-2.0
// The formulas: perfect 1-factorizations of complete graphs, and sizes.
#include "probes/plan/plan.h"

#include <stdlib.h>

#define PLAN_SIZES_MAX 4096

uint32_t plan_rounds(uint32_t n)
{
	if (n < 2)
		return 0;
	return n % 2 ? n : n - 1;
}

/* The circle method for even @n; m is the one in the middle of the circle. */
static uint32_t circle_partner(uint32_t n, uint32_t v, uint32_t t)
{
	uint32_t m = n - 1, p;

	/* n / 2 is the inverse of 2 modulo n - 1. */
	if (v == m)
		return (uint32_t)((uint64_t)t * (n / 2) % m);
	p = (t + m - v) % m;
	return p == v ? m : p;
}

int32_t plan_partner(uint32_t n, uint32_t v, uint32_t t)
{
	uint32_t p;

	if (n > TOPO_MAX_RANKS || v >= n || t >= plan_rounds(n))
		return -1;
	/* Odd: somebody who is not there joins; meeting him is a bye. */
	p = circle_partner(n + n % 2, v, t);
	return p < n ? (int32_t)p : -1;
}

uint32_t plan_two_level_rounds(uint32_t hosts, uint32_t slots)
{
	return plan_rounds(hosts) * slots + plan_rounds(slots);
}

int32_t plan_two_level(uint32_t hosts, uint32_t slots, uint32_t host,
                       uint32_t slot, uint32_t t)
{
	uint32_t between = plan_rounds(hosts) * slots;
	uint32_t shift;
	int32_t peer;

	if (host >= hosts || slot >= slots)
		return -1;
	if (t >= between) {
		peer = plan_partner(slots, slot, t - between);
		return peer < 0 ? -1 : (int32_t)(host * slots) + peer;
	}
	peer = plan_partner(hosts, host, t / slots);
	if (peer < 0)
		return -1;
	/* The lower host of two shifts up, the higher one down: symmetric. */
	shift = (uint32_t)peer > host ? t % slots : slots - t % slots;
	return peer * (int32_t)slots + (int32_t)((slot + shift) % slots);
}

void plan_pairs_done(struct plan_pairs *p)
{
	if (!p)
		return;
	free(p->pairs);
	*p = (struct plan_pairs){ 0 };
}

/* The size after @size, or 0 when there is none. */
static uint64_t size_next(uint64_t size, uint32_t factor, uint64_t step)
{
	uint64_t next;

	if (factor ? __builtin_mul_overflow(size, factor, &next)
	           : __builtin_add_overflow(size, step, &next))
		return 0;
	return next > size ? next : 0;
}

static enum fp_status sizes_count(const struct plan_range *r, size_t *ret_n,
                                  struct fp_err *err)
{
	uint64_t size, next;
	size_t n = 1;

	if (r->min == 0 || r->min > r->max)
		return fp_err_set(err, FP_ERR_USAGE,
		                  "no message size from %llu to %llu bytes",
		                  (unsigned long long)r->min,
		                  (unsigned long long)r->max);
	for (size = r->min; size < r->max; size = next) {
		next = size_next(size, r->factor, r->step);
		if (next == 0 && (r->factor ? r->factor == 1 : r->step == 0))
			return fp_err_set(err, FP_ERR_USAGE,
			                  "sizes do not grow: a factor of 2 or "
			                  "more, or a step, is needed");
		if (next == 0 || next > r->max)
			break;
		if (++n > PLAN_SIZES_MAX)
			return fp_err_set(err, FP_ERR_USAGE,
			                  "more than %d message sizes",
			                  PLAN_SIZES_MAX);
	}
	*ret_n = n;
	return FP_OK;
}

enum fp_status plan_range_sizes(const struct plan_range *range,
                                uint64_t **ret_sizes, size_t *ret_n,
                                struct fp_err *err)
{
	enum fp_status status;
	uint64_t *sizes;
	size_t i, n = 0;

	status = sizes_count(range, &n, err);
	if (status)
		return status;
	sizes = calloc(n, sizeof(*sizes));
	if (!sizes)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for a plan");
	sizes[0] = range->min;
	for (i = 1; i < n; i++)
		sizes[i] = size_next(sizes[i - 1], range->factor, range->step);
	*ret_sizes = sizes;
	*ret_n = n;
	return FP_OK;
}
