// SPDX-License-Identifier: Apache-2.0
// Streams: the sending end, and both ends at once.
#include <pthread.h>
#include <string.h>

#include "probes/measure/pace.h"
#include "probes/measure/part.h"
#include "probes/measure/pattern.h"
#include "topo/base/clock.h"

/* The sending end: it does what the answers say. */
struct sender {
	struct measure_lane lane;
	struct board *board; /* whose stage follows; NULL: not this one's */
	size_t bytes;        /* of a message */
	struct outcome *o;
};

static enum fp_status send_piece(const struct sender *s, size_t at, size_t off,
                                 size_t len, struct fp_err *err)
{
	enum fp_status status =
		measure_lane_put(&s->lane, off, at + off, len, err);

	if (status != FP_OK)
		return status;
	return measure_lane_moved(&s->lane, fp_now_ns(), len, err);
}

static enum fp_status send_batch(const struct sender *s,
                                 const struct measure_word *word,
                                 struct fp_err *err)
{
	enum fp_status status = measure_lane_tell(&s->lane, *word, err);
	size_t at = measure_place(s->bytes, word->batch);

	for (uint32_t i = 0; i < word->iters && status == FP_OK; i++) {
		for (size_t off = 0; off < s->bytes && status == FP_OK;
		     off += word->piece) {
			size_t left = s->bytes - off;
			size_t len = left < word->piece ? left : word->piece;

			status = send_piece(s, at, off, len, err);
		}
		measure_lane_message(&s->lane);
	}
	return status;
}

static bool answer_makes_sense(const struct measure_word *word, uint32_t batch)
{
	return measure_word_intact(word) && word->batch == batch &&
	       (word->flags & MEASURE_LAST ||
	        (word->iters > 0 && word->iters <= MEASURE_BATCH_MAX &&
	         word->piece >= MEASURE_PIECE_MIN &&
	         word->piece <= MEASURE_PIECE_MAX));
}

/* What batch @word->batch + 1 is, which the receiver calls its answer to the
 * batch before @word. */
static enum fp_status hear_answer(const struct sender *s,
                                  struct measure_word *word, struct fp_err *err)
{
	struct measure_word answer;
	enum fp_status status = measure_lane_hear(&s->lane, &answer, err);

	if (status != FP_OK)
		return status;
	if (!answer_makes_sense(&answer, word->batch - 1))
		return measure_damaged(s->o, err);
	if (answer.flags & MEASURE_TIMED && s->board && s->o->start_s <= 0) {
		s->o->start_s = (double)fp_now_ns() / 1e9;
		board_stage(s->board, STAGE_XFER);
	}
	answer.batch = word->batch + 1;
	*word = answer;
	return FP_OK;
}

static enum fp_status send_all(const struct sender *s, struct fp_err *err)
{
	struct measure_batch first = measure_pace_first();
	struct measure_word word = {
		.iters = first.iters,
		.piece = first.piece,
	};
	enum fp_status status = send_batch(s, &word, err);

	for (word.batch = 1; status == FP_OK;) {
		status = send_batch(s, &word, err);
		if (status == FP_OK)
			status = hear_answer(s, &word, err);
		if (status == FP_OK && word.flags & MEASURE_LAST)
			return measure_lane_tell(&s->lane, word, err);
	}
	return status;
}

enum fp_status measure_send(const struct measure *m, struct xport_ep *ep,
                            bool tells, struct outcome *o, struct fp_err *err)
{
	struct sender s = {
		.lane = measure_lane_of(m, ep, m->trial->bytes),
		.board = tells ? m->board : NULL,
		.bytes = m->trial->bytes,
		.o = o,
	};

	if (!tells)
		s.lane.board = NULL;
	pattern_fill(ep->ops->tx_region(ep), s.bytes, m->trial->seed);
	return send_all(&s, err);
}

/* The sending end on a thread of its own: neither direction may be held up by
 * the other, or a slow one would make both slow. */
struct duplex {
	const struct measure *m;
	enum fp_status status;
	struct outcome o;
	struct fp_err err;
};

static void *duplex_send(void *arg)
{
	struct duplex *d = arg;

	d->status = measure_send(d->m, d->m->next, false, &d->o, &d->err);
	return NULL;
}

static enum fp_status measure_both(struct measure *m, struct outcome *o,
                                   struct fp_err *err)
{
	struct duplex d = { .m = m };
	enum fp_status status;
	pthread_t thread;
	int rc = pthread_create(&thread, NULL, duplex_send, &d);

	if (rc)
		return fp_err_sys(err, rc, "start the sending thread");
	status = measure_receive(m, m->prev, o, err);
	/* Bounded: its steps end by the same deadline and abort word. */
	pthread_join(thread, NULL);
	o->wrong_bytes += d.o.wrong_bytes;
	if (status == FP_OK && d.status != FP_OK)
		status = fp_err_set(err, d.status, "%s", d.err.text);
	return status;
}

enum fp_status measure_stream(struct measure *m, struct outcome *o,
                              struct fp_err *err)
{
	if (m->trial->dir == DIR_BI)
		return measure_both(m, o, err);
	if (m->me == 0)
		return measure_send(m, m->ep, true, o, err);
	return measure_receive(m, m->ep, o, err);
}
