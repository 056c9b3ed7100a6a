// SPDX-License-Identifier: Apache-2.0
// Unit tests of dividing a rate.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "probes/xport/pacer.h"

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
		now_ns = pacer_hold(&p, begin_ns, end_ns, len, factor);
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
		now_ns = pacer_hold(&p, now_ns, now_ns + took_ns, len, 4);
	}
	assert_true(p.byte_ns > 0.99 && p.byte_ns < 1.01);
}

/* Behind a buffer what came meanwhile is there at once when the core is back:
 * that is not the rate either, wherever in the learning it happens. */
static void test_a_backlog_is_not_the_rate(void **state)
{
	const size_t len = 65536;
	const int64_t stolen_ns = 4000000;

	(void)state;
	for (unsigned when = 0; when < 32; when++) {
		struct pacer p = { 0 };
		int64_t now_ns = 1000, behind_ns = 0, took_ns;

		for (unsigned i = 0; i < 64; i++) {
			took_ns = (int64_t)len * (i % 2 ? 12 : 4);
			if (i == when) {
				behind_ns = stolen_ns;
				took_ns += stolen_ns;
			} else if (behind_ns > 0) {
				behind_ns -= took_ns;
				took_ns = 20000;
			}
			now_ns = pacer_hold(&p, now_ns, now_ns + took_ns, len,
			                    3);
		}
		if (p.byte_ns < 8 * 0.8 || p.byte_ns > 8 * 1.25)
			fail_msg("stolen at %u: %g ns a byte", when, p.byte_ns);
	}
}

static void test_idle_time_is_not_made_up_for(void **state)
{
	struct pacer p = { 0 };
	int64_t now_ns = 1000;

	(void)state;
	for (unsigned i = 0; i < 1000; i++)
		now_ns = pacer_hold(&p, now_ns, now_ns + 100000, 100000, 2);
	now_ns += 1000000000;
	assert_true(pacer_hold(&p, now_ns, now_ns + 100000, 100000, 2) >=
	            now_ns + 199000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_slow_divides_the_rate),
		cmocka_unit_test(test_a_stolen_core_is_not_the_rate),
		cmocka_unit_test(test_a_backlog_is_not_the_rate),
		cmocka_unit_test(test_idle_time_is_not_made_up_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
