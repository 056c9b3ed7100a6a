// SPDX-License-Identifier: Apache-2.0
// Two runs side by side: a line for each kind of transfer, then who is slower.
#include "probes/report/compare.h"

#include <stdio.h>
#include <string.h>

#include "probes/report/text.h"

#define ROW "%-36.36s %6s %6zu %11s %11s %7s"

static void headline(const struct report_compared *c, struct fp_text *out)
{
	const struct since *s = c->since;
	bool slower =
		findings_worst(&c->report->session->findings) == SEVERITY_FAULT;
	const char *word = slower ? "SLOWER" : s->n ? "NO SLOWER" : "UNLIKE";
	struct fp_text text = { 0 };
	size_t i, n = 0;

	for (i = 0; i < s->n; i++)
		n += s->rows[i].slower;
	fp_text_printf(&text,
	               "%s (%s) against %s (%s): %zu of %zu kinds of transfers "
	               "as a whole, %zu findings",
	               c->now, c->now_utc, c->before, c->before_utc, n, s->n,
	               c->report->session->findings.n);
	if (!s->n)
		fp_text_printf(&text, "; nothing was measured in both: compare "
		                      "runs of the same hosts, options and "
		                      "sizes");
	text_tone(c->report, out,
	          slower ? TEXT_BAD
	          : s->n ? TEXT_GOOD
	                 : TEXT_WARN,
	          word);
	fp_text_printf(out, "  ");
	report_wrap(out, report_columns(c->report), (int)strlen(word) + 2, 8,
	            fp_text_str(&text));
	fp_text_free(&text);
}

static void table(const struct report_compared *c, struct fp_text *out)
{
	char before[REPORT_VALUE_MAX], now[REPORT_VALUE_MAX],
		size[REPORT_VALUE_MAX], change[16];
	size_t i;

	if (!c->since->n)
		return;
	fp_text_printf(out, "\n%-36s %6s %6s %11s %11s %7s\n", "", "size",
	               "pairs", "before", "now", "change");
	for (i = 0; i < c->since->n; i++) {
		const struct since_row *r = &c->since->rows[i];
		const char *unit = r->latency ? "s" : "B/s";

		report_value(r->before, unit, c->report->gbits, before);
		report_value(r->now, unit, c->report->gbits, now);
		(void)snprintf(change, sizeof(change), "%+.0f %%",
		               100 * (r->now / r->before - 1));
		fp_text_printf(out, ROW "%s\n", r->name,
		               report_size(r->bytes, size), r->n, before, now,
		               change, r->slower ? " !" : "");
	}
	if (c->since->n_alone)
		fp_text_printf(out,
		               "%zu measured pairs were not measured "
		               "before\n",
		               c->since->n_alone);
	fp_text_printf(out, "\n");
}

enum fp_status report_compare_text(const struct report_compared *c,
                                   struct fp_text *out, struct fp_err *err)
{
	headline(c, out);
	table(c, out);
	text_findings(c->report, out);
	if (c->report->session->findings.n)
		fp_text_printf(out, "\n");
	return out->failed
	               ? fp_err_set(err, FP_ERR_NOMEM, "no memory for a report")
	               : FP_OK;
}
