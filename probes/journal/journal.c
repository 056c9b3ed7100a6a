// SPDX-License-Identifier: Apache-2.0
// Writes a run to disk as it goes, a line at a time.
#include "probes/journal/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probes/journal/tables.h"
#include "topo/base/clock.h"
#include "topo/base/version.h"
#include "topo/json/snapshot.h"

#define JOURNAL_DUMP (JSON_COMPACT | JSON_REAL_PRECISION(17))

struct journal {
	int fd;
	bool broken; /* a write failed: told once, then nothing is written */
	int64_t start_ns;
};

static enum fp_status write_all(int fd, const char *data, size_t len,
                                struct fp_err *err)
{
	ssize_t n;

	while (len) {
		n = write(fd, data, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return fp_err_sys(err, errno,
			                  "cannot write " JOURNAL_FILE);
		data += n;
		len -= (size_t)n;
	}
	return FP_OK;
}

/* Takes @line over. One write per line, so that a kill leaves whole lines. */
static enum fp_status write_line(struct journal *j, json_t *line,
                                 struct fp_err *err)
{
	char *text = line ? json_dumps(line, JOURNAL_DUMP) : NULL;
	enum fp_status status;
	size_t len;

	json_decref(line);
	if (!text)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for a line");
	len = strlen(text);
	text[len] = '\n'; /* in place of the NUL: it goes out by length */
	status = write_all(j->fd, text, len + 1, err);
	free(text);
	j->broken |= status != FP_OK;
	return status;
}

/* {"@name": @value, "t": seconds since the journal was opened}; @value is
 * taken over. */
static enum fp_status write_entry(struct journal *j, const char *name,
                                  json_t *value, struct fp_err *err)
{
	double t_s = (double)(fp_now_ns() - j->start_ns) / 1e9;
	json_t *line;

	if (j->broken) {
		json_decref(value);
		return FP_OK;
	}
	line = json_object();
	if (json_object_set_new(line, name, value) ||
	    json_object_set_new(line, "t", json_real(t_s))) {
		json_decref(line);
		line = NULL;
	}
	return write_line(j, line, err);
}

static json_t *text_or_empty(const char *text)
{
	json_t *json = json_string(text ? text : "");

	return json ? json : json_string("");
}

static json_t *head_to_json(const struct journal_head *head)
{
	json_t *options =
		head->options ? json_loads(head->options, 0, NULL) : NULL;

	return json_pack(
		"{s:s, s:s, s:o, s:o, s:o, s:b}", "journal", JOURNAL_SCHEMA,
		"version", FP_VERSION, "command", text_or_empty(head->command),
		"options", options ? options : json_object(), "started_utc",
		text_or_empty(head->started_utc), "drill", (int)head->drill);
}

static enum fp_status open_file(const char *dir, int *ret_fd,
                                struct fp_err *err)
{
	char path[PATH_MAX], old[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/" JOURNAL_FILE, dir) >=
	            (int)sizeof(path) - 4 ||
	    snprintf(old, sizeof(old), "%s.old", path) >= (int)sizeof(old))
		return fp_err_set(err, FP_ERR_USAGE, "path is too long");
	if (mkdir(dir, 0777) < 0 && errno != EEXIST)
		return fp_err_set(err, FP_ERR_USAGE, "cannot make %s: %s", dir,
		                  strerror(errno));
	if (rename(path, old) < 0 && errno != ENOENT)
		return fp_err_set(err, FP_ERR_USAGE, "cannot write to %s: %s",
		                  dir, strerror(errno));
	*ret_fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC,
	               0666);
	if (*ret_fd < 0)
		return fp_err_set(err, FP_ERR_USAGE, "cannot write to %s: %s",
		                  dir, strerror(errno));
	return FP_OK;
}

enum fp_status journal_open(const char *dir, const struct journal_head *head,
                            struct journal **ret_j, struct fp_err *err)
{
	struct journal *j = calloc(1, sizeof(*j));
	struct fp_err why = { 0 };
	enum fp_status status;

	if (!j)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for a journal");
	j->start_ns = fp_now_ns();
	status = open_file(dir, &j->fd, err);
	if (status)
		goto free_journal;
	status = write_line(j, head_to_json(head), &why);
	if (status) {
		status = fp_err_set(err, FP_ERR_USAGE, "%s: %s", dir, why.text);
		goto close_file;
	}
	*ret_j = j;
	return FP_OK;
close_file:
	close(j->fd);
free_journal:
	free(j);
	return status;
}

enum fp_status journal_job(struct journal *j, const struct topo_job *job,
                           const struct session_opts *opts, struct fp_err *err)
{
	char *text = topo_job_to_json(job);
	json_t *snapshot = text ? json_loads(text, 0, NULL) : NULL;

	free(text);
	return write_entry(
		j, "job",
		json_pack("{s:o, s:o, s:o}", "snapshot", snapshot, "session",
	                  fields_to_json(&journal_session_fields, opts),
	                  "judge",
	                  fields_to_json(&journal_judge_fields, &opts->judge)),
		err);
}

/* Names of hosts are ASCII: of what is not UTF-8 at all, no more is kept. */
static json_t *text_ascii(const char *text)
{
	char *plain = strdup(text), *at;
	json_t *json;

	for (at = plain; at && *at; at++)
		if ((unsigned char)*at >= 0x80)
			*at = '?';
	json = plain ? json_string(plain) : NULL;
	free(plain);
	return json;
}

enum fp_status journal_fabric(struct journal *j, const char *text, bool model,
                              struct fp_err *err)
{
	json_t *json = json_string(text);

	return write_entry(j, model ? "model" : "fabric",
	                   json ? json : text_ascii(text), err);
}

static json_t *trials_to_json(const struct batch *batch)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; list && i < batch->n_trials; i++)
		if (json_array_append_new(list,
		                          fields_to_json(&journal_trial_fields,
		                                         &batch->trials[i]))) {
			json_decref(list);
			list = NULL;
		}
	return list;
}

static json_t *members_to_json(const struct batch *batch)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; list && i < batch->n_members; i++)
		if (json_array_append_new(list,
		                          json_integer(batch->members[i]))) {
			json_decref(list);
			list = NULL;
		}
	return list;
}

enum fp_status journal_batch(struct journal *j, const struct batch *batch,
                             struct fp_err *err)
{
	return write_entry(j, "batch",
	                   json_pack("{s:o, s:o}", "trials",
	                             trials_to_json(batch), "members",
	                             members_to_json(batch)),
	                   err);
}

static json_t *samples_to_json(const double *samples, size_t n)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; list && i < n; i++)
		if (json_array_append_new(list, json_real(samples[i]))) {
			json_decref(list);
			list = NULL;
		}
	return list;
}

enum fp_status journal_outcome(struct journal *j, const struct outcome *o,
                               const double *samples, size_t n,
                               struct fp_err *err)
{
	json_t *json = journal_outcome_to_json(o);

	if (samples && n && json &&
	    json_object_set_new(json, "samples", samples_to_json(samples, n))) {
		json_decref(json);
		json = NULL;
	}
	return write_entry(j, "outcome", json, err);
}

enum fp_status journal_event(struct journal *j, const struct run_event *e,
                             struct fp_err *err)
{
	return write_entry(j, "event", fields_to_json(&journal_event_fields, e),
	                   err);
}

enum fp_status journal_watch(struct journal *j, const struct watch *w,
                             struct fp_err *err)
{
	return write_entry(j, "watch", journal_watch_to_json(w), err);
}

enum fp_status journal_end(struct journal *j, double elapsed_s,
                           struct fp_err *err)
{
	return write_entry(j, "end", json_pack("{s:f}", "elapsed_s", elapsed_s),
	                   err);
}

void journal_close(struct journal *j)
{
	if (!j)
		return;
	close(j->fd);
	free(j);
}
