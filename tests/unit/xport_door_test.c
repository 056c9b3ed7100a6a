// SPDX-License-Identifier: Apache-2.0
// Who is let in at the tcp transport's door, and who is not.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "probes/xport/tcp.h"
#include "tests/unit/xport_rig.h"

#define SILENT (DOOR_PENDING_MAX + 6) /* more than a door keeps waiting */

static const struct xport_ops *const ops = &xport_tcp_ops;

static enum xport_side side_of(const struct rig *r)
{
	return r->me == 0 ? XPORT_PASSIVE : XPORT_ACTIVE;
}

static void peer_address(struct rig *r, uint32_t peer, struct tcp_addr *addr,
                         struct tcp_ports *ports)
{
	struct tcp_addr mine;

	RIG_CHECK(r, tcp_addr_parse(r->env.addr, &mine, &r->err) == FP_OK);
	RIG_CHECK(r, tcp_blob_read(&r->blobs[peer], &mine, addr, ports,
	                           &r->err) == FP_OK);
}

static int stranger_connect(struct rig *r)
{
	struct tcp_addr addr;
	struct tcp_ports ports;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	peer_address(r, 0, &addr, &ports);
	RIG_CHECK(r, fd >= 0);
	RIG_CHECK(r, connect(fd, (const struct sockaddr *)&addr.ss, addr.len) ==
	                     0);
	return fd;
}

/* What strangers say: the right words but for one. */
static struct door_words stranger_words(const struct rig *r, unsigned kind)
{
	struct door_words w =
		door_words_make(r->setup.data_token, r->trial.id, 1, 0, 0);

	w.token[15] ^= kind == 0;
	w.trial += kind == 1;
	w.to += kind == 2;
	w.parts = kind == 3 ? 2 : 1;
	w.part = kind == 4 ? 1 : 0;
	w.version ^= kind == 5;
	w.kind = kind == 6 ? DOOR_WELCOME : DOOR_HELLO;
	return w;
}

#define WORD_KINDS 7

/* Member 1 comes after strangers of every kind; none of them disturbs. */
static void strangers_body(struct rig *r, const void *arg)
{
	static const char garbage[] = "GET / HTTP/1.0\r\n\r\n";
	struct outcome o = { .trial = r->trial.id };
	struct door_words words;
	struct xport_ep *ep;
	int silent[SILENT], others[WORD_KINDS + 1];
	const int n = WORD_KINDS + 1;
	uint8_t byte = 0;
	int i;

	(void)arg;
	for (i = 0; r->me == 1 && i < SILENT; i++)
		silent[i] = stranger_connect(r);
	for (i = 0; r->me == 1 && i < n; i++) {
		words = stranger_words(r, (unsigned)i);
		others[i] = stranger_connect(r);
		RIG_CHECK(r,
		          send(others[i],
		               i < WORD_KINDS ? (const void *)&words : garbage,
		               i < WORD_KINDS ? sizeof(words) : sizeof(garbage),
		               MSG_NOSIGNAL) > 0);
	}
	ep = rig_connect(r, !r->me, 0, side_of(r), 1);
	r->ops->unlisten(r->x);
	if (r->me == 1)
		rig_send(r, ep, 1);
	else
		rig_recv(r, ep, &byte, 1);
	r->ops->counters(ep, &o);
	RIG_CHECK(r, outcome_get(&o, COUNTER_STRANGERS, 0) ==
	                     (r->me ? 0 : SILENT + n));
	r->ops->ep_close(ep);
	for (i = 0; r->me == 1 && i < SILENT; i++)
		close(silent[i]);
	for (i = 0; r->me == 1 && i < n; i++)
		close(others[i]);
}

static void test_strangers(void **state)
{
	const struct rig_plan plan = {
		.ops = ops,
		.n = 2,
		.body = strangers_body,
	};

	(void)state;
	rig_run(&plan);
}

/* A listener that answers other words than the peer's is not the peer. */
static void impostor_body(struct rig *r, const void *arg)
{
	struct sockaddr_in addr = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t len = sizeof(addr);
	struct tcp_addr mine;
	struct tcp_ports ports = { .udp = 1 };
	struct door_words words;
	int fd, guest;

	(void)arg;
	if (r->me == 0) {
		rig_hear(r, 1);
		RIG_CHECK(r,
		          recv(r->links[1], &r->blobs[1], sizeof(r->blobs[1]),
		               MSG_WAITALL) == sizeof(r->blobs[1]));
		RIG_CHECK(r, rig_try(r, 1, XPORT_ACTIVE, RIG_LONG_S) ==
		                     FP_ERR_PROTO);
		return;
	}
	fd = socket(AF_INET, SOCK_STREAM, 0);
	RIG_CHECK(r, bind(fd, (struct sockaddr *)&addr, len) == 0);
	RIG_CHECK(r, listen(fd, 1) == 0);
	RIG_CHECK(r, getsockname(fd, (struct sockaddr *)&addr, &len) == 0);
	ports.tcp = ntohs(addr.sin_port);
	RIG_CHECK(r, tcp_addr_parse(r->env.addr, &mine, &r->err) == FP_OK);
	r->blobs[1] = tcp_blob_make(&mine, ports);
	rig_say(r, 0);
	RIG_CHECK(r, send(r->links[0], &r->blobs[1], sizeof(r->blobs[1]), 0) ==
	                     sizeof(r->blobs[1]));
	guest = accept(fd, NULL, NULL);
	RIG_CHECK(r, recv(guest, &words, sizeof(words), MSG_WAITALL) ==
	                     sizeof(words));
	memset(words.token, 0, sizeof(words.token));
	RIG_CHECK(r, send(guest, &words, sizeof(words), MSG_NOSIGNAL) > 0);
	close(guest);
	close(fd);
}

static void test_impostor(void **state)
{
	const struct rig_plan plan = {
		.ops = ops,
		.n = 2,
		.body = impostor_body,
	};

	(void)state;
	rig_run(&plan);
}

/* A door that hangs up before its welcome is tried again. */
static void again_body(struct rig *r, const void *arg)
{
	struct pollfd door = {
		.fd = ((struct tcp *)r->x)->door.fd,
		.events = POLLIN,
	};
	struct xport_ep *ep;

	(void)arg;
	if (r->me == 0) {
		RIG_CHECK(r, poll(&door, 1, (int)(1000 * RIG_LONG_S)) == 1);
		RIG_CHECK(r, close(accept(door.fd, NULL, NULL)) == 0);
	}
	ep = rig_connect(r, !r->me, 0, side_of(r), 0);
	r->ops->ep_close(ep);
}

static void test_again(void **state)
{
	const struct rig_plan plan = {
		.ops = ops,
		.n = 2,
		.body = again_body,
	};

	(void)state;
	rig_run(&plan);
}

/* A door of its own, and the one who serves it. */
struct bed {
	struct door door;
	struct sockaddr_in addr;
	struct door_words words;
};

static const uint8_t token[WIRE_TOKEN_BYTES] = "another sixteen";

static void bed_open(struct bed *b)
{
	const struct door_rules rules = {
		.token = token,
		.trial = 1,
		.parts = 1,
		.edges = 2,
	};
	socklen_t len = sizeof(b->addr);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	b->door = DOOR_SHUT;
	b->addr = (struct sockaddr_in){
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	b->words = door_words_make(token, 1, 3, 0, 5);
	assert_int_equal(bind(fd, (struct sockaddr *)&b->addr, len), 0);
	assert_int_equal(listen(fd, 8), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&b->addr, &len), 0);
	assert_int_equal(door_open(&b->door, fd, &rules, NULL), FP_OK);
}

static int bed_call(const struct bed *b)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(
		connect(fd, (const struct sockaddr *)&b->addr, sizeof(b->addr)),
		0);
	return fd;
}

/* Say the words on a connection of its own, which is let in or turned away;
 * then there are @guests. */
static int bed_say(struct bed *b, const struct door_words *words, size_t guests)
{
	const size_t before = b->door.n_guests + b->door.strangers;
	struct pollfd fds[DOOR_FDS];
	int fd = bed_call(b);

	assert_int_equal(send(fd, words, sizeof(*words), MSG_NOSIGNAL),
	                 sizeof(*words));
	do {
		assert_true(poll(fds, door_fds(&b->door, fds), 5000) > 0);
		assert_int_equal(door_serve(&b->door, 0, fds, NULL), FP_OK);
	} while (b->door.n_guests + b->door.strangers == before);
	assert_int_equal(b->door.n_guests, guests);
	return fd;
}

static void test_guests(void **state)
{
	struct door_words other, third;
	struct door_guest guest;
	struct outcome o = { .trial = 1 };
	struct bed b;
	int fds[5], i;
	char byte;

	(void)state;
	bed_open(&b);
	other = third = b.words;
	other.from++;
	third.lane++;
	fds[0] = bed_say(&b, &b.words, 1);
	fds[1] = bed_say(&b, &b.words, 1);
	fds[2] = bed_say(&b, &other, 2);
	fds[3] = bed_say(&b, &third, 2);
	fds[4] = bed_call(&b);
	assert_true(door_complete(&b.door, 3, 5));
	assert_false(door_complete(&b.door, 3, 6));
	assert_true(door_take(&b.door, 3, 5, 0, &guest));
	assert_false(door_take(&b.door, 3, 5, 0, &guest));
	door_shut(&b.door);
	/* the one that nobody took has been hung up, after its welcome */
	assert_int_equal(recv(fds[2], &other, sizeof(other), MSG_WAITALL),
	                 sizeof(other));
	assert_int_equal(recv(fds[2], &byte, 1, 0), 0);
	door_strangers(&b.door, &o);
	assert_int_equal(outcome_get(&o, COUNTER_STRANGERS, 0), 3);
	close(guest.fd);
	for (i = 0; i < 5; i++)
		close(fds[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_strangers),
		cmocka_unit_test(test_impostor),
		cmocka_unit_test(test_again),
		cmocka_unit_test(test_guests),
	};

	return cmocka_run_group_tests_name("xport_door", tests, NULL, NULL);
}
