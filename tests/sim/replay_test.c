// SPDX-License-Identifier: Apache-2.0
// A machine that is fed from a record comes to what it came to then, wherever
// that run was stopped and whoever was lost in it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "probes/locate/locate.h"
#include "probes/session/session.h"
#include "probes/sim/catalogue.h"
#include "probes/sim/exec.h"

#define NEVER UINT32_MAX

/* struct hurt - a model on which somebody is lost, or which is stopped. */
struct hurt {
	struct sim_exec x;
	uint32_t round, lose_at, stop_at;
	int32_t lost; /* rank */
};

static enum fp_status run_hurt(void *self, const struct batch *batch,
                               int64_t stop_ns, const struct exec_sink *sink,
                               struct fp_err *err)
{
	struct hurt *h = self;
	const struct run_event gone = { .kind = EVENT_AGENT_LOST,
		                        .rank = h->lost };

	if (h->round == h->lose_at)
		sink->event(sink->arg, &gone);
	if (h->round++ == h->stop_at)
		return FP_ERR_INTR;
	return sim_exec_ops.run(&h->x, batch, stop_ns, sink, err);
}

static const struct exec_ops hurt_exec_ops = { .name = "hurt",
	                                       .run = run_hurt };

/* struct bed - a modelled cluster, the run on it, and its replay. */
struct bed {
	struct fabric f;
	struct topo_job job;
	struct sim_fault fault;
	struct sim_model m;
	struct session live, again;
};

static void bed_open(struct bed *b, const char *fault)
{
	struct fabric_spec spec;

	memset(b, 0, sizeof(*b));
	fabric_spec_defaults(&spec, 8);
	spec.gpus = spec.nics = 2;
	spec.hosts_per_leaf = 2;
	assert_int_equal(fabric_init(&b->f, &spec, NULL), FP_OK);
	assert_int_equal(sim_name_hosts(&b->f, NULL), FP_OK);
	assert_int_equal(sim_job(&b->f, &b->job, NULL), FP_OK);
	b->m = (struct sim_model){
		.f = &b->f,
		.faults = &b->fault,
		.n_faults = 1,
		.noise = sim_noise_usual(),
		.seed = 3,
	};
	assert_int_equal(sim_fault_parse(&b->f, fault, &b->fault, NULL), FP_OK);
}

static void bed_close(struct bed *b)
{
	topo_job_done(&b->job);
	fabric_done(&b->f);
}

/* The record as a journal gives it back: by then nobody has a machine. */
static void replay(struct bed *b)
{
	struct session *s = &b->again;

	assert_int_equal(session_init(s, &b->job, &b->live.opts, NULL), FP_OK);
	s->fabric = &b->f;
	s->results = b->live.results;
	s->elapsed_s = b->live.elapsed_s;
	assert_int_equal(session_replay(s, NULL), FP_OK);
	s->results = (struct results){ 0 };
}

static void assert_same(const struct bed *b)
{
	const struct session *l = &b->live, *a = &b->again;
	size_t i;

	assert_int_equal(l->verdict, a->verdict);
	assert_int_equal(l->interrupted, a->interrupted);
	assert_int_equal(l->findings.n, a->findings.n);
	for (i = 0; i < l->findings.n; i++)
		assert_memory_equal(&l->findings.f[i], &a->findings.f[i],
		                    sizeof(*l->findings.f));
	assert_int_equal(l->coverage.n_skips, a->coverage.n_skips);
	for (i = 0; i < l->coverage.n_skips; i++)
		assert_string_equal(l->coverage.skips[i].what,
		                    a->coverage.skips[i].what);
	assert_int_equal(l->locate->n_asks, a->locate->n_asks);
	assert_int_equal(l->locate->tests.n, a->locate->tests.n);
	assert_int_equal(l->locate->n_open, a->locate->n_open);
}

/* Whether it was stopped. */
static bool both(struct bed *b, const struct hurt *how)
{
	struct hurt h = *how;
	struct session_opts opts;
	enum fp_status status;

	session_defaults(&opts);
	h.x = (struct sim_exec){ .m = &b->m, .job = &b->job };
	assert_int_equal(session_init(&b->live, &b->job, &opts, NULL), FP_OK);
	b->live.fabric = &b->f;
	status = session_run(&b->live, &hurt_exec_ops, &h, NULL, NULL);
	assert_true(status == FP_OK || status == FP_ERR_INTR);
	replay(b);
	assert_same(b);
	session_done(&b->again);
	session_done(&b->live);
	return status == FP_ERR_INTR;
}

static void wherever_it_is_stopped(void **state)
{
	struct hurt h = { .lose_at = NEVER };
	struct bed b;

	(void)state;
	bed_open(&b, "cable-tx 3/1");
	while (both(&b, &h))
		h.stop_at++;
	assert_true(h.stop_at > 20);
	bed_close(&b);
}

static void whoever_is_lost(void **state)
{
	struct hurt h = { .stop_at = NEVER };
	struct bed b;

	(void)state;
	bed_open(&b, "cable-tx 3/1");
	for (h.lose_at = 0; h.lose_at < 30; h.lose_at += 3) {
		h.lost = (int32_t)(h.lose_at % b.job.n_ranks);
		(void)both(&b, &h);
	}
	bed_close(&b);
}

static void whoever_hangs(void **state)
{
	struct hurt h = { .lose_at = NEVER, .stop_at = NEVER };
	struct bed b;

	(void)state;
	bed_open(&b, "nic-dead 3/1");
	(void)both(&b, &h);
	bed_close(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wherever_it_is_stopped),
		cmocka_unit_test(whoever_is_lost),
		cmocka_unit_test(whoever_hangs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
