// SPDX-License-Identifier: Apache-2.0
// Hosts, ranks, and who sits where.
#include "topo/model/model.h"

#include <stdlib.h>
#include <string.h>

#include "topo/model/map_merge.h"
#include "topo/model/model_map.h"
#include "topo/reading/reading.h"

enum fp_status topo_job_init(struct topo_job *job, size_t n_ranks,
                             struct fp_err *err)
{
	struct topo_rank *ranks;

	if (n_ranks == 0 || n_ranks > TOPO_MAX_RANKS)
		return fp_err_set(err, FP_ERR_LIMIT,
		                  "a job has 1 to %d ranks, not %zu",
		                  TOPO_MAX_RANKS, n_ranks);
	ranks = calloc(n_ranks, sizeof(*ranks));
	if (!ranks)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for %zu ranks",
		                  n_ranks);
	for (size_t i = 0; i < n_ranks; i++)
		ranks[i] = (struct topo_rank){
			.rank = (int32_t)i,
			.host = -1,
			.local_rank = -1,
			.netdev = -1,
			.pid = -1,
		};
	*job = (struct topo_job){ .ranks = ranks, .n_ranks = n_ranks };
	return FP_OK;
}

void topo_job_done(struct topo_job *job)
{
	if (!job)
		return;
	for (size_t i = 0; i < job->n_hosts; i++)
		topo_host_done(&job->hosts[i]);
	free(job->hosts);
	free(job->ranks);
	*job = (struct topo_job){ 0 };
}

void topo_host_done(struct topo_host *host)
{
	if (!host)
		return;
	free(host->netdevs);
	topo_host_trim(host);
	*host = (struct topo_host){ .n_cpus = -1 };
}

void topo_host_trim(struct topo_host *host)
{
	topo_map_done(host->map);
	free(host->map);
	readings_unref(host->readings);
	host->map = NULL;
	host->readings = NULL;
}

static enum fp_status host_copy_netdevs(struct topo_host *dst,
                                        const struct topo_host *src,
                                        struct fp_err *err)
{
	dst->netdevs = NULL;
	dst->n_netdevs = 0;
	if (src->n_netdevs == 0)
		return FP_OK;
	dst->netdevs = calloc(src->n_netdevs, sizeof(*dst->netdevs));
	if (!dst->netdevs)
		return fp_err_set(err, FP_ERR_NOMEM,
		                  "no memory for %zu network devices",
		                  src->n_netdevs);
	memcpy(dst->netdevs, src->netdevs,
	       src->n_netdevs * sizeof(*dst->netdevs));
	dst->n_netdevs = src->n_netdevs;
	return FP_OK;
}

static enum fp_status host_copy_map(struct topo_host *dst,
                                    const struct topo_host *src,
                                    struct fp_err *err)
{
	struct topo_map *map;
	enum fp_status status;

	dst->map = NULL;
	if (!src->map)
		return FP_OK;
	map = malloc(sizeof(*map));
	if (!map)
		return fp_err_set(err, FP_ERR_NOMEM,
		                  "no memory for a host's map");
	status = topo_map_copy(map, src->map, err);
	if (status == FP_OK)
		dst->map = map;
	else
		free(map);
	return status;
}

enum fp_status topo_host_copy(struct topo_host *dst,
                              const struct topo_host *src, struct fp_err *err)
{
	enum fp_status status;

	*dst = *src;
	dst->map = NULL;
	dst->readings = NULL;
	status = host_copy_netdevs(dst, src, err);
	if (status == FP_OK)
		status = host_copy_map(dst, src, err);
	if (status != FP_OK) {
		free(dst->netdevs);
		dst->netdevs = NULL;
		dst->n_netdevs = 0;
		return status;
	}
	dst->readings = readings_ref(src->readings);
	return FP_OK;
}

static int32_t job_find_host(const struct topo_job *job, const char *host_id)
{
	for (size_t i = 0; i < job->n_hosts; i++) {
		if (strcmp(job->hosts[i].host_id, host_id) == 0)
			return (int32_t)i;
	}
	return -1;
}

static enum fp_status job_add_host(struct topo_job *job,
                                   const struct topo_host *host,
                                   struct fp_err *err)
{
	struct topo_host *hosts;
	enum fp_status status;

	hosts = reallocarray(job->hosts, job->n_hosts + 1, sizeof(*hosts));
	if (!hosts)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for host %s",
		                  host->name);
	job->hosts = hosts;
	status = topo_host_copy(&hosts[job->n_hosts], host, err);
	if (status != FP_OK)
		return status;
	if (job->n_hosts > 0)
		readings_share(&hosts[job->n_hosts].readings,
		               hosts[0].readings);
	job->n_hosts++;
	return FP_OK;
}

/* An agent knows little of its host, a worker that reads it knows more:
 * whatever is still open is taken from whoever can say it. */
static enum fp_status host_learn(struct topo_host *known,
                                 const struct topo_host *host,
                                 struct fp_err *err)
{
	enum fp_status status = FP_OK;

	if (known->n_cpus <= 0)
		known->n_cpus = host->n_cpus;
	if (!known->boot_id[0])
		memcpy(known->boot_id, host->boot_id, sizeof(host->boot_id));
	if (!known->kernel[0])
		memcpy(known->kernel, host->kernel, sizeof(host->kernel));
	if (!known->map)
		status = host_copy_map(known, host, err);
	else if (host->map && host->map->n_gpus)
		status = topo_map_merge(known->map, host->map, err);
	if (status == FP_OK)
		status = readings_merge(&known->readings, host->readings, err);
	if (status != FP_OK || known->n_netdevs > 0)
		return status;
	free(known->netdevs);
	return host_copy_netdevs(known, host, err);
}

static enum fp_status job_know_host(struct topo_job *job, int32_t rank,
                                    const struct topo_host *host,
                                    int32_t *ret_host, struct fp_err *err)
{
	/* Ranks mostly come host by host: try the last rank's first. */
	int32_t h = rank > 0 ? job->ranks[rank - 1].host : -1;
	enum fp_status status;

	if (h < 0 || strcmp(job->hosts[h].host_id, host->host_id) != 0)
		h = job_find_host(job, host->host_id);
	if (h >= 0) {
		*ret_host = h;
		status = host_learn(&job->hosts[h], host, err);
		if (h > 0)
			readings_share(&job->hosts[h].readings,
			               job->hosts[0].readings);
		return status;
	}
	status = job_add_host(job, host, err);
	if (status == FP_OK)
		*ret_host = (int32_t)job->n_hosts - 1;
	return status;
}

/* Shift the local ranks of those behind @rank on @host. */
static void job_shift_local(struct topo_job *job, int32_t rank, int32_t host,
                            int32_t by)
{
	for (size_t i = (size_t)rank + 1; i < job->placed_end; i++) {
		if (job->ranks[i].host == host)
			job->ranks[i].local_rank += by;
	}
}

static int32_t job_next_local(const struct topo_job *job, int32_t rank,
                              int32_t host)
{
	for (int32_t i = rank - 1; i >= 0; i--) {
		if (job->ranks[i].host == host)
			return job->ranks[i].local_rank + 1;
	}
	return 0;
}

enum fp_status topo_job_place(struct topo_job *job, int32_t rank,
                              const struct topo_host *host, struct fp_err *err)
{
	struct topo_rank *r;
	enum fp_status status;
	int32_t h = -1;

	if (rank < 0 || (size_t)rank >= job->n_ranks)
		return fp_err_set(err, FP_ERR_INPUT,
		                  "rank %d in a job of %zu ranks", rank,
		                  job->n_ranks);
	status = job_know_host(job, rank, host, &h, err);
	if (status != FP_OK)
		return status;
	r = &job->ranks[rank];
	if (r->host == h)
		return FP_OK;
	if (r->host >= 0)
		job_shift_local(job, rank, r->host, -1);
	r->host = h;
	r->local_rank = job_next_local(job, rank, h);
	job_shift_local(job, rank, h, 1);
	if (job->placed_end <= (size_t)rank)
		job->placed_end = (size_t)rank + 1;
	return FP_OK;
}

void topo_job_share(struct topo_job *job)
{
	for (size_t i = 1; i < job->n_hosts; i++)
		readings_share(&job->hosts[i].readings, job->hosts[0].readings);
}

int32_t topo_host_find_netdev(const struct topo_host *host, const char *name)
{
	for (size_t i = 0; i < host->n_netdevs; i++) {
		if (strcmp(host->netdevs[i].name, name) == 0)
			return (int32_t)i;
	}
	return -1;
}

int32_t topo_host_default_netdev(const struct topo_host *host)
{
	int32_t loopback = -1;

	for (size_t i = 0; i < host->n_netdevs; i++) {
		const struct topo_netdev *dev = &host->netdevs[i];

		if (!dev->addr[0])
			continue;
		if (dev->up && !dev->loopback)
			return (int32_t)i;
		if (dev->loopback && loopback < 0)
			loopback = (int32_t)i;
	}
	return loopback;
}

/* NULL unless @rank is one of the job's and its host is known. */
static const struct topo_rank *job_placed(const struct topo_job *job,
                                          int32_t rank)
{
	const struct topo_rank *r;

	if (rank < 0 || (size_t)rank >= job->n_ranks)
		return NULL;
	r = &job->ranks[rank];
	return r->host >= 0 && (size_t)r->host < job->n_hosts ? r : NULL;
}

bool topo_job_same_host(const struct topo_job *job, int32_t a, int32_t b)
{
	const struct topo_rank *ra = job_placed(job, a);
	const struct topo_rank *rb = job_placed(job, b);

	return ra && rb && ra->host == rb->host;
}

const char *topo_job_host_name(const struct topo_job *job, int32_t rank)
{
	const struct topo_rank *r = job_placed(job, rank);

	return r ? job->hosts[r->host].name : "?";
}

const struct topo_netdev *topo_job_netdev(const struct topo_job *job,
                                          int32_t rank)
{
	const struct topo_rank *r = job_placed(job, rank);
	const struct topo_host *host;

	if (!r)
		return NULL;
	host = &job->hosts[r->host];
	if (r->netdev < 0 || (size_t)r->netdev >= host->n_netdevs)
		return NULL;
	return &host->netdevs[r->netdev];
}
