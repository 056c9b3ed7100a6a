// SPDX-License-Identifier: Apache-2.0
// How connections of the star end, and who is told.
#include <event2/event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/mailbox_bed.h"
#include "topo/base/clock.h"

static void test_closed_is_lost_once(void **state)
{
	struct bed_link l;
	struct bed bed;

	(void)state;
	bed_open(&bed);
	bed_agent(&bed, 1, &l);
	mailbox_link_close(l.link);
	bed_until(&bed, &bed.losts, 1);
	assert_int_equal(bed.last_rank, 1);
	assert_string_equal(bed.why, "closed the connection");
	assert_int_equal(bed.strangers, 0);
	assert_int_equal(
		mailbox_send(bed.box, 1, WIRE_HEARTBEAT, NULL, 0, NULL),
		FP_ERR_PEER);
	bed_close(&bed);
}

/* It reports and ends while rank 0 still sends to it: the report counts. */
static void test_last_words(void **state)
{
	static const char words[] = "last words";
	const uint32_t trial = 1;
	struct wire_hello hello;
	struct bed bed;
	int fd;

	(void)state;
	bed_open(&bed);
	hello = bed_hello(&bed, 1);
	fd = bed_connect(&bed);
	bed_say(fd, WIRE_HELLO, &hello, sizeof(hello));
	bed_until(&bed, &bed.hellos, 1);
	for (int i = 0; i < 3; i++)
		bed_say(fd, WIRE_FACTS, words, sizeof(words));
	close(fd); /* with an answer unread, which resets the connection */
	while (mailbox_send(bed.box, 1, WIRE_CANCEL, &trial, sizeof(trial),
	                    NULL) == FP_OK)
		;
	bed_until(&bed, &bed.losts, 1);
	assert_int_equal(bed.frames, 3);
	bed_close(&bed);
}

static void test_conductor_gone(void **state)
{
	struct bed_link l;
	struct bed bed;

	(void)state;
	bed_open(&bed);
	bed_agent(&bed, 1, &l);
	mailbox_close(bed.box);
	bed.box = NULL;
	bed_until(&bed, &l.lost, 1);
	assert_int_equal(
		mailbox_link_send(l.link, WIRE_HEARTBEAT, NULL, 0, NULL),
		FP_ERR_PEER);
	mailbox_link_close(l.link);
	bed_close(&bed);
}

/* Both sides idle for many times dead_s: heartbeats are all that flows. The
 * raw peer says hello and then nothing, and is lost for that. */
static void test_heartbeats(void **state)
{
	struct wire_hello hello;
	struct bed_link l;
	struct bed bed;
	int fd;

	(void)state;
	bed_open(&bed);
	bed.opts.heartbeat_s = 0.02;
	bed.opts.dead_s = 1.0;
	bed_listen(&bed);
	bed_agent(&bed, 1, &l);
	hello = bed_hello(&bed, 2);
	fd = bed_connect(&bed);
	bed_say(fd, WIRE_HELLO, &hello, sizeof(hello));
	bed_until(&bed, &bed.losts, 1);
	assert_int_equal(bed.last_rank, 2);
	assert_string_equal(bed.why, "silent for 1 s");
	assert_int_equal(l.lost, 0);
	assert_true(mailbox_silence_s(bed.box, 1) >= 0);
	assert_int_equal(bed.frames + l.frames, 0);
	close(fd);
	mailbox_link_close(l.link);
	bed_close(&bed);
}

static void test_silent_conductor(void **state)
{
	struct bed_link l;
	struct bed bed;
	int fds[2];

	(void)state;
	bed_open(&bed);
	bed.opts.dead_s = 0.1;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	bed_take(&bed, 0, fds[1], &l);
	bed_until(&bed, &l.lost, 1);
	assert_string_equal(l.why, "silent for 0.1 s");
	close(fds[0]);
	mailbox_link_close(l.link);
	bed_close(&bed);
}

static void lost_sends(struct bed *bed, int32_t rank)
{
	const uint32_t trial = 1;

	assert_int_equal(mailbox_send(bed->box, rank, WIRE_CANCEL, &trial,
	                              sizeof(trial), NULL),
	                 FP_ERR_PEER);
	for (int32_t i = 0; i < bed->size; i++)
		(void)mailbox_send(bed->box, i, WIRE_CANCEL, &trial,
		                   sizeof(trial), NULL);
	(void)mailbox_silence_s(bed->box, rank);
	mailbox_flush(bed->box, fp_after_ns(BED_WAIT_S));
}

static void closes(struct bed *bed, int32_t rank)
{
	(void)rank;
	mailbox_close(bed->box);
	bed->box = NULL;
}

static void lost_closes(struct bed *bed, int32_t rank)
{
	lost_sends(bed, rank);
	closes(bed, rank);
}

static void test_calls_from_lost(void **state)
{
	struct bed_link l[3];
	struct bed bed;

	(void)state;
	bed_open(&bed);
	for (int32_t i = 0; i < 3; i++)
		bed_agent(&bed, i, &l[i]);
	bed.on_lost = lost_sends;
	mailbox_link_close(l[0].link);
	bed_until(&bed, &bed.losts, 1);
	bed_until(&bed, &l[2].frames, 1);
	bed.on_lost = lost_closes;
	mailbox_link_close(l[1].link);
	bed_until(&bed, &bed.losts, 2);
	bed_until(&bed, &l[2].lost, 1);
	mailbox_link_close(l[2].link);
	bed_close(&bed);
}

/* The frame that is being handed out outlives its connection. */
static void test_close_from_frame(void **state)
{
	struct bed_link l;
	struct bed bed;

	(void)state;
	bed_open(&bed);
	bed_agent(&bed, 1, &l);
	bed.on_frame = closes;
	for (int i = 0; i < 2; i++)
		assert_int_equal(
			mailbox_link_send(l.link, WIRE_FACTS, "{}", 2, NULL),
			FP_OK);
	bed_until(&bed, &l.lost, 1);
	assert_int_equal(bed.frames, 1);
	assert_int_equal(bed.last_byte, '}');
	mailbox_link_close(l.link);
	bed_close(&bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_closed_is_lost_once),
		cmocka_unit_test(test_last_words),
		cmocka_unit_test(test_conductor_gone),
		cmocka_unit_test(test_heartbeats),
		cmocka_unit_test(test_silent_conductor),
		cmocka_unit_test(test_calls_from_lost),
		cmocka_unit_test(test_close_from_frame),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
