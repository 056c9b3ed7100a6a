// SPDX-License-Identifier: Apache-2.0
// From what carries a log to its lines, in place.
#include "probes/explain/undress.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "probes/trial/grow.h"

#define HEAD_MAX 65536
#define LINE_MAX_BYTES (256u << 10) /* longer ones are no line of a logger */

static const struct entity {
	const char *name;
	char is;
} entities[] = {
	{ "&lt;", '<' },   { "&gt;", '>' },   { "&amp;", '&' },
	{ "&quot;", '"' }, { "&#39;", '\'' }, { "&nbsp;", ' ' },
};

#define N_ENTITIES (sizeof(entities) / sizeof(entities[0]))

static const struct entity *entity_at(const char *text, size_t len)
{
	for (size_t i = 0; i < N_ENTITIES; i++) {
		size_t n = strlen(entities[i].name);

		if (n <= len && !memcmp(text, entities[i].name, n))
			return &entities[i];
	}
	return NULL;
}

size_t undress_html(char *text, size_t len)
{
	size_t to = 0;

	for (size_t at = 0; at < len;) {
		const struct entity *e =
			text[at] == '&' ? entity_at(text + at, len - at) : NULL;

		text[to++] = e ? e->is : text[at];
		at += e ? strlen(e->name) : 1;
	}
	return to;
}

void undress_choose(struct undress *u, const char *head, size_t len)
{
	if (len > HEAD_MAX)
		len = HEAD_MAX;
	if (memchr(head, '\0', len))
		return;
	u->json = undress_is_json(head, len);
	u->html = memmem(head, len, "&lt;", 4) || memmem(head, len, "&gt;", 4);
	if (!u->json)
		u->edge = undress_edge(head, len);
}

/* Without memory numbers of lines are a little off, and nothing is lost. */
static void add_seam(struct undress *u, size_t at, int32_t lines)
{
	struct fp_err err = { 0 };

	if (lines && grow_room(&u->seams, &u->room, u->n + 1, sizeof(*u->seams),
	                       &err) == FP_OK)
		u->seams[u->n++] = (struct undress_seam){ at, lines };
}

/* A message of several lines was one line of the file. */
static size_t put_message(struct undress *u, char *buf, size_t to,
                          const char *text, size_t len)
{
	while (len && (text[len - 1] == '\n' || text[len - 1] == '\r'))
		len--;
	for (size_t i = 0; i < len; i++) {
		buf[to + i] = text[i];
		if (text[i] == '\n')
			add_seam(u, to + i, -1);
	}
	return to + len;
}

/* One line of the file, without its newline; text goes to @to, which is not
 * behind it. */
static size_t put_line(struct undress *u, char *buf, size_t to, size_t at,
                       size_t len)
{
	char *text = u->json && len < LINE_MAX_BYTES ? malloc(len + 1) : NULL;
	size_t n = text ? undress_json(buf + at, len, text) : 0;

	if (n) {
		to = put_message(u, buf, to, text, n);
	} else {
		memmove(buf + to, buf + at, len);
		to += u->html ? undress_html(buf + to, len) : len;
	}
	free(text);
	return to;
}

/* Does the line at @at, of @len bytes, go on in the next one? */
static bool goes_on(const struct undress *u, const char *text, size_t len)
{
	while (len && text[len - 1] == '\r')
		len--;
	return u->edge.width && undress_reaches(text, len, &u->edge);
}

/* Is @text, of @n bytes, digits with one point among them? */
static bool is_decimal(const char *text, size_t n)
{
	size_t points = 0;

	for (size_t i = 0; i < n; i++)
		points += text[i] == '.';
	return n > 2 && points == 1;
}

static bool is_of_number(char c)
{
	return isdigit((unsigned char)c) || c == '.';
}

/* Mail breaks lines at blanks and drops those: figures of a table that meet
 * where lines are joined are two, as both have their point. */
static bool lost_a_blank(const char *text, size_t len, const char *next,
                         size_t n)
{
	size_t before = 0, behind = 0;

	while (before < len && is_of_number(text[len - 1 - before]))
		before++;
	while (behind < n && is_of_number(next[behind]))
		behind++;
	return (before == len || text[len - 1 - before] == ' ') &&
	       (behind == n || strchr(" \r\n", next[behind])) &&
	       is_decimal(text + len - before, before) &&
	       is_decimal(next, behind);
}

size_t undress_run(struct undress *u, char *buf, size_t plain, size_t *raw,
                   bool eof)
{
	size_t at = plain, end = plain + *raw, to = plain;

	while (at < end) {
		char *stop = memchr(buf + at, '\n', end - at);
		size_t len = (stop ? (size_t)(stop - buf) : end) - at;
		bool on = goes_on(u, buf + at, len);

		if (!stop && !eof)
			break;
		to = put_line(u, buf, to, at, len);
		at += len;
		if (!stop)
			break;
		at++;
		if (on) {
			while (to > plain && buf[to - 1] == '\r')
				to--;
			add_seam(u, to, 1);
			if (lost_a_blank(buf + plain, to - plain, buf + at,
			                 end - at))
				buf[to++] = ' ';
		} else {
			buf[to++] = '\n';
		}
	}
	memmove(buf + to, buf + at, end - at);
	*raw = end - at;
	return to;
}

void undress_drop(struct undress *u, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < u->n; i++) {
		if (u->seams[i].at < n)
			continue;
		u->seams[kept] = u->seams[i];
		u->seams[kept++].at -= n;
	}
	u->n = kept;
}

int64_t undress_lines(const struct undress *u, size_t from, size_t to)
{
	size_t low = 0, high = u->n;
	int64_t sum = 0;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (u->seams[mid].at < from)
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < u->n && u->seams[low].at < to; low++)
		sum += u->seams[low].lines;
	return sum;
}

void undress_done(struct undress *u)
{
	if (!u)
		return;
	free(u->seams);
	*u = (struct undress){ 0 };
}
