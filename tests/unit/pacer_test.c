// SPDX-License-Identifier: Apache-2.0
// Unit tests of dividing a rate.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "probes/xport/pacer.h"

static int64_t hold(struct pacer *p, int64_t begin_ns, int64_t end_ns,
                    size_t bytes, double factor)
{
	const struct pacer_piece piece = {
		.begin_ns = begin_ns,
		.end_ns = end_ns,
		.bytes = bytes,
	};

	return pacer_hold(p, &piece, factor);
}

/* A link of 1 byte/ns before a buffer from which reading takes no time: the
 * receiver's view of TCP, held back. */
static double rate_through(double factor, bool buffered)
{
	const size_t len = 100000;
	struct pacer p = { 0 };
	int64_t now_ns = 1000, arrived_ns = 1000, from_ns = 0;
	uint64_t bytes = 0;

	for (unsigned i = 0; i < 2000; i++) {
		int64_t begin_ns = now_ns, end_ns;

		arrived_ns = (buffered ? arrived_ns : begin_ns) + (int64_t)len;
		end_ns = arrived_ns > begin_ns ? arrived_ns : begin_ns + 10;
		now_ns = hold(&p, begin_ns, end_ns, len, factor);
		if (now_ns < end_ns)
			now_ns = end_ns;
		if (i == 1000)
			from_ns = now_ns;
		bytes += i > 1000 ? len : 0;
	}
	return (double)bytes / (double)(now_ns - from_ns);
}

static void test_slow_divides_the_rate(void **state)
{
	static const double factors[] = { 1, 1.1, 2, 20, 1000 };

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		double want = 1 / factors[i];
		double rate = rate_through(factors[i], true);

		assert_true(rate > want * 0.99 && rate < want * 1.01);
		rate = rate_through(factors[i], false);
		assert_true(rate > want * 0.99 && rate < want * 1.01);
	}
}

/* A core that is taken away now and then while the rate is learnt does not make
 * the fault larger than it was asked to be. */
static void test_a_stolen_core_is_not_the_rate(void **state)
{
	const size_t len = 100000;
	struct pacer p = { 0 };
	int64_t now_ns = 1000, took_ns;

	(void)state;
	for (unsigned i = 0; i < 100; i++) {
		took_ns = (int64_t)len * (i % 4 == 0 ? 50 : 1);
		now_ns = hold(&p, now_ns, now_ns + took_ns, len, 4);
	}
	assert_true(p.byte_ns > 0.99 && p.byte_ns < 1.01);
}

/* What is learnt, ns a byte, where the core is away in receive @when. */
static double learnt_with_backlog(unsigned when)
{
	const size_t len = 65536;
	const int64_t stolen_ns = 4000000;
	int64_t now_ns = 1000, behind_ns = 0, took_ns;
	struct pacer p = { 0 };

	for (unsigned i = 0; i < 64; i++) {
		took_ns = (int64_t)len * (i % 2 ? 12 : 4);
		if (i == when) {
			behind_ns = stolen_ns;
			took_ns += stolen_ns;
		} else if (behind_ns > 0) {
			behind_ns -= took_ns;
			took_ns = 20000;
		}
		now_ns = hold(&p, now_ns, now_ns + took_ns, len, 3);
	}
	return p.byte_ns;
}

/* Behind a buffer what came meanwhile is there at once when the core is back:
 * that is not the rate either, wherever in the learning it happens. */
static void test_a_backlog_is_not_the_rate(void **state)
{
	unsigned when;
	double got;

	(void)state;
	for (when = 0; when < 32; when++) {
		got = learnt_with_backlog(when);
		if (got < 8 * 0.8 || got > 8 * 1.25)
			fail_msg("stolen at %u: %g ns a byte", when, got);
	}
}

/* struct socket - a link before a buffer, and a receiver that has its core for
 * a while and then not. */
struct socket {
	int64_t now_ns, start_ns;
	uint64_t taken;
	double byte_ns;
};

#define ON_NS 600000   /* as long it keeps its core */
#define OFF_NS 3000000 /* and this long it has not */

/* Receive @len bytes; where they are not there, wait for them. */
static struct pacer_piece socket_receive(struct socket *s, size_t len)
{
	struct pacer_piece p = { .begin_ns = s->now_ns,
		                 .bytes = len,
		                 .buffered = true };
	int64_t due_ns =
		s->start_ns + (int64_t)((double)(s->taken + len) * s->byte_ns);

	if (due_ns > s->now_ns) {
		p.mark.t_ns = s->now_ns;
		p.mark.bytes = (size_t)((double)(s->now_ns - s->start_ns) /
		                        s->byte_ns) -
		               s->taken;
		s->now_ns = due_ns;
	}
	s->now_ns += 20000;
	if (s->now_ns % (ON_NS + OFF_NS) > ON_NS)
		s->now_ns += OFF_NS;
	s->taken += len;
	p.end_ns = s->now_ns;
	return p;
}

/* Where a receiver is mostly away, most of its receives are quick, and it may
 * be away between them: only when it waits it knows. */
static void test_a_shared_core_behind_a_buffer(void **state)
{
	struct socket s = { .now_ns = 1000000,
		            .start_ns = 1000000,
		            .byte_ns = 8 };
	struct pacer p = { 0 };
	struct pacer_piece piece;

	(void)state;
	for (unsigned i = 0; i < 200 && p.byte_ns <= 0; i++) {
		piece = socket_receive(&s, 65536);
		(void)pacer_hold(&p, &piece, 3);
	}
	if (p.byte_ns < 7 || p.byte_ns > 9)
		fail_msg("%g ns a byte", p.byte_ns);
}

static void test_idle_time_is_not_made_up_for(void **state)
{
	struct pacer p = { 0 };
	int64_t now_ns = 1000;

	(void)state;
	for (unsigned i = 0; i < 1000; i++)
		now_ns = hold(&p, now_ns, now_ns + 100000, 100000, 2);
	now_ns += 1000000000;
	assert_true(hold(&p, now_ns, now_ns + 100000, 100000, 2) >=
	            now_ns + 199000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_slow_divides_the_rate),
		cmocka_unit_test(test_a_stolen_core_is_not_the_rate),
		cmocka_unit_test(test_a_backlog_is_not_the_rate),
		cmocka_unit_test(test_a_shared_core_behind_a_buffer),
		cmocka_unit_test(test_idle_time_is_not_made_up_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
