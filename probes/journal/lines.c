// SPDX-License-Identifier: Apache-2.0
// A journal's lines, kind by kind.
#include "probes/journal/lines.h"

#include <stdlib.h>
#include <string.h>

#include "probes/journal/tables.h"
#include "probes/trial/grow.h"
#include "probes/trial/wire.h"
#include "topo/json/snapshot.h"

static char *text_of(const json_t *head, const char *name)
{
	const char *text = json_string_value(json_object_get(head, name));

	return strdup(text ? text : "");
}

static enum fp_status take_head(struct journal_lines *lines, const json_t *line,
                                struct fp_err *err)
{
	const char *schema =
		json_string_value(json_object_get(line, "journal"));
	const json_t *options = json_object_get(line, "options");
	struct journal_run *run = lines->run;

	if (!schema)
		return fp_err_set(err, FP_ERR_INPUT,
		                  "not the head of a journal");
	if (strcmp(schema, JOURNAL_SCHEMA) != 0)
		return fp_err_set(err, FP_ERR_INPUT,
		                  "journal of kind '%.60s', this program reads "
		                  "'%s'",
		                  schema, JOURNAL_SCHEMA);
	run->command = text_of(line, "command");
	run->started_utc = text_of(line, "started_utc");
	run->options = json_object_size(options)
	                       ? json_dumps(options, JSON_COMPACT)
	                       : strdup("");
	if (!run->command || !run->started_utc || !run->options)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for a run");
	run->drill = json_is_true(json_object_get(line, "drill"));
	lines->has_head = true;
	return FP_OK;
}

static enum fp_status take_snapshot(const json_t *snapshot,
                                    struct topo_job *ret, struct fp_err *err)
{
	char *text = json_dumps(snapshot, JSON_COMPACT);
	enum fp_status status;

	if (!text)
		return fp_err_set(err, FP_ERR_INPUT, "no snapshot of the job");
	status = topo_job_from_json(text, strlen(text), ret, err);
	free(text);
	return status;
}

static enum fp_status take_job(struct journal_lines *lines, const json_t *job,
                               struct fp_err *err)
{
	struct session_opts opts = lines->run->opts;
	struct topo_job read;
	enum fp_status status;

	if (lines->has_job)
		return fp_err_set(err, FP_ERR_INPUT, "a second job");
	lines->fatal = true;
	status = fields_from_json(&journal_session_fields,
	                          json_object_get(job, "session"), &opts, err);
	if (!status)
		status = fields_from_json(&journal_judge_fields,
		                          json_object_get(job, "judge"),
		                          &opts.judge, err);
	if (!status)
		status = take_snapshot(json_object_get(job, "snapshot"), &read,
		                       err);
	if (status)
		return status;
	lines->run->job = read;
	lines->run->opts = opts;
	lines->has_job = true;
	lines->fatal = false;
	return FP_OK;
}

static enum fp_status read_members(const json_t *list, struct batch *batch,
                                   size_t n_ranks, struct fp_err *err)
{
	json_int_t rank;
	size_t i;

	for (i = 0; i < batch->n_members; i++) {
		rank = json_integer_value(json_array_get(list, i));
		if (!json_is_integer(json_array_get(list, i)) || rank < 0 ||
		    rank >= (json_int_t)n_ranks)
			return fp_err_set(err, FP_ERR_INPUT,
			                  "member %zu is no rank", i);
		batch->members[i] = (int32_t)rank;
	}
	return FP_OK;
}

static enum fp_status read_trials(const json_t *list, struct batch *batch,
                                  size_t n_ranks, struct fp_err *err)
{
	enum fp_status status = FP_OK;
	const char *wrong = NULL;
	struct trial *t;
	size_t i;

	for (i = 0; !status && !wrong && i < batch->n_trials; i++) {
		t = &batch->trials[i];
		status = fields_from_json(&journal_trial_fields,
		                          json_array_get(list, i), t, err);
		wrong = trial_check(t, n_ranks, batch->n_members);
		if (!wrong && t->id - batch->trials[0].id != i)
			wrong = "ids are not in order";
	}
	if (!status && wrong)
		status = fp_err_set(err, FP_ERR_INPUT, "trial: %s", wrong);
	return status;
}

static enum fp_status keep_batch(struct journal_lines *lines,
                                 struct batch *batch, struct fp_err *err)
{
	struct journal_ids ids = {
		.file = batch->trials[0].id,
		.n = (uint32_t)batch->n_trials,
	};
	enum fp_status status;

	status = grow_room(&lines->ids, &lines->room_ids, lines->n_ids + 1,
	                   sizeof(*lines->ids), err);
	if (!status)
		status = results_add_batch(&lines->run->results, batch, err);
	if (status)
		return status;
	ids.stored = batch->trials[0].id;
	lines->ids[lines->n_ids++] = ids;
	return FP_OK;
}

static enum fp_status take_batch(struct journal_lines *lines,
                                 const json_t *json, struct fp_err *err)
{
	const json_t *trials = json_object_get(json, "trials");
	const json_t *members = json_object_get(json, "members");
	struct batch batch = { .n_trials = json_array_size(trials),
		               .n_members = json_array_size(members) };
	size_t n_ranks = lines->run->job.n_ranks;
	enum fp_status status;

	if (!lines->has_job || !batch.n_trials)
		return fp_err_set(err, FP_ERR_INPUT, "trials of no job");
	batch.trials = calloc(batch.n_trials, sizeof(*batch.trials));
	batch.members = calloc(batch.n_members + 1, sizeof(*batch.members));
	if (!batch.trials || !batch.members)
		status = fp_err_set(err, FP_ERR_NOMEM, "no memory for a run");
	else
		status = read_members(members, &batch, n_ranks, err);
	if (!status)
		status = read_trials(trials, &batch, n_ranks, err);
	if (!status)
		status = keep_batch(lines, &batch, err);
	free(batch.trials);
	free(batch.members);
	return status;
}

static enum fp_status keep_fabric(struct journal_lines *lines,
                                  const json_t *json, bool model,
                                  struct fp_err *err)
{
	struct journal_run *run = lines->run;

	if (!json_is_string(json) || run->fabric)
		return fp_err_set(err, FP_ERR_INPUT,
		                  "not the one text about a fabric");
	run->fabric = strdup(json_string_value(json));
	if (!run->fabric)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for a run");
	run->model = model;
	return FP_OK;
}

static enum fp_status take_fabric(struct journal_lines *lines,
                                  const json_t *json, struct fp_err *err)
{
	return keep_fabric(lines, json, false, err);
}

static enum fp_status take_model(struct journal_lines *lines,
                                 const json_t *json, struct fp_err *err)
{
	return keep_fabric(lines, json, true, err);
}

/* Most outcomes are of the batch before. */
static uint32_t stored_id(const struct journal_lines *lines, uint32_t id)
{
	const struct journal_ids *ids;
	size_t i;

	for (i = lines->n_ids; i > 0; i--) {
		ids = &lines->ids[i - 1];
		if (id >= ids->file && id - ids->file < ids->n)
			return ids->stored + (id - ids->file);
	}
	return 0;
}

/* The last trial up to @id; 0: none. */
static int64_t stored_up_to(const struct journal_lines *lines, int64_t id)
{
	const struct journal_ids *ids;
	size_t i;

	for (i = lines->n_ids; i > 0; i--) {
		ids = &lines->ids[i - 1];
		if (id >= ids->file)
			return id - ids->file < ids->n
			               ? ids->stored + (id - ids->file)
			               : ids->stored + ids->n - 1;
	}
	return 0;
}

static bool has_trial(const struct run_event *e)
{
	return e->kind == EVENT_LOCATE || e->kind == EVENT_LOCATED;
}

static enum fp_status read_samples(const json_t *list, double **ret,
                                   size_t *ret_n, struct fp_err *err)
{
	size_t i, n = json_array_size(list);
	double *samples;

	*ret = NULL;
	*ret_n = 0;
	if (!n)
		return FP_OK;
	if (n > WIRE_SAMPLES_MAX)
		return fp_err_set(err, FP_ERR_INPUT, "too many samples");
	samples = calloc(n, sizeof(*samples));
	if (!samples)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for a run");
	for (i = 0; i < n; i++)
		samples[i] = json_number_value(json_array_get(list, i));
	*ret = samples;
	*ret_n = n;
	return FP_OK;
}

static enum fp_status take_outcome(struct journal_lines *lines,
                                   const json_t *json, struct fp_err *err)
{
	struct journal_run *run = lines->run;
	enum fp_status status;
	double *samples = NULL;
	const char *wrong;
	struct outcome o;
	size_t n = 0;

	status = journal_outcome_from_json(json, &o, err);
	if (status)
		return status;
	o.trial = stored_id(lines, o.trial);
	wrong = outcome_check(&o, run->job.n_ranks);
	if (wrong)
		return fp_err_set(err, FP_ERR_INPUT, "outcome: %s", wrong);
	status = read_samples(json_object_get(json, "samples"), &samples, &n,
	                      err);
	if (!status)
		status =
			results_add_outcome(&run->results, &o, samples, n, err);
	free(samples);
	return status;
}

static enum fp_status take_event(struct journal_lines *lines,
                                 const json_t *json, struct fp_err *err)
{
	struct run_event e = { 0 };
	enum fp_status status;
	const char *wrong;

	status = fields_from_json(&journal_event_fields, json, &e, err);
	if (status)
		return status;
	wrong = run_event_check(&e, lines->run->job.n_ranks);
	if (wrong)
		return fp_err_set(err, FP_ERR_INPUT, "event: %s", wrong);
	if (has_trial(&e))
		e.value = stored_up_to(lines, e.value);
	return results_add_event(&lines->run->results, &e, err);
}

static enum fp_status take_watch(struct journal_lines *lines,
                                 const json_t *json, struct fp_err *err)
{
	enum fp_status status;
	const char *wrong;
	struct watch w;

	status = journal_watch_from_json(json, &w, err);
	if (status)
		return status;
	w.first = stored_id(lines, w.first);
	w.last = stored_id(lines, w.last);
	wrong = watch_check(&w, lines->run->job.n_ranks);
	if (wrong)
		return fp_err_set(err, FP_ERR_INPUT, "watch: %s", wrong);
	return results_add_watch(&lines->run->results, &w, err);
}

static enum fp_status take_end(struct journal_lines *lines, const json_t *json,
                               struct fp_err *err)
{
	const json_t *elapsed = json_object_get(json, "elapsed_s");

	if (!json_is_number(elapsed) || json_number_value(elapsed) < 0)
		return fp_err_set(err, FP_ERR_INPUT, "'elapsed_s' is missing");
	lines->run->elapsed_s = json_number_value(elapsed);
	lines->run->complete = true;
	return FP_OK;
}

static const struct {
	const char *name;
	enum fp_status (*take)(struct journal_lines *lines, const json_t *json,
	                       struct fp_err *err);
} kinds[] = {
	{ "outcome", take_outcome }, { "batch", take_batch },
	{ "event", take_event },     { "job", take_job },
	{ "watch", take_watch },     { "end", take_end },
	{ "fabric", take_fabric },   { "model", take_model },
};

static enum fp_status take_entry(struct journal_lines *lines,
                                 const json_t *line, struct fp_err *err)
{
	double t_s = json_number_value(json_object_get(line, "t"));
	enum fp_status status = FP_OK;
	const json_t *value;
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		value = json_object_get(line, kinds[i].name);
		if (!value)
			continue;
		status = kinds[i].take(lines, value, err);
		if (!status && !lines->run->complete &&
		    t_s > lines->run->elapsed_s)
			lines->run->elapsed_s = t_s;
		return status;
	}
	return FP_OK; /* a kind that this version does not know */
}

enum fp_status journal_lines_take(struct journal_lines *lines, const char *line,
                                  size_t len, struct fp_err *err)
{
	enum fp_status status;
	json_error_t why;
	json_t *json;

	json = json_loadb(line, len, JSON_REJECT_DUPLICATES, &why);
	if (!json && json_error_code(&why) == json_error_out_of_memory)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for JSON");
	if (!json)
		return fp_err_set(err, FP_ERR_INPUT, "column %d: %s",
		                  why.column, why.text);
	status = lines->has_head ? take_entry(lines, json, err)
	                         : take_head(lines, json, err);
	json_decref(json);
	return status;
}
