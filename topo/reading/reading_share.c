// SPDX-License-Identifier: Apache-2.0
// Sets of hosts that are alike keep what differs.
#include <stdlib.h>

#include "topo/reading/reading_part.h"

/* Keep what differs in a set that shares; NULL if that is not worth it. */
static struct readings *share(const struct readings *set, struct readings *base)
{
	struct readings *made = readings_new(set->time_s);
	size_t n = readings_count(set);
	bool ok = made;

	if (made)
		made->changed = calloc(base->n / 2 + 1, sizeof(uint32_t));
	ok = ok && made->changed;
	for (size_t i = 0; i < n && ok; i++) {
		struct reading is = readings_at(set, i), was;
		struct row row = { 0 };

		if (i >= base->n) {
			ok = readings_add(made, &is, NULL) == FP_OK;
			continue;
		}
		was = readings_at(base, i);
		if (reading_equal(&is, &was) && is.source == was.source &&
		    is.time_s - set->time_s == was.time_s - base->time_s)
			continue;
		ok = made->n_changed <= base->n / 2 &&
		     reading_rows_grow(made) &&
		     reading_value_add(made, &is, &row);
		if (!ok)
			break;
		made->rows[made->n++] = row;
		made->changed[made->n_changed++] = (uint32_t)i;
	}
	if (ok)
		return made;
	readings_unref(made);
	return NULL;
}

static bool same_keys(const struct readings *set, const struct readings *base)
{
	if (readings_count(set) < base->n)
		return false;
	for (size_t i = 0; i < base->n; i++) {
		const struct row *key = &base->rows[i];

		if (!reading_key_is(set, i, base->pool + key->device,
		                    base->pool + key->name))
			return false;
	}
	return true;
}

/* What is kept for long needs no room to grow. */
static void shrink(struct readings *set)
{
	struct row *rows = reallocarray(set->rows, set->n + 1, sizeof(*rows));
	char *pool = realloc(set->pool, set->pool_len);
	uint32_t *changed = reallocarray(set->changed, set->n_changed + 1,
	                                 sizeof(*changed));

	if (rows) {
		set->rows = rows;
		set->room = set->n + 1;
	}
	if (pool) {
		set->pool = pool;
		set->pool_room = set->pool_len;
	}
	if (changed)
		set->changed = changed;
}

void readings_share(struct readings **set, struct readings *base)
{
	struct readings *made;

	if (base && base->base)
		base = base->base;
	if (!*set || !base || *set == base || (*set)->base == base ||
	    !same_keys(*set, base))
		return;
	made = share(*set, base);
	if (!made)
		return;
	made->base = readings_ref(base);
	shrink(made);
	readings_unref(*set);
	*set = made;
}
