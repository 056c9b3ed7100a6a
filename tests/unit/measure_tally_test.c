// SPDX-License-Identifier: Apache-2.0
// From when on a receiver counts: against a modelled wire, whose data comes in
// chunks at a rate that every interval has to show.
#include <setjmp.h>
#include <stdarg.h>
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
#define ROOM 64

/* A wire and who reads from it. */
struct reader {
	int64_t now_ns;
	int64_t first_ns; /* the first chunk came */
	uint64_t taken;   /* bytes */
};

static uint64_t came_by(const struct reader *r, int64_t now_ns)
{
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
			r->now_ns = r->first_ns +
			            (int64_t)(there / CHUNK) * CHUNK_NS;
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

/* Batches of 32 pieces, each begun as long after its first data had come. */
static void batches(int64_t late_ns, struct stats_intervals *s)
{
	struct tally_piece piece = { 0 };
	struct tally t = { 0 };

	for (int batch = 0; batch < 3; batch++) {
		struct reader r = { .now_ns = BEGIN_NS * (batch + 1) };

		r.first_ns = r.now_ns - late_ns;
		tally_begin(&t, r.now_ns, r.now_ns - piece.now_ns, 0);
		for (int i = 0; i < 32; i++) {
			piece = read_piece(&r);
			tally_piece(&t, &piece, s);
		}
		assert_true(t.origin_ns > 0);
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
		struct stats_intervals s = { .rates_Bps = rates,
			                     .room = ROOM,
			                     .min_ns = TALLY_INTERVAL_NS };

		batches(late_ns[i], &s);
		assert_in_range(s.n, 6, ROOM);
		assert_rates(&s, 1e-3);
	}
}

/* A sender that is slower than this never makes it wait: memory, say. */
static void test_never_waits(void **state)
{
	double rates[ROOM];
	struct stats_intervals s = { .rates_Bps = rates,
		                     .room = ROOM,
		                     .min_ns = TALLY_INTERVAL_NS };
	int64_t piece_ns = (int64_t)PIECE * CHUNK_NS / CHUNK;
	struct tally t = { 0 };

	(void)state;
	tally_begin(&t, BEGIN_NS, 0, 0);
	for (int i = 0; i < 64; i++) {
		struct tally_piece piece = {
			.now_ns = BEGIN_NS + (i + 1) * piece_ns,
			.received = (uint64_t)i * PIECE,
			.len = PIECE,
		};

		tally_piece(&t, &piece, &s);
	}
	assert_in_range(s.n, 3, ROOM);
	assert_rates(&s, 1e-3);
	/* not before it was clear that it does not wait; then that is known */
	assert_true(t.origin_ns > BEGIN_NS + TALLY_INTERVAL_NS);
	tally_begin(&t, 2 * BEGIN_NS, BEGIN_NS - 64 * piece_ns, 0);
	for (int i = 0; i < 2; i++) {
		struct tally_piece piece = {
			.now_ns = 2 * BEGIN_NS + (i + 1) * piece_ns,
			.received = (uint64_t)i * PIECE,
			.len = PIECE,
		};

		tally_piece(&t, &piece, &s);
	}
	assert_int_equal(t.origin_ns, 2 * BEGIN_NS + 2 * piece_ns);
}

static void test_skip(void **state)
{
	struct reader r = { .now_ns = BEGIN_NS, .first_ns = BEGIN_NS };
	struct tally_piece piece;
	struct tally t = { 0 };

	(void)state;
	tally_begin(&t, BEGIN_NS, 0, 10 * PIECE);
	for (int i = 0; i < 32; i++) {
		piece = read_piece(&r);
		tally_piece(&t, &piece, NULL);
	}
	assert_in_range(t.origin_bytes, 10 * PIECE, 12 * PIECE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_backlog),
		cmocka_unit_test(test_never_waits),
		cmocka_unit_test(test_skip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
