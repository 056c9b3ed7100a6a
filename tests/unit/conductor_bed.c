// SPDX-License-Identifier: Apache-2.0
// A conductor and the agents that a test plays.
#include "tests/unit/conductor_bed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "topo/base/version.h"

static void player_send(struct conductor_player *p, enum wire_type type,
                        const void *payload, size_t len)
{
	if (!p->gone)
		mailbox_link_send(p->link, type, payload, len, NULL);
}

static void player_leave(struct conductor_player *p)
{
	p->gone = true;
	mailbox_link_close(p->link);
	p->link = NULL;
}

static void player_outcome(struct conductor_player *p, uint32_t trial,
                           uint8_t state)
{
	struct outcome o = { .trial = trial, .rank = p->rank, .state = state };

	o.stage = state == OUTCOME_OK ? STAGE_DONE : STAGE_INIT;
	player_send(p, WIRE_OUTCOME, &o, sizeof(o));
}

static void player_setup(struct conductor_player *p)
{
	struct wire_ready ready = { .rank = p->rank };
	const char *facts = "{\"name\":\"x\"}";

	memcpy(ready.version, FP_VERSION, sizeof(FP_VERSION));
	if (p->manner == M_NO_WORKER) {
		ready.status = FP_ERR_SYS;
		memcpy(ready.text, "no library", sizeof("no library"));
	}
	player_send(p, WIRE_READY, &ready, sizeof(ready));
	if (p->manner != M_NO_WORKER)
		player_send(p, WIRE_FACTS, facts, strlen(facts));
}

static void player_prepare(struct conductor_player *p,
                           const struct wire_frame *f)
{
	struct wire_prepare prep;
	struct wire_endpoint ep = { 0 };

	memcpy(&prep, f->payload, sizeof(prep));
	ep.trial = prep.trial.id;
	ep.index = prep.me;
	if (p->manner == M_CLOSE_PREPARE)
		player_leave(p);
	else if (p->manner == M_CANNOT_PREPARE)
		player_outcome(p, prep.trial.id, OUTCOME_ERROR);
	else if (p->manner != M_NO_ENDPOINT && p->manner != M_SILENT_PREPARE)
		player_send(p, WIRE_ENDPOINT, &ep, sizeof(ep));
}

static void player_late(evutil_socket_t fd, short what, void *arg)
{
	struct conductor_player *p = arg;

	(void)fd;
	(void)what;
	player_outcome(p, p->trial, OUTCOME_OK);
}

static void player_go(struct conductor_player *p, const struct wire_frame *f)
{
	struct wire_go go;

	memcpy(&go, f->payload, sizeof(go));
	if (p->manner == M_GIVE_UP)
		nanosleep(&(struct timespec){ .tv_sec = (time_t)DEAD_S + 1 },
		          NULL);
	if (p->manner == M_CLOSE_GO || p->manner == M_GIVE_UP) {
		player_leave(p);
		return;
	}
	if (p->manner == M_NO_OUTCOME || p->manner == M_SILENT_GO)
		return;
	if (p->manner == M_PAUSE) {
		const struct timeval after = {
			.tv_sec = (time_t)PAUSE_S,
			.tv_usec = (suseconds_t)(fmod(PAUSE_S, 1) * 1e6),
		};

		p->trial = go.trial;
		event_add(p->late, &after);
		return;
	}
	if (p->manner == M_OTHER_TRIAL)
		player_outcome(p, go.trial + 1000, OUTCOME_ERROR);
	player_outcome(p, go.trial, OUTCOME_OK);
	if (p->manner == M_TWICE)
		player_outcome(p, go.trial, OUTCOME_ERROR);
}

static void player_frame(void *arg, const struct wire_frame *f)
{
	struct conductor_player *p = arg;

	if (f->head.type == WIRE_SETUP)
		player_setup(p);
	else if (f->head.type == WIRE_PREPARE)
		player_prepare(p, f);
	else if (f->head.type == WIRE_GO)
		player_go(p, f);
	else if (f->head.type == WIRE_CANCEL)
		p->canceled++;
	else if (f->head.type == WIRE_BYE)
		p->byes++;
}

static void player_lost(void *arg, const char *why)
{
	struct conductor_player *p = arg;

	(void)why;
	p->gone = true;
}

static const uint8_t token[BOOT_TOKEN_BYTES] = "a-token-of-tests";

static const struct mailbox_opts mail = {
	.heartbeat_s = 0.05,
	.dead_s = DEAD_S,
	.hello_s = 5,
	.max_pending = 8,
};

/* What a player goes by that sends no heartbeat. */
static const struct mailbox_opts silent_mail = {
	.heartbeat_s = 60,
	.dead_s = 3600,
	.hello_s = 5,
	.max_pending = 8,
};

static void player_join(struct conductor_bed *b, int32_t rank,
                        enum manner manner)
{
	struct conductor_player *p = &b->players[rank];
	struct wire_hello hello = { .rank = rank, .size = RANKS, .pid = 1 };
	struct mailbox_link_cb cb = { .arg = p,
		                      .frame = player_frame,
		                      .lost = player_lost };
	bool silent = manner == M_SILENT_PREPARE || manner == M_SILENT_GO ||
	              manner == M_PAUSE;
	struct mailbox_link_how how = { b->base, &hello,
		                        silent ? &silent_mail : &mail, &cb };
	struct fp_err err = { 0 };
	int fds[2];

	memcpy(hello.token, token, sizeof(token));
	memcpy(hello.version, FP_VERSION, sizeof(FP_VERSION));
	memcpy(hello.host_name, "h", 2);
	memcpy(hello.host_id, "h", 2);
	p->manner = manner;
	p->rank = rank;
	p->late = event_new(b->base, -1, 0, player_late, p);
	assert_non_null(p->late);
	assert_int_equal(socketpair(AF_UNIX,
	                            SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
	                            0, fds),
	                 0);
	assert_int_equal(conductor_adopt(b->conductor, fds[0], &err), FP_OK);
	assert_int_equal(mailbox_link_take(&how, fds[1], &p->link, &err),
	                 FP_OK);
}

void conductor_bed_open(struct conductor_bed *b,
                        const enum manner manners[RANKS], int32_t n_join)
{
	static struct boot_meet meet;
	struct mailbox_listen listen = { .fd = -1,
		                         .size = RANKS,
		                         .meet = &meet };
	struct conductor_opts opts = { .mailbox = mail,
		                       .start_s = 1,
		                       .prepare_s = PREPARE_S,
		                       .grace_s = GRACE_S };
	struct fp_err err = { 0 };
	int32_t i;

	memset(b, 0, sizeof(*b));
	memcpy(meet.token, token, sizeof(token));
	b->base = event_base_new();
	assert_non_null(b->base);
	listen.base = b->base;
	listen.bind_addr = "127.0.0.1";
	assert_int_equal(conductor_open(&listen, &opts, &b->conductor, &err),
	                 FP_OK);
	for (i = 0; i < n_join; i++)
		player_join(b, i, manners[i]);
	assert_int_equal(conductor_gather(b->conductor, &err), FP_OK);
}

void conductor_bed_close(struct conductor_bed *b)
{
	int32_t i;

	for (i = 0; i < RANKS; i++) {
		if (!b->players[i].gone)
			mailbox_link_close(b->players[i].link);
		if (b->players[i].late)
			event_free(b->players[i].late);
	}
	conductor_close(b->conductor);
	event_base_free(b->base);
}

static void sink_outcome(void *arg, const struct trial *t,
                         const struct outcome *o, const double *samples,
                         size_t n)
{
	struct conductor_bed *b = arg;

	(void)t;
	(void)samples;
	(void)n;
	assert_true(b->n_outcomes < 64);
	b->outcomes[b->n_outcomes++] = *o;
}

static void sink_event(void *arg, const struct run_event *e)
{
	struct conductor_bed *b = arg;

	if (e->kind != EVENT_AGENT_LOST)
		return;
	b->lost_events++;
	b->lost_rank = e->rank;
}

static void sink_round(void *arg, const struct exec_round *r)
{
	struct conductor_bed *b = arg;

	(void)r;
	b->rounds++;
}

struct trial conductor_bed_pair(uint32_t id, uint32_t round, int32_t src,
                                int32_t dst)
{
	return (struct trial){ .id = id,
		               .round = round,
		               .xport = XPORT_TCP,
		               .op = OP_WRITE,
		               .bytes = 1024,
		               .src = src,
		               .dst = dst,
		               .src_ep = -1,
		               .dst_ep = -1,
		               .time_s = 0.1,
		               .deadline_s = DEADLINE_S };
}

enum fp_status conductor_bed_run(struct conductor_bed *b, struct trial *trials,
                                 size_t n, int64_t stop_ns)
{
	struct exec_sink sink = { .arg = b,
		                  .outcome = sink_outcome,
		                  .event = sink_event,
		                  .round_begin = sink_round,
		                  .round_end = sink_round };
	struct batch batch = { .trials = trials, .n_trials = n };

	return conductor_exec_ops.run(b->conductor, &batch, stop_ns, &sink,
	                              NULL);
}

const struct outcome *conductor_bed_outcome(const struct conductor_bed *b,
                                            uint32_t trial, int32_t rank)
{
	const struct outcome *found = NULL;
	size_t i;

	for (i = 0; i < b->n_outcomes; i++)
		if (b->outcomes[i].trial == trial &&
		    b->outcomes[i].rank == rank) {
			assert_null(found); /* exactly one */
			found = &b->outcomes[i];
		}
	assert_non_null(found);
	return found;
}
