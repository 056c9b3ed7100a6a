// SPDX-License-Identifier: Apache-2.0
// Delta debugging: halves, then complements, then finer parts.
#include "probes/locate/ddmin.h"

#include <stdlib.h>
#include <string.h>

#include "probes/trial/grow.h"

bool bisect_has(const int32_t *units, size_t n, int32_t unit)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (units[i] == unit)
			return true;
	return false;
}

enum fp_status bisect_init(struct bisect *b)
{
	b->cleared = calloc((size_t)b->opts->n, sizeof(*b->cleared));
	if (!b->cleared)
		return fp_err_set(b->err, FP_ERR_NOMEM, "no memory to bisect");
	return FP_OK;
}

enum fp_status bisect_whole(const struct bisect *b, struct bisect_set *ret)
{
	size_t n = (size_t)b->opts->n, i;

	ret->units = calloc(n, sizeof(*ret->units));
	ret->n = n;
	if (!ret->units)
		return fp_err_set(b->err, FP_ERR_NOMEM, "no memory to bisect");
	for (i = 0; i < n; i++)
		ret->units[i] = (int32_t)i;
	return FP_OK;
}

void bisect_done(struct bisect *b)
{
	free(b->cleared);
	free(b->tried);
	free(b->known_units);
}

enum fp_status bisect_set_copy(struct bisect_set *ret,
                               const struct bisect_set *from,
                               struct fp_err *err)
{
	ret->units = malloc((from->n + 1) * sizeof(*ret->units));
	if (!ret->units)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory to bisect");
	memcpy(ret->units, from->units, from->n * sizeof(*ret->units));
	ret->n = from->n;
	return FP_OK;
}

static int by_unit(const void *pa, const void *pb)
{
	int32_t a = *(const int32_t *)pa, b = *(const int32_t *)pb;

	return (a > b) - (a < b);
}

/* The group's units in order, at the end of what is known. */
static bool put_units(struct bisect *b, const struct bisect_group *g)
{
	if (grow_room(&b->known_units, &b->room_known, b->n_known + g->n,
	              sizeof(*b->known_units), NULL))
		return false;
	memcpy(b->known_units + b->n_known, g->units, g->n * sizeof(*g->units));
	qsort(b->known_units + b->n_known, g->n, sizeof(*g->units), by_unit);
	return true;
}

static struct bisect_tried *find(struct bisect *b, const struct bisect_group *g)
{
	size_t i;

	if (!put_units(b, g))
		return NULL;
	for (i = 0; i < b->n_tried; i++)
		if (b->tried[i].n == g->n &&
		    memcmp(b->known_units + b->tried[i].first,
		           b->known_units + b->n_known,
		           g->n * sizeof(*g->units)) == 0)
			return &b->tried[i];
	return NULL;
}

static void remember(struct bisect *b, const struct bisect_group *g)
{
	struct bisect_tried *known = find(b, g);

	if (known) {
		known->fails = g->fails;
		return;
	}
	if (!put_units(b, g) ||
	    grow_room(&b->tried, &b->room_tried, b->n_tried + 1,
	              sizeof(*b->tried), NULL))
		return;
	b->tried[b->n_tried++] = (struct bisect_tried){
		.first = b->n_known,
		.n = g->n,
		.fails = g->fails,
	};
	b->n_known += g->n;
}

/* What passed in a group is a partner for later. */
static void clear_group(struct bisect *b, const struct bisect_group *g)
{
	size_t i;

	for (i = 0; g->n > 1 && i < g->n; i++)
		if (!bisect_has(b->cleared, b->n_cleared, g->units[i]))
			b->cleared[b->n_cleared++] = g->units[i];
}

static bool try_new(struct bisect *b, struct bisect_group *fresh, size_t n)
{
	size_t i;

	if (b->ret->rounds >= b->opts->rounds ||
	    !b->how->run(b->how->arg, fresh, n))
		return false;
	b->ret->rounds++;
	for (i = 0; i < n; i++) {
		remember(b, &fresh[i]);
		b->passed |= !fresh[i].fails;
		if (!fresh[i].fails)
			clear_group(b, &fresh[i]);
	}
	return true;
}

bool bisect_try_groups(struct bisect *b, struct bisect_group *g, size_t n)
{
	struct bisect_group *fresh = calloc(n + 1, sizeof(*fresh));
	const struct bisect_tried *known;
	size_t i, n_fresh = 0;
	bool good = fresh && !b->ret->stopped;

	for (i = 0; good && i < n; i++)
		if (g[i].again || !find(b, &g[i]))
			fresh[n_fresh++] = g[i];
	if (good && n_fresh)
		good = try_new(b, fresh, n_fresh);
	for (i = 0; good && i < n; i++) {
		known = find(b, &g[i]);
		g[i].fails = known && known->fails;
	}
	b->ret->stopped |= !good;
	free(fresh);
	return good;
}

bool bisect_confirm(struct bisect *b, const struct bisect_set *s)
{
	struct bisect_group g = {
		.units = s->units,
		.n = s->n,
		.again = true,
	};

	return bisect_try_groups(b, &g, 1) && g.fails;
}

void bisect_acquit(struct bisect *b, const struct bisect_set *s)
{
	const struct bisect_group g = { .units = s->units, .n = s->n };
	struct bisect_tried *known = find(b, &g);

	if (known)
		known->fails = false;
}

/* Part @i of @k of the set. */
static struct bisect_group part_of(const struct bisect_set *s, size_t i,
                                   size_t k)
{
	size_t from = s->n * i / k, to = s->n * (i + 1) / k;

	return (struct bisect_group){
		.units = s->units + from,
		.n = to - from,
	};
}

static void keep(struct bisect_set *s, const struct bisect_group *g)
{
	memmove(s->units, g->units, g->n * sizeof(*g->units));
	s->n = g->n;
}

/* Parts share no unit: they run at once. */
static bool shrink_to_part(struct bisect *b, struct bisect_set *s, size_t k,
                           struct bisect_group *g)
{
	size_t i, n = 0;

	for (i = 0; i < k; i++) {
		g[n] = part_of(s, i, k);
		n += g[n].n >= (size_t)b->opts->least;
	}
	if (!n || !bisect_try_groups(b, g, n))
		return false;
	for (i = 0; i < n; i++)
		if (g[i].fails) {
			keep(s, &g[i]);
			return true;
		}
	return false;
}

/* Complements overlap: one after the other. */
static bool shrink_by_part(struct bisect *b, struct bisect_set *s, size_t k,
                           int32_t *room)
{
	struct bisect_group part, rest = { .units = room };
	size_t i, head;

	for (i = 0; i < k; i++) {
		part = part_of(s, i, k);
		head = (size_t)(part.units - s->units);
		rest.n = s->n - part.n;
		memcpy(room, s->units, head * sizeof(*room));
		memcpy(room + head, part.units + part.n,
		       (rest.n - head) * sizeof(*room));
		if (rest.n < (size_t)b->opts->least)
			continue;
		if (!bisect_try_groups(b, &rest, 1))
			return false;
		if (rest.fails) {
			keep(s, &rest);
			return true;
		}
	}
	return false;
}

enum fp_status bisect_ddmin(struct bisect *b, struct bisect_set *s)
{
	struct bisect_group *g = calloc(s->n + 1, sizeof(*g));
	int32_t *room = calloc(s->n + 1, sizeof(*room));
	size_t k = 2;

	while (g && room && s->n > (size_t)b->opts->least && !b->ret->stopped) {
		if (shrink_to_part(b, s, k, g)) {
			k = 2;
		} else if (!b->ret->stopped && k > 2 &&
		           shrink_by_part(b, s, k, room)) {
			k = k > 3 ? k - 1 : 2;
		} else if (k >= s->n) {
			break;
		} else {
			k = 2 * k < s->n ? 2 * k : s->n;
		}
	}
	free(room);
	if (!g || !room) {
		free(g);
		return fp_err_set(b->err, FP_ERR_NOMEM, "no memory to bisect");
	}
	free(g);
	return FP_OK;
}
