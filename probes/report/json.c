// SPDX-License-Identifier: Apache-2.0
// The report for programs: one JSON object, versioned by "schema".
#include "probes/report/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "probes/stats/stats.h"
#include "topo/base/version.h"

#define JSON_DIGITS 9 /* of a number: more would be noise */
#define JSON_READABLE_RANKS 32

json_t *json_number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

json_t *json_text(const char *text)
{
	json_t *json = json_string(text ? text : "");

	return json ? json : json_string("?");
}

bool json_put(json_t *to, const char *name, json_t *value)
{
	return json_object_set_new(to, name, value) == 0;
}

void json_push(json_t **list, json_t *value)
{
	if (json_array_append_new(*list, value) == 0)
		return;
	json_decref(*list);
	*list = NULL;
}

/* The rows of @make over an array of @n records of @size bytes. */
static json_t *list_of(const void *records, size_t n, size_t size,
                       json_t *(*make)(const void *record))
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < n; i++)
		json_push(&list, make((const char *)records + i * size));
	return list;
}

static json_t *make_matrix(const void *record)
{
	return json_matrix(record);
}

static json_t *make_finding(const void *record)
{
	return json_finding(record);
}

static json_t *make_coll(const void *record)
{
	const struct report_coll *c = record;
	bool good = c->time_s > 0;

	return json_pack("{s:s, s:s, s:I, s:i, s:b, s:s, s:o, s:o, s:o, s:I, "
	                 "s:o}",
	                 "xport", trial_xport_name(c->trial->xport), "op",
	                 trial_op_name(c->trial->op), "bytes",
	                 (json_int_t)c->trial->bytes, "ranks",
	                 (int)c->trial->member_count, "in_place",
	                 c->trial->flags & TRIAL_IN_PLACE ? 1 : 0, "state",
	                 outcome_state_name(c->state), "time_s",
	                 json_number(good ? c->time_s : NAN), "algbw_Bps",
	                 json_number(good ? c->algbw_Bps : NAN), "busbw_Bps",
	                 json_number(good ? c->busbw_Bps : NAN), "wrong_bytes",
	                 (json_int_t)c->wrong_bytes, "err", json_text(c->err));
}

static json_t *collectives(const struct report *report)
{
	struct report_coll *colls;
	json_t *list;
	size_t n;

	if (report_colls_make(&report->session->results, &colls, &n, NULL))
		return NULL;
	list = list_of(colls, n, sizeof(*colls), make_coll);
	free(colls);
	return list;
}

static json_t *make_name(const void *record)
{
	return json_text(*(const char *const *)record);
}

static json_t *exclude_hosts(const struct report *report)
{
	const char **names;
	json_t *list;
	size_t n;

	if (report_exclude_make(report, &names, &n, NULL))
		return NULL;
	list = list_of(names, n, sizeof(*names), make_name);
	free(names);
	return list;
}

static json_t *timing(const struct session *s)
{
	double median = NAN, most = NAN, *x;

	x = calloc(s->n_rounds + 1, sizeof(*x));
	if (!x)
		return NULL;
	if (s->n_rounds) {
		memcpy(x, s->round_overhead_s, s->n_rounds * sizeof(*x));
		stats_sort(x, s->n_rounds);
		median = stats_quantile(x, s->n_rounds, 0.5);
		most = x[s->n_rounds - 1];
	}
	free(x);
	return json_pack("{s:I, s:o, s:o}", "rounds", (json_int_t)s->n_rounds,
	                 "overhead_median_s", json_number(median),
	                 "overhead_max_s", json_number(most));
}

static json_t *options_of(const struct report *report)
{
	json_t *json =
		report->options ? json_loads(report->options, 0, NULL) : NULL;

	if (json_is_object(json))
		return json;
	json_decref(json);
	return json_object();
}

static bool put_head(const struct report *report, json_t *to)
{
	const struct session *s = report->session;

	return json_put(to, "schema", json_string(REPORT_SCHEMA)) &&
	       json_put(to, "version", json_string(FP_VERSION)) &&
	       json_put(to, "command", json_text(report->command)) &&
	       json_put(to, "started_utc", json_text(report->started_utc)) &&
	       json_put(to, "elapsed_s", json_number(s->elapsed_s)) &&
	       json_put(to, "drill", json_boolean(report->drill)) &&
	       json_put(to, "model", json_boolean(report->model)) &&
	       json_put(to, "cut_short", json_boolean(report->cut)) &&
	       json_put(to, "interrupted", json_boolean(s->interrupted)) &&
	       json_put(to, "verdict",
	                json_string(session_verdict_name(s->verdict))) &&
	       json_put(to, "exit", json_integer(session_exit_status(s)));
}

/* Only where there are any. */
static bool put_gpus(const struct session *s, json_t *to)
{
	return !s->results.n_watches ||
	       json_put(to, "gpus", json_gpus(&s->results));
}

static bool put_loads(const struct session *s, json_t *to)
{
	return s->opts.load_s <= 0 ||
	       json_put(to, "loads", json_loads_of(&s->results));
}

static bool put_body(const struct report *report, json_t *to)
{
	const struct session *s = report->session;

	return json_put(to, "job", json_job(s->job)) &&
	       json_put(to, "coverage", json_coverage(&s->coverage)) &&
	       json_put(to, "findings",
	                list_of(s->findings.f, s->findings.n,
	                        sizeof(*s->findings.f), make_finding)) &&
	       json_put(to, "exclude_hosts", exclude_hosts(report)) &&
	       json_put(to, "matrices",
	                list_of(s->matrices.m, s->matrices.n,
	                        sizeof(*s->matrices.m), make_matrix)) &&
	       json_put(to, "collectives", collectives(report)) &&
	       put_gpus(s, to) && put_loads(s, to) &&
	       json_put(to, "events", json_events(&s->results)) &&
	       json_put(to, "settings", json_settings(&s->opts)) &&
	       json_put(to, "options", options_of(report)) &&
	       json_put(to, "timing", timing(s));
}

/* People read small ones; of a large one every byte counts. */
static size_t layout_of(const struct report *report)
{
	return report->session->job->n_ranks > JSON_READABLE_RANKS
	               ? JSON_COMPACT
	               : JSON_INDENT(1);
}

static enum fp_status render(const struct report *report, struct fp_text *out,
                             struct fp_err *err)
{
	json_t *json = json_object();
	char *text = NULL;

	if (json && put_head(report, json) && put_body(report, json))
		text = json_dumps(json, JSON_REAL_PRECISION(JSON_DIGITS) |
		                                layout_of(report));
	json_decref(json);
	if (text) {
		fp_text_append(out, text, strlen(text));
		fp_text_append(out, "\n", 1);
	}
	free(text);
	if (!text || out->failed)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for a report");
	return FP_OK;
}

const struct report_ops report_json_ops = {
	.name = "json",
	.help = "for programs: " REPORT_SCHEMA,
	.render = render,
};
