// SPDX-License-Identifier: Apache-2.0
// A fabric from what a job alone tells.
#include <stdlib.h>

#include "topo/base/fmt.h"
#include "topo/fabric/wiring.h"

static int32_t rails_of(const struct topo_host *h)
{
	int32_t n = 0;
	size_t i;

	for (i = 0; i < h->n_netdevs; i++)
		n += h->netdevs[i].up && !h->netdevs[i].loopback;
	return n;
}

static void count_devices(struct fabric_spec *spec, const struct topo_job *job)
{
	int32_t n;
	size_t i;

	for (i = 0; i < job->n_hosts; i++) {
		n = rails_of(&job->hosts[i]);
		if (n > spec->nics)
			spec->nics = n;
	}
	for (i = 0; i < job->n_ranks; i++)
		if (job->ranks[i].local_rank >= spec->gpus)
			spec->gpus = job->ranks[i].local_rank + 1;
	if (spec->nics > FABRIC_MAX_PER_HOST)
		spec->nics = FABRIC_MAX_PER_HOST;
}

enum fp_status fabric_infer(struct fabric *f, const struct topo_job *job,
                            struct fp_err *err)
{
	struct fabric_spec spec;
	enum fp_status status;
	size_t i;

	if (job->n_hosts == 0 || job->n_hosts > FABRIC_MAX_HOSTS)
		return fp_err_set(err, FP_ERR_INPUT, "a job of %zu hosts",
		                  job->n_hosts);
	fabric_spec_defaults(&spec, (int32_t)job->n_hosts);
	spec.gpus = 0;
	spec.nics = 1;
	spec.hosts_per_leaf = 0;
	count_devices(&spec, job);
	status = fabric_init(f, &spec, err);
	if (status)
		return status;
	f->host_names = calloc(job->n_hosts, sizeof(*f->host_names));
	if (!f->host_names) {
		fabric_done(f);
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for names");
	}
	for (i = 0; i < job->n_hosts; i++)
		fp_copy(f->host_names[i], TOPO_NAME_MAX, job->hosts[i].name);
	return FP_OK;
}
