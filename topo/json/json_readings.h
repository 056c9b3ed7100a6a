/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Readings to JSON and back:
 *
 *   {"time_s": T, "rows": [[device, name, source, value, text, later], ...]}
 *
 * where value is a number, a text, or null for a skip, text (the reason of a
 * skip, or what belongs to a number) and later (seconds after T) are left out
 * where there are none. A host that is much like an earlier one of its job
 * has "like": its place among the hosts, and "differ": [[row, source, value,
 * text, later], ...] instead, before "rows" with what it has besides.
 */
#ifndef FP_TOPO_JSON_JSON_READINGS_H
#define FP_TOPO_JSON_JSON_READINGS_H

#include <jansson.h>

#include "topo/reading/reading.h"

/**
 * readings_to_json() - @set in full.
 *
 * Return: a new reference, or NULL without memory.
 */
json_t *readings_to_json(const struct readings *set);

/**
 * readings_like_to_json() - @set by what makes it another than its base.
 * @like: the place of the host whose set is readings_base(@set).
 *
 * Return: as readings_to_json().
 */
json_t *readings_like_to_json(const struct readings *set, size_t like);

/** readings_json_like() - the "like" of @json, or -1. */
json_int_t readings_json_like(const json_t *json);

/**
 * readings_from_json() - what either wrote, from bytes that may be hostile.
 * @base: of the host that "like" names; NULL if there is none.
 *
 * Return: FP_OK with a set for readings_unref(), that shares with @base if
 * that is worth it; FP_ERR_INPUT, FP_ERR_LIMIT, naming the row; FP_ERR_NOMEM.
 */
enum fp_status readings_from_json(const json_t *json, struct readings *base,
                                  struct readings **ret, struct fp_err *err);

#endif
