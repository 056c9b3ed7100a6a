// SPDX-License-Identifier: Apache-2.0
// Unit tests of a step's mark: what had come when more was waited for.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "probes/xport/flow.h"
#include "topo/base/clock.h"

/* Data that comes in given parts; each is waited for. */
struct scripted {
	struct xport_port port;
	const size_t *parts;
	size_t n, at;
};

static enum fp_status scripted_recv(struct xport_flow *flow, struct fp_err *err)
{
	struct scripted *s = (struct scripted *)flow->ep;

	(void)err;
	assert_true(s->at < s->n);
	flow->done += s->parts[s->at++];
	flow->dry = true;
	return FP_OK;
}

static unsigned scripted_fds(const struct xport_flow *flow, short events,
                             struct pollfd *fds)
{
	(void)flow;
	(void)events;
	(void)fds;
	return 0;
}

static const struct xport_flow_ops scripted_flow_ops = {
	.recv = scripted_recv,
	.fds = scripted_fds,
};

static const struct xport_ops scripted_ops = {
	.step = xport_flow_step,
	.flow = &scripted_flow_ops,
};

static struct xport_mark mark_of(const size_t *parts, size_t n)
{
	struct scripted s = {
		.port = { .ep = { .ops = &scripted_ops } },
		.parts = parts,
		.n = n,
	};
	struct xport_mark mark = { 0 };
	uint8_t buf[1000];
	const struct xport_step step = {
		.from = &s.port.ep,
		.rbuf = buf,
		.rx_len = sizeof(buf),
		.deadline_ns = fp_after_ns(60),
		.mark = &mark,
	};
	struct fp_err err = { 0 };

	assert_int_equal(xport_step_run(&step, 0, &err), FP_OK);
	assert_int_equal(s.at, n);
	return mark;
}

static void test_the_last_wait_is_marked(void **state)
{
	static const size_t parts[] = { 300, 0, 200, 500 };
	int64_t begin_ns = fp_now_ns();
	struct xport_mark mark = mark_of(parts, 4);

	(void)state;
	assert_int_equal(mark.bytes, 500);
	assert_true(mark.t_ns >= begin_ns && mark.t_ns <= fp_now_ns());
}

static void test_no_wait_no_mark(void **state)
{
	static const size_t parts[] = { 1000 };

	(void)state;
	assert_int_equal(mark_of(parts, 1).t_ns, 0);
}

/* It says nothing about when what came before the step had come. */
static void test_waiting_for_the_first_byte_is_none(void **state)
{
	static const size_t parts[] = { 0, 1000 };

	(void)state;
	assert_int_equal(mark_of(parts, 2).t_ns, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_last_wait_is_marked),
		cmocka_unit_test(test_no_wait_no_mark),
		cmocka_unit_test(test_waiting_for_the_first_byte_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
