// SPDX-License-Identifier: Apache-2.0
// From a failing whole to its culprits: doubling, shrinking, and what the
// smallest failing sets mean.
#include "probes/locate/bisect.h"

#include <stdlib.h>
#include <string.h>

#include "probes/locate/ddmin.h"
#include "probes/trial/grow.h"

static enum fp_status report(struct bisect *b, uint32_t kind,
                             const int32_t *units, size_t n)
{
	struct bisect_result *r = b->ret;
	enum fp_status status;

	status = grow_room(&r->found, &r->room_found, r->n_found + 1,
	                   sizeof(*r->found), b->err);
	if (!status)
		status = grow_room(&r->units, &r->room_units, r->n_units + n,
		                   sizeof(*r->units), b->err);
	if (status)
		return status;
	r->found[r->n_found++] = (struct bisect_found){
		.kind = kind,
		.first = r->n_units,
		.n = n,
	};
	memcpy(r->units + r->n_units, units, n * sizeof(*units));
	r->n_units += n;
	return FP_OK;
}

static void drop(struct bisect_set *s, const int32_t *units, size_t n)
{
	size_t i, left = 0;

	for (i = 0; i < s->n; i++)
		if (!bisect_has(units, n, s->units[i]))
			s->units[left++] = s->units[i];
	s->n = left;
}

/* Two at most that were in a group that passed, and are not of @min. */
static size_t partners_of(const struct bisect *b, const struct bisect_set *min,
                          int32_t ret[2])
{
	size_t i, n = 0;

	for (i = 0; i < b->n_cleared && n < 2; i++)
		if (!bisect_has(min->units, min->n, b->cleared[i]))
			ret[n++] = b->cleared[i];
	return n;
}

/* Each of two with such a partner: at once, if there is one for each. */
static bool try_apart(struct bisect *b, const struct bisect_set *min,
                      const int32_t by[2], size_t n_by, bool ret_fails[2])
{
	int32_t with[2][2] = { { min->units[0], by[0] },
		               { min->units[1], by[n_by - 1] } };
	struct bisect_group g[2] = { { .units = with[0], .n = 2 },
		                     { .units = with[1], .n = 2 } };
	bool good = n_by > 1 ? bisect_try_groups(b, g, 2)
	                     : bisect_try_groups(b, g, 1) &&
	                               bisect_try_groups(b, g + 1, 1);

	ret_fails[0] = good && g[0].fails;
	ret_fails[1] = good && g[1].fails;
	return good;
}

/* Two units of two that fail: each with somebody who passed elsewhere. */
static enum fp_status tell_two(struct bisect *b, const struct bisect_set *min,
                               struct bisect_set *rest)
{
	enum fp_status status = FP_OK;
	bool fails[2] = { false };
	int32_t by[2];
	size_t n = partners_of(b, min, by);
	int k;

	if (n && !try_apart(b, min, by, n, fails)) {
		drop(rest, min->units, 1);
		return report(b, BISECT_UNRESOLVED, min->units, 2);
	}
	for (k = 0; !status && k < 2; k++) {
		if (!fails[k])
			continue;
		status = report(b, BISECT_CULPRIT, min->units + k, 1);
		drop(rest, min->units + k, 1);
	}
	if (status || fails[0] || fails[1])
		return status;
	drop(rest, min->units, 1);
	return report(b, BISECT_INTERACTION, min->units, 2);
}

/* Does another set of the same size fail, of which half is exchanged? */
static bool fails_as_others(struct bisect *b, const struct bisect_set *min)
{
	int32_t *other = malloc((min->n + 1) * sizeof(*other));
	struct bisect_group g = { .units = other, .n = min->n };
	size_t keep = min->n / 2, i, at = 0;
	int32_t u;

	if (!other)
		return false;
	for (i = 0; i < keep; i++)
		other[at++] = min->units[i];
	for (u = 0; u < b->opts->n && at < min->n; u++)
		if (!bisect_has(min->units, min->n, u))
			other[at++] = u;
	if (at < min->n || !bisect_try_groups(b, &g, 1))
		g.fails = false;
	free(other);
	return g.fails;
}

static enum fp_status tell(struct bisect *b, const struct bisect_set *min,
                           struct bisect_set *rest)
{
	bool all = min->n == (size_t)b->opts->n;

	if (b->ret->stopped) {
		rest->n = 0;
		return report(b, BISECT_UNRESOLVED, min->units, min->n);
	}
	if (min->n == 1) {
		drop(rest, min->units, 1);
		return report(b, BISECT_CULPRIT, min->units, 1);
	}
	if (min->n == 2 && b->opts->n > 2)
		return tell_two(b, min, rest);
	if (min->n > 2 && (all || fails_as_others(b, min))) {
		rest->n = 0;
		return report(b, BISECT_SCALE, min->units, min->n);
	}
	drop(rest, min->units, 1);
	return report(b, BISECT_INTERACTION, min->units, min->n);
}

/* Shrink failing @from, say what it is, and take it out of @rest. */
static enum fp_status settle(struct bisect *b, const struct bisect_set *from,
                             struct bisect_set *rest)
{
	struct bisect_set min = { 0 };
	enum fp_status status = bisect_set_copy(&min, from, b->err);

	bool freak = false;

	if (!status)
		status = bisect_ddmin(b, &min);
	if (!status && !b->ret->stopped)
		freak = !bisect_confirm(b, &min) && !b->ret->stopped;
	if (freak)
		bisect_acquit(b, from);
	else if (!status)
		status = tell(b, &min, rest);
	free(min.units);
	return status;
}

static bool fails_still(struct bisect *b, const struct bisect_set *s)
{
	struct bisect_group g = { .units = s->units, .n = s->n };

	if (s->n < (size_t)b->opts->least || b->ret->stopped)
		return false;
	return bisect_try_groups(b, &g, 1) && g.fails;
}

/* One freak must not start a long search. Where there is no time to see it
 * again, the search says so. */
static bool fails_for_sure(struct bisect *b, const struct bisect_set *s)
{
	if (!fails_still(b, s))
		return false;
	if (bisect_confirm(b, s) || b->ret->stopped)
		return true;
	bisect_acquit(b, s);
	return false;
}

static enum fp_status settle_blocks(struct bisect *b,
                                    const struct bisect_group *g, size_t n,
                                    struct bisect_set *rest)
{
	enum fp_status status = FP_OK;
	size_t i;

	for (i = 0; !status && i < n; i++) {
		struct bisect_set block = {
			.units = (int32_t *)(uintptr_t)g[i].units,
			.n = g[i].n,
		};

		if (g[i].fails && rest->n)
			status = settle(b, &block, rest);
	}
	return status;
}

/* Blocks of @size of the set, all at once; the last one takes the rest. */
static size_t make_blocks(const struct bisect_set *s, size_t size,
                          struct bisect_group *g)
{
	size_t n = s->n / size, i;

	for (i = 0; i < n; i++)
		g[i] = (struct bisect_group){
			.units = s->units + i * size,
			.n = i + 1 < n ? size : s->n - i * size,
		};
	return n;
}

static bool any_fails(const struct bisect_group *g, size_t n, bool *ret_all)
{
	bool any = false;
	size_t i;

	*ret_all = n > 0;
	for (i = 0; i < n; i++) {
		any |= g[i].fails;
		*ret_all &= g[i].fails;
	}
	return any;
}

/* Groups of 1, 2, 4... units until some fail. @ret_found: some did. */
static enum fp_status doubling(struct bisect *b, struct bisect_set *whole,
                               bool *ret_found)
{
	struct bisect_group *g = calloc(whole->n + 1, sizeof(*g));
	struct bisect_set seats = { 0 };
	size_t size = (size_t)b->opts->least, n;
	enum fp_status status = bisect_set_copy(&seats, whole, b->err);
	bool all;

	*ret_found = false;
	if (!g && !status)
		status =
			fp_err_set(b->err, FP_ERR_NOMEM, "no memory to bisect");
	for (; !status && !*ret_found && 2 * size <= seats.n; size *= 2) {
		n = make_blocks(&seats, size, g);
		if (!bisect_try_groups(b, g, n))
			break;
		*ret_found = any_fails(g, n, &all);
		if (!*ret_found)
			continue;
		b->ret->first_size = (int32_t)size;
		if (all && n > 2 && size == (size_t)b->opts->least) {
			whole->n = 0;
			status = report(b, BISECT_EVERYTHING, seats.units,
			                seats.n);
		} else {
			status = settle_blocks(b, g, n, whole);
		}
	}
	free(seats.units);
	free(g);
	return status;
}

/* Those whom a log named, and the others: one of them may fail alone. */
static enum fp_status suspects(struct bisect *b, struct bisect_set *whole,
                               bool *ret_found)
{
	size_t k = (size_t)b->opts->suspects;
	struct bisect_group g[2] = {
		{ .units = whole->units, .n = k },
		{ .units = whole->units + k, .n = whole->n - k },
	};
	struct bisect_set named = { .units = whole->units, .n = k };
	enum fp_status status = FP_OK;
	struct bisect_set copy = { 0 };

	*ret_found = false;
	if (!k || k < (size_t)b->opts->least ||
	    whole->n - k < (size_t)b->opts->least ||
	    !bisect_try_groups(b, g, 2))
		return FP_OK;
	if (!g[0].fails)
		return FP_OK;
	*ret_found = true;
	status = bisect_set_copy(&copy, &named, b->err);
	if (!status)
		status = settle(b, &copy, whole);
	free(copy.units);
	return status;
}

/* Sets that look like several culprits, though not one group ever passed. */
static enum fp_status tell_everything(struct bisect *b)
{
	struct bisect_result *r = b->ret;
	struct bisect_set all = { 0 };
	enum fp_status status;

	if (b->passed || r->stopped || r->n_found < 2)
		return FP_OK;
	status = bisect_whole(b, &all);
	r->n_found = r->n_units = 0;
	if (!status)
		status = report(b, BISECT_EVERYTHING, all.units, all.n);
	free(all.units);
	return status;
}

static enum fp_status search(struct bisect *b, struct bisect_set *whole)
{
	enum fp_status status;
	bool found;

	status = suspects(b, whole, &found);
	if (!status && !found)
		status = doubling(b, whole, &found);
	/* Several culprits: without those found, does the rest pass? */
	while (!status && fails_for_sure(b, whole))
		status = settle(b, whole, whole);
	if (!status)
		status = tell_everything(b);
	if (!status && b->ret->stopped && !b->ret->n_found && whole->n)
		status = report(b, BISECT_UNRESOLVED, whole->units, whole->n);
	return status;
}

enum fp_status bisect_run(const struct bisect_opts *opts,
                          const struct bisect_try *how,
                          struct bisect_result *ret, struct fp_err *err)
{
	struct bisect b = { .opts = opts, .how = how, .ret = ret, .err = err };
	struct bisect_set whole = { 0 };
	enum fp_status status;

	*ret = (struct bisect_result){ 0 };
	if (opts->least < 1 || opts->least > 2 || opts->n < opts->least ||
	    opts->suspects < 0 || opts->suspects > opts->n)
		return fp_err_set(err, FP_ERR_INPUT, "nothing to bisect");
	status = bisect_init(&b);
	if (!status)
		status = bisect_whole(&b, &whole);
	if (!status) {
		ret->failed = fails_still(&b, &whole);
		if (ret->failed)
			status = search(&b, &whole);
	}
	free(whole.units);
	bisect_done(&b);
	return status;
}

void bisect_result_done(struct bisect_result *r)
{
	if (!r)
		return;
	free(r->found);
	free(r->units);
	*r = (struct bisect_result){ 0 };
}
