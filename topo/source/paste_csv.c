// SPDX-License-Identifier: Apache-2.0
// A matrix that a spreadsheet or a script saved with commas between its cells.
#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "topo/source/paste_prefix.h"

#define CELLS_MIN 3 /* fewer commas are a sentence's, or a list of CPUs */

static const char *skip_quotes(const char *at, const char *end)
{
	while (at < end && (*at == '"' || *at == ' '))
		at++;
	return at;
}

/* Does @at name another column of the first line? */
static bool is_column(const char *at, const char *end)
{
	static const char *const words[] = { "GPU1", "NIC", "mlx", "CPU Aff" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		size_t len = strlen(words[i]);

		if ((size_t)(end - at) >= len && memcmp(at, words[i], len) == 0)
			return true;
	}
	return false;
}

/* "GPU0,GPU1" of the first line, with or without quotes and blanks. */
static char separator_of(const char *text, size_t len)
{
	const char *end = text + len, *at = memmem(text, len, "GPU0", 4);

	for (; at; at = memmem(at, (size_t)(end - at), "GPU0", 4)) {
		char separator;

		at = skip_quotes(at + strlen("GPU0"), end);
		separator = at < end && strchr(",;", *at) ? *at : '\0';
		if (separator && is_column(skip_quotes(at + 1, end), end))
			return separator;
	}
	return '\0';
}

/** struct csv - @cpus separators stand before the CPU affinities in the first
 * line of the matrix; 0: it has none. */
struct csv {
	char separator;
	bool begun;
	size_t cpus;
};

static size_t cells_of(const char *line, size_t len, char separator)
{
	bool quoted = false;
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		quoted ^= line[i] == '"';
		n += !quoted && line[i] == separator;
	}
	return n;
}

static void take_header(struct csv *csv, const char *line, size_t len)
{
	const char *cpus = memmem(line, len, "CPU Aff", 7);

	if (csv->begun || !memmem(line, len, "GPU0", 4))
		return;
	csv->begun = true;
	csv->cpus = cpus ? cells_of(line, (size_t)(cpus - line), csv->separator)
	                 : 0;
}

/* "112-167" at @at: CPUs of a list that has no quotes. */
static bool is_range(const char *at, size_t len)
{
	size_t first = 0, second;

	while (first < len && isdigit((unsigned char)at[first]))
		first++;
	second = first + 1;
	return first > 0 && second < len && at[first] == '-' &&
	       isdigit((unsigned char)at[second]);
}

/* Quotes are gone, a separator outside of them is a tab. Return: bytes. */
static size_t split(const struct csv *csv, const char *line, size_t len,
                    char *out)
{
	bool quoted = false, list = true;
	size_t used = 0, at = 0;

	for (size_t i = 0; i < len; i++) {
		bool ends;

		quoted ^= line[i] == '"';
		if (line[i] == '"')
			continue;
		ends = line[i] == csv->separator && !quoted;
		at += ends;
		if (ends && csv->cpus && at > csv->cpus)
			list &= is_range(line + i + 1, len - i - 1);
		if (ends && csv->cpus && at > csv->cpus && list)
			out[used++] = ',';
		else
			out[used++] = ends ? '\t' : line[i];
	}
	return used;
}

size_t paste_uncsv(char *text, size_t len)
{
	struct csv csv = { .separator = separator_of(text, len) };
	size_t used = 0, n;

	if (!csv.separator)
		return len;
	for (size_t at = 0; at < len; at += n) {
		const char *line = text + at,
			   *end = memchr(line, '\n', len - at);

		n = end ? (size_t)(end - line) + 1 : len - at;
		if (cells_of(line, n, csv.separator) >= CELLS_MIN) {
			take_header(&csv, line, n);
			used += split(&csv, line, n, text + used);
		} else {
			memmove(text + used, line, n);
			used += n;
		}
	}
	text[used] = '\0';
	return used;
}
