// SPDX-License-Identifier: Apache-2.0
// Was a log copied from a terminal that broke its lines at the right edge?
#include <ctype.h>
#include <string.h>

#include "probes/explain/undress.h"

#define WIDTH_MIN 60
#define WIDTH_MAX 300
#define LINES_MAX 4000
#define STARTS_MAX 32
#define ROWS_MIN 3
#define PADDING_MIN 16

/* Beginnings of lines that certainly are the first of theirs. */
struct starts {
	char text[STARTS_MAX][4];
	size_t n;
};

struct edge {
	const char *text;
	size_t len;
};

static size_t columns_of(const char *text, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += ((unsigned char)text[i] & 0xc0) != 0x80;
	return n;
}

bool undress_reaches(const char *text, size_t len,
                     const struct undress_edge *edge)
{
	return columns_of(text, len) == edge->width &&
	       (!edge->padded || len < 2 || text[len - 1] != ' ' ||
	        text[len - 2] != ' ');
}

static bool next_line(const char **at, const char *end, struct edge *ret)
{
	const char *stop = memchr(*at, '\n', (size_t)(end - *at));

	if (!stop)
		return false; /* the head's end cuts it */
	ret->text = *at;
	ret->len = (size_t)(stop - *at);
	while (ret->len && ret->text[ret->len - 1] == '\r')
		ret->len--;
	*at = stop + 1;
	return true;
}

static size_t widest(const char *head, size_t len)
{
	const char *at = head;
	struct edge line;
	size_t most = 0, lines = 0;

	while (lines++ < LINES_MAX && next_line(&at, head + len, &line)) {
		size_t columns = columns_of(line.text, line.len);

		if (columns > most)
			most = columns;
	}
	return most;
}

/* Numbers differ from line to line: any digit stands for all. */
static void classes(const struct edge *line, char ret[static 3])
{
	for (size_t i = 0; i < 3; i++)
		ret[i] = isdigit((unsigned char)line->text[i]) ? '0'
		                                               : line->text[i];
}

static bool is_start(const struct starts *s, const struct edge *line)
{
	char own[3];

	if (line->len < 3)
		return false;
	classes(line, own);
	for (size_t i = 0; i < s->n; i++)
		if (!memcmp(s->text[i], own, 3))
			return true;
	return false;
}

static void add_start(struct starts *s, const struct edge *line)
{
	if (line->len >= 3 && s->n < STARTS_MAX && !is_start(s, line))
		classes(line, s->text[s->n++]);
}

static void find_starts(const char *head, size_t len,
                        const struct undress_edge *edge, struct starts *ret)
{
	const char *at = head;
	struct edge line;
	bool first = true;

	while (next_line(&at, head + len, &line)) {
		if (first)
			add_start(ret, &line);
		first = !undress_reaches(line.text, line.len, edge);
	}
}

/* No column of a table is wider than the blanks that @line ends in. */
static bool ends_blank(const struct edge *line)
{
	size_t n = 0;

	while (n < line->len && line->text[line->len - 1 - n] == ' ')
		n++;
	return n >= PADDING_MIN;
}

/* Do lines that end in blanks at the edge end there? Then a line begins
 * behind most of them, or there are hardly any shorter ones. */
static bool is_padded(const char *head, size_t len,
                      const struct undress_edge *edge,
                      const struct starts *starts)
{
	const char *at = head;
	struct edge line;
	size_t begun = 0, all = 0, lines = 0, wide = 0, filled = 0;
	bool blank = false;

	while (next_line(&at, head + len, &line)) {
		lines += line.len > 0;
		wide += columns_of(line.text, line.len) == edge->width;
		filled += columns_of(line.text, line.len) == edge->width &&
		          ends_blank(&line);
		all += blank;
		begun += blank && (is_start(starts, &line) || !line.len);
		blank = columns_of(line.text, line.len) == edge->width &&
		        line.text[line.len - 1] == ' ' &&
		        line.text[line.len - 2] == ' ';
	}
	return begun * 2 > all || wide * 10 > lines * 9 ||
	       (wide > 1 && filled == wide);
}

/* Would @next be what is left of a line that broke behind @full? Columns of a
 * table are padded, and boxes have an edge. */
static bool is_rest(const struct starts *s, const struct edge *full,
                    const struct edge *next)
{
	char first;

	if (!next->len || is_start(s, next))
		return false;
	first = next->text[0];
	if (isspace((unsigned char)first))
		return next->len > 1 && isalpha((unsigned char)next->text[1]);
	return first != full->text[0] || isalnum((unsigned char)first);
}

/* Terminals have these by default; one line that breaks there is enough. */
static bool is_usual(size_t width)
{
	return width == 80 || width == 100 || width == 120 || width == 132 ||
	       width == 160;
}

struct undress_edge undress_edge(const char *head, size_t len)
{
	struct undress_edge edge = { .width = (uint32_t)widest(head, len) };
	const struct undress_edge none = { 0 };
	struct starts starts = { .n = 0 };
	struct edge line, before = { 0 };
	size_t full = 0, rests = 0, shorter = 0;
	const char *at = head;
	bool reached = false;

	if (edge.width < WIDTH_MIN || edge.width > WIDTH_MAX)
		return none;
	find_starts(head, len, &edge, &starts);
	edge.padded = is_padded(head, len, &edge, &starts);
	while (next_line(&at, head + len, &line)) {
		if (reached) {
			full++;
			rests += is_rest(&starts, &before, &line);
			shorter += line.len && !is_start(&starts, &line) &&
			           columns_of(line.text, line.len) < edge.width;
		}
		reached = undress_reaches(line.text, line.len, &edge);
		before = line;
	}
	/* Rows of a wide table, each in two pieces. */
	if (full >= ROWS_MIN && shorter == full && is_usual(edge.width))
		return edge;
	if (rests < 1 || rests * 2 < full ||
	    (rests == 1 && !is_usual(edge.width)))
		return none;
	return edge;
}
