// SPDX-License-Identifier: Apache-2.0
// Derived events: of hangs, of initialisation.
#include "probes/explain/derive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORLD_MAX 1048576

void derive_add(struct events *ev, const struct event *of, unsigned kind)
{
	struct event e = *of;

	e.kind = kind;
	e.count = 1;
	(void)events_add(ev, &e);
}

/* Where the program called the operation of @of, if a dump tells. */
static const char *called_at(const struct events *ev, const struct event *of)
{
	for (size_t i = 0; i < ev->n; i++) {
		const struct event *e = &ev->e[i];

		if (e->kind == KIND_FR_FRAME && e->rank == of->rank &&
		    e->group == of->group && e->n[0] == of->n[0])
			return event_str(ev, e->op);
	}
	return "";
}

/* Of a dump there is no line to show: what it says of one rank that waits. */
static uint32_t say_waiting(struct events *ev, const struct event *of)
{
	const char *at = called_at(ev, of);
	char text[EVENT_LINE_MAX];
	int n = snprintf(text, sizeof(text),
	                 "rank %d waits in %s, number %lld of group %s%s%s",
	                 of->rank, event_str(ev, of->op), (long long)of->n[0],
	                 event_str(ev, of->group), *at ? ", called at " : "",
	                 at);

	if (n < 0)
		return 0;
	return event_name(ev, text,
	                  (size_t)n < sizeof(text) ? (size_t)n
	                                           : sizeof(text) - 1);
}

static void derive_hangs(struct events *ev, const struct hangs *hangs)
{
	static const uint32_t kinds[HANG_CLASS_COUNT] = {
		[HANG_ABSENT] = KIND_HANG_ABSENT,
		[HANG_MISMATCH] = KIND_HANG_MISMATCH,
		[HANG_PARTIAL] = KIND_HANG_PARTIAL,
		[HANG_STUCK] = KIND_HANG_STUCK,
		[HANG_ORDER] = KIND_HANG_ORDER,
		[HANG_DESYNC] = KIND_HANG_DESYNC,
		[HANG_SILENT] = KIND_HANG_SILENT,
	};

	for (size_t i = 0; i < hangs->n; i++) {
		const struct hang *h = &hangs->h[i];
		struct event e = event_blank(kinds[h->class]);

		if (h->from_ras)
			continue; /* RAS has a kind of its own */
		if (h->event < ev->n) {
			struct event of = ev->e[h->event];

			e.file = of.file;
			e.line = of.line;
			e.text = of.text ? of.text : say_waiting(ev, &of);
			e.time_ns = of.time_ns;
			e.stamp = of.stamp;
			e.clock = of.clock;
		}
		e.group = h->group;
		e.op = h->op;
		e.rank = h->n == 1 ? h->ranks[0] : -1;
		e.n[0] = (int64_t)i;
		(void)events_add(ev, &e);
	}
}

/* What the ranks of one communicator told of their start. */
struct inits {
	uint32_t group;
	int64_t size;
	const struct event *one;
	uint8_t *seen; /* of each rank: 1 began, 2 ended */
};

static bool read_inits(const struct events *ev, struct inits *in)
{
	for (size_t i = 0; i < ev->n; i++) {
		const struct event *e = &ev->e[i];
		bool start = e->kind == KIND_INIT_START;

		if ((!start && e->kind != KIND_INIT_DONE) ||
		    e->group != in->group || e->n[0] <= 1 || e->rank < 0)
			continue;
		if (!in->seen) {
			if (e->n[0] > WORLD_MAX)
				return false;
			in->seen = calloc((size_t)e->n[0], 1);
			in->size = e->n[0];
			in->one = e;
		}
		if (in->seen && e->rank < in->size)
			in->seen[e->rank] |= start ? 1 : 2;
	}
	return in->seen != NULL;
}

/*
 * Of a communicator nobody of which got through: those that never began are
 * missed, where most have. Logs of a few ranks tell nothing about the others.
 */
static void judge_inits(struct events *ev, const struct inits *in)
{
	struct event e = *in->one;
	int64_t began = 0, ended = 0;

	for (int64_t i = 0; i < in->size; i++) {
		began += in->seen[i] & 1;
		ended += in->seen[i] >> 1;
	}
	if (ended || began * 2 <= in->size)
		return;
	e.pid = -1;
	e.gpu = -1;
	e.bus = 0;
	for (int64_t i = 0; i < in->size; i++) {
		e.rank = (int32_t)i;
		e.host = 0;
		if (!in->seen[i])
			derive_add(ev, &e, KIND_INIT_MISSING);
	}
	e.rank = -1;
	if (began == in->size)
		derive_add(ev, &e, KIND_INIT_STUCK);
}

/* The communicators of which a start was seen, each once; NULL: no memory. */
static uint32_t *list_groups(const struct events *ev, size_t *ret_n)
{
	uint32_t *groups =
		calloc((size_t)ev->kinds[KIND_INIT_START] + 1, sizeof(*groups));
	size_t n = 0;

	for (size_t i = 0; groups && i < ev->n; i++) {
		const struct event *e = &ev->e[i];
		size_t k = n;

		if (e->kind != KIND_INIT_START)
			continue;
		while (k > 0 && groups[k - 1] != e->group)
			k--;
		if (!k)
			groups[n++] = e->group;
	}
	*ret_n = n;
	return groups;
}

void derive_init(struct events *ev)
{
	size_t n;
	uint32_t *groups = list_groups(ev, &n);

	for (size_t i = 0; groups && i < n; i++) {
		struct inits in = { .group = groups[i] };

		if (read_inits(ev, &in)) {
			struct event one = *in.one;

			in.one = &one; /* adding may move the events */
			judge_inits(ev, &in);
		}
		free(in.seen);
	}
	free(groups);
}

/* A code that was handed up, where nothing else says that something failed:
 * codes of calls that are tried again are no news beside what went well. */
static void derive_failed(struct events *ev)
{
	const struct event *chain = events_first(ev, KIND_CHAIN, 0);
	struct event e;

	if (!chain)
		return;
	for (uint32_t kind = 0; kind < KIND_COUNT; kind++)
		if (ev->kinds[kind] && (kind_info(kind)->role >= ROLE_WEAK ||
		                        kind_info(kind)->role == ROLE_HEALTHY))
			return;
	e = *chain;
	derive_add(ev, &e, KIND_CALL_FAILED);
}

/* Fabric manager that finds nothing to do ends with an error of its own. */
static void derive_idle(struct events *ev)
{
	for (size_t i = 0; i < ev->n; i++) {
		const struct event *idle = &ev->e[i];

		if (idle->kind != KIND_FM_IDLE)
			continue;
		for (size_t k = 0; k < ev->n; k++) {
			struct event *e = &ev->e[k];

			if (e->kind != KIND_FM_ERROR || e->host != idle->host ||
			    (!idle->host && e->file != idle->file))
				continue;
			e->kind = KIND_FM_IDLE;
			ev->kinds[KIND_FM_ERROR]--;
			ev->kinds[KIND_FM_IDLE]++;
		}
	}
}

enum fp_status derive_all(struct events *ev, struct hangs *hangs,
                          struct fp_err *err)
{
	enum fp_status status = hangs_find(ev, hangs, err);

	if (status == FP_OK)
		status = derive_ras(ev, hangs, err);
	if (status != FP_OK)
		return status;
	derive_hangs(ev, hangs);
	derive_net(ev);
	derive_init(ev);
	derive_idle(ev);
	derive_failed(ev);
	return FP_OK;
}
