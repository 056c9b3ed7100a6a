// SPDX-License-Identifier: Apache-2.0
// Finds what carried a text by what all of its lines begin with.
#include "probes/explain/strip.h"

#include <ctype.h>
#include <string.h>

#include "probes/explain/logline.h"

#define LINES_MIN 3 /* fewer may be alike by chance */
#define STAMP_ROOM 64

struct line {
	const char *at;
	size_t len;
};

static bool next_line(const char **at, const char *end, struct line *ret)
{
	const char *stop;

	if (*at >= end)
		return false;
	stop = memchr(*at, '\n', (size_t)(end - *at));
	ret->at = *at;
	ret->len = (size_t)((stop ? stop : end) - *at);
	*at = stop ? stop + 1 : end;
	while (ret->len && isspace((unsigned char)ret->at[ret->len - 1]))
		ret->len--;
	return true;
}

static char as_class(char c)
{
	return isdigit((unsigned char)c) ? '0' : c;
}

/* A time at the start of a line, and the blank behind it. */
static size_t stamp_len(const struct line *line)
{
	char copy[STAMP_ROOM];
	size_t room = line->len < STAMP_ROOM ? line->len : STAMP_ROOM - 1, n;
	struct stamp stamp;

	memcpy(copy, line->at, room);
	copy[room] = '\0';
	n = logline_stamp(copy, &stamp);
	if (n && n < line->len && line->at[n] == ' ')
		n++;
	return n;
}

static size_t words_len(const struct strip_part *p, const struct line *line)
{
	size_t n = 0;

	while (n < p->len && n < line->len &&
	       as_class(line->at[n]) == p->text[n])
		n++;
	/* The blank at the end of an empty line is gone. */
	if (n == p->len || (n == line->len && n + 1 == p->len))
		return n;
	return 0;
}

static size_t part_len(const struct strip_part *p, const struct line *line)
{
	return p->stamp ? stamp_len(line) : words_len(p, line);
}

/* How many bytes of @line all parts take. */
static size_t taken(const struct strip *s, const struct line *line)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		struct line rest = { line->at + n, line->len - n };

		n += part_len(&s->parts[i], &rest);
	}
	return n;
}

/* Behind what is stripped already; false: nothing is left. */
static bool rest_of(const struct strip *s, const struct line *line,
                    struct line *ret)
{
	size_t n = taken(s, line);

	*ret = (struct line){ line->at + n, line->len - n };
	return ret->len > 0;
}

static bool all_stamped(const struct strip *s, const char *head, size_t len)
{
	const char *at = head;
	struct line line, rest;
	size_t n = 0;

	while (next_line(&at, head + len, &line)) {
		if (!rest_of(s, &line, &rest))
			continue;
		if (!stamp_len(&rest))
			return false;
		n++;
	}
	return n >= LINES_MIN;
}

/* Words end where a person would end them; what is behind is the text's own.
 * Of digits only '0' is left here. */
static bool is_end(const char *text, size_t len)
{
	static const char *const ends[] = { ": ",      "| ",      "] ",
		                            "- ",      "> ",      "]:",
		                            ">:",      "F ",      ":00 ",
		                            "00 CET ", "00 UTC ", "00 CEST " };

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		size_t n = strlen(ends[i]);

		if (n <= len && !memcmp(text + len - n, ends[i], n))
			return true;
	}
	return false;
}

static size_t cut_back(const char *text, size_t len)
{
	while (len && !is_end(text, len))
		len--;
	return len;
}

/* The longest line's beginning: an empty one behind the words is short. */
static void first_guess(const struct strip *s, const char *head, size_t len,
                        struct strip_part *ret)
{
	const char *at = head;
	struct line line, rest, longest = { 0 };

	while (next_line(&at, head + len, &line))
		if (rest_of(s, &line, &rest) && rest.len > longest.len)
			longest = rest;
	ret->stamp = false;
	ret->len = longest.len < STRIP_TEXT_MAX ? longest.len : STRIP_TEXT_MAX;
	for (size_t i = 0; i < ret->len; i++)
		ret->text[i] = as_class(longest.at[i]);
}

static bool common_words(const struct strip *s, const char *head, size_t len,
                         struct strip_part *ret)
{
	const char *at = head;
	struct line line, rest;
	size_t n = 0;

	first_guess(s, head, len, ret);
	while (next_line(&at, head + len, &line)) {
		size_t k = 0;

		if (!rest_of(s, &line, &rest))
			continue;
		while (k < ret->len && k < rest.len &&
		       as_class(rest.at[k]) == ret->text[k])
			k++;
		/* An empty line behind the words tells nothing. */
		if (k == rest.len)
			continue;
		ret->len = k;
		n++;
	}
	ret->len = cut_back(ret->text, ret->len);
	return n + 1 >= LINES_MIN && ret->len;
}

void strip_find(struct strip *ret, const char *head, size_t len)
{
	const char *end = memrchr(head, '\n', len);

	*ret = (struct strip){ .n = 0 };
	if (!end)
		return;
	len = (size_t)(end - head);
	while (ret->n < STRIP_PARTS_MAX) {
		struct strip_part part = { .stamp = true };

		if (!all_stamped(ret, head, len) &&
		    !common_words(ret, head, len, &part))
			return;
		ret->parts[ret->n++] = part;
	}
}

size_t strip_len(const struct strip *s, const char *text, size_t len)
{
	return taken(s, &(struct line){ text, len });
}

size_t strip_apply(const struct strip *s, char *text, size_t len)
{
	const char *at = text, *end = text + len;
	struct line line;
	char *to = text;

	while (next_line(&at, end, &line)) {
		size_t n = taken(s, &line);

		memmove(to, line.at + n, line.len - n);
		to += line.len - n;
		if (at[-1] == '\n')
			*to++ = '\n';
	}
	return (size_t)(to - text);
}
