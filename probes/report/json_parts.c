// SPDX-License-Identifier: Apache-2.0
// Parts of the JSON report: job, coverage, findings, events, settings.
#include <math.h>
#include <string.h>

#include "probes/journal/tables.h"
#include "probes/report/json.h"

static json_t *index_or_null(int32_t index)
{
	return index < 0 ? json_null() : json_integer(index);
}

static json_t *text_or_null(const char *text)
{
	return text[0] ? json_text(text) : json_null();
}

static json_t *ranks_on(const struct topo_job *job, size_t host)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < job->n_ranks; i++)
		if (job->ranks[i].host == (int32_t)host)
			json_push(&list, json_integer((int)i));
	return list;
}

static json_t *one_rank(const struct topo_job *job, int32_t rank)
{
	const struct topo_rank *r = &job->ranks[rank];
	const struct topo_netdev *dev = topo_job_netdev(job, rank);

	return json_pack("{s:i, s:o, s:o, s:o, s:o}", "rank", (int)rank, "host",
	                 r->host < 0 ? json_null()
	                             : json_text(job->hosts[r->host].name),
	                 "local_rank", index_or_null(r->local_rank), "netdev",
	                 dev ? json_text(dev->name) : json_null(), "pid",
	                 r->pid < 0 ? json_null() : json_integer(r->pid));
}

json_t *json_job(const struct topo_job *job)
{
	json_t *hosts = json_array(), *ranks = json_array();
	size_t i;

	for (i = 0; i < job->n_hosts; i++)
		json_push(&hosts, json_pack("{s:o, s:o}", "host",
		                            json_text(job->hosts[i].name),
		                            "ranks", ranks_on(job, i)));
	for (i = 0; i < job->n_ranks; i++)
		json_push(&ranks, one_rank(job, (int32_t)i));
	return json_pack("{s:o, s:o}", "hosts", hosts, "ranks", ranks);
}

json_t *json_coverage(const struct session_coverage *c)
{
	json_t *skipped = json_array();
	size_t i;

	for (i = 0; i < c->n_skips; i++)
		json_push(&skipped,
		          json_pack("{s:o, s:o, s:b}", "what",
		                    json_text(c->skips[i].what), "why",
		                    json_text(c->skips[i].why), "missing",
		                    (int)c->skips[i].missing));
	return json_pack("{s:I, s:I, s:o}", "pairs_measured",
	                 (json_int_t)c->pairs_measured, "pairs_total",
	                 (json_int_t)c->pairs_total, "skipped", skipped);
}

static json_t *locus_to_json(const struct locus *l)
{
	return json_pack(
		"{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "kind",
		locus_kind_name(l->kind), "host", text_or_null(l->host), "rank",
		index_or_null(l->rank), "peer_host", text_or_null(l->peer_host),
		"peer_rank", index_or_null(l->peer_rank), "netdev",
		text_or_null(l->netdev), "device", text_or_null(l->device),
		"direction", text_or_null(locus_direction_name(l->direction)));
}

json_t *json_finding(const struct finding *f)
{
	const struct finding_info *info = finding_info(f->code);
	json_t *evidence = json_array();
	uint32_t i;

	for (i = 0; i < f->n_evidence; i++)
		json_push(&evidence, json_text(f->evidence[i]));
	return json_pack(
		"{s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:s, s:o, "
		"s:o, s:s}",
		"id", info->id, "severity", finding_severity_name(f->severity),
		"layer", finding_layer_name(info->layer), "title", info->title,
		"detail", json_text(f->detail), "locus",
		locus_to_json(&f->locus), "observed", json_number(f->observed),
		"expected", json_number(f->expected), "unit", f->unit,
		"confidence", json_number(f->confidence), "evidence", evidence,
		"next", info->next);
}

json_t *json_events(const struct results *results)
{
	json_t *list = json_array();
	const struct run_event *e;
	size_t i;

	for (i = 0; i < results->n_events; i++) {
		e = &results->events[i];
		json_push(&list, json_pack("{s:s, s:o, s:o, s:I, s:o}", "kind",
		                           event_kind_name(e->kind), "t_s",
		                           json_number(e->t_s), "rank",
		                           index_or_null(e->rank), "value",
		                           (json_int_t)e->value, "text",
		                           json_text(e->text)));
	}
	return list;
}

json_t *json_settings(const struct session_opts *opts)
{
	json_t *json = fields_to_json(&journal_session_fields, opts);
	json_t *judge = fields_to_json(&journal_judge_fields, &opts->judge);

	if (json && json_put(json, "judge", judge))
		return json;
	json_decref(json);
	return NULL;
}
