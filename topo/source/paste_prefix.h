/* SPDX-License-Identifier: Apache-2.0 */
/* Prefixes that lines of pasted texts have. */
#ifndef FP_TOPO_SOURCE_PASTE_PREFIX_H
#define FP_TOPO_SOURCE_PASTE_PREFIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** struct paste_prefix - of a line: its bytes, without the blank
 * behind it, and who it names. */
struct paste_prefix {
	size_t len;
	const char *label;
	size_t label_len; /* 0: nobody */
	int64_t number;   /* a label that is a number; -1 */
};

/** struct paste_line - of the text, without its end. */
struct paste_line {
	char *s;
	size_t len;
};

/**
 * struct paste_rule - a kind of prefix.
 * @take:   does @line begin with one? Then *@ret is it.
 * @often:  labels that stand before few lines only are none
 * @counts: only if they count the lines
 * @stamps: it says when: part of a kernel log
 */
struct paste_rule {
	bool (*take)(const struct paste_line *line, struct paste_prefix *ret);
	bool often, counts, stamps;
};

/** paste_rules() - all of them, in the order in which they are tried. */
const struct paste_rule *paste_rules(size_t *ret_n);

/**
 * paste_uncsv() - if @text has a matrix with commas or semicolons between its
 * cells, its rows have tabs there and no quotes; in place, a NUL behind it.
 *
 * Return: the new length, at most @len; as many lines as before.
 */
size_t paste_uncsv(char *text, size_t len);

#endif
