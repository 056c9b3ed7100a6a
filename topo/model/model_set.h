/* SPDX-License-Identifier: Apache-2.0 */
/* Small sets of CPU or NUMA node numbers, and the lists they are written as. */
#ifndef FP_TOPO_MODEL_MODEL_SET_H
#define FP_TOPO_MODEL_MODEL_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "topo/base/fmt.h"

#define TOPO_SET_MAX 1024 /* numbers 0..TOPO_SET_MAX-1 */

/** struct topo_set - a set of numbers. Zero-initialise: empty. */
struct topo_set {
	uint64_t bits[TOPO_SET_MAX / 64];
};

/** topo_set_add() - put @n in. Return: false if it is out of range. */
bool topo_set_add(struct topo_set *set, int64_t n);

/** topo_set_has() - is @n in? */
bool topo_set_has(const struct topo_set *set, int64_t n);

/** topo_set_count() - how many are in. */
size_t topo_set_count(const struct topo_set *set);

/** topo_set_first() - the smallest number, or -1. */
int32_t topo_set_first(const struct topo_set *set);

/** topo_set_equal() - the same numbers? */
bool topo_set_equal(const struct topo_set *a, const struct topo_set *b);

/** topo_set_meet() - any number in both? */
bool topo_set_meet(const struct topo_set *a, const struct topo_set *b);

/**
 * topo_set_read() - a list such as "0-3,8,10-11": ascending, no blanks.
 *
 * Return: false for anything else, or for a number out of range.
 */
bool topo_set_read(const char *text, size_t len, struct topo_set *ret);

/**
 * topo_set_read_mask() - a mask such as "000000ff,ffff0000": comma-separated
 * words of 32 bits, the highest first, each with or without "0x".
 *
 * Return: false for anything else.
 */
bool topo_set_read_mask(const char *text, struct topo_set *ret);

/** topo_set_write() - append the list to @text; nothing if empty. */
void topo_set_write(const struct topo_set *set, struct fp_text *text);

/** topo_set_write_mask() - append the mask; "00000000" if empty. */
void topo_set_write_mask(const struct topo_set *set, struct fp_text *text);

#endif
