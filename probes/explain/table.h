/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of nccl-tests' tables, with or without their heading. */
#ifndef FP_PROBES_EXPLAIN_TABLE_H
#define FP_PROBES_EXPLAIN_TABLE_H

#include <stdbool.h>
#include <stdint.h>

/** struct table_row - a row, in nccl-tests' units. */
struct table_row {
	int64_t bytes, count;
	uint32_t element_bytes; /* of its type */
	double algbw, busbw;    /* GB/s, the better of both places */
	double time_us;         /* of that place */
	int64_t wrong; /* #wrong of both; -1: not checked or rounding */
	bool rooted;   /* there is a root column with a rank */
};

/**
 * table_row_read() - take @text apart: size, count, type, then redop and root
 * where there are any, then time, algbw, busbw and #wrong (or the error of
 * old versions), once or twice.
 *
 * Return: false if @text is no row.
 */
bool table_row_read(const char *text, struct table_row *ret);

#define TABLE_ROW_MAX 256 /* bytes of one, with its padding */

/** table_row_begins() - may @text be a row that goes on in the next line? */
bool table_row_begins(const char *text);

/**
 * table_row_join() - table_row_read() of @begin and, behind it, @rest: mail
 * breaks lines at blanks, terminals anywhere.
 */
bool table_row_join(const char *begin, const char *rest, struct table_row *ret);

/**
 * table_ranks() - how many ranks give busbw / algbw of @row: n where the
 * quotient is 2(n-1)/n for all-reduce or (n-1)/n for the others (nccl-tests,
 * notes on performance).
 *
 * Return: 1 if there is no bus bandwidth, 0 if the figures are too small to
 * tell or the quotient is 1.
 */
int64_t table_ranks(const struct table_row *row);

/**
 * table_op() - "all_reduce", "all_gather or reduce_scatter", ... as far as
 * the columns tell.
 */
const char *table_op(const struct table_row *row);

#endif
