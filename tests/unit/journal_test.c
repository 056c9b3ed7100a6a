// SPDX-License-Identifier: Apache-2.0
// Journals: what is written comes back, cut ones load or fail cleanly, and a
// replay finds what the run found.
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "probes/journal/journal.h"
#include "tests/unit/session_bed.h"

struct folder {
	char dir[64], out[96], file[128], old[136];
};

static void folder_make(struct folder *f)
{
	snprintf(f->dir, sizeof(f->dir), "fp-journal-test-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	snprintf(f->out, sizeof(f->out), "%s/out", f->dir);
	snprintf(f->file, sizeof(f->file), "%s/" JOURNAL_FILE, f->out);
	snprintf(f->old, sizeof(f->old), "%s.old", f->file);
}

static void folder_remove(const struct folder *f)
{
	(void)unlink(f->file);
	(void)unlink(f->old);
	(void)rmdir(f->out);
	assert_int_equal(rmdir(f->dir), 0);
}

static char *read_all(const char *path, size_t *ret_len)
{
	FILE *in = fopen(path, "rb");
	char *data = malloc(4u << 20);

	assert_non_null(in);
	assert_non_null(data);
	*ret_len = fread(data, 1, 4u << 20, in);
	fclose(in);
	return data;
}

static const struct journal_head head = {
	.command = "fabricprobe --quick \"x\"",
	.options = "{\"mode\":\"quick\",\"n\":4}",
	.started_utc = "2026-01-02T03:04:05Z",
	.drill = true,
};

static void on_batch(void *arg, const struct batch *batch)
{
	assert_int_equal(journal_batch(arg, batch, NULL), FP_OK);
}

static void on_outcome(void *arg, const struct trial *t,
                       const struct outcome *o, const double *samples, size_t n)
{
	(void)t;
	assert_int_equal(journal_outcome(arg, o, samples, n, NULL), FP_OK);
}

static void on_event(void *arg, const struct run_event *e)
{
	assert_int_equal(journal_event(arg, e, NULL), FP_OK);
}

/* Runs @c with its journal in @f; the session is open afterwards. */
static void run_with_journal(struct bed *bed, const struct bed_case *c,
                             const struct folder *f)
{
	struct session_hooks hooks = { .batch = on_batch,
		                       .outcome = on_outcome,
		                       .event = on_event };
	struct journal *j;

	session_bed_open(bed, c);
	assert_int_equal(journal_open(f->out, &head, &j, NULL), FP_OK);
	assert_int_equal(
		journal_job(j, &bed->build.job, &bed->session.opts, NULL),
		FP_OK);
	hooks.arg = j;
	bed->status = session_run(&bed->session, &fake_exec_ops, &bed->fake,
	                          &hooks, NULL);
	if (!bed->session.interrupted)
		assert_int_equal(journal_end(j, bed->session.elapsed_s, NULL),
		                 FP_OK);
	journal_close(j);
}

static void replay(struct session *s, struct journal_run *run)
{
	assert_int_equal(session_init(s, &run->job, &run->opts, NULL), FP_OK);
	s->results = run->results;
	run->results = (struct results){ 0 };
	s->elapsed_s = run->elapsed_s;
	s->interrupted = !run->complete;
	assert_int_equal(session_judge(s, NULL), FP_OK);
}

static void assert_same_findings(const struct session *a,
                                 const struct session *b)
{
	const struct finding *f, *g;

	assert_int_equal(a->findings.n, b->findings.n);
	for (size_t i = 0; i < a->findings.n; i++) {
		f = &a->findings.f[i];
		g = &b->findings.f[i];
		assert_int_equal(f->code, g->code);
		assert_memory_equal(&f->locus, &g->locus, sizeof(f->locus));
		assert_memory_equal(&f->observed, &g->observed,
		                    sizeof(f->observed));
		assert_memory_equal(f->evidence, g->evidence,
		                    sizeof(f->evidence));
	}
}

static void assert_same_session(const struct session *a,
                                const struct session *b)
{
	const struct results *r = &a->results, *s = &b->results;

	assert_int_equal(r->n_trials, s->n_trials);
	assert_int_equal(r->n_outcomes, s->n_outcomes);
	assert_int_equal(r->n_events, s->n_events);
	assert_int_equal(r->n_kept, s->n_kept);
	assert_memory_equal(r->trials, s->trials,
	                    r->n_trials * sizeof(*r->trials));
	assert_memory_equal(r->outcomes, s->outcomes,
	                    r->n_outcomes * sizeof(*r->outcomes));
	if (r->n_samples)
		assert_memory_equal(r->samples, s->samples,
		                    r->n_samples * sizeof(*r->samples));
	assert_memory_equal(&a->opts, &b->opts, sizeof(a->opts));
	assert_int_equal(a->verdict, b->verdict);
	assert_int_equal(a->coverage.pairs_measured,
	                 b->coverage.pairs_measured);
	assert_int_equal(a->coverage.n_skips, b->coverage.n_skips);
	assert_same_findings(a, b);
}

#define HOSTS "1 1 1 1 1 1 1 1"

static const struct bed_case replayed[] = {
	{ .shape = "4", .noise = 0.004 },
	{ .shape = "2 1 2",
	  .kind = SESSION_SWEEP,
	  .op = OP_REDUCESCATTER,
	  .mode = MODE_STANDARD },
	{ .shape = HOSTS,
	  .noise = 0.004,
	  .rules = { { FAKE_SLOW, FAKE_ANY, 3, .by_host = true,
	               .factor = 1.3 } },
	  .n_rules = 1 },
	{ .shape = HOSTS,
	  .rules = { { FAKE_HOLE, 2, FAKE_ANY, .by_host = true },
	             { .kind = FAKE_CORRUPT, .src = 4, .dst = 5 } },
	  .n_rules = 2 },
	{ .shape = HOSTS,
	  .rules = { { FAKE_LOST, 2, FAKE_ANY, .from = 5 } },
	  .n_rules = 1 },
	{ .shape = HOSTS, .stop_round = 6 },
	{ .shape = HOSTS,
	  .time_limit_s = 10,
	  .rules = { { .kind = FAKE_STALL, .factor = 1 } },
	  .n_rules = 1 },
};

static void test_replay(void **state)
{
	struct journal_run run;
	struct session again;
	struct folder f;
	struct bed bed;

	(void)state;
	for (size_t i = 0; i < sizeof(replayed) / sizeof(*replayed); i++) {
		folder_make(&f);
		run_with_journal(&bed, &replayed[i], &f);
		assert_int_equal(journal_load(f.out, &run, NULL), FP_OK);
		assert_int_equal(run.bad_lines, 0);
		assert_int_equal(run.complete, !bed.session.interrupted);
		assert_string_equal(run.command, head.command);
		assert_string_equal(run.started_utc, head.started_utc);
		assert_string_equal(run.options, head.options);
		assert_true(run.drill);
		replay(&again, &run);
		assert_same_session(&bed.session, &again);
		if (run.complete)
			assert_true(again.elapsed_s == bed.session.elapsed_s);
		session_done(&again);
		journal_run_done(&run);
		session_bed_close(&bed);
		folder_remove(&f);
	}
}

/* Cut anywhere: it loads with what was whole, or says why not. */
static void test_cut_anywhere(void **state)
{
	const struct bed_case c = { .shape = "2", .kind = SESSION_PAIRS };
	struct journal_run run;
	size_t len, cut, loaded = 0, last = 0;
	struct session again;
	struct folder f;
	struct bed bed;
	char *data;

	(void)state;
	folder_make(&f);
	run_with_journal(&bed, &c, &f);
	data = read_all(f.file, &len);
	for (cut = 0; cut <= len; cut++) {
		struct fp_err err = { 0 };

		if (journal_parse(data, cut, &run, &err) != FP_OK) {
			assert_int_equal(err.status, FP_ERR_INPUT);
			assert_true(strlen(err.text) > 0);
			assert_int_equal(loaded, 0);
			continue;
		}
		assert_true(run.results.n_outcomes >= last);
		assert_true(run.bad_lines <= 1);
		assert_int_equal(run.complete, cut >= len - 1);
		last = run.results.n_outcomes;
		loaded++;
		replay(&again, &run);
		if (cut < len - 1)
			assert_int_equal(again.verdict, VERDICT_INCOMPLETE);
		session_done(&again);
		journal_run_done(&run);
	}
	assert_true(loaded > 100);
	assert_int_equal(last, bed.session.results.n_outcomes);
	free(data);
	session_bed_close(&bed);
	folder_remove(&f);
}

/* A lost line in the middle: the ids of what follows still fit. */
static void test_lost_line(void **state)
{
	const struct bed_case c = { .shape = "3", .kind = SESSION_PAIRS };
	struct journal_run run;
	char *data, *line;
	struct folder f;
	struct bed bed;
	size_t len;

	(void)state;
	folder_make(&f);
	run_with_journal(&bed, &c, &f);
	data = read_all(f.file, &len);
	line = strstr(data, "{\"batch\"");
	assert_non_null(line);
	line[1] = '!';
	assert_int_equal(journal_parse(data, len, &run, NULL), FP_OK);
	/* the batch's line and its outcomes' */
	assert_int_equal(run.bad_lines, 3);
	assert_int_equal(run.results.n_trials,
	                 bed.session.results.n_trials - 1);
	for (size_t i = 0; i < run.results.n_outcomes; i++) {
		const struct outcome *o = &run.results.outcomes[i];
		const struct trial *t = results_trial(&run.results, o->trial);

		assert_non_null(t);
		assert_true(o->rank == t->src || o->rank == t->dst);
	}
	journal_run_done(&run);
	free(data);
	session_bed_close(&bed);
	folder_remove(&f);
}

static void test_open(void **state)
{
	struct fp_err err = { 0 };
	struct journal *j;
	struct folder f;
	struct stat st;

	(void)state;
	folder_make(&f);
	assert_int_equal(journal_open("/dev/null/x", &head, &j, &err),
	                 FP_ERR_USAGE);
	assert_non_null(strstr(err.text, "/dev/null/x"));
	assert_int_equal(journal_open(f.out, &head, &j, NULL), FP_OK);
	journal_close(j);
	assert_int_equal(stat(f.old, &st), -1);
	/* an earlier one is kept */
	assert_int_equal(journal_open(f.out, &head, &j, NULL), FP_OK);
	journal_close(j);
	assert_int_equal(stat(f.old, &st), 0);
	journal_close(NULL);
	folder_remove(&f);
}

static void test_load_errors(void **state)
{
	struct journal_run run;
	struct fp_err err = { 0 };

	(void)state;
	assert_int_equal(journal_load("no/such/folder", &run, &err),
	                 FP_ERR_INPUT);
	assert_non_null(strstr(err.text, "no/such/folder"));
	assert_int_equal(journal_load("/dev/null", &run, NULL), FP_ERR_INPUT);
}

/* A full disk: said once, then quiet; what was whole before stays. */
static void test_disk_full(void **state)
{
	const struct run_event e = { .kind = EVENT_CUT, .rank = -1 };
	struct rlimit before, small;
	struct build_run b;
	struct session_opts opts;
	struct journal_run run;
	struct journal *j;
	struct folder f;
	size_t i, errors = 0;

	(void)state;
	folder_make(&f);
	build_job(&b, "2", BUILD_ONE_DEV);
	session_defaults(&opts);
	assert_int_equal(journal_open(f.out, &head, &j, NULL), FP_OK);
	assert_int_equal(journal_job(j, &b.job, &opts, NULL), FP_OK);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	small = before;
	small.rlim_cur = 8192;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	for (i = 0; i < 1000; i++) {
		struct fp_err err = { 0 };

		if (journal_event(j, &e, &err)) {
			errors++;
			assert_non_null(strstr(err.text, JOURNAL_FILE));
		}
	}
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(errors, 1);
	assert_int_equal(journal_end(j, 1, NULL), FP_OK);
	journal_close(j);
	assert_int_equal(journal_load(f.file, &run, NULL), FP_OK);
	assert_true(run.results.n_events > 10);
	assert_true(run.bad_lines <= 1);
	assert_false(run.complete);
	journal_run_done(&run);
	build_done(&b);
	folder_remove(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_replay),
		cmocka_unit_test(test_cut_anywhere),
		cmocka_unit_test(test_lost_line),
		cmocka_unit_test(test_open),
		cmocka_unit_test(test_load_errors),
		cmocka_unit_test(test_disk_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
