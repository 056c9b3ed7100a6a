/* SPDX-License-Identifier: Apache-2.0 */
/* One model, several renderers: each a file in report/ and a row here. */
#ifndef FP_PROBES_REPORT_REPORT_H
#define FP_PROBES_REPORT_REPORT_H

#include <stdbool.h>

#include "probes/session/session.h"
#include "topo/base/fmt.h"

#define REPORT_SCHEMA "fabricprobe-report/1"
#define REPORT_EXIT_ERROR 2

/** struct report - borrowed pointers to everything a renderer may need. */
struct report {
	const struct session *session;
	const char *command;
	const char *options; /* JSON object text, or NULL */
	const char *started_utc;
	bool drill;
	bool model;     /* not measured: computed on a model of a cluster */
	bool cut;       /* replayed from a run that did not end */
	bool part;      /* of a longer text, which has the last line */
	bool unwritten; /* an output that was asked for cannot be written */
	/* presentation */
	int columns; /* of the terminal; 80 if not one */
	bool colour;
	bool gbits;
	bool timing;
};

struct report_ops {
	const char *name, *help;
	/** Append the report to @out. FP_OK, FP_ERR_NOMEM. */
	enum fp_status (*render)(const struct report *report,
	                         struct fp_text *out, struct fp_err *err);
};

extern const struct report_ops report_text_ops;
extern const struct report_ops report_json_ops;
extern const struct report_ops report_sweep_ops; /* nccl-tests' table */

/**
 * report_exit_status() - the session's; 2, which is "error", for a healthy
 * one of which an output is missing.
 */
int report_exit_status(const struct report *report);

/** report_find() - by name ("text", "json", "sweep"), or NULL. */
const struct report_ops *report_find(const char *name);

/** report_is_modelled() - did doubles of GPU libraries take part? */
bool report_is_modelled(const struct report *report);

#endif
