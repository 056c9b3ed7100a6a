// SPDX-License-Identifier: Apache-2.0
// One step over whatever transports its two ends use, and how it waits.
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <string.h>

#include "probes/xport/flow.h"
#include "topo/base/clock.h"

#define SPINS_HOT 64     /* without a pause: a latency is some of these */
#define SPINS_MAX 96     /* then let others have the core */
#define CLOCK_EVERY 64   /* rounds between two looks at the clock */
#define SMALL_BYTES 4096 /* a socket's message that waits for a latency */
#define YIELD_MEMORY_NS 1000000
#define YIELD_SOCKET_NS 50000
#define YIELD_LONG_NS 200000 /* somebody else had the core */
#define CROWDED_NS 200000000 /* then so long it is taken to be shared */
#define NAP_MIN_NS 50000 /* memory wakes nobody up: longer and longer naps */
#define NAP_MAX_NS 1000000
#define SLEEP_NS 20000000 /* nor does the abort word */

struct step_wait {
	uint32_t turns;  /* of the loop */
	uint32_t idle;   /* of them in a row without progress */
	int64_t idle_ns; /* since when; 0: not asked yet */
	int64_t nap_ns;
	size_t done; /* at the last progress */
};

struct step_run {
	struct xport_flow tx, rx;
	struct step_wait wait;
	struct xport_mark *mark; /* may be NULL */
	int64_t deadline_ns;
};

static const struct xport_port *flow_port(const struct xport_flow *flow)
{
	return (const struct xport_port *)flow->ep;
}

static bool flow_open(const struct xport_flow *flow)
{
	return flow->done < flow->len;
}

static bool flow_polled(const struct xport_flow *flow)
{
	return flow_open(flow) && flow->ep->ops->flow->polled;
}

static bool flow_small(const struct xport_flow *flow)
{
	return flow->len <= SMALL_BYTES;
}

static enum fp_status flow_aborted(const struct xport_flow *flow,
                                   struct fp_err *err)
{
	const struct xport_port *port = flow_port(flow);

	if (!flow->ep || !port->board)
		return FP_OK;
	if (atomic_load_explicit(&port->board->abort, memory_order_relaxed) !=
	    port->trial)
		return FP_OK;
	return fp_err_set(err, FP_ERR_INTR, "trial %u was called off",
	                  port->trial);
}

static enum fp_status run_aborted(const struct step_run *run,
                                  struct fp_err *err)
{
	enum fp_status status = flow_aborted(&run->tx, err);

	return status != FP_OK ? status : flow_aborted(&run->rx, err);
}

static enum fp_status run_late(const struct step_run *run, struct fp_err *err)
{
	if (flow_open(&run->tx) && flow_open(&run->rx))
		return fp_err_set(err, FP_ERR_TIMEOUT,
		                  "sent %zu of %zu bytes to %s, got %zu of %zu "
		                  "bytes from %s, then the time was up",
		                  run->tx.done, run->tx.len,
		                  flow_port(&run->tx)->name, run->rx.done,
		                  run->rx.len, flow_port(&run->rx)->name);
	if (flow_open(&run->tx))
		return fp_err_set(err, FP_ERR_TIMEOUT,
		                  "sent %zu of %zu bytes to %s, then the time "
		                  "was up",
		                  run->tx.done, run->tx.len,
		                  flow_port(&run->tx)->name);
	return fp_err_set(err, FP_ERR_TIMEOUT,
	                  "got %zu of %zu bytes from %s, then the time was up",
	                  run->rx.done, run->rx.len, flow_port(&run->rx)->name);
}

static enum fp_status run_check(const struct step_run *run, int64_t now_ns,
                                struct fp_err *err)
{
	enum fp_status status = run_aborted(run, err);

	if (status != FP_OK)
		return status;
	return now_ns < run->deadline_ns ? FP_OK : run_late(run, err);
}

static void flow_hangups(const struct xport_flow *flow,
                         const struct pollfd *fds, unsigned n)
{
	unsigned i;

	if (n == 0 || !flow->ep->ops->flow->hangup)
		return;
	for (i = 0; i < n; i++)
		if (fds[i].revents & (POLLHUP | POLLERR))
			flow->ep->ops->flow->hangup(flow->ep);
}

static unsigned flow_fds(const struct xport_flow *flow, short events,
                         struct pollfd *fds)
{
	return flow_open(flow) ? flow->ep->ops->flow->fds(flow, events, fds)
	                       : 0;
}

static enum fp_status run_sleep(struct step_run *run, int64_t max_ns,
                                int64_t now_ns, struct fp_err *err)
{
	struct pollfd fds[2 * XPORT_FLOW_FDS];
	unsigned n_tx = flow_fds(&run->tx, POLLOUT, fds);
	unsigned n_rx = flow_fds(&run->rx, POLLIN, fds + n_tx);
	int64_t left_ns = run->deadline_ns - now_ns;
	int64_t sleep_ns = left_ns < max_ns ? left_ns : max_ns;
	struct timespec ts = {
		.tv_sec = sleep_ns / FP_NS_PER_S,
		.tv_nsec = sleep_ns % FP_NS_PER_S,
	};

	if (ppoll(fds, n_tx + n_rx, &ts, NULL) < 0 && errno != EINTR)
		return fp_err_sys(err, errno, "poll");
	flow_hangups(&run->tx, fds, n_tx);
	flow_hangups(&run->rx, fds + n_tx, n_rx);
	return FP_OK;
}

static void run_mark(struct step_run *run, int64_t now_ns)
{
	if (!run->mark || run->rx.done == run->mark->bytes)
		return;
	*run->mark = (struct xport_mark){
		.t_ns = now_ns,
		.bytes = run->rx.done,
	};
}

static bool flow_crowded(const struct xport_flow *flow, int64_t now_ns)
{
	const struct xport_port *port = flow_port(flow);

	return port && port->crowded_ns &&
	       now_ns - port->crowded_ns < CROWDED_NS;
}

static void run_yield(struct step_run *run, int64_t now_ns)
{
	int64_t after_ns;

	sched_yield();
	after_ns = fp_now_ns();
	if (after_ns - now_ns < YIELD_LONG_NS)
		return;
	if (run->tx.ep)
		((struct xport_port *)run->tx.ep)->crowded_ns = after_ns;
	if (run->rx.ep)
		((struct xport_port *)run->rx.ep)->crowded_ns = after_ns;
}

/* The pending halves are dry. Wait a little, in the stage that is due. */
static enum fp_status run_wait(struct step_run *run, struct fp_err *err)
{
	struct step_wait *w = &run->wait;
	bool polled = flow_polled(&run->tx) || flow_polled(&run->rx);
	bool small = flow_small(&run->tx) && flow_small(&run->rx);
	int64_t yield_ns = polled ? YIELD_MEMORY_NS : YIELD_SOCKET_NS;
	int64_t now_ns;
	enum fp_status status;

	w->idle++;
	if (polled && w->idle < SPINS_MAX && w->idle % CLOCK_EVERY != 0) {
		if (w->idle > SPINS_HOT)
			xport_pause();
		return FP_OK;
	}
	now_ns = fp_now_ns();
	status = run_check(run, now_ns, err);
	if (status != FP_OK)
		return status;
	run_mark(run, now_ns);
	if (w->idle_ns == 0)
		w->idle_ns = now_ns;
	if (polled && w->idle < SPINS_MAX)
		return FP_OK;
	if ((polled || small) && now_ns - w->idle_ns < yield_ns &&
	    !flow_crowded(&run->tx, now_ns) &&
	    !flow_crowded(&run->rx, now_ns)) {
		run_yield(run, now_ns);
		return FP_OK;
	}
	if (!polled)
		return run_sleep(run, SLEEP_NS, now_ns, err);
	w->nap_ns = w->nap_ns < NAP_MAX_NS / 2 ? 2 * w->nap_ns : NAP_MAX_NS;
	if (w->nap_ns < NAP_MIN_NS)
		w->nap_ns = NAP_MIN_NS;
	return run_sleep(run, w->nap_ns, now_ns, err);
}

static void run_note_progress(struct step_run *run)
{
	size_t done = run->tx.done + run->rx.done;

	run->wait.turns++;
	if (done == run->wait.done)
		return;
	run->wait.done = done;
	run->wait.idle = 0;
	run->wait.idle_ns = 0;
	run->wait.nap_ns = 0;
}

static enum fp_status run_move(struct step_run *run, struct fp_err *err)
{
	enum fp_status status;

	if (flow_open(&run->tx)) {
		status = run->tx.ep->ops->flow->send(&run->tx, err);
		if (status != FP_OK)
			return status;
	}
	if (flow_open(&run->rx)) {
		status = run->rx.ep->ops->flow->recv(&run->rx, err);
		if (status != FP_OK)
			return status;
	}
	return FP_OK;
}

static enum fp_status run_loop(struct step_run *run, struct fp_err *err)
{
	enum fp_status status = run_aborted(run, err);
	bool tx_dry, rx_dry;

	while (status == FP_OK) {
		status = run_move(run, err);
		tx_dry = !flow_open(&run->tx) || run->tx.dry;
		rx_dry = !flow_open(&run->rx) || run->rx.dry;
		if (status != FP_OK ||
		    (!flow_open(&run->tx) && !flow_open(&run->rx)))
			break;
		run_note_progress(run);
		if (tx_dry && rx_dry)
			status = run_wait(run, err);
		else if (run->wait.turns % CLOCK_EVERY == 0)
			status = run_check(run, fp_now_ns(), err);
	}
	return status;
}

static void flow_break(struct xport_flow *flow)
{
	if (flow->ep)
		((struct xport_port *)flow->ep)->broken = true;
}

enum fp_status xport_flow_step(const struct xport_step *step,
                               struct fp_err *err)
{
	struct step_run run = {
		.tx = { .ep = step->to,
		        .off = step->tx_off,
		        .at = step->tx_at,
		        .placed = step->placed,
		        .len = step->to ? step->tx_len : 0 },
		.rx = { .ep = step->from,
		        .buf = step->rbuf,
		        .placed = step->placed,
		        .len = step->from ? step->rx_len : 0 },
		.mark = step->mark,
		.deadline_ns = step->deadline_ns,
	};
	enum fp_status status = run_loop(&run, err);

	if (status != FP_OK) {
		flow_break(&run.tx);
		flow_break(&run.rx);
	}
	return status;
}

static enum fp_status step_half(const struct xport_step *step, bool send,
                                struct fp_err *err)
{
	struct xport_step half = *step;

	if (send)
		half.from = NULL;
	else
		half.to = NULL;
	return (send ? half.to : half.from)->ops->step(&half, err);
}

enum fp_status xport_step_run(const struct xport_step *step, uint32_t me,
                              struct fp_err *err)
{
	const struct xport_ep *to = step->to, *from = step->from;
	bool send_first = me % 2 == 0;
	enum fp_status status;

	if (!to && !from)
		return FP_OK;
	if (!to || !from || to->ops == from->ops)
		return (to ? to : from)->ops->step(step, err);
	if (to->ops->flow && from->ops->flow)
		return xport_flow_step(step, err);
	status = step_half(step, send_first, err);
	return status == FP_OK ? step_half(step, !send_first, err) : status;
}
