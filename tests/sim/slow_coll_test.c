// SPDX-License-Identifier: Apache-2.0
// A run by itself looks for whom a collective is slow by, where pairs are well:
// against an earlier run, or against its own pairs.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "probes/session/session.h"
#include "probes/sim/catalogue.h"
#include "probes/sim/exec.h"

#define NOBODY UINT32_MAX /* code of no finding */
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* struct bed - a modelled cluster, and a run on it. */
struct bed {
	struct fabric f;
	struct topo_job job;
	struct sim_fault fault;
	struct session session;
};

static void bed_run(struct bed *b, int32_t gpus, const char *fault,
                    const struct judge_run *before)
{
	struct sim_model m = {
		.f = &b->f,
		.faults = &b->fault,
		.n_faults = fault != NULL,
		.noise = sim_noise_usual(),
		.seed = 3,
	};
	struct sim_exec x = { .m = &m, .job = &b->job };
	struct session_opts opts;
	struct fabric_spec spec;

	fabric_spec_defaults(&spec, 8);
	spec.gpus = gpus;
	if (!gpus)
		spec.nics = 1;
	session_defaults(&opts);
	assert_int_equal(fabric_init(&b->f, &spec, NULL), FP_OK);
	assert_int_equal(sim_name_hosts(&b->f, NULL), FP_OK);
	assert_int_equal(sim_job(&b->f, &b->job, NULL), FP_OK);
	if (fault)
		assert_int_equal(sim_fault_parse(&b->f, fault, &b->fault, NULL),
		                 FP_OK);
	assert_int_equal(session_init(&b->session, &b->job, &opts, NULL),
	                 FP_OK);
	b->session.fabric = &b->f;
	b->session.before = before;
	assert_int_equal(
		session_run(&b->session, &sim_exec_ops, &x, NULL, NULL), FP_OK);
}

static void bed_close(struct bed *b)
{
	session_done(&b->session);
	topo_job_done(&b->job);
	fabric_done(&b->f);
}

static const struct row {
	const char *fault;
	int32_t gpus;
	bool before;        /* is there an earlier run? */
	uint32_t first, by; /* findings; NOBODY: no more */
	const char *where;  /* of the last one */
} rows[] = {
	/* a third less than it was: no more than pairs allow */
	{ "coll-host 6 state=OK ratio=.66", 4, true, FINDING_SINCE_COLL,
	  FINDING_COLL_CULPRIT, "host h6" },
	{ "coll-pair 2,5 state=OK ratio=.66", 4, true, FINDING_SINCE_COLL,
	  FINDING_COLL_INTERACTION, "host h2 <-> host h5" },
	{ "coll-host 6 state=OK ratio=.66", 4, false, NOBODY, NOBODY, NULL },
	{ "coll-host 6 state=OK ratio=.66", 0, false, NOBODY, NOBODY, NULL },
	/* a third of what pairs allow */
	{ "coll-host 6 state=OK ratio=.33", 4, false, NOBODY,
	  FINDING_COLL_CULPRIT, "host h6" },
	{ "coll-pair 2,5 state=OK ratio=.33", 4, false, NOBODY,
	  FINDING_COLL_INTERACTION, "host h2 <-> host h5" },
	{ "coll-scale from=5 state=OK ratio=.33", 4, false, NOBODY,
	  FINDING_COLL_SCALE, "the job" },
	{ "coll-host 6 state=OK ratio=.33", 0, false, NOBODY,
	  FINDING_COLL_CULPRIT, "host h6" },
	/* where cores may be what there is too few of */
	{ "coll-scale from=5 state=OK ratio=.33", 0, false, NOBODY, NOBODY,
	  NULL },
	/* pairs tell of it themselves */
	{ "cable-tx 3/1 ratio=.33", 4, false, NOBODY, FINDING_PORT_TX_SLOW,
	  "host h3, port 1, sending" },
	{ NULL, 4, true, NOBODY, NOBODY, NULL },
};

static void check(const struct row *row, const struct findings *found)
{
	size_t want = (row->first != NOBODY ? 1u : 0u) +
	              (row->by != NOBODY ? 1u : 0u);
	char where[FINDING_TEXT_MAX];
	size_t i, hits = 0;

	if (found->n != want)
		fail_msg("%s: %zu findings, the first %s", row->fault, found->n,
		         found->n ? finding_info(found->f[0].code)->id : "-");
	for (i = 0; i < found->n; i++) {
		hits += found->f[i].code == row->first;
		if (found->f[i].code != row->by)
			continue;
		hits++;
		locus_text(&found->f[i].locus, where, sizeof(where));
		assert_string_equal(where, row->where);
	}
	if (hits != want)
		fail_msg("%s: %s", row->fault,
		         finding_info(found->f[0].code)->id);
}

static void slow_while_pairs_are_not(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		struct bed was = { .session = { .n_rounds = 0 } };
		struct bed now = { .session = { .n_rounds = 0 } };
		const struct judge_run before = {
			.job = &was.job,
			.results = &was.session.results,
			.matrices = &was.session.matrices,
		};

		if (rows[i].before)
			bed_run(&was, rows[i].gpus, NULL, NULL);
		bed_run(&now, rows[i].gpus, rows[i].fault,
		        rows[i].before ? &before : NULL);
		check(&rows[i], &now.session.findings);
		/* From what is on record it is the same. */
		assert_int_equal(session_judge(&now.session, NULL), FP_OK);
		check(&rows[i], &now.session.findings);
		bed_close(&now);
		if (rows[i].before)
			bed_close(&was);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slow_while_pairs_are_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
