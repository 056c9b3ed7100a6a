// SPDX-License-Identifier: Apache-2.0
// Two runs side by side as JSON.
#include <jansson.h>
#include <stdlib.h>

#include "probes/report/compare.h"
#include "probes/report/json.h"

static json_t *row_to_json(const struct since_row *r)
{
	return json_pack("{s:s, s:I, s:I, s:f, s:f, s:s, s:f, s:b}", "what",
	                 r->name, "bytes", (json_int_t)r->bytes, "pairs",
	                 (json_int_t)r->n, "before", r->before, "now", r->now,
	                 "unit", r->latency ? "s" : "B/s", "ratio",
	                 r->now / r->before, "slower", (int)r->slower);
}

static json_t *run_to_json(const char *name, const char *utc)
{
	return json_pack("{s:o, s:s}", "run", json_text(name), "started_utc",
	                 utc);
}

enum fp_status report_compare_json(const struct report_compared *c,
                                   struct fp_text *out, struct fp_err *err)
{
	const struct findings *fs = &c->report->session->findings;
	json_t *rows = json_array(), *list = json_array(), *top;
	bool good = rows && list;
	char *text;
	size_t i;

	for (i = 0; good && i < c->since->n; i++)
		good = !json_array_append_new(rows,
		                              row_to_json(&c->since->rows[i]));
	for (i = 0; good && i < fs->n; i++)
		good = !json_array_append_new(list, json_finding(&fs->f[i]));
	top = json_pack("{s:s, s:o, s:o, s:I, s:I, s:o, s:o}", "schema",
	                REPORT_COMPARE_SCHEMA, "before",
	                run_to_json(c->before, c->before_utc), "now",
	                run_to_json(c->now, c->now_utc), "pairs",
	                (json_int_t)c->since->n_pairs, "pairs_not_before",
	                (json_int_t)c->since->n_alone, "kinds", rows,
	                "findings", list);
	text = good && top ? json_dumps(top, JSON_INDENT(1)) : NULL;
	json_decref(top);
	if (!text)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for a report");
	fp_text_printf(out, "%s\n", text);
	free(text);
	return out->failed
	               ? fp_err_set(err, FP_ERR_NOMEM, "no memory for a report")
	               : FP_OK;
}
