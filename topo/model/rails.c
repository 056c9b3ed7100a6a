// SPDX-License-Identifier: Apache-2.0
// The RDMA ports of a rank, and a job with one of them each.
#include "topo/model/rails.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topo/base/fmt.h"
#include "topo/model/model_map.h"

bool topo_ports_add(char ports[static TOPO_PORTS_MAX], const char *name)
{
	size_t used = strlen(ports), len = strlen(name);

	if (len == 0 || len >= TOPO_PORT_MAX ||
	    used + len + 2 > TOPO_PORTS_MAX ||
	    topo_ports_count(ports) == TOPO_RAILS_MAX)
		return false;
	(void)snprintf(ports + used, TOPO_PORTS_MAX - used, "%s%s",
	               used ? "," : "", name);
	return true;
}

uint32_t topo_ports_count(const char *ports)
{
	uint32_t n = ports[0] != '\0';

	for (; *ports; ports++)
		n += *ports == ',';
	return n;
}

const char *topo_ports_at(const char *ports, uint32_t k,
                          char buf[static TOPO_PORT_MAX])
{
	size_t len;

	for (; k > 0 && ports; k--) {
		ports = strchr(ports, ',');
		ports = ports ? ports + 1 : NULL;
	}
	len = ports ? strcspn(ports, ",") : 0;
	if (len >= TOPO_PORT_MAX)
		len = TOPO_PORT_MAX - 1;
	memcpy(buf, ports ? ports : "", len);
	buf[len] = '\0';
	return buf;
}

uint32_t topo_rank_rails(const struct topo_rank *r)
{
	return r->ports[0] ? topo_ports_count(r->ports) : r->port[0] != '\0';
}

const char *topo_rank_port(const struct topo_rank *r, int32_t ep,
                           char buf[static TOPO_PORT_MAX])
{
	if (ep >= 0 && r->ports[0])
		return topo_ports_at(r->ports, (uint32_t)ep, buf);
	fp_copy(buf, TOPO_PORT_MAX, ep > 0 ? "" : r->port);
	return buf;
}

uint32_t topo_job_rails(const struct topo_job *job)
{
	uint32_t n, most = 1;

	for (size_t i = 0; i < job->n_ranks; i++) {
		n = topo_rank_rails(&job->ranks[i]);
		most = n > most ? n : most;
	}
	return most < TOPO_RAILS_MAX ? most : TOPO_RAILS_MAX;
}

void topo_job_set_ports(struct topo_job *job, int32_t rank, const char *ports)
{
	struct topo_rank *r = &job->ranks[rank];

	(void)topo_ports_at(ports, 0, r->port);
	fp_copy(r->ports, sizeof(r->ports),
	        topo_ports_count(ports) > 1 ? ports : "");
}

/* By host, then by port, then in rank order. */
static int seat_cmp(const void *pa, const void *pb)
{
	const struct topo_rank *a = *(struct topo_rank *const *)pa;
	const struct topo_rank *b = *(struct topo_rank *const *)pb;
	int by = (a->host > b->host) - (a->host < b->host);

	if (by == 0)
		by = strcmp(a->port, b->port);
	return by ? by : (a->rank > b->rank) - (a->rank < b->rank);
}

/* Those that share a port have the number of the first of them. */
static void number_ports(const struct topo_job *view, struct topo_rank **seats)
{
	struct topo_rank *r, *first = NULL;
	int64_t base;
	size_t i;

	for (i = 0; i < view->n_ranks; i++)
		seats[i] = &view->ranks[i];
	qsort(seats, view->n_ranks, sizeof(struct topo_rank *), seat_cmp);
	for (i = 0; i < view->n_ranks; i++) {
		r = seats[i];
		r->netdev = -1;
		if (r->host < 0 || !r->port[0] || r->local_rank < 0)
			continue;
		if (!first || first->host != r->host ||
		    strcmp(first->port, r->port) != 0)
			first = r;
		base = (int64_t)view->hosts[r->host].n_netdevs;
		if (base + first->local_rank < TOPO_MAX_NETDEVS)
			r->netdev = (int32_t)base + first->local_rank;
	}
}

enum fp_status topo_job_on_rail(const struct topo_job *job, int32_t ep,
                                struct topo_job *ret, struct fp_err *err)
{
	struct topo_rank **seats =
		calloc(job->n_ranks + 1, sizeof(struct topo_rank *));
	struct topo_job view = *job;
	size_t i;

	view.ranks = calloc(job->n_ranks + 1, sizeof(*view.ranks));
	if (!view.ranks || !seats) {
		free(view.ranks);
		free(seats);
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for a rail");
	}
	for (i = 0; i < job->n_ranks; i++) {
		view.ranks[i] = job->ranks[i];
		(void)topo_rank_port(&job->ranks[i], ep, view.ranks[i].port);
		view.ranks[i].ports[0] = '\0';
	}
	number_ports(&view, seats);
	free(seats);
	*ret = view;
	return FP_OK;
}

void topo_job_on_rail_done(struct topo_job *view)
{
	free(view->ranks);
	*view = (struct topo_job){ 0 };
}

int64_t topo_rank_rate_bps(const struct topo_job *job, int32_t rank)
{
	const struct topo_rank *r = &job->ranks[rank];
	const struct topo_map *map =
		r->host < 0 ? NULL : job->hosts[r->host].map;
	const char *slash = strchr(r->port, '/');
	char name[TOPO_PORT_MAX];
	int32_t at;

	if (!map || !slash)
		return -1;
	(void)snprintf(name, sizeof(name), "%.*s", (int)(slash - r->port),
	               r->port);
	at = topo_map_find_port(map, topo_map_find_hca(map, name),
	                        (int32_t)strtol(slash + 1, NULL, 10));
	return at < 0 ? -1 : map->ports[at].rate_bps;
}
