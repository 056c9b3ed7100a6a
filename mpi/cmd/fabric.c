// SPDX-License-Identifier: Apache-2.0
// Reads where hosts are plugged.
#include "mpi/cmd/fabric.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "probes/sim/exec.h"
#include "topo/base/fmt.h"
#include "topo/fabric/wiring.h"
#include "topo/json/json_fabric.h"

/* What traffic of hosts can tell apart. */
#define KINDS                                                              \
	(1u << FABRIC_PORT_TX | 1u << FABRIC_PORT_RX | 1u << FABRIC_HCA |  \
	 1u << FABRIC_LEAF | 1u << FABRIC_UPLINK | 1u << FABRIC_DOWNLINK | \
	 1u << FABRIC_CLUSTER)

static enum fp_status hosts_of_job(const struct topo_job *job, struct fabric *f,
                                   struct fp_err *err)
{
	struct fabric_spec spec;
	enum fp_status status;
	size_t i;

	fabric_spec_defaults(&spec, (int32_t)job->n_hosts);
	spec.gpus = 0;
	spec.nics = 1;
	spec.hosts_per_leaf = 0;
	spec.rail_optimised = false;
	spec.kinds = KINDS;
	status = fabric_init(f, &spec, err);
	if (status)
		return status;
	f->host_names = calloc(job->n_hosts + 1, sizeof(*f->host_names));
	if (!f->host_names)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for names");
	for (i = 0; i < job->n_hosts; i++)
		fp_copy(f->host_names[i], sizeof(*f->host_names),
		        job->hosts[i].name);
	return FP_OK;
}

static enum fp_status plug_described(struct fabric *f, const char *text,
                                     size_t len, struct fp_err *err)
{
	struct fabric_spec spec;
	enum fp_status status = fabric_spec_read(text, len, &spec, err);
	int32_t *leaf_of, h, each;

	if (status)
		return status;
	leaf_of = calloc((size_t)f->spec.hosts, sizeof(*leaf_of));
	if (!leaf_of)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for a fabric");
	each = spec.hosts_per_leaf ? spec.hosts_per_leaf : f->spec.hosts;
	for (h = 0; h < f->spec.hosts; h++)
		leaf_of[h] = h / each;
	f->spec.hosts_per_leaf = each;
	f->spec.oversubscription = spec.oversubscription;
	status = fabric_rewire(f, leaf_of, (f->spec.hosts - 1) / each + 1, err);
	free(leaf_of);
	return status;
}

static bool is_csv(const char *text)
{
	size_t line = strcspn(text, "\n");
	const char *comma = memchr(text, ',', line);
	const char *word = strstr(text, "switch");

	return comma && word && (size_t)(word - text) < line;
}

static enum fp_status plug_written(struct fabric *f, const char *text,
                                   struct fp_err *err)
{
	struct wiring w = { 0 };
	enum fp_status status;
	size_t unknown = 0;

	if (strstr(text, "SwitchName="))
		status = wiring_read_slurm(&w, text, err);
	else if (is_csv(text))
		status = wiring_read_csv(&w, text, err);
	else
		status = wiring_read_ibnet(&w, text, err);
	if (!status)
		status = wiring_apply(&w, f, &unknown, err);
	if (!status && unknown == w.n)
		status = fp_err_set(err, FP_ERR_USAGE,
		                    w.n ? "names no host of this job"
		                        : "has no leaf with hosts in it: use "
		                          "topology.conf, ibnetdiscover's "
		                          "output, host,nic,switch lines, or "
		                          "JSON");
	wiring_done(&w);
	return status;
}

enum fp_status cmd_fabric(const char *text, const struct topo_job *job,
                          struct fabric *ret, struct fp_err *err)
{
	struct fabric f = { 0 };
	enum fp_status status = hosts_of_job(job, &f, err);

	while (isspace((unsigned char)*text))
		text++;
	if (!status && *text == '{')
		status = plug_described(&f, text, strlen(text), err);
	else if (!status)
		status = plug_written(&f, text, err);
	if (status)
		fabric_done(&f);
	else
		*ret = f;
	return status;
}

enum fp_status cmd_cluster(const char *text, struct fabric *ret,
                           struct fp_err *err)
{
	struct fabric f = { 0 };
	struct fabric_spec spec;
	enum fp_status status;

	status = fabric_spec_read(text, strlen(text), &spec, err);
	if (!status)
		status = fabric_init(&f, &spec, err);
	if (!status)
		status = sim_name_hosts(&f, err);
	if (status)
		fabric_done(&f);
	else
		*ret = f;
	return status;
}
