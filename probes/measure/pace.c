// SPDX-License-Identifier: Apache-2.0
// Paces a stream from its receiver.
#include "probes/measure/pace.h"

#include "probes/measure/lane.h"

#define MS 1000000LL

#define TARGET_PART 6 /* batches of a trial's time, at least */
#define TARGET_MIN_NS (10 * MS)
#define TARGET_MAX_NS (40 * MS)
#define WARM_PART 10
#define WARM_MIN_NS (2 * MS)
#define WARM_MAX_NS (50 * MS)
#define PIECE_NS 500000.0 /* an interval of 5 ms ends within 10 % of that */
#define PIECE_FIRST (256u << 10)
#define GROWTH 8 /* of a batch over the one before: estimates may be off */

#define DEADLINE_PART 0.6
#define LONGEST_TIMES 4

static int64_t capped_ns(const struct trial *trial, double time_s)
{
	if (time_s > DEADLINE_PART * trial->deadline_s)
		time_s = DEADLINE_PART * trial->deadline_s;
	return (int64_t)(time_s * 1e9);
}

int64_t measure_time_ns(const struct trial *trial)
{
	return capped_ns(trial, trial->time_s);
}

struct measure_batch measure_pace_first(void)
{
	return (struct measure_batch){ .iters = 1, .piece = PIECE_FIRST };
}

static int64_t clamp(int64_t value, int64_t min, int64_t max)
{
	if (value < min)
		return min;
	return value > max ? max : value;
}

void measure_pace_init(struct measure_pace *p, const struct trial *trial,
                       int64_t now_ns)
{
	*p = (struct measure_pace){
		.bytes = trial->bytes,
		.iters = trial->iters,
		.warmup = trial->warmup,
		.time_ns = measure_time_ns(trial),
		.longest_ns = capped_ns(trial, LONGEST_TIMES * trial->time_s),
		.ahead = measure_pace_first(),
		.begun_ns = now_ns,
		.done_ns = now_ns,
	};
	p->target_ns =
		clamp(p->time_ns / TARGET_PART, TARGET_MIN_NS, TARGET_MAX_NS);
	p->warm_ns = clamp(p->time_ns / WARM_PART, WARM_MIN_NS, WARM_MAX_NS);
}

/* Messages that fill a batch. */
static uint64_t full_batch(const struct measure_pace *p)
{
	double n = (double)p->target_ns / p->message_ns + 0.5;
	uint64_t full = MEASURE_BATCH_MAX;

	if (n < 1)
		full = 1;
	else if (n < MEASURE_BATCH_MAX)
		full = (uint64_t)n;
	return p->iters && full > p->iters ? p->iters : full;
}

static uint32_t piece_for(const struct measure_pace *p)
{
	double ns_per_byte = p->message_ns / (double)p->bytes;
	uint32_t piece = MEASURE_PIECE_MIN;

	while (piece < MEASURE_PIECE_MAX && piece * ns_per_byte < PIECE_NS)
		piece *= 2;
	return piece;
}

/* Long enough, often enough, and batches of a useful size under way. */
static bool is_warm(const struct measure_pace *p, int64_t now_ns)
{
	if (p->warmed < p->warmup || p->ahead.iters < (full_batch(p) + 1) / 2)
		return false;
	return p->iters || now_ns - p->begun_ns >= p->warm_ns;
}

static bool is_enough(const struct measure_pace *p, int64_t now_ns,
                      enum measure_known known)
{
	int64_t ahead_ns = (int64_t)(p->ahead.iters * p->message_ns);
	int64_t limit_ns = known == MEASURE_FEW ? p->longest_ns : p->time_ns;

	if (p->iters)
		return p->asked >= p->iters;
	return known == MEASURE_KNOWN ||
	       now_ns - p->timed_ns + ahead_ns >= limit_ns;
}

struct measure_batch measure_pace_next(struct measure_pace *p,
                                       const struct measure_batch *done,
                                       int64_t now_ns, enum measure_known known)
{
	struct measure_batch next = { 0 };
	uint64_t want, limit;

	p->message_ns = (double)(now_ns - p->done_ns) / done->iters;
	if (p->message_ns < 1)
		p->message_ns = 1;
	p->done_ns = now_ns;
	if (!p->timed) {
		p->warmed += done->iters;
		p->timed = is_warm(p, now_ns);
		p->timed_ns = now_ns;
		p->asked = p->timed ? p->ahead.iters : 0;
	}
	limit = (uint64_t)(done->iters > p->ahead.iters ? done->iters
	                                                : p->ahead.iters) *
	        GROWTH;
	want = full_batch(p);
	if (want > limit)
		want = limit;
	if (p->timed && p->iters && want > p->iters - p->asked)
		want = p->iters - p->asked;
	next.iters = (uint32_t)want;
	next.piece = piece_for(p);
	next.timed = p->timed;
	next.last = p->timed && is_enough(p, now_ns, known);
	if (p->timed && !next.last)
		p->asked += next.iters;
	p->ahead = next;
	return next;
}
