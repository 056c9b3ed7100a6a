/* SPDX-License-Identifier: Apache-2.0 */
/* Seeded data that neither a stale nor a shifted buffer can pass for. */
#ifndef FP_PROBES_MEASURE_PATTERN_H
#define FP_PROBES_MEASURE_PATTERN_H

#include <stddef.h>
#include <stdint.h>

/** pattern_fill() - @len bytes as a function of @seed and offset alone. */
void pattern_fill(void *buf, size_t len, uint64_t seed);

/**
 * pattern_check() - compare with pattern_fill()'s bytes.
 * @ret_first: offset of the first wrong byte; may be NULL.
 *
 * Return: number of wrong bytes.
 */
uint64_t pattern_check(const void *buf, size_t len, uint64_t seed,
                       size_t *ret_first);

#endif
