/* SPDX-License-Identifier: Apache-2.0 */
/* The rooms of the JSON renderer. Each gives a new reference, or NULL without
 * memory. */
#ifndef FP_PROBES_REPORT_JSON_H
#define FP_PROBES_REPORT_JSON_H

#include <jansson.h>

#include "probes/report/parts.h"

#define JSON_DENSE_RANKS 512 /* up to here a matrix is written in full */

/** json_number() - @value, or null where it is none. */
json_t *json_number(double value);

/** json_text() - @text, or "?" where it is not UTF-8. */
json_t *json_text(const char *text);

/** json_put() - add @value, taking it over; false without memory. */
bool json_put(json_t *to, const char *name, json_t *value);

/** json_push() - append @value, taking it over. Without memory *@list is given
 * back and becomes NULL, and stays so. */
void json_push(json_t **list, json_t *value);

/** json_matrix() - a table of the report. */
json_t *json_matrix(const struct matrix *m);

/** json_finding() - a row of the verdict. */
json_t *json_finding(const struct finding *f);

/** json_job() - hosts and ranks. */
json_t *json_job(const struct topo_job *job);

/** json_coverage() - what was looked at and what was not. */
json_t *json_coverage(const struct session_coverage *c);

/** json_events() - what happened outside of trials. */
json_t *json_events(const struct results *results);

/** json_gpus() - GPUs that were watched: how they were, and what rose. */
json_t *json_gpus(const struct results *results);

/** json_loads_of() - what GPUs did under load, second by second. */
json_t *json_loads_of(const struct results *results);

/** json_settings() - what decided the plan and the judging. */
json_t *json_settings(const struct session_opts *opts);

#endif
