// SPDX-License-Identifier: Apache-2.0
// Watches the rank's GPU by a process that may hang in its place.
#include "mpi/agent/watch.h"

#include <event2/bufferevent.h>
#include <event2/event.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mpi/agent/impl.h"
#include "topo/base/fmt.h"

#define WATCH_PROGRAM "fabricprobe-watch"
#define WATCH_START_S 20.0 /* NVML starts the driver where nobody did */
#define WATCH_ANSWER_S 5.0
#define WATCH_TICK_S 1.0
#define WATCH_TICK_RANKS 256
#define WATCH_REAP_MS 50
#define WATCH_CHUNK 4096
#define WATCH_HOST "NCCL_HOSTID=%s"

static void arm(struct event *ev, double seconds)
{
	const time_t whole = (time_t)seconds;
	const struct timeval tv = {
		.tv_sec = whole,
		.tv_usec = (suseconds_t)((seconds - (double)whole) * 1e6),
	};

	event_add(ev, &tv);
}

static void drop(struct agent_watch *w)
{
	struct pollfd pfd = { .fd = w->child.pidfd, .events = POLLIN };
	char how[96];

	if (w->ev_timer)
		event_free(w->ev_timer);
	if (w->ev_tick)
		event_free(w->ev_tick);
	if (w->control)
		bufferevent_free(w->control);
	w->ev_timer = w->ev_tick = NULL;
	w->control = NULL;
	wire_reader_done(&w->reader);
	child_kill(&w->child);
	/* One that the driver holds is left behind, as a worker is. */
	(void)poll(&pfd, 1, WATCH_REAP_MS);
	(void)child_reap(&w->child, how, sizeof(how));
	child_close(&w->child);
	w->gone = true;
}

/* The conductor is not left waiting: an empty record is an answer, too. */
static void answer_empty(struct agent *a)
{
	const struct watch none = { .rank = a->rank };

	if (a->watch.wanted)
		agent_send(a, WIRE_WATCH, &none, sizeof(none));
	a->watch.wanted = false;
}

static void give_up(struct agent *a, const char *why)
{
	if (a->watch.gone)
		return;
	agent_say(a, EVENT_WATCH_LOST, a->watch.child.pid, "%s", why);
	drop(&a->watch);
	answer_empty(a);
}

static void ask(struct agent *a)
{
	struct agent_watch *w = &a->watch;
	struct watch what = { .rank = a->rank,
		              .first = w->first,
		              .last = w->last };
	const struct wire_head head =
		wire_head_make(WIRE_WATCH, (uint32_t)a->rank, sizeof(what));

	if (!w->started || w->gone || w->asked)
		return;
	memcpy(what.device, w->device, sizeof(what.device));
	(void)bufferevent_write(w->control, &head, sizeof(head));
	(void)bufferevent_write(w->control, &what, sizeof(what));
	arm(w->ev_timer, w->sent[0] ? WATCH_ANSWER_S : WATCH_START_S);
	w->asked = true;
	w->first = w->last = 0;
}

/* What says nothing new stays here: a healthy run has few records. */
static void report(struct agent *a, struct watch *watch)
{
	struct agent_watch *w = &a->watch;

	if (!w->keep && !w->wanted && w->sent[0] && !watch_has_news(watch))
		return;
	agent_send(a, WIRE_WATCH, watch, sizeof(*watch));
	memcpy(w->sent, w->device, sizeof(w->sent));
	w->keep = w->wanted = false;
}

static void on_frame(struct agent *a, const struct wire_frame *f)
{
	struct watch watch;

	if (f->head.type != WIRE_WATCH || !a->watch.asked) {
		give_up(a, "it spoke nonsense");
		return;
	}
	memcpy(&watch, f->payload, sizeof(watch));
	watch.rank = a->rank;
	a->watch.asked = false;
	event_del(a->watch.ev_timer);
	report(a, &watch);
	/* Trials have ended since it was asked, or somebody waits. */
	if (a->watch.last || a->watch.wanted)
		ask(a);
}

static void on_read(struct bufferevent *bev, void *arg)
{
	struct agent *a = arg;
	struct agent_watch *w = &a->watch;
	struct fp_err err = { .status = FP_OK };
	struct wire_frame frame;
	bool got = true;
	uint8_t *room = wire_reader_room(&w->reader, WATCH_CHUNK);

	if (!room) {
		give_up(a, "no memory for its answer");
		return;
	}
	wire_reader_add(&w->reader, bufferevent_read(bev, room, WATCH_CHUNK));
	while (!w->gone && got) {
		if (wire_reader_next(&w->reader, &frame, &got, &err)) {
			give_up(a, err.text);
			return;
		}
		if (got)
			on_frame(a, &frame);
	}
}

/* It ended: its last line says why, as a worker's does. */
static void on_end(struct bufferevent *bev, short what, void *arg)
{
	struct agent *a = arg;
	char text[128] = "";
	ssize_t n = read(a->watch.child.output_fd, text, sizeof(text) - 1);

	(void)bev;
	(void)what;
	text[n > 0 ? n : 0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	give_up(a, text[0] ? text : "it ended");
}

static void on_late(evutil_socket_t fd, short what, void *arg)
{
	struct agent *a = arg;
	char text[96];

	(void)fd;
	(void)what;
	(void)snprintf(text, sizeof(text),
	               "NVML does not answer (process %d, state %c)",
	               (int)a->watch.child.pid, child_state(&a->watch.child));
	give_up(a, text);
}

/* Does the GPU work in the background: has the latest trial asked for it? */
static bool is_load(const struct agent *a)
{
	return a->trial.flags & TRIAL_LOAD;
}

/* A look each second; of a large job's GPUs fewer, for all look. */
static double tick_s(const struct agent *a)
{
	double share = (double)a->setup.size / WATCH_TICK_RANKS;

	return share > 1 ? share * WATCH_TICK_S : WATCH_TICK_S;
}

static void on_tick(evutil_socket_t fd, short what, void *arg)
{
	struct agent *a = arg;

	(void)fd;
	(void)what;
	if (!is_load(a))
		return;
	a->watch.keep = true;
	ask(a);
	arm(a->watch.ev_tick, tick_s(a));
}

/* NVML tells nothing of the job's environment; but who asks whether two
 * processes are on one host is to hear of the watcher what he hears of the
 * worker. */
static enum fp_status spawn(struct agent *a, struct fp_err *err)
{
	struct child_env env = { .n_set = 0 };
	enum fp_status status;
	char path[4096];

	status = child_worker_path(WATCH_PROGRAM, path, sizeof(path), err);
	if (status)
		return status;
	if (asprintf(&env.set[0], WATCH_HOST, a->hello.host_id) < 0)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory to watch");
	env.n_set = 1;
	status = child_spawn(&a->watch.child, path, &env, err);
	free(env.set[0]);
	return status;
}

static bool listen_to(struct agent *a)
{
	struct agent_watch *w = &a->watch;

	w->ev_timer = event_new(a->base, -1, 0, on_late, a);
	w->ev_tick = event_new(a->base, -1, 0, on_tick, a);
	w->control = bufferevent_socket_new(a->base, w->child.control_fd,
	                                    BEV_OPT_CLOSE_ON_FREE);
	if (!w->ev_timer || !w->ev_tick || !w->control)
		return false;
	w->child.control_fd = -1;
	bufferevent_setcb(w->control, on_read, NULL, on_end, a);
	bufferevent_enable(w->control, EV_READ | EV_WRITE);
	return true;
}

/* The board is the worker's to write on. */
static bool take_device(struct agent_watch *w, const char *gpu)
{
	memcpy(w->device, gpu, sizeof(w->device));
	w->device[sizeof(w->device) - 1] = '\0';
	return w->device[0] &&
	       !w->device[strspn(w->device, "0123456789abcdefABCDEF:.")];
}

void agent_watch_start(struct agent *a)
{
	struct agent_watch *w = &a->watch;
	struct fp_err err = { .status = FP_OK };

	if (w->started || !take_device(w, a->child.board->gpu))
		return;
	w->started = true;
	if (spawn(a, &err))
		give_up(a, err.text);
	else if (!listen_to(a))
		give_up(a, "no memory to watch");
	else
		ask(a);
}

void agent_watch_begin(struct agent *a)
{
	struct agent_watch *w = &a->watch;

	/* It ticks on between trials. */
	if (w->started && !w->gone && is_load(a) &&
	    !event_pending(w->ev_tick, EV_TIMEOUT, NULL))
		arm(w->ev_tick, tick_s(a));
}

void agent_watch_trial(struct agent *a)
{
	struct agent_watch *w = &a->watch;

	if (!w->started || w->gone)
		return;
	w->first = w->last ? w->first : a->trial.id;
	w->last = a->trial.id;
	w->keep |= a->trial.stage == TRIAL_S0_LOCAL;
	ask(a);
}

void agent_watch_now(struct agent *a)
{
	a->watch.wanted = true;
	if (!a->watch.started || a->watch.gone)
		answer_empty(a);
	else
		ask(a);
}

void agent_watch_end(struct agent *a)
{
	if (a->watch.started && !a->watch.gone)
		drop(&a->watch);
}
