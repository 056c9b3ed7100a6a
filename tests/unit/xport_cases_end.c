// SPDX-License-Identifier: Apache-2.0
// How a host transport must end: late, killed, closed, refused, aborted.
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "tests/unit/xport_cases.h"

#define SOON_S 0.2             /* of a deadline that is meant to pass */
#define BULK ((size_t)4 << 20) /* more than small socket buffers hold */
#define SMALL_BUFFERS 65536

static enum xport_side side_of(const struct rig *r)
{
	return r->me == 0 ? XPORT_ACTIVE : XPORT_PASSIVE;
}

static void small_buffers(struct rig *r, const void *arg)
{
	(void)arg;
	r->setup.sockbuf = SMALL_BUFFERS;
}

/* Member 1 listens, but does nothing; member 0 is the one or the other. */
static void never_body(struct rig *r, const void *arg)
{
	const bool waits = *(const bool *)arg;

	if (r->me == 1) {
		rig_hear(r, 0);
		return;
	}
	RIG_CHECK(r, !waits || rig_try(r, 1, XPORT_ACTIVE, SOON_S) ==
	                               FP_ERR_TIMEOUT);
	RIG_CHECK(r, !waits || strstr(r->err.text, "no answer to the hello"));
	RIG_CHECK(r, rig_try(r, 1, XPORT_PASSIVE, SOON_S) == FP_ERR_TIMEOUT);
	RIG_CHECK(r, strstr(r->err.text, "nobody came"));
	rig_say(r, 1);
}

void case_never_comes(const struct xport_ops *ops, bool waits)
{
	const struct rig_plan plan = {
		.ops = ops,
		.n = 2,
		.body = never_body,
		.arg = &waits,
	};

	rig_run(&plan);
}

static void stopped_member(struct rig *r, struct xport_ep *ep)
{
	uint8_t *buf = malloc(BULK);
	struct xport_step step = { .to = ep, .tx_len = BULK };
	int64_t start_ns = fp_now_ns();
	int status;

	RIG_CHECK(r, buf != NULL);
	RIG_CHECK(r, waitpid(r->children[1], &status, WUNTRACED) ==
	                             r->children[1] &&
	                     WIFSTOPPED(status));
	RIG_CHECK(r, rig_step(r, step, SOON_S) == FP_ERR_TIMEOUT);
	RIG_CHECK(r, strstr(r->err.text, "then the time was up"));
	step = (struct xport_step){ .from = ep, .rbuf = buf, .rx_len = 8 };
	RIG_CHECK(r, rig_step(r, step, SOON_S) == FP_ERR_TIMEOUT);
	RIG_CHECK(r, fp_now_ns() - start_ns >= (int64_t)(2e9 * SOON_S));
	RIG_CHECK(r, kill(r->children[1], SIGKILL) == 0);
	free(buf);
}

static void stopped_body(struct rig *r, const void *arg)
{
	struct xport_ep *ep = rig_connect(r, !r->me, 0, side_of(r), BULK);

	(void)arg;
	if (r->me == 1)
		raise(SIGSTOP);
	stopped_member(r, ep);
	r->ops->ep_close(ep);
}

void case_stopped(const struct xport_ops *ops)
{
	const struct rig_plan plan = {
		.ops = ops,
		.n = 2,
		.body = stopped_body,
		.adjust = small_buffers,
		.killed = SIGKILL,
	};

	rig_run(&plan);
}

static void killed_body(struct rig *r, const void *arg)
{
	struct xport_ep *ep = rig_connect(r, !r->me, 0, side_of(r), BULK);
	struct xport_step step = { .to = ep, .tx_len = BULK };
	uint8_t byte;

	(void)arg;
	if (r->me == 1) {
		/* the peer is within its step then */
		rig_recv(r, ep, &byte, 1);
		raise(SIGKILL);
	}
	RIG_CHECK(r, rig_step(r, step, RIG_LONG_S) == FP_ERR_PEER);
	step = (struct xport_step){ .from = ep, .rbuf = &byte, .rx_len = 1 };
	RIG_CHECK(r, rig_step(r, step, RIG_LONG_S) == FP_ERR_PEER);
	r->ops->ep_close(ep);
}

void case_killed(const struct xport_ops *ops)
{
	const struct rig_plan plan = {
		.ops = ops,
		.n = 2,
		.body = killed_body,
		.adjust = small_buffers,
		.killed = SIGKILL,
	};

	rig_run(&plan);
}

static void closed_body(struct rig *r, const void *arg)
{
	struct xport_ep *ep = rig_connect(r, !r->me, 0, side_of(r), 40);
	uint8_t buf[40];
	struct xport_step step = { .from = ep, .rbuf = buf, .rx_len = 40 };

	(void)arg;
	rig_barrier(r);
	if (r->me == 1) {
		rig_fill(r->ops->tx_region(ep), 40, 1);
		rig_send(r, ep, 40);
		r->ops->ep_close(ep);
		rig_say(r, 0);
		return;
	}
	rig_hear(r, 1);
	rig_recv(r, ep, buf, 40);
	RIG_CHECK(r, rig_wrong(buf, 40, 1) == 0);
	RIG_CHECK(r, rig_step(r, step, RIG_LONG_S) == FP_ERR_PEER);
	r->ops->ep_close(ep);
}

void case_closed(const struct xport_ops *ops)
{
	const struct rig_plan plan = {
		.ops = ops,
		.n = 2,
		.body = closed_body,
	};

	rig_run(&plan);
}

static void refused_body(struct rig *r, const void *arg)
{
	(void)arg;
	if (r->me == 1) {
		r->ops->unlisten(r->x);
		r->ops->unlisten(r->x);
		rig_say(r, 0);
		return;
	}
	rig_hear(r, 1);
	RIG_CHECK(r, rig_try(r, 1, XPORT_ACTIVE, RIG_LONG_S) == FP_ERR_PEER);
	RIG_CHECK(r, strstr(r->err.text, "connection refused by"));
}

void case_refused(const struct xport_ops *ops)
{
	const struct rig_plan plan = {
		.ops = ops,
		.n = 2,
		.body = refused_body,
	};

	rig_run(&plan);
}

/* Member 1 aborts member 0 when it knows that it is within its step. */
static void aborted_body(struct rig *r, const void *arg)
{
	struct xport_ep *ep = rig_connect(r, !r->me, 0, side_of(r), 1);
	uint8_t byte;
	const struct xport_step step = {
		.to = ep,
		.tx_len = 1,
		.from = ep,
		.rbuf = &byte,
		.rx_len = 1,
	};

	(void)arg;
	if (r->me == 1) {
		rig_recv(r, ep, &byte, 1);
		atomic_store(&r->boards[0].abort, r->trial.id);
		rig_hear(r, 0);
	} else {
		RIG_CHECK(r, rig_step(r, step, RIG_LONG_S) == FP_ERR_INTR);
		RIG_CHECK(r, rig_step(r, step, RIG_LONG_S) == FP_ERR_INTR);
		RIG_CHECK(r, rig_try(r, 1, XPORT_PASSIVE, RIG_LONG_S) ==
		                     FP_ERR_INTR);
		rig_say(r, 1);
	}
	r->ops->ep_close(ep);
}

void case_aborted(const struct xport_ops *ops)
{
	const struct rig_plan plan = {
		.ops = ops,
		.n = 2,
		.body = aborted_body,
	};

	rig_run(&plan);
}
