// SPDX-License-Identifier: Apache-2.0
// Streams: the receiving end, which times, verifies and decides.
#include <stdlib.h>
#include <string.h>

#include "probes/measure/log.h"
#include "probes/measure/pace.h"
#include "probes/measure/part.h"
#include "probes/measure/tally.h"
#include "probes/stats/stats.h"
#include "topo/base/clock.h"

#define SETTLED_REL 0.01
#define SETTLED_MIN 6.0 /* intervals that do not overlap */
#define MEDIAN_MIN 3    /* intervals: with fewer the plain average is taken */

/* Where a batch stands, and what was known before it. */
struct progress {
	int64_t begin_ns, last_ns;
	uint64_t received, counted; /* bytes of the stream */
	double alone;               /* intervals that do not overlap */
	size_t intervals;
	uint64_t samples;
};

struct receiver {
	const struct measure *m;
	struct measure_lane lane;
	size_t bytes; /* of a message */
	uint8_t *own; /* where the transport has no receive region */
	uint8_t *region;
	uint8_t *buf; /* of the batch at hand */
	struct measure_pace pace;
	struct progress batch;
	uint64_t received; /* bytes of the stream, up to the last whole piece */
	struct tally tally;
	bool timed; /* the batch at hand */
	struct stats_intervals intervals;
	double *scratch; /* room for all intervals */
	struct measure_log log;
	double whole_bytes, whole_s; /* of batches that the tally has not */
	double timed_bytes;          /* of all timed batches */
	int64_t stall_ns;
	int64_t start_ns; /* of timing; 0: not yet */
	uint64_t wrong;
};

static enum fp_status piece_received(struct receiver *r, size_t len,
                                     const struct xport_mark *mark,
                                     struct fp_err *err)
{
	struct progress *b = &r->batch;
	const struct tally_piece piece = {
		.now_ns = fp_now_ns(),
		.received = r->received,
		.len = len,
		.mark = *mark,
	};
	int64_t now_ns = piece.now_ns;

	tally_piece(&r->tally, &piece, r->timed ? &r->intervals : NULL);
	r->received += len;
	if (r->timed && r->tally.origin_ns && now_ns - b->last_ns > r->stall_ns)
		r->stall_ns = now_ns - b->last_ns;
	b->last_ns = now_ns;
	return measure_lane_moved(&r->lane, now_ns, len, err);
}

static enum fp_status receive_message(struct receiver *r, uint32_t piece,
                                      struct fp_err *err)
{
	int64_t begin_ns = r->batch.last_ns;
	bool whole = r->timed && r->tally.origin_ns;
	struct xport_mark mark;
	enum fp_status status = FP_OK;

	for (size_t off = 0; off < r->bytes && status == FP_OK; off += piece) {
		size_t left = r->bytes - off, len = left < piece ? left : piece;

		mark = (struct xport_mark){ 0 };
		status = measure_lane_get(&r->lane, r->buf + off, len, &mark,
		                          err);
		if (status == FP_OK)
			status = piece_received(r, len, &mark, err);
	}
	if (whole && status == FP_OK)
		measure_log_add(&r->log,
		                (double)(r->batch.last_ns - begin_ns) / 1e9);
	measure_lane_message(&r->lane);
	return status;
}

/* Damage on its way is counted as what it is: wrong data. */
static enum fp_status hear_word(struct receiver *r, struct measure_word want,
                                struct fp_err *err)
{
	struct measure_word word;
	enum fp_status status = measure_lane_hear(&r->lane, &word, err);

	if (status != FP_OK)
		return status;
	want = measure_word_seal(want);
	if (memcmp(&word, &want, sizeof(word)) == 0)
		return FP_OK;
	if (measure_word_intact(&word))
		return fp_err_set(err, FP_ERR_PROTO,
		                  "the sender is at batch %u of %u messages, "
		                  "this receiver at batch %u of %u",
		                  word.batch, word.iters, want.batch,
		                  want.iters);
	r->wrong += sizeof(word);
	return FP_OK;
}

static void batch_begin(struct receiver *r, const struct measure_batch *b,
                        int64_t paused_ns)
{
	int64_t now_ns = fp_now_ns();
	struct tally_pause pause = {
		.from_ns = now_ns - paused_ns,
		.to_ns = now_ns,
		.received = r->received,
		.skip_most = (uint64_t)r->bytes * b->iters / 2,
	};

	if (r->pace.message_ns > 0)
		pause.backlog = (double)paused_ns / r->pace.message_ns *
		                (double)r->bytes;
	if (tally_begin(&r->tally, &pause))
		now_ns = pause.from_ns;
	r->timed = r->pace.timed;
	r->batch = (struct progress){
		.begin_ns = now_ns,
		.last_ns = now_ns,
		.received = r->received,
		.counted = r->tally.counted,
		.alone = r->intervals.alone,
		.intervals = r->intervals.n,
		.samples = r->log.seen,
	};
	if (!r->timed || r->start_ns)
		return;
	r->start_ns = r->batch.begin_ns;
	board_stage(r->m->board, STAGE_XFER);
}

static void batch_end(struct receiver *r, const struct measure_batch *b)
{
	const struct progress *p = &r->batch;
	double whole_s = (double)(p->last_ns - p->begin_ns) / 1e9;
	double bytes = (double)(r->received - p->received);

	if (!r->timed)
		return;
	r->timed_bytes += bytes;
	if (r->tally.counted == p->counted) {
		r->whole_bytes += bytes;
		r->whole_s += whole_s;
	}
	/* No message lay whole behind the origin: better than nothing. */
	if (r->log.seen == p->samples)
		measure_log_add(&r->log, whole_s / b->iters);
}

static struct measure_word word_of(uint32_t number,
                                   const struct measure_batch *b)
{
	unsigned flags =
		(b->timed ? MEASURE_TIMED : 0u) | (b->last ? MEASURE_LAST : 0u);

	return (struct measure_word){
		.batch = number,
		.iters = b->iters,
		.piece = b->piece,
		.flags = (uint16_t)flags,
	};
}

static enum fp_status receive_batch(struct receiver *r, uint32_t number,
                                    const struct measure_batch *b,
                                    struct fp_err *err)
{
	int64_t paused_ns =
		r->batch.last_ns ? fp_now_ns() - r->batch.last_ns : 0;
	enum fp_status status = hear_word(r, word_of(number, b), err);

	if (status != FP_OK)
		return status;
	if (r->region)
		r->buf = r->region + measure_place(r->bytes, number);
	batch_begin(r, b, paused_ns);
	for (uint32_t i = 0; i < b->iters && status == FP_OK; i++)
		status = receive_message(r, b->piece, err);
	if (status != FP_OK)
		return status;
	batch_end(r, b);
	r->wrong += measure_check(r->buf, r->bytes, r->m->trial->seed);
	return FP_OK;
}

/* How well will the rate be known once the batch under way is in, which adds
 * about as many intervals as this one did? */
static enum measure_known will_be_known(const struct receiver *r)
{
	const struct stats_intervals *s = &r->intervals;
	size_t added = s->n - r->batch.intervals;
	double min = SETTLED_MIN - (s->alone - r->batch.alone);

	if (r->timed && s->n >= MEDIAN_MIN &&
	    stats_settled(s, min, SETTLED_REL, r->scratch))
		return MEASURE_KNOWN;
	return s->n + added < MEDIAN_MIN ? MEASURE_FEW : MEASURE_SOME;
}

static enum fp_status answer(struct receiver *r, uint32_t number,
                             const struct measure_batch *done,
                             struct fp_err *err)
{
	struct measure_batch next;

	next = measure_pace_next(&r->pace, done, r->batch.last_ns,
	                         will_be_known(r));
	return measure_lane_tell(&r->lane, word_of(number, &next), err);
}

static enum fp_status receive_all(struct receiver *r, struct fp_err *err)
{
	struct measure_batch now = measure_pace_first(), ahead;
	enum fp_status status;
	uint32_t number;

	for (number = 0; !now.last; number++) {
		status = receive_batch(r, number, &now, err);
		if (status != FP_OK)
			return status;
		ahead = r->pace.ahead;
		if (!ahead.last)
			status = answer(r, number, &now, err);
		if (status != FP_OK)
			return status;
		now = ahead;
	}
	return hear_word(r, word_of(number, &now), err);
}

/* The average of what there is. What came out of buffers after the core had
 * been away is no rate: never more than over the whole time. */
static double plain_rate(const struct receiver *r, double plain_s)
{
	double whole_s = (double)(r->batch.last_ns - r->start_ns) / 1e9;
	double plain = (r->whole_bytes + (double)r->tally.counted) / plain_s;

	if (whole_s > 0 && r->timed_bytes / whole_s < plain)
		return r->timed_bytes / whole_s;
	return plain;
}

static void rates(struct receiver *r, struct outcome *o)
{
	struct stats_intervals *s = &r->intervals;
	double plain_s = r->whole_s + (double)r->tally.counted_ns / 1e9;

	if (stats_settled(s, SETTLED_MIN, SETTLED_REL, r->scratch))
		o->flags |= OUTCOME_SETTLED;
	if (s->n >= MEDIAN_MIN) {
		stats_sort(s->rates_Bps, s->n);
		o->algbw_Bps = stats_quantile(s->rates_Bps, s->n, 0.5);
		o->low_Bps = stats_quantile(s->rates_Bps, s->n, 0.05);
	} else if (plain_s > 0) {
		o->algbw_Bps = plain_rate(r, plain_s);
		o->low_Bps = o->algbw_Bps;
	}
	o->busbw_Bps = o->algbw_Bps;
}

static enum fp_status figures(struct receiver *r, struct outcome *o,
                              struct fp_err *err)
{
	o->flags |= OUTCOME_RECEIVER;
	o->start_s = (double)r->start_ns / 1e9;
	rates(r, o);
	outcome_put(o, COUNTER_STALL_NS, r->stall_ns);
	return measure_log_figures(&r->log, o, err);
}

enum fp_status measure_receive(struct measure *m, struct xport_ep *ep,
                               struct outcome *o, struct fp_err *err)
{
	struct receiver r = {
		.m = m,
		.lane = measure_lane_of(m, ep, 0),
		.bytes = m->trial->bytes,
		.intervals = { .rates_Bps = m->rates,
		               .room = m->room_rates,
		               .min_ns = TALLY_INTERVAL_NS,
		               .step_ns = TALLY_STEP_NS },
	};
	enum fp_status status;

	if (ep->ops->rx_region)
		r.region = ep->ops->rx_region(ep);
	if (!r.region)
		r.own = measure_buffer(r.bytes);
	r.buf = r.own;
	r.scratch = calloc(m->room_rates + 1, sizeof(*r.scratch));
	if ((!r.own && !r.region) || !r.scratch) {
		status = fp_err_set(err, FP_ERR_NOMEM,
		                    "no memory to receive %zu bytes", r.bytes);
		goto free_buffers;
	}
	measure_log_init(&r.log, m->samples, m->room_samples);
	measure_pace_init(&r.pace, m->trial, fp_now_ns());
	status = receive_all(&r, err);
	m->n_samples = r.log.n;
	o->wrong_bytes += r.wrong;
	if (status == FP_OK)
		status = figures(&r, o, err);
free_buffers:
	free(r.scratch);
	free(r.own);
	return status;
}
