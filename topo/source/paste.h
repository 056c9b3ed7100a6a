/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A text as a tool wrote it, out of what was pasted, mailed or saved of it:
 * without colours and odd blanks, in UTF-8, with plain line ends, and without
 * what launchers, pagers and mailers put before each line.
 */
#ifndef FP_TOPO_SOURCE_PASTE_H
#define FP_TOPO_SOURCE_PASTE_H

#include "topo/source/source.h"

#define PASTE_LABEL_MAX 384 /* kubectl: a pod, up to 253, and a container */

/**
 * struct paste - the text; as many lines as it had, so that numbers of lines
 * are those of the file.
 * @label:  of the task or host whose lines these are, "" if there is only one
 * @others: labels of others that said something else; their lines are empty
 */
struct paste {
	struct source_text text;
	char label[PASTE_LABEL_MAX];
	size_t others;
	char *data; /* of @text */
};

/**
 * paste_open() - what is in @raw. Of a kernel log the lines of all labels are
 * kept: an event is one, whoever tells it.
 *
 * Return: FP_OK, FP_ERR_NOMEM. Undo with paste_close().
 */
enum fp_status paste_open(const struct source_text *raw, struct paste *ret,
                          struct fp_err *err);

/** paste_close() - free; takes NULL. */
void paste_close(struct paste *paste);

/** paste_room() - bytes that paste_clean() may write for @len bytes. */
size_t paste_room(size_t len);

/**
 * paste_clean() - @raw into @out: no escape sequences, no byte order mark, no
 * characters without width, no tags of a web page's lines; any blank is a blank
 * or a tab, any dash '-', any vertical rule '|', quotes are straight, lines end
 * in '\n'.
 *
 * Return: bytes of @out, of which there is one more, a NUL.
 */
size_t paste_clean(const struct source_text *raw, char *out);

#endif
