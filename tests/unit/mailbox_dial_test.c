// SPDX-License-Identifier: Apache-2.0
// Finding rank 0 among addresses that refuse, are silent, or lie.
#include <arpa/inet.h>
#include <event2/event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "mpi/mailbox/sock.h"
#include "tests/unit/mailbox_bed.h"
#include "topo/base/clock.h"
#include "topo/base/fmt.h"

#define FILLERS 8

static void meet_set(struct bed *bed, const char *const *addrs, uint32_t n)
{
	bed->meet.n_addrs = n;
	for (uint32_t i = 0; i < n; i++)
		fp_copy(bed->meet.addrs[i], BOOT_ADDR_MAX, addrs[i]);
}

/* A service on the mailbox's port, but another address, that says nothing. */
static int foreign_listen(const struct bed *bed, const char *addr)
{
	struct fp_err err = { 0 };
	int fd = -1;

	(void)mailbox_sock_listen(addr, bed->meet.port, &fd, &err);
	assert_string_equal(err.text, "");
	return fd;
}

static void test_refusing_addresses(void **state)
{
	static const char *const addrs[] = { "127.0.0.2", "127.0.0.3",
		                             "127.0.0.1" };
	struct bed_link l;
	struct bed bed;

	(void)state;
	bed_open(&bed);
	meet_set(&bed, addrs, 3);
	bed_agent(&bed, 1, &l);
	assert_int_equal(bed.strangers, 0);
	mailbox_link_close(l.link);
	bed_close(&bed);
}

/* Its queue of connections is full, so it neither takes nor refuses more:
 * what a packet filter that drops looks like from here. */
static void test_dead_address(void **state)
{
	static const char *const addrs[] = { "127.0.0.2", "127.0.0.1" };
	struct sockaddr_in sin = { .sin_family = AF_INET };
	int fillers[FILLERS], dead;
	struct bed_link l;
	struct bed bed;

	(void)state;
	bed_open(&bed);
	meet_set(&bed, addrs, 2);
	dead = foreign_listen(&bed, "127.0.0.2");
	assert_int_equal(listen(dead, 0), 0);
	sin.sin_port = htons((uint16_t)bed.meet.port);
	sin.sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1);
	for (size_t i = 0; i < FILLERS; i++) {
		fillers[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
		(void)connect(fillers[i], (const struct sockaddr *)&sin,
		              sizeof(sin));
	}
	bed_agent(&bed, 1, &l);
	mailbox_link_close(l.link);
	for (size_t i = 0; i < FILLERS; i++)
		close(fillers[i]);
	close(dead);
	bed_close(&bed);
}

/* It connects, takes our hello and says nothing: not rank 0. */
static void test_mute_address(void **state)
{
	static const char *const addrs[] = { "127.0.0.2", "127.0.0.1" };
	struct bed_link l;
	struct bed bed;
	int mute;

	(void)state;
	bed_open(&bed);
	bed.opts.hello_s = 0.1;
	meet_set(&bed, addrs, 2);
	mute = foreign_listen(&bed, "127.0.0.2");
	bed_agent(&bed, 1, &l);
	assert_int_equal(bed.hellos, 1);
	mailbox_link_close(l.link);
	close(mute);
	bed_close(&bed);
}

static enum fp_status try_link(struct bed *bed, double within_s,
                               struct fp_err *err)
{
	const struct wire_hello hello = bed_hello(bed, 1);

	return bed_dial(bed, &hello, within_s, err);
}

static void test_nobody_answers(void **state)
{
	static const char *const addrs[] = { "127.0.0.3", "127.0.0.2" };
	struct fp_err err = { 0 };
	struct bed bed;
	int mute;

	(void)state;
	bed_open(&bed);
	meet_set(&bed, addrs, 2);
	mute = foreign_listen(&bed, "127.0.0.2");
	assert_int_equal(try_link(&bed, 0.3, &err), FP_ERR_TIMEOUT);
	assert_non_null(strstr(err.text, "127.0.0.3: Connection refused"));
	assert_non_null(strstr(err.text, "127.0.0.2: connects, then says "));
	close(mute);
	bed_close(&bed);
}

static void test_no_address(void **state)
{
	static const char *const addrs[] = { "localhost" };
	struct fp_err err = { 0 };
	struct bed bed;

	(void)state;
	bed_open(&bed);
	meet_set(&bed, addrs, 1);
	assert_int_equal(try_link(&bed, 0.1, &err), FP_ERR_TIMEOUT);
	assert_non_null(strstr(err.text, "localhost: not a numeric address"));
	bed_close(&bed);
}

static void rank0_comes(evutil_socket_t fd, short what, void *arg)
{
	struct bed *bed = arg;

	(void)fd;
	(void)what;
	bed->fd = foreign_listen(bed, "127.0.0.1");
	bed_listen(bed);
}

/* Agents that are started before rank 0 wait for it. */
static void test_rank0_is_late(void **state)
{
	const struct timeval later = { .tv_usec = 200000 };
	struct bed_link l;
	struct bed bed;

	(void)state;
	bed_open(&bed);
	mailbox_close(bed.box);
	bed.box = NULL;
	assert_int_equal(event_base_once(bed.base, -1, EV_TIMEOUT, rank0_comes,
	                                 &bed, &later),
	                 0);
	bed_agent(&bed, 1, &l);
	mailbox_link_close(l.link);
	bed_close(&bed);
}

static void hello_sends(struct bed *bed, int32_t rank)
{
	const uint32_t trial = 1;

	assert_int_equal(mailbox_send(bed->box, rank, WIRE_CANCEL, &trial,
	                              sizeof(trial), NULL),
	                 FP_OK);
}

/* Frames right behind the answer wait until the caller has its link. */
static void test_first_frames(void **state)
{
	struct bed_link l;
	struct bed bed;

	(void)state;
	bed_open(&bed);
	bed.on_hello = hello_sends;
	bed_agent(&bed, 1, &l);
	assert_int_equal(l.frames, 0);
	bed_until(&bed, &l.frames, 1);
	mailbox_link_close(l.link);
	bed_close(&bed);
}

static void hello_sends_and_closes(struct bed *bed, int32_t rank)
{
	hello_sends(bed, rank);
	mailbox_close(bed->box);
	bed->box = NULL;
}

/* Answer, frame and end in one piece: the frame is not overtaken. */
static void test_last_frame(void **state)
{
	struct bed_link l;
	struct bed bed;

	(void)state;
	bed_open(&bed);
	bed.on_hello = hello_sends_and_closes;
	bed_agent(&bed, 1, &l);
	bed_until(&bed, &l.lost, 1);
	assert_int_equal(l.frames, 1);
	mailbox_link_close(l.link);
	bed_close(&bed);
}

static void stop_loop(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	event_base_loopbreak(arg);
}

static void test_told_to_stop(void **state)
{
	const struct timeval later = { .tv_usec = 1000 };
	struct fp_err err = { 0 };
	struct bed bed;

	(void)state;
	bed_open(&bed);
	mailbox_close(bed.box);
	bed.box = NULL;
	assert_int_equal(event_base_once(bed.base, -1, EV_TIMEOUT, stop_loop,
	                                 bed.base, &later),
	                 0);
	assert_int_equal(try_link(&bed, BED_WAIT_S, &err), FP_ERR_INTR);
	bed_close(&bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refusing_addresses),
		cmocka_unit_test(test_dead_address),
		cmocka_unit_test(test_mute_address),
		cmocka_unit_test(test_nobody_answers),
		cmocka_unit_test(test_no_address),
		cmocka_unit_test(test_rank0_is_late),
		cmocka_unit_test(test_first_frames),
		cmocka_unit_test(test_last_frame),
		cmocka_unit_test(test_told_to_stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
