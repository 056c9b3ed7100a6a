/* SPDX-License-Identifier: Apache-2.0 */
/* What readers saw, one small record each, with where in which file. */
#ifndef FP_PROBES_EXPLAIN_EVENT_H
#define FP_PROBES_EXPLAIN_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probes/explain/kind.h"
#include "topo/base/status.h"

#define EVENT_NUMBERS 6
#define EVENT_VALUES 2
#define EVENTS_MAX (1u << 20)
#define EVENTS_TEXT_MAX (16u << 20) /* bytes of all names and lines */
#define EVENT_LINE_MAX 240          /* of a line kept as evidence */
#define EVENT_NO_TIME INT64_MIN

/**
 * struct event - one thing that was seen. Names are event_name()s, 0 is none;
 * -1 is no rank, pid or device. What @n and @x hold is said beside each kind
 * in kind.h; unused ones are 0.
 */
struct event {
	uint32_t kind;       /* enum seen_kind */
	uint32_t count;      /* that often, apart from time and line */
	int64_t time_ns;     /* first one, since the epoch, as written */
	int64_t last_ns;     /* last one */
	uint32_t stamp;      /* enum stamp_form of both */
	uint32_t clock;      /* number of who told them; 0: nobody yet */
	uint32_t file, line; /* name of the file; from 1, 0: no lines */
	uint32_t host, peer_host;
	uint32_t bus;       /* PCI address of a GPU, a NIC or a port */
	uint32_t device;    /* of a NIC or link: "mlx5_3", "eth0" */
	uint32_t group;     /* process group or communicator */
	uint32_t op;        /* operation, or the name of a counter */
	uint32_t text;      /* the line as it was, cut */
	int32_t rank, peer; /* global ranks */
	int32_t pid, gpu;   /* gpu: index within the host */
	int64_t n[EVENT_NUMBERS];
	double x[EVENT_VALUES];
};

/** struct events - all of them. Zero-initialise; events_done(). */
struct events {
	struct event *e;
	size_t n, room;
	uint32_t kinds[KIND_COUNT]; /* how many of each, repeats apart */
	size_t dropped;             /* beyond EVENTS_MAX or without memory */
	uint32_t *slots;            /* of n: index + 1, by content */
	size_t n_slots;
	char *text; /* names one behind the other; offset 0 is "" */
	size_t text_len, text_room;
	uint32_t *names; /* offsets by content */
	size_t n_names, names_room;
};

/** event_blank() - nobody and nowhere, of @kind. */
struct event event_blank(unsigned kind);

#define EVENT_NUMBER_MAX (INT64_C(1) << 53)

/**
 * event_number() - @n, or -1 where it is beyond anything that is counted: so
 * that sums and differences of numbers out of a file do not overflow.
 */
static inline int64_t event_number(int64_t n)
{
	return n >= -EVENT_NUMBER_MAX && n <= EVENT_NUMBER_MAX ? n : -1;
}

/**
 * event_name() - the name for @text of @len bytes; the same for the same
 * text, and 0 for an empty one or without room. Control characters become
 * '?'.
 */
uint32_t event_name(struct events *events, const char *text, size_t len);

/** event_str() - the text of a name; "" for 0. Valid until the next name. */
const char *event_str(const struct events *events, uint32_t name);

/**
 * events_add() - keep @e, or count it where an equal one is kept: of the same
 * kind, place and numbers. What has no room is counted as dropped.
 *
 * Return: the kept one, until the next add; NULL if dropped.
 */
struct event *events_add(struct events *events, const struct event *e);

/** events_count() - how many of @kind, repeats included. */
size_t events_count(const struct events *events, unsigned kind);

/** events_first() - the first of @kind from index @from on; NULL: none. */
const struct event *events_first(const struct events *events, unsigned kind,
                                 size_t from);

/** events_done() - free; takes NULL. */
void events_done(struct events *events);

#endif
