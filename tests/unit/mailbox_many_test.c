// SPDX-License-Identifier: Apache-2.0
// Thousands of agents at once.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/mailbox_bed.h"
#include "topo/base/clock.h"

#define MANY 3000
#define MANY_MIN 100
#define MANY_SPARE 400

/* As many as this process may hold both ends of. */
static int32_t many(void)
{
	struct rlimit lim;
	rlim_t n;

	if (getrlimit(RLIMIT_NOFILE, &lim))
		return 0;
	lim.rlim_cur = lim.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &lim);
	if (getrlimit(RLIMIT_NOFILE, &lim) || lim.rlim_cur < MANY_SPARE)
		return 0;
	n = (lim.rlim_cur - MANY_SPARE) / 2;
	return n > MANY ? MANY : (int32_t)n;
}

/* All connect before the loop runs at all: with far less room for those who
 * have not said hello than there are, each gets in, and gets its frame. */
static void test_many(void **state)
{
	int32_t n = *(int32_t *)*state;
	const uint32_t trial = 1;
	struct wire_hello hello;
	struct bed bed;
	uint8_t byte;
	int *fds;

	bed_open(&bed);
	bed.size = n;
	bed.opts.heartbeat_s = 1;
	bed_listen(&bed);
	fds = calloc((size_t)n, sizeof(*fds));
	assert_non_null(fds);
	for (int32_t i = 0; i < n; i++) {
		fds[i] = bed_connect(&bed);
		hello = bed_hello(&bed, i);
		bed_say(fds[i], WIRE_HELLO, &hello, sizeof(hello));
	}
	bed_until(&bed, &bed.hellos, (unsigned)n);
	for (int32_t i = 0; i < n; i++)
		assert_int_equal(mailbox_send(bed.box, i, WIRE_CANCEL, &trial,
		                              sizeof(trial), NULL),
		                 FP_OK);
	mailbox_flush(bed.box, fp_after_ns(BED_WAIT_S));
	for (int32_t i = 0; i < n; i++)
		assert_int_equal(recv(fds[i], &byte, 1, MSG_DONTWAIT), 1);
	for (int32_t i = 0; i < n; i++)
		close(fds[i]);
	bed_until(&bed, &bed.losts, (unsigned)n);
	assert_int_equal(bed.strangers, 0);
	free(fds);
	bed_close(&bed);
}

int main(void)
{
	int32_t n = many();
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_prestate(test_many, &n),
	};

	if (n < MANY_MIN) {
		printf("skipped: the limit of open files is too low\n");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
