// SPDX-License-Identifier: Apache-2.0
// Which place in its host each rank has, for workers that choose a GPU by it.
#include <stdlib.h>
#include <string.h>

#include "mpi/conductor/impl.h"

static int seat_compare(const void *va, const void *vb)
{
	const struct peer *a = *(const struct peer *const *)va;
	const struct peer *b = *(const struct peer *const *)vb;
	int order = strcmp(a->host.host_id, b->host.host_id);

	return order ? order : (a > b) - (a < b);
}

void conductor_seats(struct conductor *c)
{
	struct peer **order = calloc((size_t)c->size, sizeof(*order));
	int32_t i, n = 0;

	for (i = 0; order && i < c->size; i++)
		if (c->peers[i].state != PEER_ABSENT)
			order[n++] = &c->peers[i];
	if (order)
		qsort(order, (size_t)n, sizeof(*order), seat_compare);
	for (i = 0; order && i < n; i++)
		order[i]->local_rank = i && !strcmp(order[i]->host.host_id,
		                                    order[i - 1]->host.host_id)
		                               ? order[i - 1]->local_rank + 1
		                               : 0;
	/* the last of a host knows how many there are */
	for (i = n; order && i-- > 0;)
		order[i]->local_size = i + 1 < n && order[i + 1]->local_rank > 0
		                               ? order[i + 1]->local_size
		                               : order[i]->local_rank + 1;
	free(order);
}

/* One that came late sits behind those who are there. */
static int32_t late_seat(const struct conductor *c, int32_t rank)
{
	int32_t i, n = 0;

	for (i = 0; i < c->size; i++)
		n += i != rank && c->peers[i].state != PEER_ABSENT &&
		     !strcmp(c->peers[i].host.host_id,
		             c->peers[rank].host.host_id);
	return n;
}

int32_t conductor_seat(struct conductor *c, int32_t rank)
{
	struct peer *p = &c->peers[rank];

	if (p->local_rank < 0) {
		p->local_rank = late_seat(c, rank);
		p->local_size = p->local_rank + 1;
	}
	return p->local_rank;
}
