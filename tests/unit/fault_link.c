// SPDX-License-Identifier: Apache-2.0
// A connection over the loop transport, its receiving end with faults.
#include "tests/unit/fault_link.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "topo/base/clock.h"

struct trial fault_link_trial(uint16_t op, uint64_t bytes)
{
	return (struct trial){
		.id = 5,
		.xport = XPORT_AUTO,
		.op = op,
		.bytes = bytes,
		.src = 1,
		.dst = 3,
		.time_s = 0.02,
		.deadline_s = FAULT_LINK_LIMIT_S,
		.seed = 1,
	};
}

void fault_link_open(struct fault_link *l, const struct trial *t,
                     const char *rules)
{
	struct xport_peer peer = { .trial = &l->trial, .me = 1, .peer = 0 };
	struct measure_needs near, far;
	struct fp_err err = { 0 };

	*l = (struct fault_link){ .trial = *t };
	l->set.rank = 3;
	l->set.start_ns = fp_now_ns();
	l->set.board = &l->board;
	assert_int_equal(fault_set_parse(rules, &l->set, &err), FP_OK);
	assert_int_equal(measure_needs(t, 2, 0, &near, &err), FP_OK);
	assert_int_equal(measure_needs(t, 2, 1, &far, &err), FP_OK);
	l->net = loop_net_open(&l->board, t->id, 65536);
	loop_net_pair(l->net, near.data_bytes, far.data_bytes, &l->near,
	              &l->far);
	assert_int_equal(fault_wrap(&l->set, &peer, 1, &l->far, &err), FP_OK);
}

void fault_link_close(struct fault_link *l)
{
	l->far->ops->ep_close(l->far);
	loop_net_close(l->net);
	fault_set_done(&l->set);
}
