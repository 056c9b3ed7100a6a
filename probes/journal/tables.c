// SPDX-License-Identifier: Apache-2.0
// What a journal's lines hold, member by member.
#include "probes/journal/tables.h"

#include <string.h>

#include "probes/session/session.h"

static const char *dir_name(unsigned dir)
{
	static const char *const names[DIR_COUNT] = { "uni", "bi" };

	return dir < DIR_COUNT ? names[dir] : "?";
}

static const struct field trial_rows[] = {
	FIELD_UINT_OF(trial, id),
	FIELD_UINT_OF(trial, round),
	FIELD_NAME_OF(trial, xport, trial_xport_name, XPORT_COUNT),
	FIELD_NAME_OF(trial, op, trial_op_name, OP_COUNT),
	FIELD_NAME_OF(trial, mem, trial_mem_name, MEM_COUNT),
	FIELD_NAME_OF(trial, dir, dir_name, DIR_COUNT),
	FIELD_NAME_OF(trial, stage, trial_stage_name, TRIAL_STAGE_COUNT),
	FIELD_UINT_OF(trial, flags),
	FIELD_UINT_OF(trial, bytes),
	FIELD_UINT_OF(trial, iters),
	FIELD_UINT_OF(trial, warmup),
	FIELD_INT32_OF(trial, src),
	FIELD_INT32_OF(trial, dst),
	FIELD_UINT_OF(trial, member_first),
	FIELD_UINT_OF(trial, member_count),
	FIELD_INT32_OF(trial, src_ep),
	FIELD_INT32_OF(trial, dst_ep),
	FIELD_UINT_OF(trial, variant),
	FIELD_NAME_OF(trial, type, trial_type_name, TYPE_COUNT),
	FIELD_NAME_OF(trial, redop, trial_redop_name, REDOP_COUNT),
	FIELD_REAL_OF(trial, time_s),
	FIELD_REAL_OF(trial, deadline_s),
	FIELD_UINT_OF(trial, seed),
};

static const struct field outcome_rows[] = {
	FIELD_UINT_OF(outcome, trial),
	FIELD_INT32_OF(outcome, rank),
	FIELD_NAME_OF(outcome, state, outcome_state_name, OUTCOME_STATE_COUNT),
	FIELD_NAME_OF(outcome, stage, outcome_stage_name, OUTCOME_STAGE_COUNT),
	FIELD_UINT_OF(outcome, flags),
	FIELD_UINT_OF(outcome, n),
	FIELD_REAL_OF(outcome, min_s),
	FIELD_REAL_OF(outcome, p5_s),
	FIELD_REAL_OF(outcome, p50_s),
	FIELD_REAL_OF(outcome, p99_s),
	FIELD_REAL_OF(outcome, max_s),
	FIELD_REAL_OF(outcome, algbw_Bps),
	FIELD_REAL_OF(outcome, busbw_Bps),
	FIELD_REAL_OF(outcome, low_Bps),
	FIELD_UINT_OF(outcome, wrong_bytes),
	FIELD_UINT_OF(outcome, moved_bytes),
	FIELD_REAL_OF(outcome, start_s),
	FIELD_REAL_OF(outcome, elapsed_s),
	FIELD_TEXT_OF(outcome, cc),
	FIELD_TEXT_OF(outcome, err),
};

static const struct field event_rows[] = {
	FIELD_REAL_OF(run_event, t_s),
	FIELD_INT64_OF(run_event, value),
	FIELD_NAME_OF(run_event, kind, event_kind_name, EVENT_KIND_COUNT),
	FIELD_INT32_OF(run_event, rank),
	FIELD_TEXT_OF(run_event, text),
};

static const struct field session_rows[] = {
	FIELD_NAME_OF(session_opts, kind, session_kind_name,
	              SESSION_KIND_COUNT),
	FIELD_NAME_OF(session_opts, mode, session_mode_name, MODE_COUNT),
	FIELD_NAME_OF(session_opts, xport, trial_xport_name, XPORT_COUNT),
	FIELD_NAME_OF(session_opts, op, trial_op_name, OP_COUNT),
	FIELD_UINT_OF(session_opts, bytes),
	FIELD_UINT_OF(session_opts, min_bytes),
	FIELD_UINT_OF(session_opts, max_bytes),
	FIELD_UINT_OF(session_opts, step_bytes),
	FIELD_UINT_OF(session_opts, factor),
	FIELD_UINT_OF(session_opts, iters),
	FIELD_UINT_OF(session_opts, warmup),
	FIELD_NAME_OF(session_opts, datatype, trial_type_name, TYPE_COUNT),
	FIELD_NAME_OF(session_opts, redop, trial_redop_name, REDOP_COUNT),
	FIELD_BOOL_OF(session_opts, registered),
	FIELD_BOOL_OF(session_opts, check),
	FIELD_BOOL_OF(session_opts, bidirectional),
	FIELD_BOOL_OF(session_opts, offline),
	FIELD_UINT_OF(session_opts, checks_off),
	FIELD_REAL_OF(session_opts, time_limit_s),
	FIELD_REAL_OF(session_opts, trial_s),
	FIELD_REAL_OF(session_opts, local_trial_s),
	FIELD_REAL_OF(session_opts, deadline_s),
	FIELD_REAL_OF(session_opts, load_s),
	FIELD_UINT_OF(session_opts, seed),
	FIELD_TEXT_OF(session_opts, suspects),
	FIELD_REAL_OF(session_opts, floor_Bps),
};

static const struct field judge_rows[] = {
	FIELD_REAL_OF(judge_opts, slow_drop),
	FIELD_REAL_OF(judge_opts, suspect_drop),
	FIELD_REAL_OF(judge_opts, slow_z),
	FIELD_REAL_OF(judge_opts, suspect_z),
	FIELD_REAL_OF(judge_opts, sigma_floor),
	FIELD_REAL_OF(judge_opts, sigma_floor_latency),
	FIELD_REAL_OF(judge_opts, flaky_ratio),
	FIELD_REAL_OF(judge_opts, stall_excess_s),
	FIELD_REAL_OF(judge_opts, loss_ratio),
	FIELD_REAL_OF(judge_opts, latency_factor),
	FIELD_UINT_OF(judge_opts, retests),
	FIELD_UINT_OF(judge_opts, retest_flags),
	FIELD_REAL_OF(judge_opts, end_drop),
	FIELD_REAL_OF(judge_opts, end_share),
	FIELD_REAL_OF(judge_opts, end_share_rare),
	FIELD_UINT_OF(judge_opts, small_class),
	FIELD_REAL_OF(judge_opts, small_drop),
	FIELD_REAL_OF(judge_opts, small_drop_local),
	FIELD_REAL_OF(judge_opts, slow_drop_local),
	FIELD_REAL_OF(judge_opts, sigma_floor_local),
	FIELD_REAL_OF(judge_opts, latency_factor_local),
	FIELD_REAL_OF(judge_opts, latency_excess_s),
	FIELD_REAL_OF(judge_opts, jitter_factor),
	FIELD_REAL_OF(judge_opts, jitter_excess_s),
	FIELD_REAL_OF(judge_opts, loss_factor),
	FIELD_UINT_OF(judge_opts, loss_min_segs),
	FIELD_REAL_OF(judge_opts, pace_drop),
	FIELD_REAL_OF(judge_opts, pace_apart),
	FIELD_UINT_OF(judge_opts, retests_local),
};

const struct fields journal_trial_fields = FIELDS_SPARSE(trial_rows);
const struct fields journal_event_fields = FIELDS_SPARSE(event_rows);
const struct fields journal_session_fields = FIELDS(session_rows);
const struct fields journal_judge_fields = FIELDS(judge_rows);

static const struct fields outcome_fields = FIELDS_SPARSE(outcome_rows);

static int counters_to_json(const struct outcome *o, json_t *to)
{
	const struct outcome_value *v;
	int rc = 0;

	for (v = o->values; !rc && v < o->values + OUTCOME_VALUES; v++)
		if (v->id != COUNTER_NONE)
			rc = json_object_set_new(to,
			                         outcome_counter_name(v->id),
			                         json_integer(v->value));
	return rc;
}

json_t *journal_outcome_to_json(const struct outcome *o)
{
	json_t *json = fields_to_json(&outcome_fields, o);
	json_t *counters = json_object();

	if (json && counters && counters_to_json(o, counters) == 0 &&
	    (!json_object_size(counters) ||
	     json_object_set(json, "counters", counters) == 0)) {
		json_decref(counters);
		return json;
	}
	json_decref(counters);
	json_decref(json);
	return NULL;
}

static void counters_from_json(json_t *counters, struct outcome *o)
{
	const char *name;
	json_t *value;
	unsigned id;

	json_object_foreach(counters, name, value)
	{
		for (id = COUNTER_NONE + 1; id < OUTCOME_COUNTER_COUNT; id++)
			if (json_is_integer(value) &&
			    strcmp(outcome_counter_name(id), name) == 0)
				outcome_put(o, id, json_integer_value(value));
	}
}

enum fp_status journal_outcome_from_json(const json_t *json,
                                         struct outcome *ret,
                                         struct fp_err *err)
{
	struct outcome o = { 0 };
	enum fp_status status =
		fields_from_json(&outcome_fields, json, &o, err);

	if (status)
		return status;
	counters_from_json(json_object_get(json, "counters"), &o);
	*ret = o;
	return FP_OK;
}
