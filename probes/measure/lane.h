/* SPDX-License-Identifier: Apache-2.0 */
/* One end of a connection as the measuring loops use it: data and words. */
#ifndef FP_PROBES_MEASURE_LANE_H
#define FP_PROBES_MEASURE_LANE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probes/trial/board.h"
#include "probes/xport/xport.h"

#define MEASURE_WORD_BYTES 16
#define MEASURE_BATCH_MAX (1u << 20) /* messages */
#define MEASURE_PIECE_MIN (64u << 10)
#define MEASURE_PIECE_MAX (8u << 20)

enum measure_word_flags {
	MEASURE_TIMED = 1u << 0, /* what is measured begins */
	MEASURE_LAST = 1u << 1,  /* there is no such batch: the end */
};

/**
 * struct measure_word - what two members of a trial tell each other between
 * batches, over the path under test. It carries a check of its own, so that
 * damage is told from disagreement.
 */
struct measure_word {
	uint32_t batch; /* number, from 0 */
	uint32_t iters; /* messages in it */
	uint32_t piece; /* messages move in steps of so many bytes */
	uint16_t flags; /* enum measure_word_flags */
	uint16_t check;
};
_Static_assert(sizeof(struct measure_word) == MEASURE_WORD_BYTES, "wire");

/** measure_word_seal() - @word with its check. */
struct measure_word measure_word_seal(struct measure_word word);

/** measure_word_intact() - is the check right? */
bool measure_word_intact(const struct measure_word *word);

/** struct measure_lane - an ep, and what is known of the trial on it. */
struct measure_lane {
	struct xport_ep *ep;
	size_t word_off; /* where words are put in the ep's send region */
	int64_t deadline_ns;
	struct board *board; /* told of progress; NULL: another lane tells */
};

/** measure_lane_word_off() - offset of the word behind @bytes of data. */
size_t measure_lane_word_off(size_t bytes);

/** The two halves of a step; what they fail with is what the step does. */
enum fp_status measure_lane_send(const struct measure_lane *l, size_t off,
                                 size_t len, struct fp_err *err);
enum fp_status measure_lane_recv(const struct measure_lane *l, void *buf,
                                 size_t len, struct fp_err *err);

/** The same for data that has a place, which @at or @buf is: see
 * struct xport_step. @mark: see struct xport_mark. */
enum fp_status measure_lane_put(const struct measure_lane *l, size_t off,
                                size_t at, size_t len, struct fp_err *err);
enum fp_status measure_lane_get(const struct measure_lane *l, void *buf,
                                size_t len, struct xport_mark *mark,
                                struct fp_err *err);

/** measure_lane_tell() - seal and send a word. */
enum fp_status measure_lane_tell(const struct measure_lane *l,
                                 struct measure_word word, struct fp_err *err);

/** measure_lane_hear() - receive a word, intact or not. */
enum fp_status measure_lane_hear(const struct measure_lane *l,
                                 struct measure_word *ret, struct fp_err *err);

/**
 * measure_lane_moved() - @bytes were moved by @now_ns: tells the board, and
 * looks whether it is too late to go on, which steps that need no waiting
 * do not.
 *
 * Return: FP_OK, FP_ERR_TIMEOUT.
 */
static inline enum fp_status measure_lane_moved(const struct measure_lane *l,
                                                int64_t now_ns, size_t bytes,
                                                struct fp_err *err)
{
	if (l->board)
		board_moved(l->board, bytes, now_ns);
	if (now_ns >= l->deadline_ns)
		return fp_err_set(err, FP_ERR_TIMEOUT,
		                  "data moved until the time was up");
	return FP_OK;
}

/** measure_lane_message() - tell the board that a message is done. */
static inline void measure_lane_message(const struct measure_lane *l)
{
	if (l->board)
		atomic_fetch_add_explicit(&l->board->iter, 1,
		                          memory_order_relaxed);
}

#endif
