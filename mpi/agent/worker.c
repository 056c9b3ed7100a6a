// SPDX-License-Identifier: Apache-2.0
// The agent's side towards its worker: start, watch, and the kill ladder.
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mpi/agent/impl.h"
#include "topo/base/clock.h"
#include "topo/base/fmt.h"
#include "topo/discover/discover.h"

#define WORKER_ABORT_S 0.5 /* from the abort word to SIGKILL */
#define WORKER_TRIES 3     /* deaths in a row before READY */
#define WORKER_OUTPUT_MAX (1u << 20)
#define WORKER_END_S 0.5

void agent_worker_arm(struct agent *a, double seconds)
{
	struct timeval tv = {
		.tv_sec = (time_t)seconds,
		.tv_usec = (suseconds_t)((seconds - (double)(time_t)seconds) *
		                         1e6),
	};

	event_add(a->ev_timer, &tv);
}

void agent_worker_disarm(struct agent *a)
{
	event_del(a->ev_timer);
}

void agent_hand_drop(struct agent *a)
{
	free(a->held);
	a->held = NULL;
	if (a->phase == WORKER_READY && a->hand != HAND_EMPTY)
		agent_worker_disarm(a);
	a->hand = HAND_EMPTY;
	a->ladder = LADDER_NONE;
}

void agent_hand_fail(struct agent *a, uint8_t state, uint8_t flags,
                     const char *text)
{
	struct outcome o = {
		.trial = a->trial.id,
		.rank = a->rank,
		.state = state,
		.flags = flags,
	};
	struct board *b = a->child.board;
	int64_t injected;

	if (a->hand == HAND_EMPTY)
		return;
	if (b && atomic_load(&b->trial) == a->trial.id) {
		o.stage = (uint8_t)atomic_load(&b->stage);
		o.moved_bytes = atomic_load(&b->bytes);
		injected = (int64_t)atomic_load(&b->injected);
		if (injected)
			outcome_put(&o, COUNTER_INJECTED, injected);
	}
	if (o.stage > STAGE_VERIFY)
		o.stage = STAGE_VERIFY;
	if (a->go_ns && a->hand == HAND_RUNNING)
		o.elapsed_s = (double)(fp_now_ns() - a->go_ns) / 1e9;
	fp_copy(o.err, sizeof(o.err), text);
	agent_hand_outcome(a, &o);
}

void agent_worker_frame(struct agent *a, enum wire_type type,
                        const void *payload, size_t len)
{
	struct wire_head head = wire_head_make(type, (uint32_t)a->rank, len);

	if (!a->control)
		return;
	(void)bufferevent_write(a->control, &head, sizeof(head));
	(void)bufferevent_write(a->control, payload, len);
}

void agent_worker_setup(struct agent *a)
{
	if (!a->have_setup || a->setup_sent || a->phase != WORKER_STARTING)
		return;
	a->setup_sent = true;
	agent_worker_frame(a, WIRE_SETUP, &a->setup, sizeof(a->setup));
	agent_worker_arm(a, a->opts.start_s);
}

void agent_hand_prepare(struct agent *a, const uint8_t *payload, size_t len)
{
	a->hand = HAND_PREPARED;
	agent_worker_frame(a, WIRE_PREPARE, payload, len);
}

void agent_worker_give_up(struct agent *a, const char *text)
{
	struct wire_ready ready = {
		.rank = a->rank,
		.status = FP_ERR_SYS,
	};

	a->phase = WORKER_GONE;
	/* Kept, for it may happen before the conductor was met. */
	fp_copy(a->gone, sizeof(a->gone), text);
	fp_copy(ready.text, sizeof(ready.text), text);
	agent_send(a, WIRE_READY, &ready, sizeof(ready));
	agent_hand_fail(a, OUTCOME_NOTRUN, 0, text);
}

/* A worker that reads its host meets drivers and devices that may hang: the
 * next one leaves out the likeliest, for what it is there for is to measure. */
static const char *read_less(struct agent *a)
{
	uint32_t was = a->setup.reads;

	a->setup.reads = was & TOPO_READ_DRIVERS
	                         ? was & ~(uint32_t)TOPO_READ_DRIVERS
	                         : 0;
	if (!was)
		return "";
	return was & TOPO_READ_DRIVERS ? "; the next does not ask drivers"
	                               : "; the next does not read the host";
}

static void worker_drop(struct agent *a)
{
	struct event **events[] = { &a->ev_pidfd, &a->ev_output, &a->ev_timer };
	size_t i;

	for (i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		if (*events[i])
			event_free(*events[i]);
		*events[i] = NULL;
	}
	if (a->control)
		bufferevent_free(a->control);
	a->control = NULL;
	wire_reader_done(&a->reader);
	child_close(&a->child);
	a->setup_sent = false;
	a->facts_seen = false;
	a->output_bytes = 0;
}

void agent_worker_kill(struct agent *a)
{
	child_kill(&a->child);
	a->phase = WORKER_KILLING;
	agent_worker_arm(a, a->opts.wedge_s);
}

void agent_worker_garbage(struct agent *a, const char *what)
{
	char text[OUTCOME_ERR_MAX];

	if (a->phase == WORKER_KILLING || a->phase == WORKER_GONE)
		return;
	(void)snprintf(text, sizeof(text), "worker spoke nonsense: %s", what);
	agent_say(a, EVENT_WORKER_GARBAGE, a->child.pid, "%s", text);
	agent_hand_fail(a, OUTCOME_ERROR, OUTCOME_KILLED | OUTCOME_WORKER_DIED,
	                text);
	agent_worker_kill(a);
}

static void on_control_event(struct bufferevent *bev, short what, void *arg)
{
	/* Closed: the pidfd tells how it ended. A worker that only closed its
	 * descriptor is caught by the timers. */
	(void)what;
	(void)arg;
	(void)bufferevent_disable(bev, EV_READ | EV_WRITE);
}

static void line_keep(struct agent *a, const char *text, size_t n)
{
	const char *end = text + n, *start;

	while (end > text && (end[-1] == '\n' || end[-1] == '\r'))
		end--;
	for (start = end; start > text && start[-1] != '\n'; start--)
		;
	if (end == start)
		return;
	n = (size_t)(end - start);
	if (n >= sizeof(a->last_line))
		n = sizeof(a->last_line) - 1;
	memcpy(a->last_line, start, n);
	a->last_line[n] = '\0';
}

static void output_drain(struct agent *a)
{
	char text[4096];
	ssize_t n = read(a->child.output_fd, text, sizeof(text) - 1);

	if (n <= 0) {
		if (n == 0)
			event_del(a->ev_output);
		return;
	}
	a->output_bytes += (size_t)n;
	line_keep(a, text, (size_t)n);
	if (a->output_bytes > WORKER_OUTPUT_MAX)
		agent_worker_garbage(a, "floods its standard output");
}

static void on_output(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	output_drain(arg);
}

/* Before it was ready: the program itself is in question, not a trial. */
static void worker_stillborn(struct agent *a, const char *how)
{
	char text[sizeof(a->gone)];

	output_drain(a);
	if (agent_worker_without_gpu(a, how)) {
		worker_drop(a);
		agent_worker_start(a);
		return;
	}
	(void)snprintf(text, sizeof(text),
	               "worker %.110s ended before it was ready: %.40s%s%.60s",
	               agent_worker_path(a), how, a->last_line[0] ? ": " : "",
	               a->last_line);
	agent_say(a, EVENT_WORKER_DIED, 0, "%s", text);
	worker_drop(a);
	if (++a->failures >= WORKER_TRIES)
		agent_worker_give_up(a, text);
	else
		agent_worker_start(a);
}

/* It ended by itself. */
static void worker_died(struct agent *a, const char *how)
{
	char text[OUTCOME_ERR_MAX];

	output_drain(a);
	(void)snprintf(text, sizeof(text), "worker ended: %.40s%s%.60s", how,
	               a->last_line[0] ? ": " : "", a->last_line);
	agent_say(a, EVENT_WORKER_DIED, a->hand == HAND_EMPTY ? 0 : a->trial.id,
	          "%s", text);
	agent_hand_fail(a, OUTCOME_ERROR, OUTCOME_WORKER_DIED, text);
	worker_drop(a);
	agent_worker_start(a);
}

static void on_pidfd(evutil_socket_t fd, short what, void *arg)
{
	struct agent *a = arg;
	char how[96];

	(void)fd;
	(void)what;
	if (!child_reap(&a->child, how, sizeof(how)))
		return;
	if (a->phase == WORKER_GONE) {
		worker_drop(a);
		return;
	}
	if (a->phase != WORKER_KILLING) {
		if (a->control)
			agent_relay_read(a->control, a); /* its last words */
		if (a->phase != WORKER_KILLING && a->phase != WORKER_GONE) {
			if (a->phase == WORKER_STARTING)
				worker_stillborn(a, how);
			else
				worker_died(a, how);
			return;
		}
	}
	worker_drop(a);
	agent_worker_start(a);
}

static void ladder_kill(struct agent *a)
{
	char text[OUTCOME_ERR_MAX];

	(void)snprintf(text, sizeof(text),
	               "worker %d did not answer past the deadline (state %c)",
	               (int)a->child.pid, child_state(&a->child));
	agent_say(a, EVENT_WORKER_KILLED, a->trial.id, "%s", text);
	agent_hand_fail(a, OUTCOME_HANG, OUTCOME_KILLED, text);
	agent_worker_kill(a);
}

static void worker_wedged(struct agent *a)
{
	char text[OUTCOME_ERR_MAX];

	(void)snprintf(text, sizeof(text),
	               "worker %d cannot be killed (state %c); left behind",
	               (int)a->child.pid, child_state(&a->child));
	agent_say(a, EVENT_WORKER_WEDGED, a->child.pid, "%s", text);
	worker_drop(a);
	agent_worker_give_up(a, text);
}

static void worker_late(struct agent *a)
{
	char text[OUTCOME_ERR_MAX];

	(void)snprintf(text, sizeof(text),
	               "worker %d was not ready within %.0f s (state %c)%s",
	               (int)a->child.pid, a->opts.start_s,
	               child_state(&a->child), read_less(a));
	agent_say(a, EVENT_WORKER_KILLED, 0, "%s", text);
	a->failures++;
	if (a->failures >= WORKER_TRIES) {
		child_kill(&a->child);
		agent_worker_give_up(a, text);
		return;
	}
	agent_worker_kill(a);
}

static void on_timer(evutil_socket_t fd, short what, void *arg)
{
	struct agent *a = arg;

	(void)fd;
	(void)what;
	if (a->phase == WORKER_STARTING) {
		worker_late(a);
	} else if (a->phase == WORKER_KILLING) {
		worker_wedged(a);
	} else if (a->hand != HAND_EMPTY && a->ladder == LADDER_NONE) {
		a->ladder = LADDER_ABORTED;
		atomic_store(&a->child.board->abort, a->trial.id);
		agent_worker_arm(a, WORKER_ABORT_S);
	} else if (a->hand != HAND_EMPTY) {
		ladder_kill(a);
	}
}

static bool worker_watch(struct agent *a)
{
	a->ev_timer = event_new(a->base, -1, 0, on_timer, a);
	a->ev_pidfd = event_new(a->base, a->child.pidfd, EV_READ, on_pidfd, a);
	a->ev_output = event_new(a->base, a->child.output_fd,
	                         EV_READ | EV_PERSIST, on_output, a);
	/* bufferevent_free() closes the descriptor. */
	a->control = bufferevent_socket_new(a->base, a->child.control_fd,
	                                    BEV_OPT_CLOSE_ON_FREE);
	if (!a->ev_timer || !a->ev_pidfd || !a->ev_output || !a->control)
		return false;
	a->child.control_fd = -1;
	bufferevent_setcb(a->control, agent_relay_read, NULL, on_control_event,
	                  a);
	bufferevent_enable(a->control, EV_READ | EV_WRITE);
	event_add(a->ev_pidfd, NULL);
	event_add(a->ev_output, NULL);
	return true;
}

void agent_worker_start(struct agent *a)
{
	struct fp_err err = { 0 };

	a->last_line[0] = '\0';
	if (agent_worker_spawn(a, &err)) {
		agent_worker_give_up(a, err.text);
		return;
	}
	a->phase = WORKER_STARTING;
	if (!worker_watch(a)) {
		child_kill(&a->child);
		worker_drop(a);
		agent_worker_give_up(a, "no memory to watch the worker");
		return;
	}
	agent_worker_setup(a);
}

void agent_worker_end(struct agent *a)
{
	struct pollfd pfd = { .fd = a->child.pidfd, .events = POLLIN };
	char how[96];

	if (a->child.pid > 0) {
		child_kill(&a->child);
		(void)poll(&pfd, 1, (int)(WORKER_END_S * 1000));
		(void)child_reap(&a->child, how, sizeof(how));
	}
	worker_drop(a);
	a->phase = WORKER_GONE;
}
