// SPDX-License-Identifier: Apache-2.0
// A story for programs: findings as in a report, and what was read.
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "probes/explain/render.h"
#include "probes/finding/finding.h"
#include "probes/report/json.h"
#include "topo/base/version.h"

static json_t *text_or_null(const char *text)
{
	return *text ? json_text(text) : json_null();
}

static json_t *index_or_null(int32_t index)
{
	return index < 0 ? json_null() : json_integer(index);
}

static const char *locus_of(const struct story_cause *c)
{
	const struct event *e = &c->first;

	if (c->hang)
		return "rank";
	if (e->device)
		return "netdev";
	if (e->rank >= 0)
		return "rank";
	return e->host || e->peer_host ? "host" : "job";
}

static json_t *make_locus(const struct story *s, const struct story_cause *c)
{
	const struct events *ev = &s->gather->events;
	const struct event *e = &c->first;
	int32_t rank = c->hang && c->hang->n && !c->hang->all_but
	                       ? c->hang->ranks[0]
	                       : e->rank;

	return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:n}", "kind",
	                 locus_of(c), "host",
	                 text_or_null(event_str(ev, e->host)), "rank",
	                 index_or_null(rank), "peer_host",
	                 text_or_null(event_str(ev, e->peer_host)), "peer_rank",
	                 index_or_null(e->peer), "netdev",
	                 text_or_null(event_str(ev, e->device)), "direction");
}

static json_t *make_evidence(const struct story *s, const struct story_cause *c)
{
	const struct events *ev = &s->gather->events;
	json_t *list = json_array();

	for (size_t i = 0; i < c->n_evidence; i++) {
		struct fp_text text = { 0 };

		render_evidence(ev, &ev->e[c->evidence[i]], &text);
		json_push(&list, json_text(fp_text_str(&text)));
		fp_text_free(&text);
	}
	return list;
}

static json_t *make_finding(const struct story *s, const struct story_cause *c)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:n, s:n, s:s, s:f, "
	                 "s:o, s:s}",
	                 "id", c->cause->code, "severity",
	                 finding_severity_name(c->severity), "layer",
	                 finding_layer_name(c->cause->layer), "title",
	                 c->cause->title, "detail", json_text(c->what), "locus",
	                 make_locus(s, c), "observed", "expected", "unit", "",
	                 "confidence", c->confidence, "evidence",
	                 make_evidence(s, c), "next", c->cause->next);
}

static json_t *make_file(const struct story *s, const struct gather_file *f)
{
	return json_pack("{s:o, s:I, s:I, s:o}", "name",
	                 json_text(event_str(&s->gather->events, f->name)),
	                 "bytes", (json_int_t)f->bytes, "lines",
	                 (json_int_t)f->lines, "trouble",
	                 text_or_null(f->trouble));
}

/* All culprits of the first cause: a locus holds one. */
static json_t *make_culprits(const struct story *s)
{
	const struct hang *h = s->n ? s->causes[0].hang : NULL;
	json_t *ranks = json_array();

	for (size_t i = 0; h && !h->all_but && i < h->n; i++)
		json_push(&ranks, json_integer(h->ranks[i]));
	return json_pack(
		"{s:o, s:o, s:o}", "ranks", ranks, "who",
		text_or_null(s->n ? s->causes[0].who : ""), "disproved_if",
		text_or_null(s->n ? s->causes[0].cause->disprove : ""));
}

static json_t *make_clock(const struct story *s, const struct clock_row *row)
{
	struct fp_text name = { 0 };
	json_t *made;

	render_clock_name(&s->gather->events, row, &name);
	made = json_pack(
		"{s:o, s:f, s:f, s:i}", "of", json_text(fp_text_str(&name)),
		"ahead_s", (double)row->ahead_ns / 1e9, "slack_s",
		(double)row->slack_ns / 1e9, "events", (int)row->n_shared);
	fp_text_free(&name);
	return made;
}

static json_t *make_clocks(const struct story *s)
{
	json_t *list = json_array();

	for (size_t i = 0; i < s->clocks.n; i++)
		if (render_clock_is_off(&s->clocks.c[i]))
			json_push(&list, make_clock(s, &s->clocks.c[i]));
	return list;
}

enum fp_status render_json(const struct story *s, struct fp_text *out,
                           struct fp_err *err)
{
	json_t *findings = json_array(), *files = json_array(), *root;
	char command[STORY_SUSPECTS_MAX + 64], *text;

	for (size_t i = 0; i < s->n; i++)
		json_push(&findings, make_finding(s, &s->causes[i]));
	for (size_t i = 0; i < s->gather->n; i++)
		json_push(&files, make_file(s, &s->gather->files[i]));
	render_command(s, command, sizeof(command));
	root = json_pack("{s:s, s:s, s:s, s:i, s:b, s:o, s:o, s:o, s:o, s:o}",
	                 "schema", "fabricprobe-explain/1", "version",
	                 FP_VERSION, "verdict", render_verdict_name(s->verdict),
	                 "exit", render_exit(s), "incomplete",
	                 (int)s->incomplete, "findings", findings, "culprits",
	                 make_culprits(s), "probe", text_or_null(command),
	                 "files", files, "clocks", make_clocks(s));
	text = root ? json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(4))
	            : NULL;
	json_decref(root);
	if (!text)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for JSON");
	fp_text_printf(out, "%s\n", text);
	free(text);
	return out->failed ? fp_err_set(err, FP_ERR_NOMEM, "no memory") : FP_OK;
}
