// SPDX-License-Identifier: Apache-2.0
// What an entry of a dump calls, with whom, and from where.
#include "probes/explain/fr_entry.h"

#include <stdio.h>
#include <string.h>

#include "probes/explain/fr.h"

#define SIGNATURE_MAX 200

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

void fr_entry_pick(const struct value *of, struct value_shape *shape,
                   const struct value *ret[static ENTRY_COUNT])
{
	value_pick(of, entry_keys, ENTRY_COUNT, shape, ret);
}

/* Append "[4096,5120]" of each list of sizes. */
static size_t put_sizes(char *to, size_t room, const struct value *sizes)
{
	size_t used = 0, n_lists, n;
	const struct value *lists = value_items(sizes, &n_lists), *size;

	for (size_t i = 0; i < n_lists && used + 32 < room; i++) {
		size = value_items(&lists[i], &n);
		to[used++] = '[';
		for (size_t k = 0; k < n && used + 32 < room; k++)
			used += (size_t)snprintf(
				to + used, room - used, "%lld%s",
				(long long)value_int(&size[k], -1),
				k + 1 < n ? "," : "");
		to[used++] = ']';
	}
	to[used] = '\0';
	return used;
}

uint32_t fr_entry_signature(struct intake *r, const struct value *const *entry)
{
	static const char *const uneven[] = { "all_to_all",     "alltoall",
		                              "coalesced",      ":scatter",
		                              ":gather",        ":all_gather",
		                              ":reduce_scatter" };
	const struct value *name = entry[ENTRY_NAME];
	const struct value *type = value_item(entry[ENTRY_TYPES], 0);
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

unsigned fr_entry_state(const struct value *const *entry)
{
	const struct value *state = entry[ENTRY_STATE];

	if (value_is(state, "completed") ||
	    value_int(entry[ENTRY_ENDED], 0) > 0)
		return FR_COMPLETED;
	return value_is(state, "started") ? FR_STARTED : FR_SCHEDULED;
}

int32_t fr_entry_peer(const struct value *const *entry)
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

int64_t fr_entry_direction(const struct value *const *entry)
{
	const struct value *name = entry[ENTRY_NAME];

	return name && name->type == VALUE_TEXT &&
	                       memmem(name->text, name->len, "->", 2)
	               ? FR_SEND
	               : FR_RECV;
}

void fr_entry_frame(struct intake *r, const struct value *const *entry,
                    const struct event *of)
{
	size_t n;
	const struct value *frames = value_items(entry[ENTRY_FRAMES], &n);
	struct event e = intake_event(r, NULL, KIND_FR_FRAME);
	char text[EVENT_LINE_MAX];
	const struct value *name, *file;
	size_t at;

	/* The first frame that is not the library's own is the program's. */
	for (at = 0; at < n; at++) {
		file = value_get(&frames[at], "filename");
		if (file && file->type == VALUE_TEXT &&
		    !memmem(file->text, file->len, "torch/", 6))
			break;
	}
	name = at < n ? value_get(&frames[at], "name") : NULL;
	if (!name || name->type != VALUE_TEXT)
		return;
	(void)snprintf(text, sizeof(text), "%.*s (%.*s:%lld)", (int)name->len,
	               name->text, (int)file->len, file->text,
	               (long long)value_int(value_get(&frames[at], "line"), 0));
	e.group = of->group;
	e.op = intake_name(r, text);
	e.n[0] = of->n[0];
	intake_add(r, NULL, &e);
}
