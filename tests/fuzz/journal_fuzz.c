// SPDX-License-Identifier: Apache-2.0
// Fuzzes journals: what can be read can be judged and rendered, the same each
// time, whatever is in it.
#include <stdlib.h>
#include <string.h>

#include "probes/journal/journal.h"
#include "probes/report/report.h"
#include "probes/sim/exec.h"
#include "topo/json/json_fabric.h"

/* Not assert(3): a release build must check, too. */
#define CHECK(what)              \
	do {                     \
		if (!(what))     \
			abort(); \
	} while (0)

#define FUZZ_RANKS_MAX 64 /* beyond it is only slower */
#define FUZZ_HOSTS_MAX 8

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void render(const struct session *s, const struct journal_run *run,
                   const char *format)
{
	const struct report report = {
		.session = s,
		.command = run->command,
		.options = run->options,
		.started_utc = run->started_utc,
		.drill = run->drill,
		.cut = !run->complete,
		.columns = 80,
		.timing = true,
	};
	struct fp_text out = { 0 };

	CHECK(report_find(format)->render(&report, &out, NULL) == FP_OK);
	CHECK(out.len > 0);
	fp_text_free(&out);
}

static void check_results(const struct results *r, size_t n_ranks)
{
	const struct trial *t;
	size_t i;

	for (i = 0; i < r->n_trials; i++) {
		t = &r->trials[i];
		CHECK(t->id == i + 1);
		CHECK(trial_check(t, n_ranks, r->n_members) == NULL);
	}
	for (i = 0; i < r->n_outcomes; i++) {
		CHECK(outcome_check(&r->outcomes[i], n_ranks) == NULL);
		CHECK(results_trial(r, r->outcomes[i].trial));
	}
	for (i = 0; i < r->n_kept; i++)
		CHECK(r->kept[i].first + r->kept[i].n <= r->n_samples);
}

/* A described one, as a model's run has it. */
static const struct fabric *know_fabric(const struct journal_run *run,
                                        struct fabric *f)
{
	struct fabric_spec spec;

	if (!run->fabric ||
	    fabric_spec_read(run->fabric, strlen(run->fabric), &spec, NULL) ||
	    spec.hosts > FUZZ_HOSTS_MAX || fabric_init(f, &spec, NULL))
		return NULL;
	CHECK(sim_name_hosts(f, NULL) == FP_OK);
	return f;
}

static void judge(struct journal_run *run)
{
	struct fabric f = { 0 };
	struct session s;

	if (session_init(&s, &run->job, &run->opts, NULL) != FP_OK)
		return;
	s.fabric = know_fabric(run, &f);
	s.results = run->results;
	run->results = (struct results){ 0 };
	s.elapsed_s = run->elapsed_s;
	s.interrupted = !run->complete;
	CHECK(session_replay(&s, NULL) == FP_OK);
	CHECK(run->complete || s.verdict != VERDICT_HEALTHY);
	render(&s, run, "text");
	render(&s, run, "json");
	render(&s, run, "sweep");
	session_done(&s);
	fabric_done(&f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct journal_run run;
	struct fp_err err = { 0 };
	enum fp_status status;

	status = journal_parse((const char *)data, size, &run, &err);
	if (status) {
		CHECK(err.status == status && err.text[0]);
		return 0;
	}
	check_results(&run.results, run.job.n_ranks);
	if (run.job.n_ranks <= FUZZ_RANKS_MAX)
		judge(&run);
	journal_run_done(&run);
	return 0;
}
