/* SPDX-License-Identifier: Apache-2.0 */
/* A saved text line by line, without what terminals and mailers put in. */
#ifndef FP_TOPO_SOURCE_LINES_H
#define FP_TOPO_SOURCE_LINES_H

#include "topo/source/source.h"

/** struct lines - where reading is. The line is NUL-terminated. */
struct lines {
	char *text;
	size_t len, at;
	char *line;
	size_t line_len;
	int32_t number; /* of the line, from 1 */
	bool cut;       /* the line is the last and has no end */
};

/**
 * lines_open() - a clean copy of @text, by paste_clean().
 *
 * Return: FP_OK, FP_ERR_NOMEM. Undo with lines_close().
 */
enum fp_status lines_open(struct lines *lines, const struct source_text *text,
                          struct fp_err *err);

/** lines_next() - go to the next line. Return: false at the end. */
bool lines_next(struct lines *lines);

/** lines_close() - free; lines are not to be used any more. Takes NULL. */
void lines_close(struct lines *lines);

/** line_trim() - first character that is no blank; cuts blanks at the end. */
char *line_trim(char *line);

/**
 * line_number() - the number at @text, which follows @prefix there.
 *
 * Return: 0..INT32_MAX with *@ret_end behind it; -1 if there is none.
 */
int32_t line_number(const char *text, const char *prefix, const char **ret_end);

/**
 * line_value() - the value of "key : value" or "key: value" in @line, which
 * is changed: key and value are cut apart.
 *
 * Return: the value, "" for none; NULL if @line is none or another key.
 */
char *line_value(char *line, const char *key);

#endif
