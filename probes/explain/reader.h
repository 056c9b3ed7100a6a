/* SPDX-License-Identifier: Apache-2.0 */
/* A reader turns one kind of text or dump into events. */
#ifndef FP_PROBES_EXPLAIN_READER_H
#define FP_PROBES_EXPLAIN_READER_H

#include "probes/explain/event.h"
#include "probes/explain/logline.h"

/** struct intake - what a reader works with while it reads one file. */
struct intake {
	struct events *events;
	const char *path;
	uint32_t file;     /* name of the file */
	int32_t file_rank; /* the rank that the file's name tells, or -1 */
	void *state;       /* the reader's own, zeroed at the file's start */
};

/** enum reader_want - what a reader of lines says to the one it was given. */
enum reader_want {
	LINE_DONE, /* enough; the next one only if it has one of the words */
	LINE_MORE, /* the next line too, whatever is in it */
	LINE_JOIN  /* it is cut: again, with the next line behind it; nothing
	            * was added. Not obeyed when line->last is set */
};

/**
 * struct explain_reader - a kind of text.
 * @name, @help: for `fabricprobe list` and error texts.
 * @needle:     word @i of those that are searched for as they are, of at
 *              least NEEDLE_LEN_MIN bytes; NULL behind the last. A line with
 *              one is given to line(). A word should be rare in what is well.
 * @state_size: bytes of state for each file; small: files may be many.
 * @sniff:      0..100: how sure is it that a file which begins like this is
 *              of the kind. For line readers a score above 0 gives them all
 *              lines until they say LINE_DONE. NULL: words only.
 * @line:       one line. Lines are in order; constant memory. NULL for
 *              readers of whole files.
 * @whole:      all of a file of at most READER_WHOLE_MAX bytes; the one with
 *              the highest score reads. FP_ERR_INPUT or FP_ERR_LIMIT name
 *              what is wrong and where. NULL for readers of lines.
 * @also:       a whole file that lines() may read too: what it holds need
 *              not be all there is.
 * @bare:       lines without what all lines of the file begin with: columns
 *              are to be where they were written.
 * @end:        the file's end; NULL: nothing to do.
 */
struct explain_reader {
	const char *name, *help;
	const char *(*needle)(size_t i);
	size_t state_size;
	int (*sniff)(const char *head, size_t len);
	enum reader_want (*line)(struct intake *r, const struct logline *line);
	enum fp_status (*whole)(struct intake *r, const char *data, size_t len,
	                        struct fp_err *err);
	bool also, bare;
	void (*end)(struct intake *r);
};

#define READER_HEAD_MAX 65536u        /* of a file, for sniff() */
#define READER_WHOLE_MAX (256u << 20) /* dumps */
#define READER_TEXT_MAX (16u << 20)   /* saved output of tools */

/** explain_readers() - all of them, *@ret_n; at most 64. */
const struct explain_reader *const *explain_readers(size_t *ret_n);

/**
 * intake_event() - an event of @kind with time, place, rank and pid as far
 * as @line's prefixes tell them. @line may be NULL.
 */
struct event intake_event(struct intake *r, const struct logline *line,
                          unsigned kind);

/**
 * intake_add() - keep @e, with @line as evidence where it is the first of
 * its like.
 */
void intake_add(struct intake *r, const struct logline *line,
                const struct event *e);

/**
 * intake_is_cut() - may the number at @number, in @line's text, go on? Where a
 * file ends in the middle of it, it is another number, and is not to be read.
 */
bool intake_is_cut(const struct logline *line, const char *number);

/**
 * intake_ranks() - add @e for each rank of the list that begins at @at: "[0, 3]",
 * "{1, 4}", ": 0, 3]"; up to where the file's end cuts it. Whoever is spoken of
 * need not be on the writer's host: @e loses host and pid.
 */
void intake_ranks(struct intake *r, const struct logline *line, const char *at,
                  struct event *e);

/** intake_evidence() - as much of @line as is kept as evidence, as a name;
 * where it is cut, it says so. */
uint32_t intake_evidence(struct intake *r, const struct logline *line);

/** intake_cut() - say that the file ends within @what. */
void intake_cut(struct intake *r, const struct logline *line, const char *what);

/** intake_name() - event_name() of a text that ends with a NUL. */
uint32_t intake_name(struct intake *r, const char *text);

extern const struct explain_reader reader_nccl, reader_torch, reader_job,
	reader_ras_text, reader_pickle, reader_json, reader_table,
	reader_matrix, reader_perftest, reader_ports, reader_limits,
	reader_kernel, reader_saved, reader_ucx, reader_coordinator, reader_mpi,
	reader_peers;

#endif
