// SPDX-License-Identifier: Apache-2.0
// The conductor against agents that fail in every phase of a trial: each
// member of each trial gets exactly one outcome, and the others go on.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <event2/event.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "mpi/conductor.h"
#include "topo/base/clock.h"
#include "topo/base/version.h"

#define RANKS 4
#define DEADLINE_S 0.3
#define GRACE_S 0.3
#define PREPARE_S 0.3

enum manner {
	M_GOOD,
	M_NO_WORKER,      /* READY says so */
	M_NO_ENDPOINT,    /* never answers PREPARE */
	M_CANNOT_PREPARE, /* answers PREPARE with an ERROR */
	M_NO_OUTCOME,     /* never answers GO */
	M_CLOSE_PREPARE,  /* gone at PREPARE */
	M_CLOSE_GO,       /* gone at GO */
	M_OTHER_TRIAL,    /* outcome of a trial that it has not */
	M_TWICE,          /* two outcomes */
};

/* One agent, played by this test in the conductor's own loop. */
struct player {
	struct mailbox_link *link;
	enum manner manner;
	int32_t rank;
	bool gone;
	unsigned canceled, byes;
};

struct bed {
	struct event_base *base;
	struct conductor *conductor;
	struct player players[RANKS];
	struct outcome outcomes[64];
	size_t n_outcomes;
	unsigned lost_events, rounds;
};

static void player_send(struct player *p, enum wire_type type,
                        const void *payload, size_t len)
{
	if (!p->gone)
		mailbox_link_send(p->link, type, payload, len, NULL);
}

static void player_leave(struct player *p)
{
	p->gone = true;
	mailbox_link_close(p->link);
	p->link = NULL;
}

static void player_outcome(struct player *p, uint32_t trial, uint8_t state)
{
	struct outcome o = { .trial = trial, .rank = p->rank, .state = state };

	o.stage = state == OUTCOME_OK ? STAGE_DONE : STAGE_INIT;
	player_send(p, WIRE_OUTCOME, &o, sizeof(o));
}

static void player_setup(struct player *p)
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

static void player_prepare(struct player *p, const struct wire_frame *f)
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
	else if (p->manner != M_NO_ENDPOINT)
		player_send(p, WIRE_ENDPOINT, &ep, sizeof(ep));
}

static void player_go(struct player *p, const struct wire_frame *f)
{
	struct wire_go go;

	memcpy(&go, f->payload, sizeof(go));
	if (p->manner == M_CLOSE_GO) {
		player_leave(p);
		return;
	}
	if (p->manner == M_NO_OUTCOME)
		return;
	if (p->manner == M_OTHER_TRIAL)
		player_outcome(p, go.trial + 1000, OUTCOME_ERROR);
	player_outcome(p, go.trial, OUTCOME_OK);
	if (p->manner == M_TWICE)
		player_outcome(p, go.trial, OUTCOME_ERROR);
}

static void player_frame(void *arg, const struct wire_frame *f)
{
	struct player *p = arg;

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
	struct player *p = arg;

	(void)why;
	p->gone = true;
}

static const uint8_t token[BOOT_TOKEN_BYTES] = "a-token-of-tests";

static const struct mailbox_opts mail = {
	.heartbeat_s = 0.05,
	.dead_s = 5,
	.hello_s = 5,
	.max_pending = 8,
};

static void player_join(struct bed *b, int32_t rank, enum manner manner)
{
	struct player *p = &b->players[rank];
	struct wire_hello hello = { .rank = rank, .size = RANKS, .pid = 1 };
	struct mailbox_link_cb cb = { .arg = p,
		                      .frame = player_frame,
		                      .lost = player_lost };
	struct mailbox_link_how how = { b->base, &hello, &mail, &cb };
	struct fp_err err = { 0 };
	int fds[2];

	memcpy(hello.token, token, sizeof(token));
	memcpy(hello.version, FP_VERSION, sizeof(FP_VERSION));
	memcpy(hello.host_name, "h", 2);
	memcpy(hello.host_id, "h", 2);
	p->manner = manner;
	p->rank = rank;
	assert_int_equal(socketpair(AF_UNIX,
	                            SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
	                            0, fds),
	                 0);
	assert_int_equal(conductor_adopt(b->conductor, fds[0], &err), FP_OK);
	assert_int_equal(mailbox_link_take(&how, fds[1], &p->link, &err),
	                 FP_OK);
}

static void bed_open(struct bed *b, const enum manner manners[RANKS],
                     int32_t n_join)
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

static void bed_close(struct bed *b)
{
	int32_t i;

	for (i = 0; i < RANKS; i++)
		if (!b->players[i].gone)
			mailbox_link_close(b->players[i].link);
	conductor_close(b->conductor);
	event_base_free(b->base);
}

static void sink_outcome(void *arg, const struct trial *t,
                         const struct outcome *o, const double *samples,
                         size_t n)
{
	struct bed *b = arg;

	(void)t;
	(void)samples;
	(void)n;
	assert_true(b->n_outcomes < 64);
	b->outcomes[b->n_outcomes++] = *o;
}

static void sink_event(void *arg, const struct run_event *e)
{
	struct bed *b = arg;

	b->lost_events += e->kind == EVENT_AGENT_LOST;
}

static void sink_round(void *arg, const struct exec_round *r)
{
	struct bed *b = arg;

	(void)r;
	b->rounds++;
}

static struct trial pair(uint32_t id, uint32_t round, int32_t src, int32_t dst)
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

static enum fp_status bed_run(struct bed *b, struct trial *trials, size_t n,
                              int64_t stop_ns)
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

static const struct outcome *outcome_of(const struct bed *b, uint32_t trial,
                                        int32_t rank)
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

/* Rank 1 behaves as said; trial 1 is 0->1, trial 2 is 2->3, in one round;
 * trial 3 is 0->2 in the next. */
struct failing {
	enum manner manner;
	uint8_t state_0, state_1; /* of trial 1 */
	unsigned lost_events;
};

static void others_go_on_test(void **state)
{
	static const struct failing cases[] = {
		{ M_GOOD, OUTCOME_OK, OUTCOME_OK, 0 },
		{ M_TWICE, OUTCOME_OK, OUTCOME_OK, 0 },
		{ M_OTHER_TRIAL, OUTCOME_OK, OUTCOME_OK, 0 },
		{ M_NO_WORKER, OUTCOME_NOTRUN, OUTCOME_NOTRUN, 0 },
		{ M_NO_ENDPOINT, OUTCOME_NOTRUN, OUTCOME_HANG, 0 },
		{ M_CANNOT_PREPARE, OUTCOME_NOTRUN, OUTCOME_ERROR, 0 },
		{ M_NO_OUTCOME, OUTCOME_OK, OUTCOME_HANG, 0 },
		{ M_CLOSE_PREPARE, OUTCOME_NOTRUN, OUTCOME_LOST, 1 },
		{ M_CLOSE_GO, OUTCOME_OK, OUTCOME_LOST, 1 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct trial trials[] = { pair(1, 0, 0, 1), pair(2, 0, 2, 3),
			                  pair(3, 1, 0, 2) };
		enum manner manners[RANKS] = { M_GOOD };
		int64_t begun_ns, bound_ns;
		struct bed b;

		manners[1] = cases[i].manner;
		bed_open(&b, manners, RANKS);
		begun_ns = fp_now_ns();
		assert_int_equal(bed_run(&b, trials, 3, INT64_MAX), FP_OK);
		bound_ns = (int64_t)((PREPARE_S + DEADLINE_S + GRACE_S) * 1e9);
		/* one deadline of each kind at most, and scheduling slack */
		assert_true(fp_now_ns() - begun_ns <
		            bound_ns + 2 * FP_NS_PER_S);
		assert_int_equal(b.n_outcomes, 6);
		assert_int_equal(outcome_of(&b, 1, 0)->state, cases[i].state_0);
		assert_int_equal(outcome_of(&b, 1, 1)->state, cases[i].state_1);
		assert_int_equal(outcome_of(&b, 2, 2)->state, OUTCOME_OK);
		assert_int_equal(outcome_of(&b, 2, 3)->state, OUTCOME_OK);
		assert_int_equal(outcome_of(&b, 3, 0)->state, OUTCOME_OK);
		assert_int_equal(outcome_of(&b, 3, 2)->state, OUTCOME_OK);
		assert_int_equal(b.lost_events, cases[i].lost_events);
		assert_int_equal(b.rounds, 4);
		assert_int_equal(conductor_finish(b.conductor),
		                 cases[i].lost_events == 0);
		bed_close(&b);
	}
}

static void lost_stays_lost_test(void **state)
{
	struct trial first[] = { pair(1, 0, 0, 1) };
	struct trial second[] = { pair(2, 0, 1, 0) };
	enum manner manners[RANKS] = { M_GOOD, M_CLOSE_GO };
	struct bed b;

	(void)state;
	bed_open(&b, manners, RANKS);
	assert_int_equal(bed_run(&b, first, 1, INT64_MAX), FP_OK);
	assert_int_equal(bed_run(&b, second, 1, INT64_MAX), FP_OK);
	assert_int_equal(outcome_of(&b, 2, 1)->state, OUTCOME_LOST);
	assert_int_equal(outcome_of(&b, 2, 0)->state, OUTCOME_NOTRUN);
	bed_close(&b);
}

static void missing_rank_test(void **state)
{
	struct trial trials[] = { pair(1, 0, 0, 3), pair(2, 0, 1, 2) };
	enum manner manners[RANKS] = { M_GOOD };
	struct bed b;

	(void)state;
	bed_open(&b, manners, RANKS - 1);
	assert_int_equal(bed_run(&b, trials, 2, INT64_MAX), FP_OK);
	assert_int_equal(outcome_of(&b, 1, 3)->state, OUTCOME_LOST);
	assert_int_equal(outcome_of(&b, 1, 0)->state, OUTCOME_NOTRUN);
	assert_int_equal(outcome_of(&b, 2, 1)->state, OUTCOME_OK);
	assert_int_equal(conductor_job(b.conductor)->ranks[3].host, -1);
	assert_false(conductor_finish(b.conductor));
	bed_close(&b);
}

static void time_limit_test(void **state)
{
	struct trial trials[] = { pair(1, 0, 0, 1), pair(2, 1, 2, 3) };
	enum manner manners[RANKS] = { M_GOOD };
	struct bed b;

	(void)state;
	bed_open(&b, manners, RANKS);
	assert_int_equal(bed_run(&b, trials, 2, fp_now_ns()), FP_OK);
	assert_int_equal(outcome_of(&b, 1, 0)->state, OUTCOME_NOTRUN);
	assert_int_equal(outcome_of(&b, 2, 3)->state, OUTCOME_NOTRUN);
	bed_close(&b);
}

static void stop_now(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	conductor_stop(arg, SIGTERM);
}

static void stop_names_what_is_in_the_air_test(void **state)
{
	struct trial trials[] = { pair(1, 0, 0, 1), pair(2, 1, 2, 3) };
	enum manner manners[RANKS] = { M_GOOD, M_NO_OUTCOME };
	const struct timeval soon = { .tv_usec = 50000 };
	struct bed b;

	(void)state;
	bed_open(&b, manners, RANKS);
	event_base_once(b.base, -1, EV_TIMEOUT, stop_now, b.conductor, &soon);
	assert_int_equal(bed_run(&b, trials, 2, INT64_MAX), FP_ERR_INTR);
	assert_int_equal(outcome_of(&b, 1, 1)->state, OUTCOME_NOTRUN);
	assert_non_null(strstr(outcome_of(&b, 1, 1)->err, "interrupted"));
	assert_int_equal(b.n_outcomes, 2); /* round 2 was never begun */
	assert_int_equal(conductor_stopped(b.conductor), SIGTERM);
	assert_false(conductor_finish(b.conductor));
	bed_close(&b);
}

static void rank_twice_in_a_round_test(void **state)
{
	struct trial trials[] = { pair(1, 0, 0, 1), pair(2, 0, 1, 2) };
	enum manner manners[RANKS] = { M_GOOD };
	struct bed b;

	(void)state;
	bed_open(&b, manners, RANKS);
	assert_int_equal(bed_run(&b, trials, 2, INT64_MAX), FP_OK);
	assert_int_equal(b.n_outcomes, 4);
	assert_int_equal(outcome_of(&b, 1, 1)->state, OUTCOME_OK);
	assert_int_equal(outcome_of(&b, 2, 1)->state, OUTCOME_NOTRUN);
	bed_close(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(others_go_on_test),
		cmocka_unit_test(lost_stays_lost_test),
		cmocka_unit_test(missing_rank_test),
		cmocka_unit_test(time_limit_test),
		cmocka_unit_test(stop_names_what_is_in_the_air_test),
		cmocka_unit_test(rank_twice_in_a_round_test),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
