// SPDX-License-Identifier: Apache-2.0
// Records of watched GPUs: to the sink, or kept until there is one; and the
// last look.
#include <stdlib.h>
#include <string.h>

#include "mpi/conductor/impl.h"
#include "probes/trial/grow.h"
#include "topo/base/clock.h"

#define WATCH_LAST_S 2.0 /* NVML has so long for the last look */
#define WATCH_KEPT_MAX 100000

static void keep(struct conductor *c, const struct watch *w)
{
	struct conductor_watches *k = &c->watches;

	if (k->n < WATCH_KEPT_MAX &&
	    grow_room(&k->w, &k->room, k->n + 1, sizeof(*k->w), NULL) == FP_OK)
		k->w[k->n++] = *w;
}

static void pass(struct conductor *c, const struct watch *w)
{
	if (!c->sink)
		keep(c, w);
	else if (c->sink->watch)
		c->sink->watch(c->sink->arg, w);
}

void conductor_watch(struct conductor *c, int32_t rank, const uint8_t *payload)
{
	struct watch w;

	memcpy(&w, payload, sizeof(w));
	if (w.rank != rank || watch_check(&w, (size_t)c->size))
		return;
	if (c->peers[rank].looking) {
		c->peers[rank].looking = false;
		c->n_looking--;
	}
	if (!w.device[0]) /* it has none to watch any more */
		return;
	pass(c, &w);
}

void conductor_watches_flush(struct conductor *c)
{
	for (size_t i = 0; i < c->watches.n; i++)
		pass(c, &c->watches.w[i]);
	c->watches.n = 0;
}

static void ask(struct conductor *c, int32_t rank)
{
	const struct watch what = { .rank = rank };

	c->peers[rank].looking = true;
	c->n_looking++;
	conductor_send(c, rank, WIRE_WATCH, &what, sizeof(what));
}

void conductor_look(struct conductor *c)
{
	int64_t until_ns = fp_after_ns(WATCH_LAST_S);

	c->n_looking = 0;
	for (int32_t i = 0; i < c->size; i++)
		if (c->peers[i].xports & 1u << XPORT_CUDA &&
		    c->peers[i].state == PEER_READY)
			ask(c, i);
	while (c->n_looking > 0 && fp_now_ns() < until_ns &&
	       conductor_pump(c, until_ns))
		;
	for (int32_t i = 0; i < c->size; i++) {
		if (c->peers[i].looking && c->peers[i].state == PEER_READY)
			conductor_event(c, EVENT_WATCH_LOST, i, 0,
			                "NVML has not answered by the end");
		c->peers[i].looking = false;
	}
}
