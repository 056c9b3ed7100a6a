// SPDX-License-Identifier: Apache-2.0
// What stands above a table: what was measured, its figures, the legend.
#include "probes/report/text.h"

static const struct {
	uint32_t state;
	const char *marks[3]; /* by style; NULL: speaks for itself */
	const char *word;
} legend_rows[] = {
	{ CELL_DEGRADED, { ",", ",", "," }, "a little below" },
	{ CELL_SUSPECT, { "?", "?", "?" }, "below, not reproduced" },
	{ CELL_FLAKY, { "~", "~", "~" }, "unsteady" },
	{ CELL_SLOW, { "!", "!", "!" }, "slow" },
	{ CELL_CORRUPT, { "BAD", "BAD", "B" }, "wrong data" },
	{ CELL_ERROR, { "ERR", "ERR", "E" }, "failed" },
	{ CELL_HANG, { NULL, "HNG", "H" }, "hung" },
	{ CELL_LOST, { NULL, "LST", "L" }, "lost" },
	{ CELL_NOTRUN, { "-", "-", NULL }, "not run" },
};

void text_legend(const struct grid *g, const char *unit, enum text_style style,
                 int columns, struct fp_text *out)
{
	struct fp_text line = { 0 };
	const char *mark;
	size_t i;

	if (unit)
		fp_text_printf(&line, "%s, ", unit);
	fp_text_printf(&line, "row sends to column");
	for (i = 0; i < sizeof(legend_rows) / sizeof(*legend_rows); i++) {
		mark = legend_rows[i].marks[style];
		if (mark && g->n_states[legend_rows[i].state])
			fp_text_printf(&line, "  %s %s", mark,
			               legend_rows[i].word);
	}
	report_wrap(out, columns, 0, 2, fp_text_str(&line));
	out->failed |= line.failed;
	fp_text_free(&line);
}

static void states(const struct grid_sum *sum, struct fp_text *out)
{
	static const char *const words[CELL_STATE_COUNT] = {
		[CELL_NOTRUN] = "not run",
		[CELL_OK] = "OK",
		[CELL_DEGRADED] = "a little below",
		[CELL_SUSPECT] = "suspect",
		[CELL_FLAKY] = "unsteady",
		[CELL_SLOW] = "slow",
		[CELL_CORRUPT] = "corrupt",
		[CELL_ERROR] = "failed",
		[CELL_HANG] = "hung",
		[CELL_LOST] = "lost",
	};
	const char *comma = ": ";
	unsigned i;

	for (i = 0; i < CELL_STATE_COUNT; i++) {
		if (!sum->n_states[i])
			continue;
		fp_text_printf(out, "%s%zu %s", comma, sum->n_states[i],
		               words[i]);
		comma = ", ";
	}
}

/* "write 1M, tcp: 225 OK, 15 slow; median 119.2 MB/s, worst 95.3 MB/s" */
static enum fp_status heading(const struct report *report,
                              const struct matrix *m, struct fp_text *out,
                              struct fp_err *err)
{
	const char *unit = m->op == OP_LATENCY ? "s" : "B/s";
	char text[REPORT_VALUE_MAX];
	struct fp_text line = { 0 };
	struct grid_sum sum;
	enum fp_status status = grid_sum(m, &sum, err);

	if (status)
		return status;
	fp_text_printf(&line, "%s %s%s%s, %s", trial_op_name(m->op),
	               report_size(m->bytes, text),
	               m->mem == MEM_CUDA ? " from GPUs" : "",
	               m->dir == DIR_BI ? " both ways at once" : "",
	               trial_xport_name(m->xport));
	if (m->src_ep >= 0)
		fp_text_printf(&line, ", rail %d", (int)m->src_ep);
	if (m->src_ep != m->dst_ep)
		fp_text_printf(&line, " to rail %d", (int)m->dst_ep);
	states(&sum, &line);
	if (sum.median > 0)
		fp_text_printf(
			&line, "; median %s",
			report_value(sum.median, unit, report->gbits, text));
	if (sum.median > 0)
		fp_text_printf(
			&line, ", worst %s",
			report_value(sum.worst, unit, report->gbits, text));
	report_wrap(out, report_columns(report), 0, 2, fp_text_str(&line));
	out->failed |= line.failed;
	fp_text_free(&line);
	return FP_OK;
}

enum fp_status text_headings(const struct report *report, const struct grid *g,
                             struct fp_text *out, struct fp_err *err)
{
	enum fp_status status = FP_OK;
	size_t i;

	fp_text_append(out, "\n", 1);
	for (i = 0; !status && i < g->n_of; i++)
		status = heading(report, g->of[i], out, err);
	return status;
}
