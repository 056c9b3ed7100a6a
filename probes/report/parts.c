// SPDX-License-Identifier: Apache-2.0
// What several renderers need.
#include "probes/report/parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void coll_member(struct report_coll *c, const struct outcome *o)
{
	c->n_seen++;
	if (o->state > c->state)
		c->state = o->state;
	c->time_s += o->p50_s;
	c->wrong_bytes += o->wrong_bytes;
	if (o->err[0] && !c->err[0])
		c->err = o->err;
}

/* As nccl-tests: the mean over ranks, and bandwidth from it. */
static void coll_finish(struct report_coll *c)
{
	const struct trial *t = c->trial;

	if (c->state != OUTCOME_OK || c->n_seen < t->member_count) {
		c->time_s = 0;
		return;
	}
	c->time_s /= c->n_seen;
	if (c->time_s <= 0)
		return;
	c->algbw_Bps = (double)t->bytes / c->time_s;
	c->busbw_Bps =
		c->algbw_Bps * trial_busbw_factor(t->op, t->member_count);
}

/* One that was tried again counts by its last try. */
static bool is_again(const struct trial *before, const struct trial *t)
{
	return before->op == t->op && before->bytes == t->bytes &&
	       before->xport == t->xport &&
	       (before->flags & TRIAL_IN_PLACE) == (t->flags & TRIAL_IN_PLACE);
}

enum fp_status report_colls_make(const struct results *results,
                                 struct report_coll **ret, size_t *ret_n,
                                 struct fp_err *err)
{
	struct report_coll *all, *c;
	const struct trial *t;
	size_t i, n = 0;

	all = calloc(results->n_trials + 1, sizeof(*all));
	if (!all)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for a report");
	for (i = 0; i < results->n_trials; i++) {
		all[i].trial = &results->trials[i];
		all[i].err = "";
	}
	for (i = 0; i < results->n_outcomes; i++) {
		t = results_trial(results, results->outcomes[i].trial);
		if (t && !trial_is_pair(t))
			coll_member(&all[t->id - 1], &results->outcomes[i]);
	}
	for (i = 0; i < results->n_trials; i++) {
		c = &all[i];
		if (trial_is_pair(c->trial) || c->trial->variant)
			continue;
		coll_finish(c);
		n -= n && is_again(all[n - 1].trial, c->trial);
		all[n++] = *c;
	}
	*ret = all;
	*ret_n = n;
	return FP_OK;
}

static bool is_excluding(const struct finding *f)
{
	return f->severity == SEVERITY_FAULT && f->locus.host[0] &&
	       (f->locus.kind == LOCUS_HOST || f->locus.kind == LOCUS_NETDEV ||
	        f->locus.kind >= LOCUS_GPU);
}

static bool has_name(const char *const *names, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

enum fp_status report_exclude_make(const struct report *report,
                                   const char ***ret, size_t *ret_n,
                                   struct fp_err *err)
{
	const struct findings *fs = &report->session->findings;
	const char **names = calloc(fs->n + 1, sizeof(*names));
	size_t i, n = 0;

	if (!names)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for a report");
	for (i = 0; i < fs->n; i++)
		if (is_excluding(&fs->f[i]) &&
		    !has_name(names, n, fs->f[i].locus.host))
			names[n++] = fs->f[i].locus.host;
	*ret = names;
	*ret_n = n;
	return FP_OK;
}

char *report_value(double value, const char *unit, bool gbits,
                   char buf[static REPORT_VALUE_MAX])
{
	char text[FP_FMT_MAX];

	if (!isfinite(value))
		snprintf(buf, REPORT_VALUE_MAX, "-");
	else if (strcmp(unit, "B/s") == 0)
		snprintf(buf, REPORT_VALUE_MAX, "%s",
		         fp_fmt_rate(value, gbits, text));
	else if (strcmp(unit, "s") == 0)
		snprintf(buf, REPORT_VALUE_MAX, "%s",
		         fp_fmt_seconds(value, text));
	else if (strcmp(unit, "bytes") == 0)
		snprintf(buf, REPORT_VALUE_MAX, "%.0f bytes", value);
	else
		snprintf(buf, REPORT_VALUE_MAX,
		         fabs(value) >= 1000 && fabs(value) < 1e12 ? "%.0f%s%s"
		                                                   : "%.3g%s%s",
		         value, unit[0] ? " " : "", unit);
	return buf;
}

char *report_size(uint64_t bytes, char buf[static REPORT_VALUE_MAX])
{
	char text[FP_FMT_MAX];

	snprintf(buf, REPORT_VALUE_MAX, "%s%s", fp_fmt_bytes(bytes, text),
	         bytes < 1024 ? " B" : "");
	return buf;
}

/* Length of the part of @text that fits in @room columns: up to the last
 * blank in it, or all of a word that is longer. */
static size_t fitting(const char *text, size_t room)
{
	size_t len = strlen(text), at;

	if (len <= room)
		return len;
	for (at = room; at > 0 && text[at] != ' '; at--)
		;
	if (at == 0)
		at = strcspn(text, " ");
	return at;
}

void report_wrap(struct fp_text *out, int columns, int at, int indent,
                 const char *text)
{
	size_t room, n;

	for (;;) {
		room = columns > at + 8 ? (size_t)(columns - at) : 8;
		n = fitting(text, room);
		fp_text_append(out, text, n);
		fp_text_append(out, "\n", 1);
		text += n;
		text += strspn(text, " ");
		if (!*text)
			return;
		fp_text_printf(out, "%*s", indent, "");
		at = indent;
	}
}

int report_columns(const struct report *report)
{
	if (report->columns <= 0)
		return 80;
	return report->columns < REPORT_COLUMNS_MIN ? REPORT_COLUMNS_MIN
	                                            : report->columns;
}

int report_exit_status(const struct report *report)
{
	const struct session *s = report->session;

	if (report->unwritten && s->verdict == VERDICT_HEALTHY)
		return REPORT_EXIT_ERROR;
	return session_exit_status(s);
}

void report_verdict_line(const struct report *report, struct fp_text *out)
{
	int status = report_exit_status(report);

	fp_text_printf(out, "fabricprobe: verdict=%s exit=%d",
	               status == REPORT_EXIT_ERROR
	                       ? "error"
	                       : session_verdict_name(report->session->verdict),
	               status);
}
