// SPDX-License-Identifier: Apache-2.0
// The tcp transport between real processes.
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "probes/xport/tcp.h"
#include "tests/unit/xport_cases.h"
#include "topo/base/fmt.h"

static const struct xport_ops *const ops = &xport_tcp_ops;

static enum xport_side side_of(const struct rig *r)
{
	return r->me == 0 ? XPORT_PASSIVE : XPORT_ACTIVE;
}

static void four_streams(struct rig *r, const void *arg)
{
	(void)arg;
	r->setup.streams = 4;
}

static void ipv6(struct rig *r, const void *arg)
{
	(void)arg;
	fp_copy(r->env.addr, sizeof(r->env.addr), "::1");
}

static bool has_ipv6(void)
{
	const struct sockaddr_in6 addr = {
		.sin6_family = AF_INET6,
		.sin6_addr = IN6ADDR_LOOPBACK_INIT,
	};
	int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool ok = fd >= 0 &&
	          bind(fd, (const struct sockaddr *)&addr, sizeof(addr)) == 0;

	if (fd >= 0)
		close(fd);
	return ok;
}

static void test_integrity(void **state)
{
	(void)state;
	case_integrity(ops, NULL);
}

static void test_streams(void **state)
{
	(void)state;
	case_integrity(ops, four_streams);
}

static void test_ipv6(void **state)
{
	(void)state;
	if (!has_ipv6()) {
		print_message("           no IPv6 here\n");
		skip();
	}
	case_integrity(ops, ipv6);
}

static void test_rings(void **state)
{
	(void)state;
	case_rings(ops);
}

static void test_mesh(void **state)
{
	(void)state;
	case_mesh(ops);
}

static void test_never_comes(void **state)
{
	(void)state;
	case_never_comes(ops, true);
}

static void test_stopped(void **state)
{
	(void)state;
	case_stopped(ops);
}

static void test_killed(void **state)
{
	(void)state;
	case_killed(ops);
}

static void test_closed(void **state)
{
	(void)state;
	case_closed(ops);
}

static void test_refused(void **state)
{
	(void)state;
	case_refused(ops);
}

static void test_aborted(void **state)
{
	(void)state;
	case_aborted(ops);
}

#define COUNTED ((size_t)1 << 20)

static void counters_body(struct rig *r, const void *arg)
{
	static uint8_t buf[COUNTED];
	struct outcome o = { .trial = r->trial.id };
	struct xport_ep *ep = rig_connect(r, !r->me, 0, side_of(r), COUNTED);

	(void)arg;
	if (r->me == 0)
		rig_send(r, ep, COUNTED);
	else
		rig_recv(r, ep, buf, COUNTED);
	r->ops->counters(ep, &o);
	RIG_CHECK(r, outcome_get(&o, COUNTER_RETRANS, -1) >= 0);
	RIG_CHECK(r, r->me || outcome_get(&o, COUNTER_SEGS_OUT, -1) > 0);
	RIG_CHECK(r, outcome_get(&o, COUNTER_SND_MSS, -1) > 0);
	RIG_CHECK(r, outcome_get(&o, COUNTER_PMTU, -1) > 0);
	RIG_CHECK(r, outcome_get(&o, COUNTER_RTT_NS, -1) > 0);
	RIG_CHECK(r, strcmp(o.cc, "reno") == 0);
	r->ops->ep_close(ep);
}

static void reno(struct rig *r, const void *arg)
{
	(void)arg;
	fp_copy(r->setup.tcp_cc, sizeof(r->setup.tcp_cc), "reno");
	r->setup.streams = 2;
}

static void test_counters(void **state)
{
	const struct rig_plan plan = {
		.ops = ops,
		.n = 2,
		.body = counters_body,
		.adjust = reno,
	};

	(void)state;
	rig_run(&plan);
}

/* What was on its way in a step that failed is given up, not delivered. */
static void broken_body(struct rig *r, const void *arg)
{
	static uint8_t buf[4 * COUNTED];
	struct xport_ep *ep =
		rig_connect(r, !r->me, 0, side_of(r), sizeof(buf));
	struct xport_step step = { .to = ep, .tx_len = sizeof(buf) };

	(void)arg;
	if (r->me == 0) {
		RIG_CHECK(r, rig_step(r, step, 0.1) == FP_ERR_TIMEOUT);
		r->ops->ep_close(ep);
		rig_say(r, 1);
		return;
	}
	rig_hear(r, 0);
	step = (struct xport_step){
		.from = ep,
		.rbuf = buf,
		.rx_len = sizeof(buf),
	};
	RIG_CHECK(r, rig_step(r, step, RIG_LONG_S) == FP_ERR_PEER);
	RIG_CHECK(r, strstr(r->err.text, "reset"));
	r->ops->ep_close(ep);
}

static void small_buffers(struct rig *r, const void *arg)
{
	(void)arg;
	r->setup.sockbuf = 65536;
}

static void test_broken(void **state)
{
	const struct rig_plan plan = {
		.ops = ops,
		.n = 2,
		.body = broken_body,
		.adjust = small_buffers,
	};

	(void)state;
	rig_run(&plan);
}

static const struct {
	const char *addr, *cc, *says;
} unusable[] = {
	{ "", "", "no data address" },
	{ "localhost", "", "'localhost' is no numeric address" },
	{ "192.0.2.1", "", "bind to 192.0.2.1" },
	{ "127.0.0.1", "no-such", "congestion control 'no-such'" },
};

static void test_probe(void **state)
{
	struct wire_setup setup;
	struct xport_env env = { .setup = &setup };
	struct fp_err err;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(unusable) / sizeof(unusable[0]); i++) {
		err.status = FP_OK;
		setup = (struct wire_setup){ .streams = 1 };
		fp_copy(env.addr, sizeof(env.addr), unusable[i].addr);
		fp_copy(setup.tcp_cc, sizeof(setup.tcp_cc), unusable[i].cc);
		assert_int_equal(ops->probe(&env, &err), FP_ERR_NOTSUP);
		assert_non_null(strstr(err.text, unusable[i].says));
	}
}

static void test_blobs(void **state)
{
	const struct tcp_ports ports = { .tcp = 80, .udp = 81 };
	struct wire_blob none = { .bytes = { 0 } }, blob;
	struct tcp_addr v4, v6, addr;
	struct fp_err err = { .status = FP_OK };
	struct tcp_ports got;
	char name[TCP_NAME_MAX];

	(void)state;
	assert_int_equal(tcp_addr_parse("10.0.0.2", &v4, &err), FP_OK);
	assert_int_equal(tcp_addr_parse("fe80::1%lo", &v6, &err), FP_OK);
	blob = tcp_blob_make(&v4, ports);
	assert_int_equal(tcp_blob_read(&blob, &v4, &addr, &got, &err), FP_OK);
	assert_string_equal(tcp_addr_name(&addr, name), "10.0.0.2 port 80");
	assert_int_equal(got.udp, 81);
	assert_int_equal(tcp_blob_read(&blob, &v6, &addr, &got, &err),
	                 FP_ERR_PEER);
	blob = tcp_blob_make(&v6, ports);
	assert_int_equal(tcp_blob_read(&blob, &v6, &addr, &got, &err), FP_OK);
	assert_string_equal(tcp_addr_name(&addr, name), "fe80::1 port 80");
	assert_int_not_equal(
		((const struct sockaddr_in6 *)&addr.ss)->sin6_scope_id, 0);
	assert_int_equal(tcp_blob_read(&none, &v4, &addr, &got, &err),
	                 FP_ERR_PROTO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_integrity),
		cmocka_unit_test(test_streams),
		cmocka_unit_test(test_ipv6),
		cmocka_unit_test(test_rings),
		cmocka_unit_test(test_mesh),
		cmocka_unit_test(test_never_comes),
		cmocka_unit_test(test_stopped),
		cmocka_unit_test(test_killed),
		cmocka_unit_test(test_closed),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_aborted),
		cmocka_unit_test(test_counters),
		cmocka_unit_test(test_broken),
		cmocka_unit_test(test_probe),
		cmocka_unit_test(test_blobs),
	};

	return cmocka_run_group_tests_name("xport_tcp", tests, NULL, NULL);
}
