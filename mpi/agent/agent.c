// SPDX-License-Identifier: Apache-2.0
// The agent's side towards the conductor.
#include "mpi/agent/agent.h"

#include <event2/event.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mpi/agent/impl.h"
#include "topo/base/clock.h"
#include "topo/base/fmt.h"
#include "topo/base/version.h"

#define AGENT_PREPARE_S 5.0
/* A worker ends a trial itself at its deadline; only later is it helped. */
#define AGENT_GRACE_S 0.3
#define AGENT_STOP_S 1.0

void agent_send(struct agent *a, enum wire_type type, const void *payload,
                size_t len)
{
	if (a->link)
		(void)mailbox_link_send(a->link, type, payload, len, NULL);
}

static void agent_finish(struct agent *a, enum agent_end end, const char *why)
{
	if (a->end != AGENT_RUNNING)
		return;
	a->end = end;
	fp_copy(a->why, sizeof(a->why), why);
	event_base_loopbreak(a->base);
}

static void on_setup(struct agent *a, const struct wire_frame *f)
{
	char no_gpu[sizeof(a->setup.no_gpu)];

	memcpy(no_gpu, a->setup.no_gpu, sizeof(no_gpu));
	memcpy(&a->setup, f->payload, sizeof(a->setup));
	memcpy(a->setup.no_gpu, no_gpu, sizeof(no_gpu));
	a->setup.rank = a->rank;
	a->setup.size = a->size;
	if (a->opts.nccl_lib)
		fp_copy(a->setup.nccl_lib, sizeof(a->setup.nccl_lib),
		        a->opts.nccl_lib);
	memcpy(a->setup.host_name, a->hello.host_name,
	       sizeof(a->setup.host_name));
	memcpy(a->setup.host_id, a->hello.host_id, sizeof(a->setup.host_id));
	a->have_setup = true;
	agent_worker_setup(a);
}

/* Another environment is another process. */
static void change_variant(struct agent *a)
{
	if (a->variant == a->trial.variant)
		return;
	a->variant = a->trial.variant;
	if (a->phase == WORKER_READY || a->phase == WORKER_STARTING)
		agent_worker_kill(a);
}

static void on_prepare(struct agent *a, const struct wire_frame *f)
{
	struct wire_prepare prepare;

	memcpy(&prepare, f->payload, sizeof(prepare));
	agent_hand_drop(a); /* the conductor knows best */
	a->trial = prepare.trial;
	a->ladder = LADDER_NONE;
	a->called_off = false;
	/* A worker may answer several that were called off before it read
	 * them. */
	a->may_cross += AGENT_CROSS_MAX;
	a->hand = HAND_PREPARED;
	if (a->phase == WORKER_GONE) {
		agent_hand_fail(a, OUTCOME_NOTRUN, 0, "no worker here");
		return;
	}
	change_variant(a);
	if (a->phase == WORKER_READY) {
		agent_hand_prepare(a, f->payload, f->head.length);
		agent_worker_arm(a, AGENT_PREPARE_S);
		return;
	}
	a->held = malloc(f->head.length);
	if (!a->held) {
		agent_hand_fail(a, OUTCOME_NOTRUN, 0, "agent: no memory");
		return;
	}
	memcpy(a->held, f->payload, f->head.length);
	a->held_len = f->head.length;
	a->hand = HAND_HELD;
}

static void on_go(struct agent *a, const struct wire_frame *f)
{
	struct wire_go go;

	memcpy(&go, f->payload, sizeof(go));
	if (a->hand != HAND_PREPARED || go.trial != a->trial.id ||
	    a->phase != WORKER_READY)
		return; /* its outcome was reported already */
	a->hand = HAND_RUNNING;
	a->go_ns = fp_now_ns();
	agent_worker_frame(a, WIRE_GO, f->payload, f->head.length);
	agent_worker_arm(a, a->trial.deadline_s + AGENT_GRACE_S);
	agent_watch_begin(a);
}

static void on_cancel(struct agent *a, const struct wire_frame *f)
{
	uint32_t id;

	memcpy(&id, f->payload, sizeof(id));
	if (a->hand == HAND_EMPTY || a->trial.id != id)
		return;
	if (a->hand == HAND_RUNNING) {
		/* The worker says itself how far it got. */
		a->called_off = true;
		atomic_store(&a->child.board->abort, id);
		return;
	}
	if (a->hand != HAND_HELD && a->phase == WORKER_READY)
		agent_worker_frame(a, WIRE_CANCEL, f->payload, f->head.length);
	agent_hand_drop(a);
}

static void on_watch(struct agent *a, const struct wire_frame *f)
{
	(void)f;
	agent_watch_now(a);
}

static void on_bye(struct agent *a, const struct wire_frame *f)
{
	uint32_t how;

	memcpy(&how, f->payload, sizeof(how));
	agent_finish(a,
	             how == WIRE_BYE_FINALIZE ? AGENT_BYE_FINALIZE
	                                      : AGENT_BYE_EXIT,
	             "");
}

static void on_frame(void *arg, const struct wire_frame *f)
{
	static void (*const handlers[WIRE_TYPE_COUNT])(
		struct agent *, const struct wire_frame *) = {
		[WIRE_SETUP] = on_setup, [WIRE_PREPARE] = on_prepare,
		[WIRE_GO] = on_go,       [WIRE_CANCEL] = on_cancel,
		[WIRE_WATCH] = on_watch, [WIRE_BYE] = on_bye,
	};
	struct agent *a = arg;

	if (f->head.type < WIRE_TYPE_COUNT && handlers[f->head.type])
		handlers[f->head.type](a, f);
}

static void on_lost(void *arg, const char *why)
{
	struct agent *a = arg;

	agent_finish(a, AGENT_ORPHANED, why);
}

void agent_say(struct agent *a, unsigned kind, int64_t value, const char *fmt,
               ...)
{
	struct run_event e = { .value = value, .kind = kind, .rank = a->rank };
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(e.text, sizeof(e.text), fmt, ap);
	va_end(ap);
	agent_send(a, WIRE_EVENT, &e, sizeof(e));
}

static struct wire_hello hello_make(const struct agent_who *who)
{
	struct wire_hello hello = {
		.rank = who->rank,
		.size = who->size,
		.pid = getpid(),
	};

	memcpy(hello.token, who->token, sizeof(hello.token));
	fp_copy(hello.version, sizeof(hello.version), FP_VERSION);
	fp_copy(hello.host_name, sizeof(hello.host_name), who->host->name);
	fp_copy(hello.host_id, sizeof(hello.host_id), who->host->host_id);
	fp_copy(hello.boot_id, sizeof(hello.boot_id), who->host->boot_id);
	fp_copy(hello.kernel, sizeof(hello.kernel), who->host->kernel);
	return hello;
}

enum fp_status agent_open(struct event_base *base, const struct agent_who *who,
                          const struct agent_opts *opts, struct agent **ret,
                          struct fp_err *err)
{
	struct agent *a = calloc(1, sizeof(*a));

	if (!a)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for an agent");
	a->base = base;
	a->opts = *opts;
	a->rank = who->rank;
	a->size = who->size;
	a->hello = hello_make(who);
	child_init(&a->child);
	child_init(&a->watch.child);
	agent_worker_start(a);
	*ret = a;
	return FP_OK;
}

static struct mailbox_link_cb link_cb(struct agent *a)
{
	return (struct mailbox_link_cb){
		.arg = a,
		.frame = on_frame,
		.lost = on_lost,
	};
}

static struct mailbox_link_how link_how(struct agent *a,
                                        const struct mailbox_link_cb *cb)
{
	return (struct mailbox_link_how){
		.base = a->base,
		.hello = &a->hello,
		.opts = &a->opts.mailbox,
		.cb = cb,
	};
}

/* What went wrong before there was anybody to tell. */
static void tell_gone(struct agent *a)
{
	char text[sizeof(a->gone)];

	memcpy(text, a->gone, sizeof(text));
	if (a->phase == WORKER_GONE)
		agent_worker_give_up(a, text);
}

enum fp_status agent_connect(struct agent *a, const struct boot_meet *meet,
                             int64_t deadline_ns, struct fp_err *err)
{
	struct mailbox_link_cb cb = link_cb(a);
	struct mailbox_link_how how = link_how(a, &cb);
	enum fp_status status;

	memcpy(a->hello.token, meet->token, sizeof(a->hello.token));
	status = mailbox_link_dial(&how, meet, deadline_ns, &a->link, err);
	if (!status)
		tell_gone(a);
	return status;
}

enum fp_status agent_adopt(struct agent *a, int fd, struct fp_err *err)
{
	struct mailbox_link_cb cb = link_cb(a);
	struct mailbox_link_how how = link_how(a, &cb);
	enum fp_status status;

	status = mailbox_link_take(&how, fd, &a->link, err);
	if (!status)
		tell_gone(a);
	return status;
}

enum agent_end agent_run(struct agent *a)
{
	while (a->end == AGENT_RUNNING)
		if (event_base_loop(a->base, EVLOOP_NO_EXIT_ON_EMPTY) < 0)
			agent_finish(a, AGENT_ORPHANED, "event loop failed");
	return a->end;
}

static void on_stop_over(evutil_socket_t fd, short what, void *arg)
{
	struct agent *a = arg;

	(void)fd;
	(void)what;
	agent_finish(a, AGENT_ORPHANED, "stopped by a signal");
}

void agent_stop(struct agent *a, int signum)
{
	const struct timeval after = { .tv_sec = (time_t)AGENT_STOP_S };

	agent_say(a, EVENT_INTERRUPTED, signum, "agent of rank %d got %s",
	          (int)a->rank, sigdescr_np(signum));
	/* Whatever happens, this process ends: the conductor may be gone. */
	(void)event_base_once(a->base, -1, EV_TIMEOUT, on_stop_over, a, &after);
}

const char *agent_why(const struct agent *a)
{
	return a->why;
}

void agent_close(struct agent *a)
{
	if (!a)
		return;
	agent_hand_drop(a);
	agent_watch_end(a);
	agent_worker_end(a);
	mailbox_link_close(a->link);
	free(a);
}
