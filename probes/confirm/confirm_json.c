// SPDX-License-Identifier: Apache-2.0
// The log's story and the probe's report as one JSON object.
#include <jansson.h>
#include <stdlib.h>

#include "probes/confirm/confirm.h"
#include "probes/explain/render.h"
#include "probes/report/json.h"

static json_t *make_beside(const struct beside *b)
{
	json_t *list = json_array();

	for (size_t i = 0; i < b->n; i++) {
		const struct beside_process *p = &b->p[i];

		json_push(&list,
		          json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
		                    "host", json_text(p->host), "process",
		                    json_text(p->process), "name",
		                    json_text(p->name), "gpus",
		                    json_text(p->gpus), "state",
		                    json_text(p->state), "wchan",
		                    json_text(p->wchan), "stack",
		                    *p->stack ? json_text(p->stack)
		                              : json_null()));
	}
	return json_pack("{s:b, s:b, s:o}", "gpus_in_use", (int)b->busy,
	                 "kernels_launched", 0, "processes", list);
}

static json_t *make_probed(const struct confirm *c, const char *report_json)
{
	json_t *ranks = json_array();
	json_t *report =
		report_json ? json_loads(report_json, 0, NULL) : json_null();

	for (size_t i = 0; i < c->n; i++)
		json_push(&ranks, json_integer(c->ranks[i]));
	return json_pack("{s:o, s:s, s:s, s:b, s:o, s:o, s:o, s:o}", "beside",
	                 c->beside.busy ? make_beside(&c->beside) : json_null(),
	                 "outcome", confirm_outcome_name(c->outcome), "fabric",
	                 confirm_fabric_name(c->fabric), "drill", (int)c->drill,
	                 "why", json_text(c->why), "suspects", ranks,
	                 "not_in_job",
	                 c->away[0] ? json_text(c->away) : json_null(),
	                 "report", report);
}

enum fp_status confirm_json(const struct confirm *c, const char *story_json,
                            const char *report_json, struct fp_text *out,
                            struct fp_err *err)
{
	uint32_t verdict = confirm_verdict(c);
	json_t *root = json_loads(story_json, 0, NULL);
	char *text = NULL;

	if (root &&
	    json_put(root, "verdict",
	             json_string(render_verdict_name(verdict))) &&
	    json_put(root, "exit",
	             json_integer(render_verdict_exit(verdict))) &&
	    json_put(root, "probed", make_probed(c, report_json)))
		text = json_dumps(root,
		                  JSON_INDENT(2) | JSON_REAL_PRECISION(9));
	json_decref(root);
	if (text)
		fp_text_printf(out, "%s\n", text);
	free(text);
	return text && !out->failed
	               ? FP_OK
	               : fp_err_set(err, FP_ERR_NOMEM, "no memory for JSON");
}
