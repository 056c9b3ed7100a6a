// SPDX-License-Identifier: Apache-2.0
// A job on a modelled cluster.
#include <stdio.h>
#include <stdlib.h>

#include "probes/sim/exec.h"

enum fp_status sim_name_hosts(struct fabric *f, struct fp_err *err)
{
	int32_t h;

	f->host_names = calloc((size_t)f->spec.hosts, sizeof(*f->host_names));
	if (!f->host_names)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for names");
	for (h = 0; h < f->spec.hosts; h++)
		(void)snprintf(f->host_names[h], sizeof(*f->host_names), "h%d",
		               (int)h);
	return FP_OK;
}

static enum fp_status fill_host(const struct fabric *f, int32_t h,
                                struct topo_host *host, struct fp_err *err)
{
	size_t n = (size_t)f->spec.nics, i;

	(void)snprintf(host->name, sizeof(host->name), "%s", f->host_names[h]);
	(void)snprintf(host->host_id, sizeof(host->host_id), "model-%d",
	               (int)h);
	host->n_cpus = -1;
	host->netdevs = calloc(n + 1, sizeof(*host->netdevs));
	if (!host->netdevs)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for a job");
	host->n_netdevs = n;
	for (i = 0; i < n; i++) {
		host->netdevs[i] = (struct topo_netdev){
			.speed_bps = (int64_t)(f->spec.nic_gbps * 1e9),
			.mtu_bytes = 9000,
			.up = true,
			.hca = true,
		};
		(void)snprintf(host->netdevs[i].name,
		               sizeof(host->netdevs[i].name), "hca%zu", i);
	}
	return FP_OK;
}

static void fill_ranks(const struct fabric *f, int32_t each,
                       struct topo_job *job)
{
	size_t i;

	for (i = 0; i < job->n_ranks; i++)
		job->ranks[i] = (struct topo_rank){
			.rank = (int32_t)i,
			.host = (int32_t)i / each,
			.local_rank = (int32_t)i % each,
			.netdev = f->spec.nics ? (int32_t)i % each *
			                                 f->spec.nics / each
			                       : -1,
			.pid = -1,
		};
}

enum fp_status sim_job(const struct fabric *f, struct topo_job *ret,
                       struct fp_err *err)
{
	int32_t each = f->spec.gpus > 0 ? f->spec.gpus : 1, h;
	size_t hosts = (size_t)f->spec.hosts;
	struct topo_job job = { 0 };
	enum fp_status status;

	status = topo_job_init(&job, hosts * (size_t)each, err);
	if (status)
		return status;
	job.hosts = calloc(hosts, sizeof(*job.hosts));
	if (!job.hosts)
		status = fp_err_set(err, FP_ERR_NOMEM, "no memory for a job");
	for (h = 0; !status && h < f->spec.hosts; h++) {
		job.n_hosts++;
		status = fill_host(f, h, &job.hosts[h], err);
	}
	if (status) {
		topo_job_done(&job);
		return status;
	}
	fill_ranks(f, each, &job);
	job.placed_end = job.n_ranks;
	*ret = job;
	return FP_OK;
}
