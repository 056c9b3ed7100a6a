// SPDX-License-Identifier: Apache-2.0
// Events and their names, each kept once.
#include "probes/explain/event.h"

#include <stdlib.h>
#include <string.h>

#include "probes/trial/grow.h"

#define SLOTS_MIN 256 /* a power of two */

static uint64_t hash_bytes(const void *data, size_t len)
{
	const unsigned char *p = data;
	uint64_t h = 0xcbf29ce484222325u; /* FNV-1a */

	for (size_t i = 0; i < len; i++)
		h = (h ^ p[i]) * 0x100000001b3u;
	return h ^ h >> 29;
}

struct event event_blank(unsigned kind)
{
	return (struct event){
		.kind = kind,
		.count = 1,
		.time_ns = EVENT_NO_TIME,
		.last_ns = EVENT_NO_TIME,
		.rank = -1,
		.peer = -1,
		.pid = -1,
		.gpu = -1,
	};
}

const char *event_str(const struct events *events, uint32_t name)
{
	return events->text && name < events->text_len ? events->text + name
	                                               : "";
}

/* The slot of @text, or the free one where it belongs. */
static size_t find_name(const struct events *ev, const char *text, size_t len)
{
	size_t mask = ev->names_room - 1;
	size_t i = hash_bytes(text, len) & mask;

	while (ev->names[i]) {
		const char *have = ev->text + ev->names[i];

		if (!strncmp(have, text, len) && !have[len])
			break;
		i = (i + 1) & mask;
	}
	return i;
}

static bool grow_names(struct events *ev)
{
	size_t old = ev->names_room, room = old ? old * 2 : SLOTS_MIN;
	uint32_t *was = ev->names, *slots = calloc(room, sizeof(*slots));

	if (!slots)
		return false;
	ev->names = slots;
	ev->names_room = room;
	for (size_t i = 0; i < old; i++) {
		const char *text = ev->text + was[i];

		if (was[i])
			slots[find_name(ev, text, strlen(text))] = was[i];
	}
	free(was);
	return true;
}

static bool room_for(struct events *ev, size_t len)
{
	if (ev->text_len + len + 2 > EVENTS_TEXT_MAX)
		return false;
	if (ev->n_names * 2 >= ev->names_room && !grow_names(ev))
		return false;
	return grow_room(&ev->text, &ev->text_room, ev->text_len + len + 2, 1,
	                 NULL) == FP_OK;
}

static uint32_t put_name(struct events *ev, const char *text, size_t len)
{
	if (!ev->text_len)
		ev->text[ev->text_len++] = '\0';
	memcpy(ev->text + ev->text_len, text, len);
	ev->text[ev->text_len + len] = '\0';
	ev->text_len += len + 1;
	ev->n_names++;
	return (uint32_t)(ev->text_len - len - 1);
}

uint32_t event_name(struct events *ev, const char *text, size_t len)
{
	char clean[EVENT_LINE_MAX];
	size_t slot;

	if (len > sizeof(clean))
		len = sizeof(clean);
	for (size_t i = 0; i < len; i++)
		clean[i] = (unsigned char)text[i] < ' ' || text[i] == 0x7f
		                   ? '?'
		                   : text[i];
	if (!len || !room_for(ev, len))
		return 0;
	slot = find_name(ev, clean, len);
	if (!ev->names[slot])
		ev->names[slot] = put_name(ev, clean, len);
	return ev->names[slot];
}

/* What makes two events equal; everything of fixed width, no padding. */
struct identity {
	uint32_t kind, host, peer_host, bus, device, group, op;
	int32_t rank, peer, pid, gpu, spare;
	int64_t n[EVENT_NUMBERS];
};

static struct identity identify(const struct event *e)
{
	struct identity id = {
		.kind = e->kind,
		.host = e->host,
		.peer_host = e->peer_host,
		.bus = e->bus,
		.device = e->device,
		.group = e->group,
		.op = e->op,
		.rank = e->rank,
		.peer = e->peer,
		.pid = e->pid,
		.gpu = e->gpu,
	};

	memcpy(id.n, e->n, sizeof(id.n));
	return id;
}

static size_t find_slot(const struct events *ev, const struct identity *id)
{
	size_t mask = ev->n_slots - 1;
	size_t i = hash_bytes(id, sizeof(*id)) & mask;

	while (ev->slots[i]) {
		struct identity have = identify(&ev->e[ev->slots[i] - 1]);

		if (!memcmp(&have, id, sizeof(have)))
			break;
		i = (i + 1) & mask;
	}
	return i;
}

static bool grow_slots(struct events *ev)
{
	size_t room = ev->n_slots ? ev->n_slots * 2 : SLOTS_MIN;
	uint32_t *slots = calloc(room, sizeof(*slots));

	if (!slots)
		return false;
	free(ev->slots);
	ev->slots = slots;
	ev->n_slots = room;
	for (size_t i = 0; i < ev->n; i++) {
		struct identity id = identify(&ev->e[i]);

		slots[find_slot(ev, &id)] = (uint32_t)i + 1;
	}
	return true;
}

static struct event *count_again(struct event *have, const struct event *e)
{
	have->count += e->count;
	if (e->last_ns != EVENT_NO_TIME && e->last_ns > have->last_ns)
		have->last_ns = e->last_ns;
	if (e->time_ns != EVENT_NO_TIME && e->time_ns > have->last_ns)
		have->last_ns = e->time_ns;
	return have;
}

struct event *events_add(struct events *ev, const struct event *e)
{
	struct identity id = identify(e);
	size_t slot;

	if (ev->n * 2 >= ev->n_slots && !grow_slots(ev))
		goto drop;
	slot = find_slot(ev, &id);
	if (ev->slots[slot])
		return count_again(&ev->e[ev->slots[slot] - 1], e);
	if (ev->n >= EVENTS_MAX ||
	    grow_room(&ev->e, &ev->room, ev->n + 1, sizeof(*ev->e), NULL))
		goto drop;
	ev->e[ev->n++] = *e;
	ev->slots[slot] = (uint32_t)ev->n;
	ev->kinds[e->kind < KIND_COUNT ? e->kind : KIND_NONE]++;
	return &ev->e[ev->n - 1];
drop:
	ev->dropped++;
	return NULL;
}

size_t events_count(const struct events *ev, unsigned kind)
{
	size_t n = 0;

	for (size_t i = 0; i < ev->n; i++)
		n += ev->e[i].kind == kind ? ev->e[i].count : 0;
	return n;
}

const struct event *events_first(const struct events *ev, unsigned kind,
                                 size_t from)
{
	for (size_t i = ev->kinds[kind] ? from : ev->n; i < ev->n; i++)
		if (ev->e[i].kind == kind)
			return &ev->e[i];
	return NULL;
}

void events_done(struct events *ev)
{
	if (!ev)
		return;
	free(ev->e);
	free(ev->slots);
	free(ev->text);
	free(ev->names);
	*ev = (struct events){ 0 };
}
