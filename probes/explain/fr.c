// SPDX-License-Identifier: Apache-2.0
// Turns a dump's tree into events.
#include "probes/explain/fr.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/explain/fr_entry.h"
#include "probes/trial/grow.h"

/* What is known of a group while its entries go by. */
struct fr_group {
	uint32_t name;
	const struct value *as; /* name and description, as first written */
	int64_t pg_id;
	uint32_t n_open;
	struct event last_done; /* count 0: none */
};

struct fr_pass {
	struct intake *r;
	struct fr_group *groups;
	size_t n, room;
	struct value_shape shape;
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

static bool is_same_text(const struct value *a, const struct value *b)
{
	return a->type == b->type && a->len == b->len &&
	       (a->text == b->text ||
	        (a->type == VALUE_TEXT && !memcmp(a->text, b->text, a->len)));
}

/* The group that @as, its name and description, is of; NULL: no memory. */
static struct fr_group *find_group(struct fr_pass *p, const struct value *as,
                                   const struct value *pg_id)
{
	size_t n;
	const struct value *words = value_items(as, &n), *had;
	uint32_t name;

	for (size_t i = 0; i < p->n && n == 2; i++) {
		had = p->groups[i].as;
		if (had && is_same_text(&had[0], &words[0]) &&
		    is_same_text(&had[1], &words[1]))
			return &p->groups[i];
	}
	name = group_name(p->r, value_item(as, 0), value_item(as, 1));
	for (size_t i = 0; i < p->n; i++)
		if (p->groups[i].name == name)
			return &p->groups[i];
	if (grow_room(&p->groups, &p->room, p->n + 1, sizeof(*p->groups), NULL))
		return NULL;
	p->groups[p->n] = (struct fr_group){
		.name = name,
		.as = n == 2 ? words : NULL,
		.pg_id = value_int(pg_id, -1),
	};
	return &p->groups[p->n++];
}

/* Nothing of an ended one tells where it hangs, but the last of a group. */
static bool is_wanted(struct fr_group *group, const struct event *e)
{
	if (e->n[1] != FR_COMPLETED)
		return ++group->n_open <= FR_KEEP;
	return e->n[3] == FR_COLLECTIVE &&
	       (!group->last_done.count || e->n[0] >= group->last_done.n[0]);
}

/* When it ended, which it did on all members at once; else when it began. */
static void set_time(struct event *e, const struct value *const *entry)
{
	int64_t ended = value_int(entry[ENTRY_ENDED], 0);
	int64_t ns = e->n[1] == FR_COMPLETED && ended > 0 ? ended : e->n[2];

	if (ns <= 0 || ns / 1000000000 > STAMP_S_MAX)
		return;
	e->time_ns = ns;
	e->stamp = STAMP_UTC;
}

static void read_entry(struct fr_pass *p, const struct value *of)
{
	struct event e = intake_event(p->r, NULL, KIND_FR_ENTRY);
	const struct value *entry[ENTRY_COUNT];
	struct fr_group *group;

	fr_entry_pick(of, &p->shape, entry);
	group = find_group(p, entry[ENTRY_GROUP], entry[ENTRY_PG]);
	if (!group)
		return;
	e.group = group->name;
	e.n[1] = fr_entry_state(entry);
	e.n[3] = value_int(entry[ENTRY_IS_P2P], 0) ? fr_entry_direction(entry)
	                                           : FR_COLLECTIVE;
	e.n[0] = number(entry[e.n[3] ? ENTRY_P2P : ENTRY_COLL], -1);
	e.n[4] = number(entry[ENTRY_RECORD], -1);
	if (!is_wanted(group, &e))
		return;
	e.n[2] = value_int(entry[ENTRY_CREATED], 0);
	e.n[5] = value_int(entry[ENTRY_TIMEOUT], 0);
	set_time(&e, entry);
	if (e.n[1] == FR_COMPLETED) {
		group->last_done = e;
		return;
	}
	e.op = fr_entry_signature(p->r, entry);
	e.peer = e.n[3] ? fr_entry_peer(entry) : -1;
	intake_add(p->r, NULL, &e);
	if (group->n_open == 1)
		fr_entry_frame(p->r, entry, &e);
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
	size_t n;
	const struct value *entries =
		value_items(value_get(dump, "entries"), &n);

	for (size_t i = 0; i < n; i++)
		read_entry(p, &entries[i]);
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
	const struct value *rank = value_get(dump, "rank"), *config;
	size_t n;

	if (rank)
		r->file_rank = (int32_t)value_int(rank, r->file_rank);
	if (r->file_rank < 0 || r->file_rank >= FR_RANKS_MAX)
		return fp_err_set(err, FP_ERR_INPUT,
		                  "a Flight Recorder dump of an unknown rank: "
		                  "the rank must be the last number of the "
		                  "file's name");
	e.rank = r->file_rank;
	e.op = name_of(r, value_get(dump, "version"));
	(void)value_items(value_get(dump, "entries"), &n);
	e.n[0] = (int64_t)n;
	intake_add(r, NULL, &e);
	/* pg_config is a dict: key, value, key, value. */
	config = value_items(value_get(dump, "pg_config"), &n);
	for (size_t i = 0; i + 1 < n; i += 2)
		read_members(r, &config[i + 1]);
	read_entries(&pass, dump);
	free(pass.groups);
	return FP_OK;
}
