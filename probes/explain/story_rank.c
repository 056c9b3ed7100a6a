// SPDX-License-Identifier: Apache-2.0
// Ties what a kernel or a tool tells of a device to the rank that uses it.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "probes/explain/story.h"

/*
 * PCI addresses as one number: "0000:9c:00.0", "9c:00" and NCCL's busId
 * "9c000", whose last hexadecimal digits are device and function. -1: none.
 */
static int64_t bus_number(const char *text)
{
	unsigned long long part[3] = { 0 };
	size_t n = 0;
	char *end = NULL;

	for (; n < 3 && isxdigit((unsigned char)*text); n++) {
		part[n] = strtoull(text, &end, 16);
		if (*end != ':' || n == 2)
			break;
		text = end + 1;
	}
	switch (n) {
	case 0: /* no colon: all in one number */
		return end && !*end ? (int64_t)(part[0] & 0xfffffff0) : -1;
	case 1: /* bus and device */
		return (int64_t)(part[0] << 12 | part[1] << 4);
	default:
		return (int64_t)((part[0] & 0xffffffff) << 20 |
		                 (part[1] & 0xff) << 12 |
		                 (part[2] & 0x1f) << 4);
	}
}

static bool is_same_host(const struct event *a, const struct event *b)
{
	return !a->host || !b->host || a->host == b->host;
}

/* Is @of, a line of a rank's start, about the process or GPU of @e? */
static bool is_of(const struct events *ev, const struct event *of,
                  const struct event *e)
{
	if (of->rank < 0 || !is_same_host(of, e))
		return false;
	if (e->pid >= 0 && of->pid == e->pid)
		return true;
	return of->kind == KIND_INIT_START && e->bus && of->bus &&
	       bus_number(event_str(ev, e->bus)) >= 0 &&
	       bus_number(event_str(ev, of->bus)) ==
	               bus_number(event_str(ev, e->bus));
}

/* How many ranks the communicator has in which @e's rank counts; 0: it does
 * not tell. */
static int64_t size_of(const struct event *e)
{
	return e->kind == KIND_INIT_START || e->kind == KIND_INIT_DONE ? e->n[0]
	                                                               : 0;
}

int32_t story_rank(const struct events *ev, const struct event *e)
{
	int32_t rank = -1;
	int64_t size = 0;

	if (e->rank >= 0 || (e->pid < 0 && !e->bus))
		return e->rank;
	for (size_t i = 0; i < ev->n; i++) {
		const struct event *of = &ev->e[i];
		int64_t own = size_of(of);

		if (own < size || !is_of(ev, of, e))
			continue;
		/* A process has another rank in each communicator that is not
		 * all; without a host, GPUs of several have one address. */
		if (own == size && rank >= 0 && rank != of->rank)
			rank = INT32_MAX;
		else if (own > size || rank < 0)
			rank = of->rank;
		size = own;
	}
	return rank == INT32_MAX ? -1 : rank;
}

const char *story_host(const struct events *ev, int32_t rank)
{
	for (size_t i = 0; rank >= 0 && i < ev->n; i++)
		if (ev->e[i].rank == rank && ev->e[i].host)
			return event_str(ev, ev->e[i].host);
	return "";
}

size_t story_world(const struct story *s)
{
	const struct events *ev = &s->gather->events;
	int64_t most = (int64_t)s->hangs.n_members;

	for (size_t i = 0; i < ev->n; i++) {
		uint32_t kind = ev->e[i].kind;

		if ((kind == KIND_INIT_START || kind == KIND_INIT_DONE ||
		     kind == KIND_RAS_COMM) &&
		    ev->e[i].n[0] > most)
			most = ev->e[i].n[0];
	}
	return (size_t)most;
}
