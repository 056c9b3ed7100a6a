// SPDX-License-Identifier: Apache-2.0
// What tests of readers share.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/explain_bed.h"

void explain_bed_read(struct gather *g, const char *name, const char *text)
{
	struct fp_err err = { 0 };

	if (gather_text(g, name, text, strlen(text), &err) != FP_OK)
		fail_msg("%s", err.text);
}

static bool same(const struct gather *g, uint32_t name, const char *want)
{
	return !want || !strcmp(event_str(&g->events, name), want);
}

const struct event *explain_bed_find(const struct gather *g,
                                     const struct seen *want)
{
	for (size_t i = 0; i < g->events.n; i++) {
		const struct event *e = &g->events.e[i];

		if (e->kind == want->kind &&
		    (want->rank == -2 || e->rank == want->rank) &&
		    (want->peer == -2 || e->peer == want->peer) &&
		    same(g, e->host, want->host) &&
		    same(g, e->peer_host, want->peer_host) &&
		    same(g, e->device, want->device) &&
		    (want->n0 == -2 || e->n[0] == want->n0) &&
		    (want->n1 == -2 || e->n[1] == want->n1))
			return e;
	}
	return NULL;
}

static void list_all(const struct gather *g)
{
	for (size_t i = 0; i < g->events.n; i++) {
		const struct event *e = &g->events.e[i];

		print_message("  %s x%u rank %d peer %d host '%s' peer '%s' "
		              "device '%s' n %ld %ld %ld %ld: %s\n",
		              kind_info(e->kind)->id, e->count, e->rank,
		              e->peer, event_str(&g->events, e->host),
		              event_str(&g->events, e->peer_host),
		              event_str(&g->events, e->device), (long)e->n[0],
		              (long)e->n[1], (long)e->n[2], (long)e->n[3],
		              event_str(&g->events, e->text));
	}
}

const struct event *explain_bed_expect(const struct gather *g,
                                       const struct seen *want)
{
	const struct event *e = explain_bed_find(g, want);

	if (!e) {
		list_all(g);
		fail_msg("no %s as wanted", kind_info(want->kind)->id);
	}
	return e;
}
