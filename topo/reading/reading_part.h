/* SPDX-License-Identifier: Apache-2.0 */
/* The insides of a set of readings: what its files share. */
#ifndef FP_TOPO_READING_READING_PART_H
#define FP_TOPO_READING_READING_PART_H

#include "topo/reading/reading.h"

/** struct row - a reading; texts are places in the pool of its set. */
struct row {
	uint32_t device, name, text;
	int32_t later_s; /* than the set */
	union {
		int64_t number;
		double real;
	};
	uint8_t kind, source;
};

/*
 * A set of its own: rows[0..n). One that shares: the rows of @base, of which
 * those at changed[0..n_changed) are replaced by rows[0..n_changed), then
 * rows[n_changed..n). A replaced row's device and name are the base's.
 */
struct readings {
	struct row *rows;
	size_t n, room;
	char *pool; /* begins with the empty text */
	size_t pool_len, pool_room;
	int64_t time_s;
	uint32_t refs;
	struct readings *base; /* shares nothing itself */
	uint32_t *changed;     /* ascending */
	size_t n_changed;
};

/** reading_rows_grow() - room for one more row. Return: false without memory. */
bool reading_rows_grow(struct readings *set);

/** reading_key_is() - is row @i of that device and name? */
bool reading_key_is(const struct readings *set, size_t i, const char *device,
                    const char *name);

/**
 * reading_value_add() - all of @reading but device and name, into @row.
 *
 * Return: false without memory.
 */
bool reading_value_add(struct readings *set, const struct reading *reading,
                       struct row *row);

#endif
