// SPDX-License-Identifier: Apache-2.0
// Frames between agents and rank 0, and the limits on them.
#include <event2/event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "mpi/mailbox/sock.h"
#include "tests/unit/mailbox_bed.h"
#include "topo/base/clock.h"

static void test_both_ways(void **state)
{
	const uint32_t trial = 7;
	struct bed_link l[2];
	struct bed bed;

	(void)state;
	bed_open(&bed);
	bed_agent(&bed, 1, &l[0]);
	bed_agent(&bed, 3, &l[1]);
	assert_int_equal(bed.hellos, 2);
	assert_int_equal(bed.last_rank, 3);
	assert_string_equal(mailbox_link_addr(l[0].link), "127.0.0.1");

	assert_int_equal(mailbox_send(bed.box, 1, WIRE_CANCEL, &trial,
	                              sizeof(trial), NULL),
	                 FP_OK);
	bed_until(&bed, &l[0].frames, 1);
	assert_int_equal(l[0].last_type, WIRE_CANCEL);
	assert_int_equal(l[1].frames, 0);

	assert_int_equal(
		mailbox_link_send(l[1].link, WIRE_FACTS, "{}", 2, NULL), FP_OK);
	bed_until(&bed, &bed.frames, 1);
	assert_int_equal(bed.last_rank, 3);
	assert_int_equal(bed.last_type, WIRE_FACTS);
	assert_int_equal(bed.first_byte, '{');
	assert_int_equal(bed.last_byte, '}');

	assert_int_equal(bed.strangers + bed.losts, 0);
	mailbox_link_close(l[0].link);
	mailbox_link_close(l[1].link);
	bed_close(&bed);
}

static void test_two_parts(void **state)
{
	struct wire_prepare prepare = { .n_members = 2, .me = 1 };
	const int32_t members[] = { 0, 1 };
	const struct mailbox_parts parts = { &prepare, sizeof(prepare), members,
		                             sizeof(members) };
	struct bed_link l;
	struct bed bed;

	(void)state;
	bed_open(&bed);
	bed_agent(&bed, 1, &l);
	assert_int_equal(
		mailbox_send_parts(bed.box, 1, WIRE_PREPARE, &parts, NULL),
		FP_OK);
	bed_until(&bed, &l.frames, 1);
	assert_int_equal(l.last_type, WIRE_PREPARE);
	mailbox_link_close(l.link);
	bed_close(&bed);
}

/* Larger than any socket buffer, so it is queued and read in many pieces. */
static void test_large_frames(void **state)
{
	const size_t len = WIRE_PAYLOAD_MAX;
	uint8_t *payload = malloc(len);
	struct fp_err err = { 0 };
	struct bed_link l;
	struct bed bed;

	(void)state;
	assert_non_null(payload);
	memset(payload, 'x', len);
	payload[0] = 'a';
	payload[len - 1] = 'z';
	bed_open(&bed);
	bed_agent(&bed, 2, &l);
	for (int i = 0; i < 3; i++)
		assert_int_equal(mailbox_link_send(l.link, WIRE_FACTS, payload,
		                                   len, NULL),
		                 FP_OK);
	bed_until(&bed, &bed.frames, 3);
	assert_int_equal(bed.last_len, len);
	assert_int_equal(bed.first_byte, 'a');
	assert_int_equal(bed.last_byte, 'z');
	assert_int_equal(
		mailbox_link_send(l.link, WIRE_FACTS, payload, len + 1, &err),
		FP_ERR_LIMIT);
	free(payload);
	mailbox_link_close(l.link);
	bed_close(&bed);
}

static void test_not_connected(void **state)
{
	struct fp_err err = { 0 };
	struct bed bed;

	(void)state;
	bed_open(&bed);
	assert_int_equal(
		mailbox_send(bed.box, 1, WIRE_HEARTBEAT, NULL, 0, &err),
		FP_ERR_PEER);
	assert_string_equal(err.text, "rank 1: not connected");
	assert_int_equal(
		mailbox_send(bed.box, -1, WIRE_HEARTBEAT, NULL, 0, NULL),
		FP_ERR_PEER);
	assert_int_equal(
		mailbox_send(bed.box, bed.size, WIRE_HEARTBEAT, NULL, 0, NULL),
		FP_ERR_PEER);
	assert_true(mailbox_silence_s(bed.box, 1) < 0);
	bed_close(&bed);
}

static void test_adopted(void **state)
{
	struct bed_link l;
	struct bed bed;
	int fds[2];

	(void)state;
	bed_open(&bed);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	assert_int_equal(mailbox_adopt(bed.box, fds[0], NULL), FP_OK);
	bed_take(&bed, 0, fds[1], &l);
	bed_until(&bed, &bed.hellos, 1);
	assert_int_equal(bed.last_rank, 0);
	assert_string_equal(mailbox_link_addr(l.link), "");
	mailbox_link_close(l.link);
	bed_until(&bed, &bed.losts, 1);
	bed_close(&bed);
}

static void test_queue_is_limited(void **state)
{
	const size_t len = WIRE_PAYLOAD_MAX;
	uint8_t *payload = calloc(1, len);
	struct wire_hello hello;
	struct fp_err err = { 0 };
	unsigned sent = 0;
	struct bed bed;
	int fd;

	(void)state;
	assert_non_null(payload);
	bed_open(&bed);
	hello = bed_hello(&bed, 1);
	fd = bed_connect(&bed);
	bed_say(fd, WIRE_HELLO, &hello, sizeof(hello));
	bed_until(&bed, &bed.hellos, 1);
	while (sent < 64 && mailbox_send(bed.box, 1, WIRE_FACTS, payload, len,
	                                 &err) == FP_OK)
		sent++;
	assert_in_range(sent, 15, 31);
	assert_int_equal(err.status, FP_ERR_LIMIT);
	assert_int_equal(bed.losts, 0); /* comes from the loop */
	bed_until(&bed, &bed.losts, 1);
	assert_non_null(strstr(bed.why, "takes nothing"));
	free(payload);
	close(fd);
	bed_close(&bed);
}

/* Nobody reads but this test, between flushes: each must end by itself. */
static void test_flush(void **state)
{
	uint8_t chunk[65536];
	const size_t len = WIRE_PAYLOAD_MAX;
	uint8_t *payload = calloc(1, len);
	struct wire_hello hello;
	size_t got = 0;
	struct bed bed;
	ssize_t n;
	int fd;

	(void)state;
	assert_non_null(payload);
	bed_open(&bed);
	hello = bed_hello(&bed, 1);
	fd = bed_connect(&bed);
	bed_say(fd, WIRE_HELLO, &hello, sizeof(hello));
	bed_until(&bed, &bed.hellos, 1);
	for (int i = 0; i < 4; i++)
		assert_int_equal(mailbox_send(bed.box, 1, WIRE_FACTS, payload,
		                              len, NULL),
		                 FP_OK);
	while (got < 4 * (len + sizeof(struct wire_head)) +
	                     sizeof(struct wire_head)) {
		mailbox_flush(bed.box, fp_after_ns(0.001));
		n = recv(fd, chunk, sizeof(chunk), MSG_DONTWAIT);
		if (n > 0)
			got += (size_t)n;
	}
	mailbox_flush(bed.box, fp_after_ns(BED_WAIT_S));
	assert_true(recv(fd, chunk, sizeof(chunk), MSG_DONTWAIT) < 0);
	free(payload);
	close(fd);
	bed_close(&bed);
}

static void test_too_many_files(void **state)
{
	struct fp_err err = { 0 };

	(void)state;
	assert_int_equal(mailbox_sock_files(1, &err), FP_OK);
	assert_int_equal(mailbox_sock_files(1ULL << 40, &err), FP_ERR_LIMIT);
	assert_non_null(strstr(err.text, "ulimit -n 1099511627776"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_both_ways),
		cmocka_unit_test(test_two_parts),
		cmocka_unit_test(test_large_frames),
		cmocka_unit_test(test_not_connected),
		cmocka_unit_test(test_adopted),
		cmocka_unit_test(test_queue_is_limited),
		cmocka_unit_test(test_flush),
		cmocka_unit_test(test_too_many_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
