// SPDX-License-Identifier: Apache-2.0
// Runs a trial's measuring loop and turns its end into an outcome.
#include "probes/measure/measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/measure/part.h"
#include "probes/measure/pattern.h"
#include "probes/measure/ring.h"
#include "topo/base/clock.h"
#include "topo/base/fmt.h"

#define PAGE_BYTES 4096
#define POISON 0x5a

void *measure_buffer(size_t len)
{
	size_t room = (len / PAGE_BYTES + 1) * PAGE_BYTES;
	void *buf = room > len ? aligned_alloc(PAGE_BYTES, room) : NULL;

	if (buf)
		memset(buf, POISON, room);
	return buf;
}

size_t measure_place(size_t bytes, uint32_t batch)
{
	return batch % 2 * (bytes / PAGE_BYTES + 1) * PAGE_BYTES;
}

uint64_t measure_check(void *buf, size_t len, uint64_t seed)
{
	uint64_t wrong = pattern_check(buf, len, seed, NULL);
	uint8_t *p = buf;

	for (size_t off = 0; off < len; off += PAGE_BYTES)
		p[off] = (uint8_t)~p[off];
	if (len > 0 && (len - 1) % PAGE_BYTES)
		p[len - 1] = (uint8_t)~p[len - 1];
	return wrong;
}

struct measure_lane measure_lane_of(const struct measure *m,
                                    struct xport_ep *ep, size_t data_bytes)
{
	return (struct measure_lane){
		.ep = ep,
		.word_off = measure_lane_word_off(data_bytes),
		.deadline_ns = m->deadline_ns,
		.board = m->board,
	};
}

enum fp_status measure_damaged(struct outcome *o, struct fp_err *err)
{
	o->wrong_bytes += MEASURE_WORD_BYTES;
	return fp_err_set(err, FP_ERR_PROTO,
	                  "what a peer said between batches came damaged");
}

static enum fp_status needs_overflow(const struct trial *t, struct fp_err *err)
{
	return fp_err_set(err, FP_ERR_LIMIT, "%llu bytes are too many",
	                  (unsigned long long)t->bytes);
}

static enum fp_status pair_needs(const struct trial *t, uint32_t me,
                                 struct measure_needs *ret, struct fp_err *err)
{
	size_t words = measure_lane_word_off(MEASURE_WORD_BYTES);
	bool both = t->op == OP_LATENCY || t->dir == DIR_BI;

	if (t->bytes > SIZE_MAX / 4)
		return needs_overflow(t, err);
	ret->answer_bytes = words;
	ret->data_bytes = measure_lane_word_off(t->bytes) + words;
	ret->memory_bytes = both ? 2 * t->bytes : t->bytes;
	if (t->op == OP_WRITE && t->dir == DIR_UNI && me != 0)
		ret->data_bytes = words;
	if (t->op == OP_WRITE && t->xport == XPORT_VERBS &&
	    (t->dir == DIR_BI || me != 0)) {
		ret->place_bytes = measure_place(t->bytes, 1) * 2;
		ret->memory_bytes += ret->place_bytes;
	}
	return FP_OK;
}

static enum fp_status collective_needs(const struct trial *t, uint32_t n,
                                       struct measure_needs *ret,
                                       struct fp_err *err)
{
	size_t words = measure_lane_word_off(MEASURE_WORD_BYTES);
	size_t count, region, scratch;

	if (t->bytes > SIZE_MAX / 8)
		return needs_overflow(t, err);
	count = ring_count(t->op, n, t->bytes);
	region = ring_region_bytes(t->op, n, count);
	scratch = ring_scratch_bytes(t->op, n, count);
	ret->answer_bytes = words;
	ret->data_bytes = measure_lane_word_off(region) + words;
	ret->memory_bytes = scratch;
	ret->memory_bytes += (uint64_t)region * (t->op == OP_ALLTOALL ? n : 1);
	if (!(t->flags & TRIAL_IN_PLACE))
		ret->memory_bytes += ring_clobbered_bytes(t->op, n, count);
	return FP_OK;
}

enum fp_status measure_needs(const struct trial *trial, uint32_t n_members,
                             uint32_t me, struct measure_needs *ret,
                             struct fp_err *err)
{
	*ret = (struct measure_needs){ 0 };
	if (trial->op == OP_DATAGRAM)
		return FP_OK;
	if (trial_is_pair(trial))
		return pair_needs(trial, me, ret, err);
	return collective_needs(trial, n_members, ret, err);
}

static enum fp_status run_part(struct measure *m, struct outcome *o,
                               struct fp_err *err)
{
	if (m->team)
		return measure_team(m, o, err);
	if (m->trial->op == OP_WRITE)
		return measure_stream(m, o, err);
	if (m->trial->op == OP_LATENCY)
		return measure_latency(m, o, err);
	return measure_collective(m, o, err);
}

static uint8_t state_of(enum fp_status status)
{
	if (status == FP_OK)
		return OUTCOME_OK;
	if (status == FP_ERR_TIMEOUT || status == FP_ERR_INTR)
		return OUTCOME_HANG;
	return OUTCOME_ERROR;
}

/* Who it may have been that closed. */
static void name_peer(const struct measure *m, char *text, size_t size)
{
	int32_t next = m->members[(m->me + 1) % m->n_members];
	int32_t prev = m->members[(m->me + m->n_members - 1) % m->n_members];

	if (m->trial->op == OP_ALLTOALL && m->n_members > 2)
		(void)snprintf(text, size, "a peer closed the connection");
	else if (next == prev)
		(void)snprintf(text, size, "peer rank %d closed the connection",
		               (int)next);
	else
		(void)snprintf(text, size,
		               "peer rank %d or %d closed the connection",
		               (int)prev, (int)next);
}

/* How long nothing had moved any more. */
static void note_idle(const struct measure *m, struct outcome *o)
{
	int64_t beat_ns = atomic_load(&m->board->beat_ns);

	if (o->state == OUTCOME_HANG && beat_ns > 0)
		outcome_put(o, COUNTER_IDLE_NS, fp_now_ns() - beat_ns);
}

void measure_fail(const struct measure *m, enum fp_status status,
                  const struct fp_err *why, struct outcome *o)
{
	char text[OUTCOME_ERR_MAX * 3];
	size_t used = 0;

	o->state = state_of(status);
	o->stage = (uint8_t)atomic_load(&m->board->stage);
	o->moved_bytes = atomic_load(&m->board->bytes);
	note_idle(m, o);
	text[0] = '\0';
	if (status == FP_ERR_PEER) {
		name_peer(m, text, sizeof(text));
		used = strlen(text);
		(void)snprintf(text + used, sizeof(text) - used, ": ");
		used += 2;
	}
	(void)snprintf(text + used, sizeof(text) - used, "%s", why->text);
	fp_copy(o->err, sizeof(o->err), text);
}

enum fp_status measure_run(struct measure *m, struct outcome *o,
                           struct fp_err *err)
{
	struct fp_err why = { 0 };
	enum fp_status status;

	m->n_samples = 0;
	o->trial = m->trial->id;
	o->rank = m->members[m->me];
	board_stage(m->board, STAGE_WARM);
	status = run_part(m, o, &why);
	o->elapsed_s = (double)(fp_now_ns() - m->go_ns) / 1e9;
	if (status != FP_OK) {
		measure_fail(m, status, &why, o);
		return fp_err_set(err, status, "%s", o->err);
	}
	board_stage(m->board, STAGE_DONE);
	o->state = OUTCOME_OK;
	o->stage = STAGE_DONE;
	o->moved_bytes = atomic_load(&m->board->bytes);
	return FP_OK;
}
