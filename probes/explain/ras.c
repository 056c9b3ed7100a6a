// SPDX-License-Identifier: Apache-2.0
// Status of NCCL RAS as JSON.
#include "probes/explain/ras.h"

#include <string.h>

bool ras_is_status(const struct value *status)
{
	return value_get(status, "communicators") &&
	       (value_get(status, "nccl_version") || value_get(status, "ras"));
}

static uint32_t text_of(struct intake *r, const struct value *value)
{
	return value && value->type == VALUE_TEXT
	               ? event_name(r->events, value->text, value->len)
	               : 0;
}

/* Who: the members that ranks and missing ranks have in common. */
static struct event place_of(struct intake *r, const struct value *rank,
                             uint32_t group, unsigned kind)
{
	struct event e = intake_event(r, NULL, kind);

	e.group = group;
	e.rank = (int32_t)value_int(value_get(rank, "rank"), -1);
	e.host = text_of(r, value_get(rank, "host"));
	e.pid = (int32_t)value_int(value_get(rank, "pid"), -1);
	e.gpu = (int32_t)value_int(value_get(rank, "nvml_dev"), -1);
	if (e.gpu < 0)
		e.gpu = (int32_t)value_int(value_get(rank, "cuda_dev"), -1);
	return e;
}

static void read_rank(struct intake *r, const struct value *rank,
                      uint32_t group)
{
	size_t n;
	const struct value *counts =
		value_items(value_get(rank, "collective_counts"), &n);
	const struct value *state = value_get(rank, "status");
	int64_t code = value_int(value_get(state, "async_error"), 0);

	if (!code)
		code = value_int(value_get(state, "init_state"), 0);
	/* 7 is "in progress": it says nothing by itself. */
	if (code > 0 && code != 7) {
		struct event e = place_of(r, rank, group, KIND_RAS_ERROR);

		e.n[0] = code;
		intake_add(r, NULL, &e);
	}
	for (size_t i = 0; i + 1 < n; i += 2) {
		struct event e = place_of(r, rank, group, KIND_RAS_COUNT);

		e.op = text_of(r, &counts[i]);
		e.n[0] = event_number(value_int(&counts[i + 1], 0));
		if (e.n[0] > 0)
			intake_add(r, NULL, &e);
	}
}

static void read_missing(struct intake *r, const struct value *rank,
                         uint32_t group)
{
	struct event e = place_of(r, rank, group, KIND_RAS_MISSING);
	const struct value *state = value_get(rank, "status");

	if (value_int(value_get(state, "unresponsive"), 0))
		e.n[0] = 1;
	if (value_int(value_get(state, "considered_dead"), 0))
		e.n[0] = 2;
	intake_add(r, NULL, &e);
}

static void read_comm(struct intake *r, const struct value *comm)
{
	struct event e = intake_event(r, NULL, KIND_RAS_COMM);
	const struct value *ranks;
	size_t n;

	e.group = text_of(r, value_get(comm, "hash"));
	e.n[0] = event_number(value_int(value_get(comm, "size"), 0));
	e.n[1] = event_number(value_int(value_get(comm, "ranks_count"), 0));
	intake_add(r, NULL, &e);
	ranks = value_items(value_get(comm, "ranks"), &n);
	for (size_t i = 0; i < n; i++)
		read_rank(r, &ranks[i], e.group);
	ranks = value_items(value_get(comm, "missing_ranks"), &n);
	if (!n) {
		e.kind = KIND_RAS_OK;
		e.n[0] = 1;
		intake_add(r, NULL, &e);
	}
	for (size_t i = 0; i < n; i++)
		read_missing(r, &ranks[i], e.group);
}

void ras_read(struct intake *r, const struct value *status)
{
	size_t n;
	const struct value *comms =
		value_items(value_get(status, "communicators"), &n);
	struct event e = intake_event(r, NULL, KIND_RAS_TIMEOUT);

	for (size_t i = 0; i < n; i++)
		read_comm(r, &comms[i]);
	e.n[0] = value_int(
		value_get(value_get(status, "ras"), "timeouts_count"), 0);
	if (e.n[0] > 0)
		intake_add(r, NULL, &e);
}
