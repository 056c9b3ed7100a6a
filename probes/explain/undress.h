/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Takes off what carries a whole log: a logger that writes JSON lines, a web
 * page's escapes, the right edge of a terminal. What a file needs is told by
 * how it begins; most need nothing, and are not touched.
 */
#ifndef FP_PROBES_EXPLAIN_UNDRESS_H
#define FP_PROBES_EXPLAIN_UNDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "topo/base/status.h"

/** struct undress_seam - here the file has @lines more newlines than the text
 * that came of it; fewer if it is negative. */
struct undress_seam {
	size_t at; /* in the text */
	int32_t lines;
};

/** struct undress_edge - of a terminal. */
struct undress_edge {
	uint32_t width; /* columns; 0: there was none */
	bool padded;    /* lines that end before it are filled with blanks */
};

/** struct undress - of one file. Zero-initialise; undress_done(). */
struct undress {
	bool json, html;
	struct undress_edge edge;   /* lines that reach it go on in the next */
	struct undress_seam *seams; /* of the buffer, ascending */
	size_t n, room;
};

/** undress_choose() - what a file needs that begins with @head. */
void undress_choose(struct undress *u, const char *head, size_t len);

/** undress_is_bare() - it needs nothing. */
static inline bool undress_is_bare(const struct undress *u)
{
	return !u->json && !u->html && !u->edge.width;
}

/**
 * undress_run() - in @buf, behind @plain bytes that are done, make text of
 * *@raw more. What may belong to a line that is not all there stays raw,
 * behind the text.
 * @eof: there will be no more.
 * @raw: bytes to do; then those that are left.
 *
 * Return: how many bytes are text now.
 */
size_t undress_run(struct undress *u, char *buf, size_t plain, size_t *raw,
                   bool eof);

/** undress_drop() - the first @n bytes of the buffer are gone. */
void undress_drop(struct undress *u, size_t n);

/** undress_lines() - what seams in [@from, @to) add to the count of lines. */
int64_t undress_lines(const struct undress *u, size_t from, size_t to);

/** undress_done() - free; takes NULL. */
void undress_done(struct undress *u);

/** undress_is_json() - is @head lines of JSON, a message in each? */
bool undress_is_json(const char *head, size_t len);

/**
 * undress_json() - the message of a line of JSON, its time and its source
 * before it, into @out of at least @len bytes.
 *
 * Return: how many bytes; 0 for a line that has no message.
 */
size_t undress_json(const char *line, size_t len, char *out);

/** undress_edge() - the edge at which a terminal broke @head. */
struct undress_edge undress_edge(const char *head, size_t len);

/** undress_reaches() - does a line of @len bytes of UTF-8 reach the edge,
 * with something of its own there? */
bool undress_reaches(const char *text, size_t len,
                     const struct undress_edge *edge);

/** undress_html() - entities of HTML as characters, in place. Return: the
 * new length. */
size_t undress_html(char *text, size_t len);

#endif
