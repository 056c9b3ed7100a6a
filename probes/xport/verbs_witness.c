// SPDX-License-Identifier: Apache-2.0
// What the device tells by itself, and what it counts.
#include "probes/xport/verbs.h"

/* How much an event explains; 0: nothing. */
static unsigned event_weight(enum ibv_event_type type)
{
	switch (type) {
	case IBV_EVENT_DEVICE_FATAL:
		return 4;
	case IBV_EVENT_PORT_ERR:
		return 3;
	case IBV_EVENT_GID_CHANGE:
	case IBV_EVENT_LID_CHANGE:
	case IBV_EVENT_PKEY_CHANGE:
		return 2;
	case IBV_EVENT_PORT_ACTIVE:
		return 1;
	default:
		return 0;
	}
}

/* Each port of an HCA is opened by itself, and hears of the others, too. */
static bool is_mine(const struct verbs_hca *hca,
                    const struct ibv_async_event *event)
{
	switch (event->event_type) {
	case IBV_EVENT_PORT_ERR:
	case IBV_EVENT_PORT_ACTIVE:
	case IBV_EVENT_GID_CHANGE:
	case IBV_EVENT_LID_CHANGE:
	case IBV_EVENT_PKEY_CHANGE:
		return event->element.port_num == hca->port;
	default:
		return true;
	}
}

void verbs_events_read(struct verbs *verbs)
{
	struct verbs_events *e = &verbs->events;
	struct ibv_async_event event;
	unsigned weight;

	while (ibv_get_async_event(verbs->hca.ctx, &event) == 0) {
		weight = is_mine(&verbs->hca, &event)
		                 ? event_weight(event.event_type)
		                 : 0;
		e->n += weight > 0;
		if (weight > 0 && (e->worst == 0 ||
		                   weight > event_weight((enum ibv_event_type)(
						    e->worst - 1))))
			e->worst = (uint32_t)event.event_type + 1;
		ibv_ack_async_event(&event);
	}
}

void verbs_count(const struct verbs *verbs, uint64_t ret[static VERBS_COUNTERS])
{
	verbs_counters_read(verbs->opts.sysroot,
	                    ibv_get_device_name(verbs->hca.ctx->device),
	                    verbs->hca.port, ret);
}

static void put_nonzero(struct outcome *o, unsigned id, int64_t value)
{
	if (value != 0)
		outcome_put(o, id, value);
}

void verbs_counters(struct xport_ep *xep, struct outcome *o)
{
	const struct verbs_ep *ep = (struct verbs_ep *)xep;
	struct verbs_why *why = &ep->verbs->why;

	put_nonzero(o, COUNTER_PMTU, ep->mtu_bytes);
	if (why->wc_status == 0)
		why->wc_status = ep->why.wc_status;
	if (why->setup_errno == 0)
		why->setup_errno = ep->why.setup_errno;
}

/* What is sent again is the trial's own, but not known in bytes: then the port
 * says nothing of others. */
static void port_moved(struct outcome *o,
                       const uint64_t delta[static VERBS_COUNTERS])
{
	struct verbs_moved m = verbs_port_moved(delta, o->moved_bytes);

	if (delta[VERBS_RETRIED] || delta[VERBS_HOLES] || m.tx + m.rx == 0)
		return;
	outcome_put(o, COUNTER_PORT_TX_BYTES, (int64_t)m.tx);
	outcome_put(o, COUNTER_PORT_RX_BYTES, (int64_t)m.rx);
}

void verbs_witness(struct xport *x, struct outcome *o)
{
	struct verbs *verbs = (struct verbs *)x;
	uint64_t now[VERBS_COUNTERS], delta[VERBS_COUNTERS];

	verbs_events_read(verbs);
	verbs_count(verbs, now);
	for (unsigned i = 0; i < VERBS_COUNTERS; i++)
		delta[i] = verbs_counter_delta(verbs->counters[i], now[i]);
	put_nonzero(o, COUNTER_WC_STATUS, verbs->why.wc_status);
	put_nonzero(o, COUNTER_SETUP_ERRNO, verbs->why.setup_errno);
	put_nonzero(o, COUNTER_PORT_EVENT, verbs->events.worst);
	put_nonzero(o, COUNTER_HOLES, (int64_t)delta[VERBS_HOLES]);
	port_moved(o, delta);
	/* without a count of packets there is no share of them either */
	if (delta[VERBS_SENT] == 0)
		return;
	outcome_put(o, COUNTER_SEGS_OUT, (int64_t)delta[VERBS_SENT]);
	outcome_put(o, COUNTER_RETRANS, (int64_t)delta[VERBS_RETRIED]);
}
