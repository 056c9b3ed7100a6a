// SPDX-License-Identifier: Apache-2.0
// What happened: to the sink, or kept until there is one.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "mpi/conductor/impl.h"
#include "topo/base/clock.h"
#include "topo/base/fmt.h"

#define CONDUCTOR_EVENTS_MAX 100000

static void event_keep(struct conductor *c, const struct run_event *e)
{
	struct run_event *more;
	size_t room;

	if (c->n_pending == CONDUCTOR_EVENTS_MAX)
		return;
	if (c->n_pending == c->room_pending) {
		room = c->room_pending ? c->room_pending * 2 : 16;
		more = reallocarray(c->pending, room, sizeof(*more));
		if (!more)
			return;
		c->pending = more;
		c->room_pending = room;
	}
	c->pending[c->n_pending++] = *e;
}

void conductor_pass(struct conductor *c, struct run_event *e)
{
	e->t_s = (double)(fp_now_ns() - c->start_ns) / 1e9;
	if (c->sink)
		c->sink->event(c->sink->arg, e);
	else
		event_keep(c, e);
}

void conductor_event(struct conductor *c, unsigned kind, int32_t rank,
                     int64_t value, const char *text)
{
	struct run_event e = { .kind = kind, .rank = rank, .value = value };

	fp_copy(e.text, sizeof(e.text), text);
	conductor_pass(c, &e);
}

void conductor_note(struct conductor *c, unsigned kind, const char *fmt, ...)
{
	struct run_event e = { .kind = kind, .rank = -1 };
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(e.text, sizeof(e.text), fmt, ap);
	va_end(ap);
	conductor_pass(c, &e);
}
