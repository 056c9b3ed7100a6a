// SPDX-License-Identifier: Apache-2.0
// What the system's TCP knows of the connections of an ep.
#include <linux/tcp.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "probes/xport/tcp.h"
#include "topo/base/fmt.h"

/* An older system fills less of it: what it does not know stays zero. */
static struct tcp_info info_read(int fd)
{
	struct tcp_info info;
	socklen_t len = sizeof(info);

	memset(&info, 0, sizeof(info));
	(void)getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len);
	return info;
}

struct tcp_base tcp_base_read(int fd)
{
	struct tcp_info info = info_read(fd);

	return (struct tcp_base){
		.retrans = info.tcpi_total_retrans,
		.segs_out = info.tcpi_segs_out,
	};
}

static int64_t smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* Several connections, of several eps, make one figure of an outcome. */
static void counter_pick(struct outcome *o, enum outcome_counter id,
                         int64_t value, int64_t (*pick)(int64_t, int64_t))
{
	outcome_put(o, id, pick(outcome_get(o, id, value), value));
}

static void counter_add(struct outcome *o, enum outcome_counter id,
                        uint32_t value)
{
	outcome_put(o, id, outcome_get(o, id, 0) + value);
}

static void stream_counters(const struct tcp_stream *s, struct outcome *o)
{
	struct tcp_info info = info_read(s->fd);

	/* in 32 bits: right even when a count wrapped around */
	counter_add(o, COUNTER_RETRANS,
	            info.tcpi_total_retrans - s->base.retrans);
	counter_add(o, COUNTER_SEGS_OUT, info.tcpi_segs_out - s->base.segs_out);
	counter_pick(o, COUNTER_SND_MSS, info.tcpi_snd_mss, smaller);
	counter_pick(o, COUNTER_PMTU, info.tcpi_pmtu, smaller);
	counter_pick(o, COUNTER_RTT_NS, (int64_t)info.tcpi_rtt * 1000, larger);
}

static void ep_congestion(const struct tcp_ep *ep, struct outcome *o)
{
	char name[sizeof(o->cc)] = "";
	socklen_t len = sizeof(name) - 1;

	if (getsockopt(ep->streams[0].fd, IPPROTO_TCP, TCP_CONGESTION, name,
	               &len) == 0)
		fp_copy(o->cc, sizeof(o->cc), name);
}

void tcp_counters(struct xport_ep *xep, struct outcome *o)
{
	struct tcp_ep *ep = (struct tcp_ep *)xep;
	uint32_t i;

	for (i = 0; i < ep->n_streams; i++)
		stream_counters(&ep->streams[i], o);
	ep_congestion(ep, o);
	door_strangers(&ep->tcp->door, o);
}
