// SPDX-License-Identifier: Apache-2.0
// Who is there: hellos, workers, facts, losses, and the way out.
#include "mpi/conductor/conductor.h"

#include <errno.h>
#include <event2/event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "mpi/conductor/impl.h"
#include "topo/base/clock.h"
#include "topo/base/fmt.h"
#include "topo/base/version.h"

#define CONDUCTOR_BYE_S 1.0
#define CONDUCTOR_PREPARE_S 5.5
#define CONDUCTOR_GRACE_S 2.0
#define STALL_BEATS 2.0 /* from what agents heard last to a stall's begin */

void conductor_send(struct conductor *c, int32_t rank, enum wire_type type,
                    const void *payload, size_t len)
{
	(void)mailbox_send(c->mailbox, rank, type, payload, len, NULL);
}

static void on_tick(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	(void)arg; /* its purpose is to end event_base_loop(ONCE) */
}

bool conductor_pump(struct conductor *c, int64_t until_ns)
{
	int ms = fp_left_ms(until_ns);
	struct timeval tv = { .tv_sec = ms / 1000,
		              .tv_usec = ms % 1000 * 1000 };

	if (c->signum)
		return false;
	event_add(c->tick, &tv);
	event_base_loop(c->base, EVLOOP_ONCE);
	return !c->signum;
}

static void on_hello(void *arg, const struct wire_hello *hello)
{
	struct conductor *c = arg;
	struct peer *p = &c->peers[hello->rank];

	if (p->state == PEER_ABSENT)
		c->n_absent--;
	p->state = PEER_HELLO;
	p->pid = hello->pid;
	fp_copy(p->host.name, sizeof(p->host.name), hello->host_name);
	fp_copy(p->host.host_id, sizeof(p->host.host_id), hello->host_id);
	fp_copy(p->host.boot_id, sizeof(p->host.boot_id), hello->boot_id);
	fp_copy(p->host.kernel, sizeof(p->host.kernel), hello->kernel);
	p->host.n_cpus = -1;
	if (c->setup_ready)
		conductor_setup(c, hello->rank);
}

/* Once is enough: a report with one such rank is no report on hardware. */
static void modelled_note(struct conductor *c, int32_t rank,
                          const struct wire_ready *ready)
{
	if (!ready->modelled || c->modelled)
		return;
	c->modelled = true;
	conductor_event(c, EVENT_MODELLED, rank, 0,
	                "the GPU libraries are doubles, on a modelled clock");
}

static void on_ready(struct conductor *c, int32_t rank,
                     const struct wire_frame *f)
{
	struct peer *p = &c->peers[rank];
	struct wire_ready ready;

	memcpy(&ready, f->payload, sizeof(ready));
	if (ready.status == FP_OK) {
		p->state = PEER_READY;
		fp_copy(p->ports, sizeof(p->ports), ready.ports);
		p->xports = ready.xports;
		modelled_note(c, rank, &ready);
		return;
	}
	if (p->state == PEER_FAILED)
		return;
	p->state = PEER_FAILED;
	fp_copy(p->text, sizeof(p->text), ready.text);
	conductor_event(c, EVENT_WORKER_FAILED, rank, 0, ready.text);
}

static void on_event(struct conductor *c, int32_t rank,
                     const struct wire_frame *f)
{
	struct run_event e;

	memcpy(&e, f->payload, sizeof(e));
	e.rank = rank;
	conductor_pass(c, &e);
}

static void on_frame(void *arg, int32_t rank, const struct wire_frame *f)
{
	struct conductor *c = arg;
	struct wire_endpoint ep;
	struct outcome o;

	switch (f->head.type) {
	case WIRE_READY:
		on_ready(c, rank, f);
		break;
	case WIRE_FACTS:
		conductor_facts(c, rank, f);
		break;
	case WIRE_EVENT:
		on_event(c, rank, f);
		break;
	case WIRE_ENDPOINT:
		memcpy(&ep, f->payload, sizeof(ep));
		round_endpoint(c, rank, &ep);
		break;
	case WIRE_SAMPLES:
		round_samples(c, rank, f->payload);
		break;
	case WIRE_OUTCOME:
		memcpy(&o, f->payload, sizeof(o));
		round_outcome(c, rank, &o);
		break;
	case WIRE_WATCH:
		conductor_watch(c, rank, f->payload);
		break;
	default:
		break;
	}
}

/* More than half of those who were there: look at this end first. */
static void control_suspect(struct conductor *c)
{
	char text[160];

	if (c->control_told || c->n_alive_start < 4 ||
	    c->n_lost * 2 <= c->n_alive_start)
		return;
	c->control_told = true;
	(void)snprintf(text, sizeof(text),
	               "%d of %d agents fell silent: look at rank 0's host and "
	               "its control link first",
	               (int)c->n_lost, (int)c->n_alive_start);
	conductor_event(c, EVENT_CONTROL_SUSPECT, 0, c->n_lost, text);
}

void conductor_lose(struct conductor *c, int32_t rank, const char *why)
{
	struct peer *p = &c->peers[rank];

	if (p->state == PEER_LOST)
		return;
	p->state = PEER_LOST;
	fp_copy(p->text, sizeof(p->text), why);
	conductor_event(c, EVENT_AGENT_LOST, rank, p->pid, why);
	c->n_lost++;
	control_suspect(c);
	round_lost(c, rank, why);
}

static void conductor_end(struct conductor *c, int signum, const char *text)
{
	if (c->signum)
		return;
	c->signum = signum;
	conductor_event(c, EVENT_INTERRUPTED, -1, signum, text);
	event_base_loopbreak(c->base);
}

/* One that was stopped or starved for so long is what the agents gave up:
 * that they are gone is no fault of theirs. */
static bool stood_still(struct conductor *c)
{
	const struct mailbox_opts *m = &c->opts.mailbox;
	double stall_s = mailbox_stall_s(c->mailbox);
	char text[96];

	if (stall_s < m->dead_s - STALL_BEATS * m->heartbeat_s)
		return false;
	(void)snprintf(text, sizeof(text),
	               "stood still for %.1f s, and the others gave it up",
	               stall_s);
	conductor_lose(c, 0, text);
	conductor_end(c, SIGSTOP, "rank 0 stood still");
	return true;
}

static void on_lost(void *arg, int32_t rank, const char *why)
{
	struct conductor *c = arg;

	if (!c->signum && !stood_still(c))
		conductor_lose(c, rank, why);
}

static void on_stranger(void *arg, const char *what)
{
	struct conductor *c = arg;

	(void)what;
	c->strangers++;
}

static enum fp_status token_make(struct conductor *c, struct fp_err *err)
{
	uint8_t *token = c->opts.setup.data_token;

	if (getrandom(token, WIRE_TOKEN_BYTES, 0) != WIRE_TOKEN_BYTES)
		return fp_err_sys(err, errno, "make a token");
	return FP_OK;
}

static void peers_free(struct peer *peers, int32_t n)
{
	int32_t i;

	for (i = 0; peers && i < n; i++) {
		topo_host_done(&peers[i].host);
		free(peers[i].samples);
	}
	free(peers);
}

enum fp_status conductor_open(const struct mailbox_listen *listen,
                              const struct conductor_opts *opts,
                              struct conductor **ret, struct fp_err *err)
{
	struct conductor *c = calloc(1, sizeof(*c));
	struct mailbox_cb cb = { .arg = c,
		                 .hello = on_hello,
		                 .frame = on_frame,
		                 .lost = on_lost,
		                 .stranger = on_stranger };
	enum fp_status status;
	int32_t i;

	if (!c)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory to conduct");
	c->base = listen->base;
	c->opts = *opts;
	if (c->opts.prepare_s <= 0)
		c->opts.prepare_s = CONDUCTOR_PREPARE_S;
	if (c->opts.grace_s <= 0)
		c->opts.grace_s = CONDUCTOR_GRACE_S;
	c->size = listen->size;
	c->n_absent = listen->size;
	c->first_read = -1;
	c->start_ns = fp_now_ns();
	c->peers = calloc((size_t)c->size, sizeof(*c->peers));
	c->tick = event_new(c->base, -1, 0, on_tick, c);
	status = FP_ERR_NOMEM;
	if (!c->peers || !c->tick)
		goto err_close;
	for (i = 0; i < c->size; i++) {
		c->peers[i].flight = -1;
		c->peers[i].local_rank = -1;
	}
	status = token_make(c, err);
	if (status)
		goto err_close;
	status = mailbox_open(listen, &opts->mailbox, &cb, &c->mailbox, err);
	if (status)
		goto err_close;
	*ret = c;
	return FP_OK;

err_close:
	conductor_close(c);
	return fp_err_set(err, status, "no memory for %d ranks",
	                  (int)listen->size);
}

enum fp_status conductor_adopt(struct conductor *c, int fd, struct fp_err *err)
{
	return mailbox_adopt(c->mailbox, fd, err);
}

const struct run_event *conductor_events(const struct conductor *c,
                                         size_t *ret_n)
{
	*ret_n = c->n_pending;
	return c->pending;
}

const struct topo_job *conductor_job(const struct conductor *c)
{
	return &c->job;
}

void conductor_stop(struct conductor *c, int signum)
{
	char text[64];

	(void)snprintf(text, sizeof(text), "stopped by SIG%s",
	               sigabbrev_np(signum) ? sigabbrev_np(signum) : "?");
	conductor_end(c, signum, text);
}

int conductor_stopped(const struct conductor *c)
{
	return c->signum;
}

bool conductor_finish(struct conductor *c)
{
	uint32_t how;
	bool all = c->signum == 0;
	int32_t i;

	for (i = 0; i < c->size; i++)
		if (c->peers[i].state == PEER_ABSENT ||
		    c->peers[i].state == PEER_LOST)
			all = false;
	how = all ? WIRE_BYE_FINALIZE : WIRE_BYE_EXIT;
	for (i = 0; i < c->size; i++)
		if (c->peers[i].state != PEER_ABSENT)
			conductor_send(c, i, WIRE_BYE, &how, sizeof(how));
	mailbox_flush(c->mailbox, fp_after_ns(CONDUCTOR_BYE_S));
	return all;
}

void conductor_close(struct conductor *c)
{
	if (!c)
		return;
	mailbox_close(c->mailbox);
	if (c->tick)
		event_free(c->tick);
	peers_free(c->peers, c->size);
	topo_job_done(&c->job);
	free(c->pending);
	free(c->watches.w);
	free(c);
}
