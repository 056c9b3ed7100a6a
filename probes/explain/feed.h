/* SPDX-License-Identifier: Apache-2.0 */
/* Gives the lines of one file to the readers that want them. */
#ifndef FP_PROBES_EXPLAIN_FEED_H
#define FP_PROBES_EXPLAIN_FEED_H

#include "probes/explain/needle.h"
#include "probes/explain/reader.h"
#include "probes/explain/strip.h"
#include "probes/explain/undress.h"

#define FEED_READERS_MAX 64

/**
 * struct feed - a file on its way through the line readers. The memory does
 * not depend on the file's size.
 */
struct feed {
	const struct needles *needles;
	struct intake intake[FEED_READERS_MAX];
	bool unended;                /* the line that is given has no newline */
	uint32_t number;             /* lines so far */
	const struct undress *seams; /* of what feed_lines() gets; NULL: none */
	uint64_t wanting;  /* readers that want every line, a bit each */
	uint64_t stripped; /* readers that want lines without their strip */
	struct strip strip;
	uint64_t joining; /* readers to which held is to be given again */
	struct logline line, held, bare;
	char joined[LOGLINE_MAX];
};

/**
 * feed_needles() - the words of all line readers. Undo with needles_done().
 */
enum fp_status feed_needles(struct needles *ret, struct fp_err *err);

/**
 * feed_open() - begin a file.
 * @head: its first bytes, for the readers that go by them.
 *
 * Return: FP_OK; FP_ERR_NOMEM. Undo with feed_close().
 */
enum fp_status feed_open(struct feed *feed, const struct needles *needles,
                         const struct intake *base, const char *head,
                         size_t head_len, struct fp_err *err);

/** feed_lines() - @len bytes of whole lines; the last may lack its end. */
void feed_lines(struct feed *feed, const char *data, size_t len);

/** feed_close() - the file's end: readers finish, memory is given back. */
void feed_close(struct feed *feed);

#endif
