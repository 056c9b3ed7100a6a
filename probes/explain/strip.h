/* SPDX-License-Identifier: Apache-2.0 */
/* What every line of a text begins with, because something carried it: times,
 * a launcher's or a logger's words. Readers of whole texts get them without. */
#ifndef FP_PROBES_EXPLAIN_STRIP_H
#define FP_PROBES_EXPLAIN_STRIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STRIP_PARTS_MAX 4
#define STRIP_TEXT_MAX 128

/** struct strip_part - a time, or words in which any digit stands for all. */
struct strip_part {
	bool stamp;
	char text[STRIP_TEXT_MAX]; /* digits are '0' */
	size_t len;
};

/** struct strip - the parts, one behind the other. */
struct strip {
	struct strip_part parts[STRIP_PARTS_MAX];
	size_t n; /* 0: lines begin with nothing in common */
};

/** strip_find() - what all lines of @head begin with that are not empty. */
void strip_find(struct strip *ret, const char *head, size_t len);

/** strip_len() - how many bytes of that a line begins with. */
size_t strip_len(const struct strip *s, const char *line, size_t len);

/** strip_apply() - take it off each line of @text that has it, in place.
 * Return: the new length; as many lines as before. */
size_t strip_apply(const struct strip *s, char *text, size_t len);

#endif
