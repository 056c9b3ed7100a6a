// SPDX-License-Identifier: Apache-2.0
// The report for a terminal: what is wrong and what to do come first.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/report/text.h"
#include "probes/session/stage.h"
#include "probes/stats/stats.h"

void text_tone(const struct report *report, struct fp_text *out,
               enum text_tone tone, const char *text)
{
	static const char *const codes[] = {
		[TEXT_PLAIN] = "",
		[TEXT_GOOD] = "\033[32m",
		[TEXT_WARN] = "\033[33m",
		[TEXT_BAD] = "\033[1;31m",
	};

	if (report->colour && tone != TEXT_PLAIN)
		fp_text_printf(out, "%s%s\033[0m", codes[tone], text);
	else
		fp_text_append(out, text, strlen(text));
}

/* "WORD  text", wrapped. */
static void tagged(const struct report *report, struct fp_text *out,
                   enum text_tone tone, const char *word, const char *text)
{
	int at = (int)strlen(word) + 2;

	text_tone(report, out, tone, word);
	fp_text_append(out, "  ", 2);
	report_wrap(out, report_columns(report), at, at, text);
}

static void banners(const struct report *report, struct fp_text *out)
{
	if (report_is_modelled(report))
		tagged(report, out, TEXT_WARN, "MODELLED",
		       "the GPU libraries are doubles: this says nothing about "
		       "any hardware");
	if (report->drill)
		tagged(report, out, TEXT_WARN, "DRILL",
		       "faults are injected (--inject): this says nothing "
		       "about the cluster");
	if (report->model)
		tagged(report, out, TEXT_WARN, "MODEL",
		       "computed on a model of a cluster: this says nothing "
		       "about a real one");
	if (report->cut)
		tagged(report, out, TEXT_WARN, "CUT SHORT",
		       "the run did not come to its end: this is what was "
		       "known by then");
}

static size_t count_severity(const struct findings *fs, unsigned severity)
{
	size_t i, n = 0;

	for (i = 0; i < fs->n; i++)
		n += fs->f[i].severity == severity;
	return n;
}

static void plural(struct fp_text *out, const char *head, uint64_t n,
                   const char *what)
{
	fp_text_printf(out, "%s%llu %s%s", head, (unsigned long long)n, what,
	               n == 1 ? "" : "s");
}

static void summary(const struct report *report, struct fp_text *out)
{
	static const struct {
		const char *word;
		enum text_tone tone;
	} verdicts[] = {
		[VERDICT_HEALTHY] = { "HEALTHY", TEXT_GOOD },
		[VERDICT_FAULT] = { "FAULT", TEXT_BAD },
		[VERDICT_INCOMPLETE] = { "INCOMPLETE", TEXT_WARN },
	};
	const struct session *s = report->session;
	size_t faults = count_severity(&s->findings, SEVERITY_FAULT);
	size_t warnings = count_severity(&s->findings, SEVERITY_WARN);
	struct fp_text line = { 0 };
	char time[FP_FMT_MAX];

	if (!s->opts.offline)
		plural(&line, "", s->job->n_ranks, "rank");
	plural(&line, s->opts.offline ? "" : " on ",
	       session_live_hosts(s->job, 1), "host");
	plural(&line, ": ", faults, "fault");
	if (warnings)
		plural(&line, ", ", warnings, "warning");
	if (!s->opts.offline)
		fp_text_printf(&line, ", %llu of %llu directed pairs, %s",
		               (unsigned long long)s->coverage.pairs_measured,
		               (unsigned long long)s->coverage.pairs_total,
		               fp_fmt_seconds(s->elapsed_s, time));
	tagged(report, out, verdicts[s->verdict].tone,
	       verdicts[s->verdict].word, fp_text_str(&line));
	out->failed |= line.failed;
	fp_text_free(&line);
}

/* What keeps it from being healthy, where no fault does. */
static void missing(const struct report *report, struct fp_text *out)
{
	const struct session *s = report->session;
	const struct session_skip *skip;
	char text[280];
	size_t i;

	if (s->verdict != VERDICT_INCOMPLETE)
		return;
	if (s->interrupted && !report->cut)
		fp_text_printf(out, "  interrupted before its end\n");
	for (i = 0; i < s->coverage.n_skips; i++) {
		skip = &s->coverage.skips[i];
		if (!skip->missing)
			continue;
		snprintf(text, sizeof(text), "not measured: %s (%s)",
		         skip->what, skip->why);
		fp_text_printf(out, "  ");
		report_wrap(out, report_columns(report), 2, 4, text);
	}
}

static enum fp_status exclude(const struct report *report, struct fp_text *out,
                              struct fp_err *err)
{
	enum fp_status status;
	const char **names;
	size_t i, n;

	status = report_exclude_make(report, &names, &n, err);
	if (status)
		return status;
	for (i = 0; i < n; i++)
		fp_text_printf(out, "%s%s", i ? "," : "\nexclude: ", names[i]);
	if (n)
		fp_text_append(out, "\n", 1);
	free(names);
	return FP_OK;
}

static void timing(const struct report *report, struct fp_text *line)
{
	const struct session *s = report->session;
	char median[FP_FMT_MAX], most[FP_FMT_MAX];
	double *x;

	if (!report->timing)
		return;
	x = calloc(s->n_rounds + 1, sizeof(*x));
	if (!s->n_rounds || !x) {
		fp_text_printf(line, "timing: rounds were not recorded");
		free(x);
		return;
	}
	memcpy(x, s->round_overhead_s, s->n_rounds * sizeof(*x));
	stats_sort(x, s->n_rounds);
	fp_text_printf(
		line,
		"timing: %zu rounds, overhead of a round: median %s, "
		"max %s",
		s->n_rounds,
		fp_fmt_seconds(stats_quantile(x, s->n_rounds, 0.5), median),
		fp_fmt_seconds(x[s->n_rounds - 1], most));
	free(x);
}

static void settings(const struct report *report, struct fp_text *line)
{
	const struct session_opts *o = &report->session->opts;
	char limit[FP_FMT_MAX];

	if (report->started_utc)
		fp_text_printf(line, "started %s, ", report->started_utc);
	fp_text_printf(line, "%s, seed %llu",
	               o->kind == SESSION_RUN ? session_mode_name(o->mode)
	                                      : session_kind_name(o->kind),
	               (unsigned long long)o->seed);
	if (o->time_limit_s > 0 && !o->offline)
		fp_text_printf(line, ", time limit %s",
		               fp_fmt_seconds(o->time_limit_s, limit));
}

static void foot(const struct report *report, struct fp_text *out)
{
	void (*const parts[])(const struct report *report,
	                      struct fp_text *line) = { settings, timing };
	struct fp_text line = { 0 };
	size_t i;

	fp_text_append(out, "\n", 1);
	for (i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		parts[i](report, &line);
		if (line.len)
			report_wrap(out, report_columns(report), 0, 2,
			            fp_text_str(&line));
		out->failed |= line.failed;
		fp_text_free(&line);
	}
	if (report->part)
		return;
	report_verdict_line(report, out);
	fp_text_append(out, "\n", 1);
}

static enum fp_status render(const struct report *report, struct fp_text *out,
                             struct fp_err *err)
{
	enum fp_status status;

	banners(report, out);
	summary(report, out);
	missing(report, out);
	text_findings(report, out);
	status = exclude(report, out, err);
	if (!status)
		status = text_matrices(report, out, err);
	if (!status)
		status = text_collectives(report, out, err);
	if (!status)
		status = text_watched(report, out, err);
	if (status)
		return status;
	text_coverage(report, out);
	foot(report, out);
	if (out->failed)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for a report");
	return FP_OK;
}

const struct report_ops report_text_ops = {
	.name = "text",
	.help = "for a terminal: verdict, findings, matrix, coverage",
	.render = render,
};
