// SPDX-License-Identifier: Apache-2.0
// One row of a table of nccl-tests.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/explain/table.h"

#define WORDS_MAX 16
#define WORD_MAX 24

/* A row cut into words. */
struct words {
	char at[WORDS_MAX][WORD_MAX];
	size_t n;
};

static const struct {
	const char *name;
	uint32_t bytes;
} types[] = {
	{ "float", 4 },    { "half", 2 },     { "double", 8 },
	{ "bfloat16", 2 }, { "int8", 1 },     { "uint8", 1 },
	{ "char", 1 },     { "int32", 4 },    { "uint32", 4 },
	{ "int", 4 },      { "int64", 8 },    { "uint64", 8 },
	{ "fp8_e4m3", 1 }, { "fp8_e5m2", 1 }, { "f8e4m3", 1 },
	{ "f8e5m2", 1 },
};

/* "[0]": a launcher's, before each piece that it was given. */
static size_t tag_len(const char *text)
{
	size_t n = *text == '[' ? strspn(text + 1, "0123456789,") : 0;

	return n && text[1 + n] == ']' ? n + 2 : 0;
}

static bool cut_words(const char *text, struct words *w)
{
	w->n = 0;
	for (;;) {
		size_t len;

		text += strspn(text, " \t#|");
		text += tag_len(text);
		if (!*text)
			return true;
		if (strchr(" \t#|", *text))
			continue;
		len = strcspn(text, " \t|[");
		if (len >= WORD_MAX || w->n == WORDS_MAX)
			return false;
		memcpy(w->at[w->n], text, len);
		w->at[w->n++][len] = '\0';
		text += len;
	}
}

static bool read_count(const char *text, int64_t *ret)
{
	char *end;
	long long value = strtoll(text, &end, 10);

	if (end == text || *end || value < 0)
		return false;
	*ret = value;
	return true;
}

static bool read_rate(const char *text, double *ret)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || *end || !isfinite(value) || value < 0)
		return false;
	*ret = value;
	return true;
}

static uint32_t type_bytes(const char *name)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strcmp(types[i].name, name) == 0)
			return types[i].bytes;
	return 0;
}

static bool is_word(const char *text)
{
	return *text && !text[strspn(text, "abcdefghijklmnopqrstuvwxyz_")];
}

/* One of the halves: time, algbw, busbw, and #wrong or error. */
static bool read_half(const char (*at)[WORD_MAX], struct table_row *row)
{
	double time, algbw, busbw;
	int64_t wrong;

	if (!read_rate(at[0], &time) || !read_rate(at[1], &algbw) ||
	    !read_rate(at[2], &busbw))
		return false;
	if (busbw >= row->busbw) {
		row->busbw = busbw;
		row->algbw = algbw;
		row->time_us = time;
	}
	if (read_count(at[3], &wrong))
		row->wrong = (row->wrong < 0 ? 0 : row->wrong) + wrong;
	else if (strcmp(at[3], "N/A") != 0 && !read_rate(at[3], &time))
		return false;
	return true;
}

bool table_row_read(const char *text, struct table_row *ret)
{
	struct table_row row = { .wrong = -1 };
	struct words w;
	size_t at = 3;

	if (!cut_words(text, &w) || w.n < 7 ||
	    !read_count(w.at[0], &row.bytes) ||
	    !read_count(w.at[1], &row.count))
		return false;
	row.element_bytes = type_bytes(w.at[2]);
	if (!row.element_bytes)
		return false;
	at += is_word(w.at[at]);
	if ((w.n - at) % 4 == 1) {
		int64_t root;

		row.rooted = read_count(w.at[at], &root);
		at++;
	}
	if (w.n - at != 4 && w.n - at != 8)
		return false;
	for (; at < w.n; at += 4)
		if (!read_half(w.at + at, &row))
			return false;
	*ret = row;
	return true;
}

bool table_row_begins(const char *text)
{
	int64_t bytes, count;
	struct words w;

	return cut_words(text, &w) && w.n >= 2 && w.n < 13 &&
	       read_count(w.at[0], &bytes) && read_count(w.at[1], &count) &&
	       bytes >= count && (w.n == 2 || type_bytes(w.at[2]));
}

/* Are the figures where they belong? Joined at a wrong place they move. */
static bool fits(const struct table_row *row)
{
	double algbw = (double)row->bytes / (row->time_us * 1e3);

	return row->time_us > 0 &&
	       fabs(algbw - row->algbw) <= 0.02 * algbw + 0.01;
}

bool table_row_join(const char *begin, const char *rest, struct table_row *ret)
{
	static const char *const gaps[] = { " ", "" };
	char whole[TABLE_ROW_MAX];

	for (size_t i = 0; *begin && i < 2; i++) {
		int n = snprintf(whole, sizeof(whole), "%s%s%s", begin, gaps[i],
		                 rest);

		if (n > 0 && (size_t)n < sizeof(whole) &&
		    table_row_read(whole, ret) && fits(ret))
			return true;
	}
	return false;
}

/* Each gathers or scatters a part: the size is that of all parts. */
static bool in_parts(const struct table_row *row)
{
	return row->count > 0 &&
	       row->bytes / row->element_bytes >= 2 * row->count;
}

int64_t table_ranks(const struct table_row *row)
{
	double quotient, n;

	if (row->algbw < 0.5)
		return 0;
	quotient = row->busbw / row->algbw;
	if (quotient < 0.01)
		return 1;
	if (in_parts(row) && !row->rooted) {
		double parts = (double)row->bytes / row->element_bytes /
		               (double)row->count;

		if (fabs(quotient - (parts - 1) / parts) < 0.01)
			return llround(parts);
	}
	if (quotient < 0.99)
		n = 1 / (1 - quotient);
	else if (quotient > 1.01 && quotient < 1.9999)
		n = 2 / (2 - quotient);
	else
		n = fabs(quotient - 1) <= 0.01 && !in_parts(row) ? 2 : 0;
	return n < 1e6 ? llround(n) : 0;
}

const char *table_op(const struct table_row *row)
{
	double quotient = row->algbw > 0 ? row->busbw / row->algbw : 0;

	if (row->rooted)
		return "one with a root";
	if (in_parts(row))
		return "all_gather, reduce_scatter or alltoall";
	if (quotient >= 0.99)
		return "all_reduce";
	return "a collective";
}
