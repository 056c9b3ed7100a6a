/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of what a journal's lines hold. */
#ifndef FP_PROBES_JOURNAL_TABLES_H
#define FP_PROBES_JOURNAL_TABLES_H

#include "probes/journal/record.h"
#include "probes/trial/trial.h"

extern const struct record journal_trial_record;
extern const struct record journal_event_record;
extern const struct record journal_session_record; /* without the judge's */
extern const struct record journal_judge_record;

/** journal_outcome_to_json() - counters by name; NULL without memory. */
json_t *journal_outcome_to_json(const struct outcome *o);

/** journal_outcome_from_json() - counters of unknown names are ignored. */
enum fp_status journal_outcome_from_json(const json_t *json,
                                         struct outcome *ret,
                                         struct fp_err *err);

#endif
