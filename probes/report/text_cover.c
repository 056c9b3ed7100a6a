// SPDX-License-Identifier: Apache-2.0
// Collectives, and what was looked at, for a terminal.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/check/basis.h"
#include "probes/check/check.h"
#include "probes/report/text.h"
#include "topo/reading/reading.h"

/* Why it failed: what is known to be the cause, rather than what some member
 * saw of the consequence. */
static const char *coll_reason(const struct report *report,
                               const struct report_coll *c,
                               char buf[static FINDING_TEXT_MAX])
{
	const struct session *s = report->session;
	const struct finding *f;
	char where[FINDING_TEXT_MAX - 40];

	if (c->state <= OUTCOME_NOTRUN)
		return c->err;
	f = judge_collective_cause(s->job, &s->results, c->trial, &s->findings);
	if (!f)
		return c->err;
	locus_text(&f->locus, where, sizeof(where));
	(void)snprintf(buf, FINDING_TEXT_MAX, "see %s, %s",
	               finding_info(f->code)->id, where);
	return buf;
}

static void one_collective(const struct report *report,
                           const struct report_coll *c, struct fp_text *out)
{
	char size[FP_FMT_MAX], time[FP_FMT_MAX], alg[FP_FMT_MAX];
	char bus[FP_FMT_MAX], name[64], few[24] = "";
	char buf[FINDING_TEXT_MAX];
	const char *reason;

	if (c->trial->member_count < report->session->job->n_ranks)
		snprintf(few, sizeof(few), ", %u ranks",
		         c->trial->member_count);
	snprintf(name, sizeof(name), "%s%s%s", trial_op_name(c->trial->op),
	         c->trial->flags & TRIAL_IN_PLACE ? " in place" : "", few);
	fp_text_printf(out, "%-24s %6s", name,
	               fp_fmt_bytes(c->trial->bytes, size));
	if (c->time_s > 0) {
		fp_text_printf(out, " %10s %13s %13s",
		               fp_fmt_seconds(c->time_s, time),
		               fp_fmt_rate(c->algbw_Bps, report->gbits, alg),
		               fp_fmt_rate(c->busbw_Bps, report->gbits, bus));
		if (c->wrong_bytes)
			text_tone(report, out, TEXT_BAD, "  WRONG DATA");
		fp_text_append(out, "\n", 1);
		return;
	}
	fp_text_printf(out, "  ");
	text_tone(report, out,
	          c->state == OUTCOME_NOTRUN ? TEXT_PLAIN : TEXT_BAD,
	          outcome_state_name(c->state));
	reason = coll_reason(report, c, buf);
	if (!reason[0]) {
		fp_text_append(out, "\n", 1);
		return;
	}
	fp_text_printf(out, ": ");
	report_wrap(out, report_columns(report), 42, 33, reason);
}

enum fp_status text_collectives(const struct report *report,
                                struct fp_text *out, struct fp_err *err)
{
	struct report_coll *colls;
	enum fp_status status;
	size_t i, n;

	status = report_colls_make(&report->session->results, &colls, &n, err);
	if (status)
		return status;
	if (n)
		fp_text_printf(out, "\n%-24s %6s %10s %13s %13s\n",
		               "over all ranks", "size", "time", "algbw",
		               "busbw");
	for (i = 0; i < n; i++)
		one_collective(report, &colls[i], out);
	free(colls);
	return FP_OK;
}

/* Has any of its trials run? One that failed was one, too. */
static bool was_tried(const struct matrix *m)
{
	size_t i = 0;

	while (i < m->n_cells && m->cells[i].state == CELL_NOTRUN)
		i++;
	return i < m->n_cells;
}

/* Of what was measured: each kind of trial once, in order. */
static void looked_at(const struct session *s, struct fp_text *line)
{
	char size[REPORT_VALUE_MAX];
	const struct matrix *m;
	size_t i;

	for (i = 0; i < s->matrices.n; i++) {
		m = &s->matrices.m[i];
		if (!was_tried(m) || m->src_ep != m->dst_ep)
			continue;
		fp_text_printf(
			line, "; %s %s %s%s %s", trial_xport_name(m->xport),
			trial_op_name(m->op), report_size(m->bytes, size),
			m->mem == MEM_CUDA ? " from GPUs" : "",
			m->dir == DIR_BI ? "both ways at once" : "each way");
		if (m->src_ep >= 0)
			fp_text_printf(line, " by rail %d", (int)m->src_ep);
	}
}

/* The checks that had something to look at, or those that had not. */
static size_t name_checks(const struct session *s, bool with,
                          struct fp_text *line)
{
	size_t n_checks, n = 0;
	const struct check_ops *const *checks = checks_all(&n_checks);

	for (size_t i = 0; i < n_checks; i++) {
		if (s->opts.checks_off >> i & 1 ||
		    (s->opts.offline && basis_any(checks[i], s->job) != with))
			continue;
		if (!s->opts.offline && !with)
			continue;
		fp_text_printf(line, "%s%s", n++ ? " " : "", checks[i]->name);
	}
	return n;
}

/* Which checks there were, and how much they had to look at. */
static void checked(const struct report *report, struct fp_text *out)
{
	const struct session *s = report->session;
	const struct topo_job *job = s->job;
	struct fp_text line = { 0 };
	size_t n = 0, maps = 0;

	for (size_t i = 0; i < job->n_hosts; i++) {
		n += readings_count(job->hosts[i].readings);
		maps += job->hosts[i].map != NULL;
	}
	if (!n && !maps && s->opts.kind != SESSION_CHECK)
		return;
	fp_text_printf(&line, "checked: ");
	if (!name_checks(s, true, &line))
		fp_text_printf(&line, "no line or device that a check knows");
	fp_text_printf(&line, " of %zu host%s: %zu readings, %zu map%s",
	               job->n_hosts, job->n_hosts == 1 ? "" : "s", n, maps,
	               maps == 1 ? "" : "s");
	report_wrap(out, report_columns(report), 0, 2, fp_text_str(&line));
	out->failed |= line.failed;
	fp_text_free(&line);
	if (name_checks(s, false, &line)) {
		fp_text_printf(&line, " (what was saved tells nothing of it)");
		fp_text_printf(out, "not looked at: ");
		report_wrap(out, report_columns(report), 15, 2,
		            fp_text_str(&line));
	}
	out->failed |= line.failed;
	fp_text_free(&line);
}

void text_coverage(const struct report *report, struct fp_text *out)
{
	const struct session *s = report->session;
	const struct session_coverage *c = &s->coverage;
	int columns = report_columns(report);
	struct fp_text line = { 0 };
	size_t i;

	fp_text_printf(&line, "looked at: %llu of %llu directed pairs of ranks",
	               (unsigned long long)c->pairs_measured,
	               (unsigned long long)c->pairs_total);
	looked_at(s, &line);
	fp_text_append(out, "\n", 1);
	if (!s->opts.offline)
		report_wrap(out, columns, 0, 2, fp_text_str(&line));
	out->failed |= line.failed;
	fp_text_free(&line);
	checked(report, out);
	for (i = 0; i < c->n_skips; i++) {
		/* Said already, at the top. */
		if (c->skips[i].missing && s->verdict == VERDICT_INCOMPLETE)
			continue;
		fp_text_printf(&line, "%s (%s)", c->skips[i].what,
		               c->skips[i].why);
		fp_text_printf(out, "not looked at: ");
		report_wrap(out, columns, 15, 2, fp_text_str(&line));
		out->failed |= line.failed;
		fp_text_free(&line);
	}
}
