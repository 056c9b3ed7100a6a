/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of what a journal's lines hold. */
#ifndef FP_PROBES_JOURNAL_TABLES_H
#define FP_PROBES_JOURNAL_TABLES_H

#include "probes/trial/trial.h"
#include "probes/trial/watch.h"
#include "topo/json/json_field.h"

extern const struct fields journal_trial_fields;
extern const struct fields journal_event_fields;
extern const struct fields journal_session_fields; /* without the judge's */
extern const struct fields journal_judge_fields;

/** journal_outcome_to_json() - counters by name; NULL without memory. */
json_t *journal_outcome_to_json(const struct outcome *o);

/** journal_outcome_from_json() - counters of unknown names are ignored. */
enum fp_status journal_outcome_from_json(const json_t *json,
                                         struct outcome *ret,
                                         struct fp_err *err);

/** journal_watch_to_json() - values by name; NULL without memory. */
json_t *journal_watch_to_json(const struct watch *w);

/** journal_watch_from_json() - values of unknown names are ignored. */
enum fp_status journal_watch_from_json(const json_t *json, struct watch *ret,
                                       struct fp_err *err);

#endif
