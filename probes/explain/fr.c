// SPDX-License-Identifier: Apache-2.0
// Turns a dump's tree into events.
#include "probes/explain/fr.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/trial/grow.h"

#define SIGNATURE_MAX 200

/* What is known of a group while its entries go by. */
struct fr_group {
	uint32_t name;
	int64_t pg_id;
	uint32_t n_open;
	struct event last_done; /* count 0: none */
};

struct fr_pass {
	struct intake *r;
	struct fr_group *groups;
	size_t n, room;
};

bool fr_is_dump(const struct value *dump)
{
	return value_get(dump, "pg_config") || value_get(dump, "pg_status") ||
	       (value_get(dump, "entries") && value_get(dump, "version"));
}

static int64_t number(const struct value *value, int64_t missing)
{
	return event_number(value_int(value, missing));
}

static uint32_t name_of(struct intake *r, const struct value *text)
{
	return text && text->type == VALUE_TEXT
	               ? event_name(r->events, text->text, text->len)
	               : 0;
}

/* "74 (EXPERT_MODEL_PARALLEL_GROUP)": names alone are numbers. */
static uint32_t group_name(struct intake *r, const struct value *name,
                           const struct value *desc)
{
	char text[EVENT_LINE_MAX];

	if (!name || name->type != VALUE_TEXT)
		return 0;
	if (!desc || desc->type != VALUE_TEXT || !desc->len)
		return name_of(r, name);
	(void)snprintf(text, sizeof(text), "%.*s (%.*s)", (int)name->len,
	               name->text, (int)desc->len, desc->text);
	return intake_name(r, text);
}

/* "[0, 1, 2]" as JSON and pickles have it, or a list. */
static size_t each_rank(const struct value *ranks, bool add, struct intake *r,
                        struct event *e)
{
	const char *p = ranks->text, *end = p + ranks->len;
	size_t n = 0;

	while (p < end) {
		int64_t rank = 0;
		const char *from;

		while (p < end && (*p < '0' || *p > '9'))
			p++;
		for (from = p;
		     p < end && *p >= '0' && *p <= '9' && p - from < 9; p++)
			rank = rank * 10 + (*p - '0');
		if (p == from)
			break;
		n++;
		if (rank >= FR_RANKS_MAX)
			break;
		e->rank = (int32_t)rank;
		if (add)
			intake_add(r, NULL, e);
	}
	return n;
}

/* Members are the same in every dump: they are taken from the first. */
static void read_members(struct intake *r, const struct value *config)
{
	struct event e = intake_event(r, NULL, KIND_FR_MEMBER);
	const struct value *ranks = value_get(config, "ranks");
	struct event *first;

	if (!ranks || ranks->type != VALUE_TEXT)
		return;
	e.group = group_name(r, value_get(config, "name"),
	                     value_get(config, "desc"));
	e.n[0] = (int64_t)each_rank(ranks, false, r, &e);
	if (e.n[0] < 2)
		return;
	/* The last one of the list was left in e by counting. */
	first = events_add(r->events, &e);
	if (first && first->count == 1)
		(void)each_rank(ranks, true, r, &e);
}

static struct fr_group *find_group(struct fr_pass *p, uint32_t name,
                                   int64_t pg_id)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->groups[i].name == name)
			return &p->groups[i];
	if (grow_room(&p->groups, &p->room, p->n + 1, sizeof(*p->groups), NULL))
		return NULL;
	p->groups[p->n] = (struct fr_group){ .name = name, .pg_id = pg_id };
	return &p->groups[p->n++];
}

/* Append "[4096,5120]" of each list of sizes. */
static size_t put_sizes(char *to, size_t room, const struct value *sizes)
{
	size_t used = 0;
	const struct value *size, *n;

	for (size = value_child(sizes); size && used + 32 < room;
	     size = size->next) {
		to[used++] = '[';
		for (n = value_child(size); n && used + 32 < room; n = n->next)
			used += (size_t)snprintf(to + used, room - used,
			                         "%lld%s",
			                         (long long)value_int(n, -1),
			                         n->next ? "," : "");
		to[used++] = ']';
	}
	to[used] = '\0';
	return used;
}

/* What is read of each entry, in the order in which dumps have it. */
enum entry_key {
	ENTRY_FRAMES,
	ENTRY_RECORD,
	ENTRY_PG,
	ENTRY_GROUP,
	ENTRY_COLL,
	ENTRY_P2P,
	ENTRY_NAME,
	ENTRY_CREATED,
	ENTRY_SIZES,
	ENTRY_TYPES,
	ENTRY_STATE,
	ENTRY_ENDED,
	ENTRY_TIMEOUT,
	ENTRY_IS_P2P,
	ENTRY_COUNT
};

static const struct value_key entry_keys[ENTRY_COUNT] = {
	[ENTRY_FRAMES] = VALUE_KEY("frames"),
	[ENTRY_RECORD] = VALUE_KEY("record_id"),
	[ENTRY_PG] = VALUE_KEY("pg_id"),
	[ENTRY_GROUP] = VALUE_KEY("process_group"),
	[ENTRY_COLL] = VALUE_KEY("collective_seq_id"),
	[ENTRY_P2P] = VALUE_KEY("p2p_seq_id"),
	[ENTRY_NAME] = VALUE_KEY("profiling_name"),
	[ENTRY_CREATED] = VALUE_KEY("time_created_ns"),
	[ENTRY_SIZES] = VALUE_KEY("input_sizes"),
	[ENTRY_TYPES] = VALUE_KEY("input_dtypes"),
	[ENTRY_STATE] = VALUE_KEY("state"),
	[ENTRY_ENDED] = VALUE_KEY("time_discovered_completed_ns"),
	[ENTRY_TIMEOUT] = VALUE_KEY("timeout_ms"),
	[ENTRY_IS_P2P] = VALUE_KEY("is_p2p"),
};

/*
 * Operation, sizes and types, as far as they must be equal on all ranks: those
 * that take a list of tensors may differ.
 */
static uint32_t signature(struct intake *r, const struct value *const *entry)
{
	static const char *const uneven[] = { "all_to_all",     "alltoall",
		                              "coalesced",      ":scatter",
		                              ":gather",        ":all_gather",
		                              ":reduce_scatter" };
	const struct value *name = entry[ENTRY_NAME];
	const struct value *types = entry[ENTRY_TYPES];
	const struct value *type = value_child(types);
	char text[SIGNATURE_MAX];
	size_t used;

	if (!name || name->type != VALUE_TEXT)
		return 0;
	used = (size_t)snprintf(text, 80, "%.*s", (int)name->len, name->text);
	used = used < 80 ? used : 79;
	for (size_t i = 0; i < sizeof(uneven) / sizeof(uneven[0]); i++)
		if (strstr(text, uneven[i]))
			return event_name(r->events, text, used);
	text[used++] = ' ';
	used += put_sizes(text + used, 80, entry[ENTRY_SIZES]);
	if (type && type->type == VALUE_TEXT && type->len < 32)
		used += (size_t)snprintf(text + used, sizeof(text) - used,
		                         " %.*s", (int)type->len, type->text);
	return event_name(r->events, text, used);
}

static unsigned state_of(const struct value *const *entry)
{
	const struct value *state = entry[ENTRY_STATE];

	if (value_is(state, "completed") ||
	    value_int(entry[ENTRY_ENDED], 0) > 0)
		return FR_COMPLETED;
	return value_is(state, "started") ? FR_STARTED : FR_SCHEDULED;
}

/* "nccl:send 1->2", "nccl:recv 3<-0": ranks of the group. */
static int32_t peer_of(const struct value *const *entry)
{
	const struct value *name = entry[ENTRY_NAME];
	size_t i;

	if (!name || name->type != VALUE_TEXT)
		return -1;
	for (i = 0; i + 2 < name->len; i++)
		if ((name->text[i] == '-' && name->text[i + 1] == '>') ||
		    (name->text[i] == '<' && name->text[i + 1] == '-')) {
			int32_t peer = 0;

			for (i += 2; i < name->len && name->text[i] >= '0' &&
			             name->text[i] <= '9' && peer < (1 << 26);
			     i++)
				peer = peer * 10 + (name->text[i] - '0');
			return peer;
		}
	return -1;
}

static int64_t direction(const struct value *const *entry)
{
	const struct value *name = entry[ENTRY_NAME];

	return name && name->type == VALUE_TEXT &&
	                       memmem(name->text, name->len, "->", 2)
	               ? FR_SEND
	               : FR_RECV;
}

static void add_frame(struct intake *r, const struct value *const *entry,
                      const struct event *of)
{
	const struct value *frame = value_child(entry[ENTRY_FRAMES]);
	struct event e = intake_event(r, NULL, KIND_FR_FRAME);
	char text[EVENT_LINE_MAX];
	const struct value *name, *file;

	/* The first frame that is not the library's own is the program's. */
	for (; frame; frame = frame->next) {
		file = value_get(frame, "filename");
		if (file && file->type == VALUE_TEXT &&
		    !memmem(file->text, file->len, "torch/", 6))
			break;
	}
	name = value_get(frame, "name");
	if (!frame || !name || name->type != VALUE_TEXT)
		return;
	(void)snprintf(text, sizeof(text), "%.*s (%.*s:%lld)", (int)name->len,
	               name->text, (int)file->len, file->text,
	               (long long)value_int(value_get(frame, "line"), 0));
	e.group = of->group;
	e.op = intake_name(r, text);
	e.n[0] = of->n[0];
	intake_add(r, NULL, &e);
}

/* Nothing of an ended one tells where it hangs, but the last of a group. */
static bool is_wanted(struct fr_group *group, const struct event *e)
{
	if (e->n[1] != FR_COMPLETED)
		return ++group->n_open <= FR_KEEP;
	return e->n[3] == FR_COLLECTIVE &&
	       (!group->last_done.count || e->n[0] >= group->last_done.n[0]);
}

static void read_entry(struct fr_pass *p, const struct value *of)
{
	struct event e = intake_event(p->r, NULL, KIND_FR_ENTRY);
	const struct value *entry[ENTRY_COUNT], *name;
	struct fr_group *group;

	value_pick(of, entry_keys, ENTRY_COUNT, entry);
	name = value_child(entry[ENTRY_GROUP]);
	e.group = group_name(p->r, name, name ? name->next : NULL);
	group = find_group(p, e.group, value_int(entry[ENTRY_PG], -1));
	if (!group)
		return;
	e.n[1] = state_of(entry);
	e.n[3] = value_int(entry[ENTRY_IS_P2P], 0) ? direction(entry)
	                                           : FR_COLLECTIVE;
	e.n[0] = number(entry[e.n[3] ? ENTRY_P2P : ENTRY_COLL], -1);
	e.n[4] = number(entry[ENTRY_RECORD], -1);
	if (!is_wanted(group, &e))
		return;
	e.n[2] = value_int(entry[ENTRY_CREATED], 0);
	e.n[5] = value_int(entry[ENTRY_TIMEOUT], 0);
	e.time_ns = e.n[2] > 0 ? e.n[2] : EVENT_NO_TIME;
	if (e.n[1] == FR_COMPLETED) {
		group->last_done = e;
		return;
	}
	e.op = signature(p->r, entry);
	e.peer = e.n[3] ? peer_of(entry) : -1;
	intake_add(p->r, NULL, &e);
	if (group->n_open == 1)
		add_frame(p->r, entry, &e);
}

static void add_status(struct fr_pass *p, const struct fr_group *group,
                       const struct value *status)
{
	struct event e = intake_event(p->r, NULL, KIND_FR_STATUS);
	char key[24];
	const struct value *of;

	(void)snprintf(key, sizeof(key), "%lld", (long long)group->pg_id);
	of = value_get(status, key);
	if (!of)
		return;
	e.group = group->name;
	e.n[0] = number(value_get(of, "last_enqueued_collective"), -1);
	e.n[1] = number(value_get(of, "last_started_collective"), -1);
	e.n[2] = number(value_get(of, "last_completed_collective"), -1);
	intake_add(p->r, NULL, &e);
}

static void read_entries(struct fr_pass *p, const struct value *dump)
{
	const struct value *status = value_get(dump, "pg_status");
	const struct value *entry = value_child(value_get(dump, "entries"));

	for (; entry; entry = entry->next)
		read_entry(p, entry);
	for (size_t i = 0; i < p->n; i++) {
		if (p->groups[i].last_done.count)
			intake_add(p->r, NULL, &p->groups[i].last_done);
		add_status(p, &p->groups[i], status);
	}
}

enum fp_status fr_read(struct intake *r, const struct value *dump,
                       struct fp_err *err)
{
	struct fr_pass pass = { .r = r };
	struct event e = intake_event(r, NULL, KIND_FR_DUMP);
	const struct value *config = value_child(value_get(dump, "pg_config"));
	const struct value *rank = value_get(dump, "rank");
	const struct value *entry = value_child(value_get(dump, "entries"));

	if (rank)
		r->file_rank = (int32_t)value_int(rank, r->file_rank);
	if (r->file_rank < 0 || r->file_rank >= FR_RANKS_MAX)
		return fp_err_set(err, FP_ERR_INPUT,
		                  "a Flight Recorder dump of an unknown rank: "
		                  "the rank must be the last number of the "
		                  "file's name");
	e.rank = r->file_rank;
	e.op = name_of(r, value_get(dump, "version"));
	for (; entry; entry = entry->next)
		e.n[0]++;
	intake_add(r, NULL, &e);
	/* pg_config is a dict: key, value, key, value. */
	for (; config && config->next; config = config->next->next)
		read_members(r, config->next);
	read_entries(&pass, dump);
	free(pass.groups);
	return FP_OK;
}
