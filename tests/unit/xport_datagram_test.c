// SPDX-License-Identifier: Apache-2.0
// Numbered datagrams of the tcp transport, in a network of the test's own.
#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "probes/xport/tcp.h"
#include "tests/unit/xport_rig.h"
#include "topo/base/fmt.h"

/** struct shape - a loopback of @mtu bytes, and what comes of it. */
struct shape {
	const char *name, *addr;
	int mtu;       /* the device's */
	int32_t known; /* what the transport is told */
	int64_t full_sent, full_rcvd, full_bytes;
	int strangers, again; /* junk; times that all is sent again */
};

static const struct shape shapes[] = {
	{ "plain", "127.0.0.1", 1500, 1500, 8, 8, 1500, 0, 0 },
	{ "jumbo", "127.0.0.1", 9000, 9000, 8, 8, 9000, 0, 0 },
	{ "largest", "127.0.0.1", 65536, 65536, 8, 8, 65535, 0, 0 },
	{ "ipv6", "::1", 1500, 1500, 8, 8, 1500, 0, 0 },
	{ "too big for the device", "127.0.0.1", 1500, 9000, 0, 0, 9000, 0, 0 },
	{ "with strangers", "127.0.0.1", 1500, 1500, 8, 8, 1500, 5, 0 },
	{ "every one twice", "127.0.0.1", 1500, 1500, 8, 8, 1500, 0, 1 },
};

/* A network namespace for this process and its children, with a loopback. */
static bool network_make(const struct shape *shape)
{
	struct ifreq req = { .ifr_name = "lo" };
	bool ok;
	int fd;

	if (unshare(CLONE_NEWNET) != 0 &&
	    unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0)
		return false;
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	req.ifr_mtu = shape->mtu;
	ok = fd >= 0 && ioctl(fd, SIOCSIFMTU, &req) == 0;
	req.ifr_flags = IFF_UP;
	ok = ok && ioctl(fd, SIOCSIFFLAGS, &req) == 0;
	if (fd >= 0)
		close(fd);
	return ok;
}

/* As tcp_datagram.c lays it out: all right, but for the hash at its end. */
struct forged {
	uint32_t magic, trial, from, to;
	uint16_t size, number;
	uint32_t ip_bytes;
	uint64_t mac;
	uint8_t rest[32];
};

/* Inventions, that must not count. */
static void strangers_send(struct rig *r, const struct shape *shape)
{
	struct tcp_addr mine, to;
	struct tcp_ports ports;
	const struct forged junk = {
		.magic = 0x44553146,
		.trial = r->trial.id,
		.to = 1,
		.ip_bytes = sizeof(junk) + 28,
	};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), i;

	RIG_CHECK(r, tcp_addr_parse(shape->addr, &mine, &r->err) == FP_OK);
	RIG_CHECK(r, tcp_blob_read(&r->blobs[1], &mine, &to, &ports, &r->err) ==
	                     FP_OK);
	tcp_addr_set_port(&to, ports.udp);
	for (i = 0; i < shape->strangers; i++)
		RIG_CHECK(r, sendto(fd, &junk, sizeof(junk), 0,
		                    (const struct sockaddr *)&to.ss,
		                    to.len) == (ssize_t)sizeof(junk));
	close(fd);
}

static void shape_adjust(struct rig *r, const void *arg)
{
	const struct shape *shape = arg;

	r->env.mtu_bytes = shape->known;
	fp_copy(r->env.addr, sizeof(r->env.addr), shape->addr);
}

static void source(struct rig *r, const struct xport_peer *p,
                   const struct shape *shape)
{
	struct outcome o = { .trial = r->trial.id };
	int i;

	strangers_send(r, shape);
	for (i = 0; i < 1 + shape->again; i++)
		RIG_CHECK(r, r->ops->datagram(r->x, p, &o, &r->err) == FP_OK);
	if (shape->again)
		rig_say(r, 1);
	RIG_CHECK(r, outcome_get(&o, COUNTER_SMALL_SENT, -1) == 8);
	RIG_CHECK(r,
	          outcome_get(&o, COUNTER_FULL_SENT, -1) == shape->full_sent);
	RIG_CHECK(r,
	          outcome_get(&o, COUNTER_FULL_BYTES, -1) == shape->full_bytes);
	RIG_CHECK(r, (shape->full_sent == 0) ==
	                     (strstr(o.err, "cannot be sent") != NULL));
}

static void sink(struct rig *r, const struct xport_peer *p,
                 const struct shape *shape)
{
	struct outcome o = { .trial = r->trial.id };

	if (shape->again)
		rig_hear(r, 0);
	RIG_CHECK(r, r->ops->datagram(r->x, p, &o, &r->err) == FP_OK);
	RIG_CHECK(r, outcome_get(&o, COUNTER_SMALL_RCVD, -1) == 8);
	RIG_CHECK(r,
	          outcome_get(&o, COUNTER_FULL_RCVD, -1) == shape->full_rcvd);
	RIG_CHECK(r, outcome_get(&o, COUNTER_FULL_BYTES, -1) ==
	                     (shape->full_rcvd ? shape->full_bytes : -1));
	RIG_CHECK(r,
	          outcome_get(&o, COUNTER_PATH_BYTES, -1) ==
	                  (shape->full_rcvd ? shape->full_bytes : shape->mtu));
	RIG_CHECK(r, outcome_get(&o, COUNTER_STRANGERS, 0) == shape->strangers);
}

static void datagram_body(struct rig *r, const void *arg)
{
	const struct xport_peer p = {
		.trial = &r->trial,
		.me = r->me,
		.peer = !r->me,
		.side = r->me == 0 ? XPORT_ACTIVE : XPORT_PASSIVE,
		.blob = &r->blobs[!r->me],
		.deadline_ns = fp_after_ns(RIG_LONG_S),
	};

	(r->me == 0 ? source : sink)(r, &p, arg);
}

static void test_shape(void **state)
{
	const struct shape *shape = *state;
	const struct rig_plan plan = {
		.ops = &xport_tcp_ops,
		.n = 2,
		.body = datagram_body,
		.arg = shape,
		.adjust = shape_adjust,
	};

	if (!network_make(shape)) {
		print_message("           no network namespaces here\n");
		skip();
	}
	rig_run(&plan);
}

/* The sink waits for a source that is silent no longer than it should. */
static void silent_body(struct rig *r, const void *arg)
{
	struct outcome o = { .trial = r->trial.id };
	const struct xport_peer p = {
		.trial = &r->trial,
		.me = r->me,
		.peer = !r->me,
		.side = XPORT_PASSIVE,
		.blob = &r->blobs[!r->me],
		.deadline_ns = fp_after_ns(0.1),
	};

	(void)arg;
	RIG_CHECK(r, r->ops->datagram(r->x, &p, &o, &r->err) == FP_OK);
	RIG_CHECK(r, outcome_get(&o, COUNTER_SMALL_RCVD, -1) == 0);
	RIG_CHECK(r, outcome_get(&o, COUNTER_FULL_RCVD, -1) == 0);
	atomic_store(&r->boards[r->me].abort, r->trial.id);
	RIG_CHECK(r, r->ops->datagram(r->x, &p, &o, &r->err) == FP_OK ||
	                     r->err.status == FP_ERR_INTR);
	r->ops->unlisten(r->x);
	r->err.status = FP_OK;
	RIG_CHECK(r, r->ops->datagram(r->x, &p, &o, &r->err) == FP_ERR_USAGE);
}

static void test_silent(void **state)
{
	const struct rig_plan plan = {
		.ops = &xport_tcp_ops,
		.n = 2,
		.body = silent_body,
	};

	(void)state;
	rig_run(&plan);
}

#define N_SHAPES (sizeof(shapes) / sizeof(shapes[0]))

int main(void)
{
	struct CMUnitTest tests[N_SHAPES + 1];
	size_t i;

	tests[0] = (struct CMUnitTest)cmocka_unit_test(test_silent);
	for (i = 0; i < N_SHAPES; i++)
		tests[1 + i] = (struct CMUnitTest){
			.name = shapes[i].name,
			.test_func = test_shape,
			.initial_state = (void *)&shapes[i],
		};
	return cmocka_run_group_tests_name("xport_datagram", tests, NULL, NULL);
}
