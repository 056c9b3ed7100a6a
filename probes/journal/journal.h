/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run on disk: DIR/journal.jsonl, one JSON object per line, written with one
 * write(2) each as things happen, so that a killed run holds all it finished.
 */
#ifndef FP_PROBES_JOURNAL_JOURNAL_H
#define FP_PROBES_JOURNAL_JOURNAL_H

#include <stdbool.h>

#include "probes/session/session.h"

#define JOURNAL_SCHEMA "fabricprobe-journal/1"
#define JOURNAL_FILE "journal.jsonl"

struct journal;

/** struct journal_head - the first line: what the run is. */
struct journal_head {
	const char *command; /* the command line */
	const char *options; /* JSON object text: the options' echo; or NULL */
	const char *started_utc;
	bool drill; /* faults are injected */
};

/**
 * journal_open() - make @dir if need be and begin its journal; an earlier one
 * there is kept as journal.jsonl.old.
 *
 * Return: FP_OK; FP_ERR_USAGE naming @dir when it cannot be made or written.
 */
enum fp_status journal_open(const char *dir, const struct journal_head *head,
                            struct journal **ret_j, struct fp_err *err);

/** journal_job() - the job and the session's options, once both are known. */
enum fp_status journal_job(struct journal *j, const struct topo_job *job,
                           const struct session_opts *opts, struct fp_err *err);
/** journal_fabric() - the text that says how hosts are plugged, as it was
 * given. @model: it is all there is, hosts and ranks were made from it. */
enum fp_status journal_fabric(struct journal *j, const char *text, bool model,
                              struct fp_err *err);
enum fp_status journal_batch(struct journal *j, const struct batch *batch,
                             struct fp_err *err);
enum fp_status journal_outcome(struct journal *j, const struct outcome *o,
                               const double *samples, size_t n,
                               struct fp_err *err);
enum fp_status journal_event(struct journal *j, const struct run_event *e,
                             struct fp_err *err);
enum fp_status journal_watch(struct journal *j, const struct watch *w,
                             struct fp_err *err);
/** journal_end() - the last line: a run that has it was not cut short, though
 * it may have been interrupted. */
enum fp_status journal_end(struct journal *j, double elapsed_s,
                           struct fp_err *err);
void journal_close(struct journal *j); /* takes NULL */

/** struct journal_run - what journal_load() read. */
struct journal_run {
	char *command, *started_utc, *options; /* owned; "" if absent */
	char *fabric; /* journal_fabric()'s text, owned; NULL: there is none */
	bool model;   /* of a model */
	bool drill;
	bool complete;    /* has its last line */
	double elapsed_s; /* of the last line, or the latest event known */
	struct topo_job job;
	struct session_opts opts;
	struct results results;
	size_t bad_lines; /* a cut last line counts */
};

/**
 * journal_load() - read @path: a folder with a journal, or a journal file.
 * A line that cannot be read is skipped and counted; the head must be good.
 *
 * Return: FP_OK; FP_ERR_INPUT naming the file, line and what is wrong.
 * Undo with journal_run_done().
 */
enum fp_status journal_load(const char *path, struct journal_run *ret,
                            struct fp_err *err);

/** journal_parse() - the same from bytes: for the fuzzer and tests. */
enum fp_status journal_parse(const char *data, size_t len,
                             struct journal_run *ret, struct fp_err *err);
void journal_run_done(struct journal_run *r);

#endif
