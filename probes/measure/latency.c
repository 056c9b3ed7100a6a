// SPDX-License-Identifier: Apache-2.0
// Ping-pong: member 0 sends, times the answer, and says how many more.
#include <stdlib.h>

#include "probes/measure/log.h"
#include "probes/measure/pace.h"
#include "probes/measure/part.h"
#include "probes/measure/pattern.h"
#include "topo/base/clock.h"

#define MS 1000000LL

#define PING_WARMUP 20
#define PING_WARM_PART 4  /* of the measuring time, for that warm-up */
#define PING_SAMPLES 1000 /* enough, where the trial does not say */
#define PING_BATCH_NS (10 * MS)
#define PING_BATCH_FIRST \
	8 /* and twice the one before after that: if one in a
                              hundred waits for long, no batch waits for all */

/* How member 0 spends its time. */
struct budget {
	uint64_t warm_left, left; /* messages */
	int64_t warm_ns;          /* at most, once a ping's time is known */
	int64_t time_ns;          /* of timing */
	int64_t until_ns;         /* 0: timing has not begun */
	int64_t ping_ns;          /* latest estimate; 0: none */
	uint32_t batch;           /* most messages of the next one */
};

static struct budget budget_make(const struct trial *t)
{
	struct budget b = {
		.warm_left = t->warmup,
		.left = t->iters,
		.warm_ns = INT64_MAX / 2,
		.time_ns = INT64_MAX / 2,
		.batch = PING_BATCH_FIRST,
	};

	if (t->warmup == 0) {
		b.warm_left = PING_WARMUP;
		b.warm_ns = measure_time_ns(t) / PING_WARM_PART;
	}
	if (t->iters == 0) {
		b.left = PING_SAMPLES;
		b.time_ns = measure_time_ns(t);
	}
	return b;
}

/* As many as fit into @time_ns: one at least, @left at most. */
static uint32_t budget_fit(const struct budget *b, int64_t time_ns,
                           uint64_t left)
{
	uint64_t n = 1;

	if (b->ping_ns > 0 && time_ns > b->ping_ns)
		n = (uint64_t)(time_ns / b->ping_ns);
	if (n > left)
		n = left;
	return n < MEASURE_BATCH_MAX ? (uint32_t)n : MEASURE_BATCH_MAX;
}

static uint32_t budget_warm(struct budget *b)
{
	bool first = b->ping_ns == 0;
	uint32_t n = budget_fit(b, first ? 0 : b->warm_ns, b->warm_left);

	/* What does not fit is left out. */
	b->warm_left = first ? b->warm_left - n : 0;
	return n;
}

/* Messages of the next timed batch; 0: enough. */
static uint32_t budget_next(struct budget *b, int64_t now_ns)
{
	uint32_t n;

	if (b->until_ns == 0)
		b->until_ns = now_ns + b->time_ns;
	else if (now_ns >= b->until_ns)
		return 0;
	n = budget_fit(b, PING_BATCH_NS, b->left);
	if (n > b->batch)
		n = b->batch;
	b->batch = n < MEASURE_BATCH_MAX / 2 ? 2 * n : MEASURE_BATCH_MAX;
	b->left -= n;
	return n;
}

struct ping {
	const struct measure *m;
	struct measure_lane lane;
	size_t bytes;
	uint8_t *buf;
	struct measure_log log;
	struct outcome *o;
};

static void ping_verify(struct ping *p)
{
	p->o->wrong_bytes += measure_check(p->buf, p->bytes, p->m->trial->seed);
}

static void ping_timed(struct ping *p)
{
	if (p->o->start_s > 0)
		return;
	p->o->start_s = (double)fp_now_ns() / 1e9;
	board_stage(p->m->board, STAGE_XFER);
}

/* Both ways in one step: the answer cannot come before the message left. */
static enum fp_status ping_once(struct ping *p, int64_t *now_ns, bool timed,
                                struct fp_err *err)
{
	const struct xport_step step = {
		.to = p->lane.ep,
		.tx_len = p->bytes,
		.from = p->lane.ep,
		.rbuf = p->buf,
		.rx_len = p->bytes,
		.deadline_ns = p->lane.deadline_ns,
	};
	int64_t begin_ns = *now_ns;
	enum fp_status status = p->lane.ep->ops->step(&step, err);

	if (status != FP_OK)
		return status;
	*now_ns = fp_now_ns();
	measure_lane_message(&p->lane);
	if (timed)
		measure_log_add(&p->log,
		                (double)(*now_ns - begin_ns) / 2 / 1e9);
	return measure_lane_moved(&p->lane, *now_ns, p->bytes, err);
}

static enum fp_status ping_batch(struct ping *p, const struct measure_word *w,
                                 int64_t *ret_ping_ns, struct fp_err *err)
{
	enum fp_status status = measure_lane_tell(&p->lane, *w, err);
	int64_t begin_ns = fp_now_ns(), now_ns = begin_ns;

	for (uint32_t i = 0; i < w->iters && status == FP_OK; i++)
		status = ping_once(p, &now_ns, w->flags & MEASURE_TIMED, err);
	if (status != FP_OK)
		return status;
	*ret_ping_ns = (now_ns - begin_ns) / (w->iters ? w->iters : 1) + 1;
	ping_verify(p);
	return FP_OK;
}

static enum fp_status ping_all(struct ping *p, struct fp_err *err)
{
	struct budget b = budget_make(p->m->trial);
	struct measure_word word = { .piece = MEASURE_PIECE_MIN };
	enum fp_status status = FP_OK;

	while (b.warm_left > 0 && status == FP_OK) {
		word.iters = budget_warm(&b);
		status = ping_batch(p, &word, &b.ping_ns, err);
		word.batch++;
	}
	if (status == FP_OK)
		ping_timed(p);
	word.flags = MEASURE_TIMED;
	while (status == FP_OK && b.left > 0) {
		word.iters = budget_next(&b, fp_now_ns());
		if (word.iters == 0)
			break;
		status = ping_batch(p, &word, &b.ping_ns, err);
		word.batch++;
	}
	word.flags |= MEASURE_LAST;
	return status == FP_OK ? measure_lane_tell(&p->lane, word, err)
	                       : status;
}

static enum fp_status pong_once(struct ping *p, struct fp_err *err)
{
	enum fp_status status =
		measure_lane_recv(&p->lane, p->buf, p->bytes, err);

	if (status == FP_OK)
		status = measure_lane_send(&p->lane, 0, p->bytes, err);
	if (status != FP_OK)
		return status;
	measure_lane_message(&p->lane);
	return measure_lane_moved(&p->lane, fp_now_ns(), p->bytes, err);
}

static enum fp_status pong_batch(struct ping *p, uint32_t n, struct fp_err *err)
{
	enum fp_status status = FP_OK;

	for (uint32_t i = 0; i < n && status == FP_OK; i++)
		status = pong_once(p, err);
	if (status == FP_OK)
		ping_verify(p);
	return status;
}

static enum fp_status pong_all(struct ping *p, struct fp_err *err)
{
	struct measure_word word;
	enum fp_status status = FP_OK;

	for (uint32_t batch = 0; status == FP_OK; batch++) {
		status = measure_lane_hear(&p->lane, &word, err);
		if (status != FP_OK)
			return status;
		if (!measure_word_intact(&word) || word.batch != batch)
			return measure_damaged(p->o, err);
		if (word.flags & MEASURE_LAST)
			return FP_OK;
		if (word.flags & MEASURE_TIMED)
			ping_timed(p);
		status = pong_batch(p, word.iters, err);
	}
	return status;
}

enum fp_status measure_latency(struct measure *m, struct outcome *o,
                               struct fp_err *err)
{
	struct ping p = {
		.m = m,
		.lane = measure_lane_of(m, m->ep, m->trial->bytes),
		.bytes = m->trial->bytes,
		.buf = measure_buffer(m->trial->bytes),
		.o = o,
	};
	enum fp_status status;

	if (!p.buf)
		return fp_err_set(err, FP_ERR_NOMEM,
		                  "no memory to receive %zu bytes", p.bytes);
	measure_log_init(&p.log, m->samples, m->room_samples);
	pattern_fill(m->ep->ops->tx_region(m->ep), p.bytes, m->trial->seed);
	status = m->me == 0 ? ping_all(&p, err) : pong_all(&p, err);
	m->n_samples = p.log.n;
	if (status == FP_OK && m->me == 0) {
		o->flags |= OUTCOME_RECEIVER;
		status = measure_log_figures(&p.log, o, err);
	}
	free(p.buf);
	return status;
}
