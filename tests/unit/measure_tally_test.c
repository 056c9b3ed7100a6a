// SPDX-License-Identifier: Apache-2.0
// From when on a receiver counts: against a modelled wire, whose data comes in
// chunks at a rate that every interval has to show.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "probes/measure/tally.h"

#define MS 1000000LL
#define CHUNK 24576u
#define CHUNK_NS 200000LL /* 122.9 MB/s */
#define PIECE 65536u
#define READ_NS 20000LL /* of a chunk that is there */
#define BEGIN_NS (1000 * MS)
#define ROOM 128
#define STALL_NS (2 * MS)

/* A wire and who reads from it. */
struct reader {
	int64_t now_ns;
	int64_t first_ns; /* the first chunk came */
	uint64_t taken;   /* bytes */
	int64_t stall_ns; /* nothing comes for STALL_NS, then twice as much
	                     for as long; 0: never */
};

/* What comes at @t_ns would have come then without a stall. */
static int64_t due_ns(const struct reader *r, int64_t t_ns)
{
	int64_t late_ns = t_ns - r->stall_ns;

	if (late_ns <= 0 || late_ns >= 2 * STALL_NS)
		return t_ns;
	return r->stall_ns +
	       (late_ns < STALL_NS ? 0 : 2 * (late_ns - STALL_NS));
}

/* The other way round. */
static int64_t comes_ns(const struct reader *r, int64_t t_ns)
{
	int64_t late_ns = t_ns - r->stall_ns;

	if (late_ns <= 0 || late_ns >= 2 * STALL_NS)
		return t_ns;
	return r->stall_ns + STALL_NS + late_ns / 2;
}

static uint64_t came_by(const struct reader *r, int64_t now_ns)
{
	now_ns = due_ns(r, now_ns);
	if (now_ns < r->first_ns)
		return 0;
	return (uint64_t)((now_ns - r->first_ns) / CHUNK_NS + 1) * CHUNK;
}

/* Takes what is there; where there is nothing it waits for a chunk. */
static struct tally_piece read_piece(struct reader *r)
{
	struct tally_piece piece = { .received = r->taken, .len = PIECE };
	uint64_t end = r->taken + PIECE, there;

	while (r->taken < end) {
		there = came_by(r, r->now_ns);
		if (there == r->taken) {
			piece.mark = (struct xport_mark){
				.t_ns = r->now_ns,
				.bytes = r->taken - piece.received,
			};
			r->now_ns = comes_ns(
				r, r->first_ns +
					   (int64_t)(there / CHUNK) * CHUNK_NS);
			there += CHUNK;
		}
		there = there - r->taken > CHUNK ? r->taken + CHUNK : there;
		r->taken = there < end ? there : end;
		r->now_ns += READ_NS;
	}
	piece.now_ns = r->now_ns;
	return piece;
}

static void assert_rates(const struct stats_intervals *s, double within)
{
	double want = (double)CHUNK * 1e9 / (double)CHUNK_NS;

	for (size_t i = 0; i < s->n; i++)
		if (fabs(s->rates_Bps[i] / want - 1) > within)
			fail_msg("interval %zu: %g of %g B/s", i,
			         s->rates_Bps[i], want);
}

static struct stats_intervals intervals_of(double *rates)
{
	return (struct stats_intervals){
		.rates_Bps = rates,
		.room = ROOM,
		.min_ns = TALLY_INTERVAL_NS,
		.step_ns = TALLY_STEP_NS,
	};
}

static int64_t pieces_ns(int n)
{
	return n * (int64_t)PIECE * CHUNK_NS / CHUNK;
}

/* Batches of 48 pieces, each begun as long after its first data had come, and
 * so long after the one before that its buffers cannot have held the rest. */
static void batches(int64_t late_ns, struct stats_intervals *s)
{
	struct tally_piece piece = { 0 };
	struct tally t = { 0 };
	uint64_t stream = 0;

	for (int batch = 0; batch < 3; batch++) {
		struct reader r = { .now_ns = BEGIN_NS * (batch + 1) };
		const struct tally_pause pause = {
			.from_ns = piece.now_ns,
			.to_ns = r.now_ns,
			.received = stream,
			.backlog = TALLY_HELD_BYTES + 1,
		};

		r.first_ns = r.now_ns - late_ns;
		assert_false(tally_begin(&t, &pause));
		for (int i = 0; i < 48; i++) {
			piece = read_piece(&r);
			piece.received += stream;
			tally_piece(&t, &piece, s);
		}
		stream += r.taken;
		assert_true(t.origin_ns > BEGIN_NS * (batch + 1));
	}
}

/* What waited in buffers is not taken for what the wire brings, and the moment
 * when they are empty is not one of those right behind a chunk. */
static void test_backlog(void **state)
{
	static const int64_t late_ns[] = { 0,       30000,   130000,
		                           1010000, 2090000, 3170000 };
	double rates[ROOM];

	(void)state;
	for (size_t i = 0; i < sizeof(late_ns) / sizeof(late_ns[0]); i++) {
		struct stats_intervals s = intervals_of(rates);

		batches(late_ns[i], &s);
		assert_in_range(s.n, 30, ROOM - 1);
		assert_rates(&s, 1e-3);
	}
}

/* A sender that is slower than this never makes it wait: memory, say. */
static void test_never_waits(void **state)
{
	double rates[ROOM];
	struct stats_intervals s = intervals_of(rates);
	struct tally_pause pause = { .from_ns = BEGIN_NS, .to_ns = BEGIN_NS };
	struct tally_piece piece = { .len = PIECE };
	struct tally t = { 0 };

	(void)state;
	assert_false(tally_begin(&t, &pause));
	for (int i = 0; i < 64; i++) {
		piece.now_ns = BEGIN_NS + pieces_ns(i + 1);
		tally_piece(&t, &piece, &s);
		piece.received += PIECE;
	}
	assert_in_range(s.n, 15, ROOM - 1);
	assert_rates(&s, 1e-3);
	/* not before it was clear that it does not wait; then that is known */
	assert_true(t.origin_ns > BEGIN_NS + TALLY_PATIENCE_NS);
	pause = (struct tally_pause){
		.from_ns = piece.now_ns,
		.to_ns = 2 * BEGIN_NS,
		.received = piece.received,
		.backlog = TALLY_HELD_BYTES + 1,
	};
	assert_false(tally_begin(&t, &pause));
	for (int i = 0; i < 2; i++) {
		piece.now_ns = 2 * BEGIN_NS + pieces_ns(i + 1);
		tally_piece(&t, &piece, &s);
		piece.received += PIECE;
	}
	assert_int_equal(t.origin_ns, 2 * BEGIN_NS + pieces_ns(2));
}

/* Of a backlog no more is skipped than was said. */
static void test_skip(void **state)
{
	static const struct {
		double backlog; /* pieces, as are the others */
		uint64_t most, from, to;
	} rows[] = {
		{ 10, 32, 10, 12 },
		{ 100, 20, 20, 22 },
		{ 1e30, 20, 20, 22 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct reader r = { .now_ns = BEGIN_NS, .first_ns = BEGIN_NS };
		const struct tally_pause pause = {
			.from_ns = BEGIN_NS,
			.to_ns = BEGIN_NS,
			.backlog = rows[i].backlog * PIECE,
			.skip_most = rows[i].most * PIECE,
		};
		struct tally_piece piece;
		struct tally t = { 0 };

		assert_false(tally_begin(&t, &pause));
		while (!t.origin_ns) {
			piece = read_piece(&r);
			tally_piece(&t, &piece, NULL);
			assert_true(r.taken < 64 * PIECE);
		}
		assert_in_range(t.bytes, rows[i].from * PIECE,
		                rows[i].to * PIECE);
	}
}

/*
 * A link that lets a burst through after it has been idle, and a receiver that
 * pauses between batches of 36 pieces: each time the sender stands still and
 * makes up for it. The latter alone would look faster than the wire.
 */
static void test_burst_behind_a_pause(void **state)
{
	double rates[ROOM], want = (double)CHUNK * 1e9 / (double)CHUNK_NS;
	struct stats_intervals s = intervals_of(rates);
	struct tally_piece piece;
	struct reader r = { .now_ns = BEGIN_NS, .first_ns = BEGIN_NS };
	struct tally t = { 0 };

	(void)state;
	for (int batch = 0; batch < 5; batch++) {
		const struct tally_pause pause = {
			.from_ns = r.now_ns,
			.to_ns = r.now_ns + (batch ? MS / 4 : 0),
			.received = r.taken,
			.backlog = batch ? 30000 : 0,
		};

		assert_int_equal(tally_begin(&t, &pause), batch > 0);
		r.now_ns = pause.to_ns;
		r.stall_ns = r.now_ns;
		for (int i = 0; i < 36; i++) {
			piece = read_piece(&r);
			tally_piece(&t, &piece, batch ? &s : NULL);
		}
	}
	assert_in_range(s.n, 20, ROOM - 1);
	assert_true(fabs(stats_median(rates, s.n) / want - 1) < 2e-3);
	assert_true(fabs((double)t.counted * 1e9 / (double)t.counted_ns / want -
	                 1) < 1e-2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_backlog),
		cmocka_unit_test(test_never_waits),
		cmocka_unit_test(test_skip),
		cmocka_unit_test(test_burst_behind_a_pause),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
