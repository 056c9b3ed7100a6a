// SPDX-License-Identifier: Apache-2.0
// What most ports of a group are.
#include "probes/check/tally.h"

#define HOSTS_MIN 3 /* that can outvote one another */

static int64_t rate_of(const struct check_port *port)
{
	return port->rate_bps;
}

static int64_t layer_of(const struct check_port *port)
{
	return port->layer;
}

/* The value of more than half of the active ports, or -1. */
static int64_t majority(const struct check_port *const *ports, size_t n,
                        size_t active,
                        int64_t (*value)(const struct check_port *))
{
	int64_t best = -1;
	size_t lead = 0, agree = 0;

	for (size_t i = 0; i < n; i++) {
		if (ports[i]->state != PORT_ACTIVE)
			continue;
		if (!lead)
			best = value(ports[i]);
		lead = value(ports[i]) == best ? lead + 1 : lead - 1;
	}
	for (size_t i = 0; i < n; i++)
		agree += ports[i]->state == PORT_ACTIVE &&
		         value(ports[i]) == best;
	return 2 * agree > active ? best : -1;
}

struct tally tally_make(const struct check_port *const *ports, size_t n)
{
	struct tally t = { .n = n };

	for (size_t i = 0; i < n; i++)
		t.active += ports[i]->state == PORT_ACTIVE;
	t.rate_bps = majority(ports, n, t.active, rate_of);
	t.layer = (int32_t)majority(ports, n, t.active, layer_of);
	return t;
}

bool tally_wants_up(const struct tally *inside, const struct tally *across)
{
	if (across->n >= HOSTS_MIN)
		return 2 * across->active > across->n;
	if (across->n > 1 && !across->active)
		return false;
	return 2 * inside->active > inside->n;
}

int64_t tally_rate(const struct tally *inside, const struct tally *across)
{
	if (across->active > 1 && across->rate_bps > 0)
		return across->rate_bps;
	return inside->active > 2 ? inside->rate_bps : -1;
}

int32_t tally_layer(const struct tally *inside, const struct tally *across)
{
	if (across->active > 1 && across->layer > 0)
		return across->layer;
	return inside->active > 2 ? inside->layer : -1;
}
