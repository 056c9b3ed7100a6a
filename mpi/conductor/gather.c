// SPDX-License-Identifier: Apache-2.0
// The beginning: everybody says hello, gets SETUP, and brings a worker.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/conductor/impl.h"
#include "topo/base/clock.h"
#include "topo/base/fmt.h"
#include "topo/discover/discover.h"
#include "topo/json/snapshot.h"
#include "topo/model/rails.h"
#include "topo/reading/reading.h"
#include "topo/reading/reading_rank.h"

#define GATHER_SLACK_S 2.0 /* an agent tells of a late worker itself */

static bool all_on_one_host(const struct conductor *c)
{
	const char *first = NULL;
	int32_t i;

	for (i = 0; i < c->size; i++) {
		if (c->peers[i].state == PEER_ABSENT)
			continue;
		if (first && strcmp(first, c->peers[i].host.host_id) != 0)
			return false;
		first = c->peers[i].host.host_id;
	}
	return true;
}

/* Inside one machine nothing but loopback is sure to carry data. */
static void setup_address(struct conductor *c)
{
	struct wire_setup *s = &c->opts.setup;

	if (s->netdev[0] || s->addr[0])
		return;
	if (c->opts.loopback || all_on_one_host(c))
		fp_copy(s->addr, sizeof(s->addr), "127.0.0.1");
}

void conductor_setup(struct conductor *c, int32_t rank)
{
	struct wire_setup setup = c->opts.setup;

	setup.local_rank = conductor_seat(c, rank);
	setup.local_size = c->peers[rank].local_size;
	if (setup.local_rank > 0 && setup.reads & TOPO_READ_HOST)
		setup.reads ^= TOPO_READ_HOST | TOPO_READ_ENV;
	conductor_send(c, rank, WIRE_SETUP, &setup, sizeof(setup));
}

static void setup_all(struct conductor *c)
{
	int32_t i;

	setup_address(c);
	conductor_seats(c);
	c->setup_ready = true;
	for (i = 0; i < c->size; i++)
		if (c->peers[i].state == PEER_HELLO)
			conductor_setup(c, i);
}

void conductor_facts(struct conductor *c, int32_t rank,
                     const struct wire_frame *f)
{
	struct peer *p = &c->peers[rank];
	struct fp_err err = { 0 };
	struct topo_host host;

	if (p->facts)
		return; /* of a worker that was started again */
	if (topo_host_from_json((const char *)f->payload, f->head.length, &host,
	                        &err)) {
		conductor_event(c, EVENT_WORKER_GARBAGE, rank, 0, err.text);
		return;
	}
	/* Who it is, the agent said; the worker adds what the host has. */
	memcpy(host.name, p->host.name, sizeof(host.name));
	memcpy(host.host_id, p->host.host_id, sizeof(host.host_id));
	topo_host_done(&p->host);
	p->host = host;
	p->facts = true;
	/* What thousands of hosts say alike is kept once. */
	if (c->first_read >= 0)
		readings_share(&p->host.readings,
		               c->peers[c->first_read].host.readings);
	else if (p->host.readings)
		c->first_read = rank;
}

static bool workers_pending(const struct conductor *c)
{
	const struct peer *p;
	int32_t i;

	for (i = 0; i < c->size; i++) {
		p = &c->peers[i];
		if (p->state == PEER_HELLO ||
		    (p->state == PEER_READY && !p->facts))
			return true;
	}
	return false;
}

static void tell_missing(struct conductor *c)
{
	char text[128];
	int32_t i;

	for (i = 0; i < c->size; i++) {
		if (c->peers[i].state == PEER_ABSENT) {
			(void)snprintf(text, sizeof(text),
			               "no hello within %.0f s of the start",
			               c->opts.start_s);
			conductor_event(c, EVENT_AGENT_MISSING, i, 0, text);
		} else if (c->peers[i].state == PEER_HELLO) {
			(void)snprintf(text, sizeof(text),
			               "no worker within %.0f s of the start",
			               c->opts.start_s);
			fp_copy(c->peers[i].text, sizeof(c->peers[i].text),
			        text);
			conductor_event(c, EVENT_WORKER_FAILED, i, 0, text);
		}
	}
}

static int32_t data_netdev(const struct conductor *c,
                           const struct topo_host *host)
{
	const struct wire_setup *s = &c->opts.setup;
	size_t i;

	if (s->netdev[0])
		return topo_host_find_netdev(host, s->netdev);
	for (i = 0; s->addr[0] && i < host->n_netdevs; i++)
		if (strcmp(host->netdevs[i].addr, s->addr) == 0)
			return (int32_t)i;
	return topo_host_default_netdev(host);
}

/* Once its host is known: what a rank read beside the host's first. */
static enum fp_status rank_learn(struct conductor *c, int32_t rank,
                                 struct readings *own, struct fp_err *err)
{
	struct topo_host *host = &c->job.hosts[c->job.ranks[rank].host];
	struct readings *rows;
	enum fp_status status;

	if (!host->readings) {
		host->readings = readings_ref(own);
		return FP_OK;
	}
	status = readings_of_rank(host->readings, own, rank, &rows, err);
	if (status != FP_OK)
		return status;
	if (readings_count(rows))
		status = readings_merge(&host->readings, rows, err);
	readings_unref(rows);
	return status;
}

static enum fp_status rank_place(struct conductor *c, int32_t rank,
                                 struct fp_err *err)
{
	struct topo_host *host = &c->peers[rank].host;
	struct readings *own = host->readings;
	bool first = conductor_seat(c, rank) == 0;
	enum fp_status status;

	if (!first)
		host->readings = NULL;
	status = topo_job_place(&c->job, rank, host, err);
	host->readings = own;
	if (status == FP_OK && !first && own)
		status = rank_learn(c, rank, own, err);
	return status;
}

static enum fp_status job_place(struct conductor *c, struct fp_err *err)
{
	struct topo_rank *r;
	enum fp_status status;
	int32_t i;

	status = topo_job_init(&c->job, (size_t)c->size, err);
	for (i = 0; !status && i < c->size; i++) {
		if (c->peers[i].state == PEER_ABSENT)
			continue;
		status = rank_place(c, i, err);
		if (status)
			break;
		topo_host_trim(&c->peers[i].host);
		r = &c->job.ranks[i];
		r->pid = c->peers[i].pid;
		if (!c->opts.gpus)
			r->netdev = data_netdev(c, &c->job.hosts[r->host]);
		topo_job_set_ports(&c->job, i, c->peers[i].ports);
	}
	topo_job_share(&c->job);
	return status;
}

static enum fp_status any_worker(const struct conductor *c, struct fp_err *err)
{
	const char *text = "no agent answered";
	int32_t i;

	for (i = 0; i < c->size; i++) {
		if (c->peers[i].state == PEER_READY)
			return FP_OK;
		if (c->peers[i].text[0])
			text = c->peers[i].text;
	}
	return fp_err_set(err, FP_ERR_SYS, "no rank has a worker: %s", text);
}

enum fp_status conductor_gather(struct conductor *c, struct fp_err *err)
{
	int64_t until_ns = fp_after_ns(c->opts.start_s);
	enum fp_status status;

	while (c->n_absent > 0 && fp_left_ms(until_ns) > 0)
		if (!conductor_pump(c, until_ns))
			return fp_err_set(err, FP_ERR_INTR,
			                  "stopped while ranks came in");
	setup_all(c);
	until_ns = fp_after_ns(c->opts.start_s + GATHER_SLACK_S);
	while (workers_pending(c) && fp_left_ms(until_ns) > 0)
		if (!conductor_pump(c, until_ns))
			return fp_err_set(err, FP_ERR_INTR,
			                  "stopped while workers came up");
	tell_missing(c);
	c->n_alive_start = c->size - c->n_absent - c->n_lost;
	status = job_place(c, err);
	return status ? status : any_worker(c, err);
}
