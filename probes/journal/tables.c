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

static const struct record_row trial_rows[] = {
	RECORD_ROW(trial, id, RECORD_UINT),
	RECORD_ROW(trial, round, RECORD_UINT),
	RECORD_NAME_ROW(trial, xport, trial_xport_name, XPORT_COUNT),
	RECORD_NAME_ROW(trial, op, trial_op_name, OP_COUNT),
	RECORD_NAME_ROW(trial, mem, trial_mem_name, MEM_COUNT),
	RECORD_NAME_ROW(trial, dir, dir_name, DIR_COUNT),
	RECORD_NAME_ROW(trial, stage, trial_stage_name, TRIAL_STAGE_COUNT),
	RECORD_ROW(trial, flags, RECORD_UINT),
	RECORD_ROW(trial, bytes, RECORD_UINT),
	RECORD_ROW(trial, iters, RECORD_UINT),
	RECORD_ROW(trial, warmup, RECORD_UINT),
	RECORD_ROW(trial, src, RECORD_INT),
	RECORD_ROW(trial, dst, RECORD_INT),
	RECORD_ROW(trial, member_first, RECORD_UINT),
	RECORD_ROW(trial, member_count, RECORD_UINT),
	RECORD_ROW(trial, src_ep, RECORD_INT),
	RECORD_ROW(trial, dst_ep, RECORD_INT),
	RECORD_ROW(trial, variant, RECORD_UINT),
	RECORD_ROW(trial, time_s, RECORD_REAL),
	RECORD_ROW(trial, deadline_s, RECORD_REAL),
	RECORD_ROW(trial, seed, RECORD_UINT),
};

static const struct record_row outcome_rows[] = {
	RECORD_ROW(outcome, trial, RECORD_UINT),
	RECORD_ROW(outcome, rank, RECORD_INT),
	RECORD_NAME_ROW(outcome, state, outcome_state_name,
	                OUTCOME_STATE_COUNT),
	RECORD_NAME_ROW(outcome, stage, outcome_stage_name,
	                OUTCOME_STAGE_COUNT),
	RECORD_ROW(outcome, flags, RECORD_UINT),
	RECORD_ROW(outcome, n, RECORD_UINT),
	RECORD_ROW(outcome, min_s, RECORD_REAL),
	RECORD_ROW(outcome, p5_s, RECORD_REAL),
	RECORD_ROW(outcome, p50_s, RECORD_REAL),
	RECORD_ROW(outcome, p99_s, RECORD_REAL),
	RECORD_ROW(outcome, max_s, RECORD_REAL),
	RECORD_ROW(outcome, algbw_Bps, RECORD_REAL),
	RECORD_ROW(outcome, busbw_Bps, RECORD_REAL),
	RECORD_ROW(outcome, low_Bps, RECORD_REAL),
	RECORD_ROW(outcome, wrong_bytes, RECORD_UINT),
	RECORD_ROW(outcome, moved_bytes, RECORD_UINT),
	RECORD_ROW(outcome, start_s, RECORD_REAL),
	RECORD_ROW(outcome, elapsed_s, RECORD_REAL),
	RECORD_ROW(outcome, cc, RECORD_TEXT),
	RECORD_ROW(outcome, err, RECORD_TEXT),
};

static const struct record_row event_rows[] = {
	RECORD_ROW(run_event, t_s, RECORD_REAL),
	RECORD_ROW(run_event, value, RECORD_INT),
	RECORD_NAME_ROW(run_event, kind, event_kind_name, EVENT_KIND_COUNT),
	RECORD_ROW(run_event, rank, RECORD_INT),
	RECORD_ROW(run_event, text, RECORD_TEXT),
};

static const struct record_row session_rows[] = {
	RECORD_NAME_ROW(session_opts, kind, session_kind_name,
	                SESSION_KIND_COUNT),
	RECORD_NAME_ROW(session_opts, mode, session_mode_name, MODE_COUNT),
	RECORD_NAME_ROW(session_opts, xport, trial_xport_name, XPORT_COUNT),
	RECORD_NAME_ROW(session_opts, op, trial_op_name, OP_COUNT),
	RECORD_ROW(session_opts, bytes, RECORD_UINT),
	RECORD_ROW(session_opts, min_bytes, RECORD_UINT),
	RECORD_ROW(session_opts, max_bytes, RECORD_UINT),
	RECORD_ROW(session_opts, step_bytes, RECORD_UINT),
	RECORD_ROW(session_opts, factor, RECORD_UINT),
	RECORD_ROW(session_opts, iters, RECORD_UINT),
	RECORD_ROW(session_opts, warmup, RECORD_UINT),
	RECORD_ROW(session_opts, check, RECORD_BOOL),
	RECORD_ROW(session_opts, bidirectional, RECORD_BOOL),
	RECORD_ROW(session_opts, offline, RECORD_BOOL),
	RECORD_ROW(session_opts, checks_off, RECORD_UINT),
	RECORD_ROW(session_opts, time_limit_s, RECORD_REAL),
	RECORD_ROW(session_opts, trial_s, RECORD_REAL),
	RECORD_ROW(session_opts, local_trial_s, RECORD_REAL),
	RECORD_ROW(session_opts, deadline_s, RECORD_REAL),
	RECORD_ROW(session_opts, seed, RECORD_UINT),
};

static const struct record_row judge_rows[] = {
	RECORD_ROW(judge_opts, slow_drop, RECORD_REAL),
	RECORD_ROW(judge_opts, suspect_drop, RECORD_REAL),
	RECORD_ROW(judge_opts, slow_z, RECORD_REAL),
	RECORD_ROW(judge_opts, suspect_z, RECORD_REAL),
	RECORD_ROW(judge_opts, sigma_floor, RECORD_REAL),
	RECORD_ROW(judge_opts, sigma_floor_latency, RECORD_REAL),
	RECORD_ROW(judge_opts, flaky_ratio, RECORD_REAL),
	RECORD_ROW(judge_opts, stall_excess_s, RECORD_REAL),
	RECORD_ROW(judge_opts, loss_ratio, RECORD_REAL),
	RECORD_ROW(judge_opts, latency_factor, RECORD_REAL),
	RECORD_ROW(judge_opts, retests, RECORD_UINT),
	RECORD_ROW(judge_opts, retest_flags, RECORD_UINT),
	RECORD_ROW(judge_opts, end_drop, RECORD_REAL),
	RECORD_ROW(judge_opts, end_share, RECORD_REAL),
	RECORD_ROW(judge_opts, end_share_rare, RECORD_REAL),
	RECORD_ROW(judge_opts, small_class, RECORD_UINT),
	RECORD_ROW(judge_opts, small_drop, RECORD_REAL),
	RECORD_ROW(judge_opts, small_drop_local, RECORD_REAL),
	RECORD_ROW(judge_opts, slow_drop_local, RECORD_REAL),
	RECORD_ROW(judge_opts, sigma_floor_local, RECORD_REAL),
	RECORD_ROW(judge_opts, latency_factor_local, RECORD_REAL),
	RECORD_ROW(judge_opts, latency_excess_s, RECORD_REAL),
	RECORD_ROW(judge_opts, jitter_factor, RECORD_REAL),
	RECORD_ROW(judge_opts, jitter_excess_s, RECORD_REAL),
	RECORD_ROW(judge_opts, loss_factor, RECORD_REAL),
	RECORD_ROW(judge_opts, loss_min_segs, RECORD_UINT),
	RECORD_ROW(judge_opts, pace_drop, RECORD_REAL),
	RECORD_ROW(judge_opts, pace_apart, RECORD_REAL),
	RECORD_ROW(judge_opts, retests_local, RECORD_UINT),
};

const struct record journal_trial_record = RECORD(trial_rows);
const struct record journal_event_record = RECORD(event_rows);
const struct record journal_session_record = RECORD_WHOLE(session_rows);
const struct record journal_judge_record = RECORD_WHOLE(judge_rows);

static const struct record outcome_record = RECORD(outcome_rows);

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
	json_t *json = record_to_json(&outcome_record, o);
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
		record_from_json(&outcome_record, json, &o, err);

	if (status)
		return status;
	counters_from_json(json_object_get(json, "counters"), &o);
	*ret = o;
	return FP_OK;
}
