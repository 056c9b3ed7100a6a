// SPDX-License-Identifier: Apache-2.0
// Sets of readings: rows, and one pool for all of their texts.
#include "topo/reading/reading.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "topo/base/fmt.h"
#include "topo/reading/reading_part.h"

struct readings *readings_new(int64_t time_s)
{
	struct readings *set = calloc(1, sizeof(*set));

	if (!set)
		return NULL;
	set->pool = calloc(1, 256);
	if (!set->pool) {
		free(set);
		return NULL;
	}
	set->pool_len = 1;
	set->pool_room = 256;
	set->time_s = time_s;
	set->refs = 1;
	return set;
}

struct readings *readings_ref(struct readings *set)
{
	if (set)
		set->refs++;
	return set;
}

void readings_unref(struct readings *set)
{
	if (!set || --set->refs > 0)
		return;
	/* A base has none itself, so this goes no deeper. */
	readings_unref(set->base);
	free(set->changed);
	free(set->pool);
	free(set->rows);
	free(set);
}

int64_t readings_time_s(const struct readings *set)
{
	return set->time_s;
}

size_t readings_count(const struct readings *set)
{
	if (!set)
		return 0;
	return set->n + (set->base ? set->base->n - set->n_changed : 0);
}

const struct readings *readings_base(const struct readings *set)
{
	return set ? set->base : NULL;
}

/* Where @i is, or would be, among the replaced rows. */
static size_t changed_place(const struct readings *set, size_t i)
{
	size_t low = 0, high = set->n_changed;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (set->changed[mid] < i)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

size_t readings_next_change(const struct readings *set, size_t i)
{
	size_t at = set->base ? changed_place(set, i) : set->n_changed;

	return at < set->n_changed ? set->changed[at] : READINGS_NONE;
}

bool readings_differs(const struct readings *set, size_t i)
{
	return !set->base || i >= set->base->n ||
	       readings_next_change(set, i) == i;
}

/* The set and row that hold the value, and those that hold the key. */
struct place {
	const struct readings *set, *key_set;
	const struct row *row, *key;
};

static struct place find_place(const struct readings *set, size_t i)
{
	struct place p = { .set = set, .key_set = set };

	if (!set->base) {
		p.row = p.key = &set->rows[i];
	} else if (i >= set->base->n) {
		p.row = &set->rows[set->n_changed + (i - set->base->n)];
		p.key = p.row;
	} else {
		p.key_set = set->base;
		p.key = &set->base->rows[i];
		p.row = p.key;
		if (readings_differs(set, i))
			p.row = &set->rows[changed_place(set, i)];
		else
			p.set = set->base;
	}
	return p;
}

struct reading readings_at(const struct readings *set, size_t i)
{
	struct place p = find_place(set, i);

	return (struct reading){
		.device = p.key_set->pool + p.key->device,
		.name = p.key_set->pool + p.key->name,
		.kind = p.row->kind,
		.source = p.row->source,
		.number = p.row->kind == READING_INT ? p.row->number : 0,
		.real = p.row->kind == READING_REAL ? p.row->real : 0,
		.text = p.set->pool + p.row->text,
		.time_s = set->time_s + p.row->later_s,
	};
}

bool reading_key_is(const struct readings *set, size_t i, const char *device,
                    const char *name)
{
	struct place p = find_place(set, i);

	return strcmp(p.key_set->pool + p.key->name, name) == 0 &&
	       strcmp(p.key_set->pool + p.key->device, device) == 0;
}

size_t readings_find(const struct readings *set, const char *device,
                     const char *name, size_t hint)
{
	size_t n = readings_count(set);

	/* A second row of this key would come right behind the first. */
	if (hint < n && reading_key_is(set, hint, device, name) &&
	    (hint == 0 || !reading_key_is(set, hint - 1, device, name)))
		return hint;
	for (size_t i = 0; i < n; i++) {
		if (reading_key_is(set, i, device, name))
			return i;
	}
	return READINGS_NONE;
}

bool readings_get(const struct readings *set, const char *device,
                  const char *name, struct reading *ret)
{
	size_t i = readings_find(set, device, name, 0);

	if (i == READINGS_NONE)
		return false;
	*ret = readings_at(set, i);
	return ret->kind != READING_SKIP;
}

int64_t readings_get_int(const struct readings *set, const char *device,
                         const char *name, int64_t none)
{
	struct reading got;

	return readings_get(set, device, name, &got) && got.kind == READING_INT
	               ? got.number
	               : none;
}

const char *readings_get_text(const struct readings *set, const char *device,
                              const char *name)
{
	struct reading got;

	return readings_get(set, device, name, &got) && got.kind == READING_TEXT
	               ? got.text
	               : "";
}

bool reading_equal(const struct reading *a, const struct reading *b)
{
	return a->kind == b->kind && a->number == b->number &&
	       a->real <= b->real && a->real >= b->real &&
	       strcmp(a->text, b->text) == 0;
}

static enum fp_status no_memory(struct fp_err *err)
{
	return fp_err_set(err, FP_ERR_NOMEM, "no memory for readings");
}

/* Put @text, cut and fit to print, into the pool. */
static bool pool_add(struct readings *set, const char *text, uint32_t *ret)
{
	char clean[READING_TEXT_MAX];
	size_t len;

	*ret = 0;
	if (!text || !text[0])
		return true;
	fp_copy(clean, sizeof(clean), text);
	len = strlen(clean) + 1;
	while (set->pool_len + len > set->pool_room) {
		char *grown = realloc(set->pool, 2 * set->pool_room);

		if (!grown)
			return false;
		set->pool = grown;
		set->pool_room *= 2;
	}
	memcpy(set->pool + set->pool_len, clean, len);
	*ret = (uint32_t)set->pool_len;
	set->pool_len += len;
	return true;
}

bool reading_rows_grow(struct readings *set)
{
	size_t room = set->room ? 2 * set->room : 64;
	struct row *rows;

	if (set->n < set->room)
		return true;
	rows = reallocarray(set->rows, room, sizeof(*rows));
	if (!rows)
		return false;
	set->rows = rows;
	set->room = room;
	return true;
}

/* Rows of a device mostly follow one another: its name is kept once. */
static bool device_add(struct readings *set, const char *device, uint32_t *ret)
{
	if (set->n > 0) {
		*ret = set->rows[set->n - 1].device;
		if (strcmp(set->pool + *ret, device) == 0)
			return true;
	}
	return pool_add(set, device, ret);
}

static enum fp_status check(const struct readings *set,
                            const struct reading *reading, struct fp_err *err)
{
	if (!reading->name[0])
		return fp_err_set(err, FP_ERR_INPUT, "a reading has no name");
	if (strlen(reading->name) >= READING_NAME_MAX ||
	    strlen(reading->device) >= READING_NAME_MAX)
		return fp_err_set(err, FP_ERR_LIMIT,
		                  "reading %.80s of %.80s: longer than %d "
		                  "bytes",
		                  reading->name, reading->device,
		                  READING_NAME_MAX - 1);
	if (reading->kind >= READING_KIND_COUNT ||
	    reading->source >= READ_SOURCE_COUNT ||
	    (reading->kind == READING_REAL && !isfinite(reading->real)))
		return fp_err_set(err, FP_ERR_INPUT,
		                  "reading %s of %s makes no sense",
		                  reading->name, reading->device);
	if (readings_count(set) >= READINGS_MAX)
		return fp_err_set(err, FP_ERR_LIMIT,
		                  "more than %d readings of a host",
		                  READINGS_MAX);
	return FP_OK;
}

static int32_t later(const struct readings *set, int64_t time_s)
{
	int64_t by;

	if (!time_s || __builtin_sub_overflow(time_s, set->time_s, &by) ||
	    by > INT32_MAX || by < INT32_MIN)
		return 0;
	return (int32_t)by;
}

/* The value alone: what readings_share() keeps of a row that differs. */
bool reading_value_add(struct readings *set, const struct reading *reading,
                       struct row *row)
{
	row->kind = (uint8_t)reading->kind;
	row->source = (uint8_t)reading->source;
	row->later_s = later(set, reading->time_s);
	row->number = 0;
	if (reading->kind == READING_INT)
		row->number = reading->number;
	if (reading->kind == READING_REAL)
		row->real = reading->real;
	return pool_add(set, reading->text, &row->text);
}

enum fp_status readings_add(struct readings *set, const struct reading *reading,
                            struct fp_err *err)
{
	enum fp_status status = check(set, reading, err);
	struct row row = { 0 };

	if (status != FP_OK)
		return status;
	if (!reading_rows_grow(set) ||
	    !device_add(set, reading->device, &row.device) ||
	    !pool_add(set, reading->name, &row.name) ||
	    !reading_value_add(set, reading, &row))
		return no_memory(err);
	set->rows[set->n++] = row;
	return FP_OK;
}
