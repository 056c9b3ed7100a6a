// SPDX-License-Identifier: Apache-2.0
// Who is let into the mailbox, who is refused, and who is a stranger.
#include <event2/event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "mpi/mailbox/hello.h"
#include "tests/unit/mailbox_bed.h"
#include "topo/base/clock.h"
#include "topo/base/fmt.h"

#define FLOOD 50

static void test_judge(void **state)
{
	static const struct {
		int32_t rank, size;
		uint8_t token_end;
		const char *version;
		enum mailbox_verdict verdict;
		const char *why;
	} cases[] = {
		{ 0, 4, 0x5a, NULL, MAILBOX_TAKE, NULL },
		{ 3, 4, 0x5a, NULL, MAILBOX_TAKE, NULL },
		{ 2, 4, 0x5a, NULL, MAILBOX_REFUSE, "rank 2 has said hello" },
		{ 4, 4, 0x5a, NULL, MAILBOX_REFUSE, "rank 4 is not in 0..3" },
		{ -1, 4, 0x5a, NULL, MAILBOX_REFUSE, "rank -1 is not" },
		{ 1, 8, 0x5a, NULL, MAILBOX_REFUSE,
		  "rank 1 was started as one of 8 ranks, rank 0 as one of 4" },
		{ 1, 4, 0x5a, "9.9", MAILBOX_REFUSE,
		  "rank 1 runs fabricprobe 9.9, rank 0 runs" },
		{ 1, 4, 0x5b, NULL, MAILBOX_STRANGER, "token" },
		{ 1, 4, 0x5b, "9.9", MAILBOX_STRANGER, "token" },
	};
	const bool seen[BED_SIZE] = { [2] = true };
	char why[MAILBOX_REFUSAL_MAX];
	struct wire_hello hello;
	struct bed bed = { .size = BED_SIZE };

	(void)state;
	memset(bed.meet.token, 0x5a, sizeof(bed.meet.token));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		hello = bed_hello(&bed, cases[i].rank);
		hello.size = cases[i].size;
		hello.token[WIRE_TOKEN_BYTES - 1] = cases[i].token_end;
		if (cases[i].version)
			fp_copy(hello.version, sizeof(hello.version),
			        cases[i].version);
		assert_int_equal(mailbox_hello_judge(&hello, bed.meet.token,
		                                     BED_SIZE, seen, why),
		                 cases[i].verdict);
		if (cases[i].why)
			assert_non_null(strstr(why, cases[i].why));
	}
}

static void test_token_every_bit(void **state)
{
	uint8_t a[BOOT_TOKEN_BYTES] = { 1, 2, 3 }, b[BOOT_TOKEN_BYTES];

	(void)state;
	for (unsigned bit = 0; bit < 8 * sizeof(a); bit++) {
		memcpy(b, a, sizeof(b));
		assert_true(mailbox_token_equal(a, b));
		b[bit / 8] ^= (uint8_t)(1u << bit % 8);
		assert_false(mailbox_token_equal(a, b));
	}
}

/* What a refused agent gets to know, over the whole way. */
static void test_refused(void **state)
{
	static const struct {
		int32_t rank, size;
		const char *version, *why;
	} cases[] = {
		{ 1, BED_SIZE, NULL, "rank 1 has said hello before" },
		{ 2, 9, NULL, "rank 2 was started as one of 9 ranks" },
		{ 2, BED_SIZE, "9.9", "rank 2 runs fabricprobe 9.9" },
		{ 7, BED_SIZE, NULL, "rank 0 refuses: rank 7 is not in 0..3" },
	};
	struct bed_link l;
	struct wire_hello hello;
	struct bed bed;

	(void)state;
	bed_open(&bed);
	bed_agent(&bed, 1, &l);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fp_err err = { 0 };

		hello = bed_hello(&bed, cases[i].rank);
		hello.size = cases[i].size;
		if (cases[i].version)
			fp_copy(hello.version, sizeof(hello.version),
			        cases[i].version);
		assert_int_equal(bed_dial(&bed, &hello, BED_WAIT_S, &err),
		                 FP_ERR_PEER);
		assert_non_null(strstr(err.text, cases[i].why));
	}
	assert_int_equal(bed.hellos, 1);
	assert_int_equal(l.lost, 0);
	mailbox_link_close(l.link);
	bed_close(&bed);
}

/* Without the token nothing is answered; yet nobody tries for ever. */
static void test_other_token(void **state)
{
	struct fp_err err = { 0 };
	struct wire_hello hello;
	struct bed bed;

	(void)state;
	bed_open(&bed);
	hello = bed_hello(&bed, 1);
	hello.token[3] ^= 4;
	assert_int_equal(bed_dial(&bed, &hello, BED_WAIT_S, &err), FP_ERR_PEER);
	assert_non_null(strstr(err.text, "another token"));
	assert_int_equal(bed.hellos, 0);
	bed_close(&bed);
}

static void test_refused_adopted(void **state)
{
	struct bed_link l;
	struct bed bed;
	int fds[2];

	(void)state;
	bed_open(&bed);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	assert_int_equal(mailbox_adopt(bed.box, fds[0], NULL), FP_OK);
	bed_take(&bed, BED_SIZE, fds[1], &l);
	bed_until(&bed, &l.lost, 1);
	assert_string_equal(l.why, "rank 0 refuses: rank 4 is not in 0..3");
	mailbox_link_close(l.link);
	bed_close(&bed);
}

enum knock {
	KNOCK_CLOSE,
	KNOCK_GARBAGE,
	KNOCK_TOKEN,
	KNOCK_FRAME,
	KNOCK_HALF,
	KNOCK_LONG
};

/* The beginning of a frame that would be megabytes long. */
static void say_much(int fd)
{
	struct wire_head head = wire_head_make(WIRE_FACTS, 0, WIRE_PAYLOAD_MAX);
	char text[1000] = "";

	assert_int_equal(send(fd, &head, sizeof(head), 0), sizeof(head));
	assert_int_equal(send(fd, text, sizeof(text), 0), sizeof(text));
}

/* A connection that is none of ours; -1: closed again already. */
static int knock(struct bed *bed, enum knock how)
{
	struct wire_hello hello = bed_hello(bed, 1);
	struct run_event event = { 0 };
	int fd = bed_connect(bed);

	if (how == KNOCK_GARBAGE)
		assert_int_equal(send(fd, "GET / HTTP/1.1\r\n\r\n", 18, 0), 18);
	hello.token[0] ^= 1;
	if (how == KNOCK_TOKEN)
		bed_say(fd, WIRE_HELLO, &hello, sizeof(hello));
	if (how == KNOCK_FRAME)
		bed_say(fd, WIRE_EVENT, &event, sizeof(event));
	if (how == KNOCK_LONG)
		say_much(fd);
	if (how == KNOCK_HALF)
		bed_say(fd, WIRE_HELLO, NULL, 0);
	if (how != KNOCK_CLOSE)
		return fd;
	close(fd);
	return -1;
}

static void test_strangers(void **state)
{
	static const struct {
		enum knock how;
		const char *what;
	} cases[] = {
		{ KNOCK_CLOSE, "closed the connection" },
		{ KNOCK_GARBAGE, "not a frame" },
		{ KNOCK_TOKEN, "token" },
		{ KNOCK_FRAME, "sent a frame before a hello" },
		{ KNOCK_HALF, "hello frame of 0 bytes" },
		{ KNOCK_LONG, "sent something else than a hello" },
	};
	struct bed_link l;
	struct bed bed;
	unsigned n = 0;
	int fd;

	(void)state;
	bed_open(&bed);
	bed_agent(&bed, 1, &l);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		fd = knock(&bed, cases[i].how);
		bed_until(&bed, &bed.strangers, ++n);
		assert_non_null(strstr(bed.stranger, cases[i].what));
		assert_non_null(strstr(bed.stranger, "127.0.0.1:"));
		if (fd >= 0)
			close(fd);
	}
	assert_int_equal(bed.hellos, 1);
	assert_int_equal(bed.losts + l.lost, 0);
	mailbox_link_close(l.link);
	bed_close(&bed);
}

/* An agent that reached rank 0 twice says so with what it does not use. */
static void test_spare_connection(void **state)
{
	struct bed bed;
	int fd;

	(void)state;
	bed_open(&bed);
	fd = bed_connect(&bed);
	bed_say(fd, WIRE_HEARTBEAT, NULL, 0);
	close(fd);
	fd = knock(&bed, KNOCK_GARBAGE);
	bed_until(&bed, &bed.strangers, 1);
	assert_non_null(strstr(bed.stranger, "not a frame"));
	close(fd);
	bed_close(&bed);
}

static void test_silent_stranger(void **state)
{
	struct bed bed;
	int fd;

	(void)state;
	bed_open(&bed);
	bed.opts.hello_s = 0.1;
	bed_listen(&bed);
	fd = bed_connect(&bed);
	bed_until(&bed, &bed.strangers, 1);
	assert_non_null(strstr(bed.stranger, "said no hello in 0.1 s"));
	close(fd);
	bed_close(&bed);
}

/* More silent connections than there is room, and they would hold it for
 * long: an agent behind them gets in all the same. */
static void test_flood(void **state)
{
	struct bed_link first, late;
	int fds[FLOOD];
	struct bed bed;

	(void)state;
	bed_open(&bed);
	bed.opts.hello_s = 10 * BED_WAIT_S;
	bed.opts.max_pending = 20;
	bed_listen(&bed);
	bed_agent(&bed, 1, &first);
	for (size_t i = 0; i < FLOOD; i++)
		fds[i] = bed_connect(&bed);
	bed_agent(&bed, 2, &late);
	assert_int_equal(bed.hellos, 2);
	assert_int_equal(bed.losts + first.lost + late.lost, 0);
	assert_in_range(bed.strangers, FLOOD - 20, FLOOD);
	for (size_t i = 0; i < FLOOD; i++)
		close(fds[i]);
	mailbox_link_close(first.link);
	mailbox_link_close(late.link);
	bed_close(&bed);
}

/* An agent that turns to garbage is lost, and disturbs nobody. */
static void test_garbage_of_an_agent(void **state)
{
	static const char junk[] = "no frame of ours at all";
	struct wire_hello hello;
	struct bed_link l;
	struct bed bed;
	int fd;

	(void)state;
	bed_open(&bed);
	bed_agent(&bed, 1, &l);
	hello = bed_hello(&bed, 2);
	fd = bed_connect(&bed);
	bed_say(fd, WIRE_HELLO, &hello, sizeof(hello));
	bed_until(&bed, &bed.hellos, 2);
	assert_int_equal(send(fd, junk, sizeof(junk), 0), sizeof(junk));
	bed_until(&bed, &bed.losts, 1);
	assert_int_equal(bed.last_rank, 2);
	assert_non_null(strstr(bed.why, "not a frame"));
	assert_int_equal(l.lost + bed.strangers, 0);
	close(fd);
	mailbox_link_close(l.link);
	bed_close(&bed);
}

/* A rank that was lost does not come back: its trials are accounted for. */
static void test_no_return(void **state)
{
	struct bed_link l;
	struct fp_err err = { 0 };
	struct wire_hello hello;
	struct bed bed;

	(void)state;
	bed_open(&bed);
	bed_agent(&bed, 1, &l);
	mailbox_link_close(l.link);
	bed_until(&bed, &bed.losts, 1);
	hello = bed_hello(&bed, 1);
	assert_int_equal(bed_dial(&bed, &hello, BED_WAIT_S, &err), FP_ERR_PEER);
	assert_int_equal(bed.hellos, 1);
	bed_close(&bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_judge),
		cmocka_unit_test(test_token_every_bit),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_other_token),
		cmocka_unit_test(test_refused_adopted),
		cmocka_unit_test(test_strangers),
		cmocka_unit_test(test_spare_connection),
		cmocka_unit_test(test_silent_stranger),
		cmocka_unit_test(test_flood),
		cmocka_unit_test(test_garbage_of_an_agent),
		cmocka_unit_test(test_no_return),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
