// SPDX-License-Identifier: Apache-2.0
// Environment variables: which must be equal, and which cost bandwidth.
#include <string.h>

#include "probes/check/accuse.h"
#include "probes/check/versions.h"
#include "topo/reading/reading_rank.h"

#define FREE SEVERITY_INFO /* may differ: no finding at all */

/* The first that fits counts: what names files, devices and hosts may be
 * another on each host. */
static const struct env_row rows[] = {
	{ "env.NCCL_DEBUG", FREE },
	{ "env.NCCL_TOPO_DUMP", FREE },
	{ "env.NCCL_GRAPH_DUMP", FREE },
	{ "env.NCCL_COMM_ID", SEVERITY_WARN },
	{ "env.NCCL_HOSTID", FREE },
	{ "env.NCCL_SOCKET_IFNAME", SEVERITY_WARN },
	{ "env.NCCL_TOPO_FILE", SEVERITY_WARN },
	{ "env.NCCL_", SEVERITY_FAULT },
	{ "env.UCX_LOG", FREE },
	{ "env.UCX_", SEVERITY_WARN },
	{ "env.FI_LOG", FREE },
	{ "env.FI_", SEVERITY_WARN },
	{ "env.CUDA_DEVICE_", SEVERITY_WARN },
	{ "env.CUDA_MODULE_LOADING", SEVERITY_WARN },
	{ "env.CUDA_LAUNCH_BLOCKING", SEVERITY_WARN },
};

/* Each switches something off for good. "1" but for those that say so. */
static const struct {
	const char *name, *value, *costs;
} workarounds[] = {
	{ "env.NCCL_P2P_DISABLE", "1", "peer copies and NVLink" },
	{ "env.NCCL_SHM_DISABLE", "1", "shared memory inside a host" },
	{ "env.NCCL_IB_DISABLE", "1", "RDMA: all goes over sockets" },
	{ "env.NCCL_NET_GDR_LEVEL", "LOC", "GPUDirect RDMA" },
	{ "env.NCCL_NET_GDR_LEVEL", "0", "GPUDirect RDMA" },
	{ "env.NCCL_NVLS_ENABLE", "0", "reductions in the NVSwitches" },
	{ "env.NCCL_P2P_LEVEL", "LOC", "peer copies and NVLink" },
	{ "env.NCCL_IGNORE_NET_MISMATCH", "1",
	  "the guard against hosts that count different NICs" },
	{ "env.CUDA_LAUNCH_BLOCKING", "1", "kernels that overlap" },
};

const struct env_row *env_row_of(const char *name)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (strncmp(name, rows[i].prefix, strlen(rows[i].prefix)) == 0)
			return rows[i].severity == FREE ? NULL : &rows[i];
	}
	return NULL;
}

void env_judge(const struct check_host *host, struct check_out *out)
{
	struct reading r;

	for (size_t i = 0; i < sizeof(workarounds) / sizeof(*workarounds);
	     i++) {
		struct finding *f;
		char value[READING_WORDS_MAX];

		if (!look_get(host, "", workarounds[i].name, &r) ||
		    strcmp(reading_words(&r, value), workarounds[i].value) != 0)
			continue;
		f = accuse(out, FINDING_ENV_DEBUG, LOCUS_JOB, NULL, "");
		if (f && f->n_evidence >= FINDING_EVIDENCE_MAX)
			return;
		accuse_note(f, "%s=%s on %.60s switches off %s",
		            workarounds[i].name + strlen("env."), value,
		            host->host->name, workarounds[i].costs);
	}
}

/* Ranks of the host that have @name otherwise than its first. */
static size_t count_ranks(const struct check_host *host, const char *name)
{
	size_t n = 0, rows_all = readings_count(host->set);

	for (size_t i = 0; i < rows_all; i++) {
		struct reading r = readings_at(host->set, i);

		n += reading_rank(r.device) >= 0 && strcmp(r.name, name) == 0;
	}
	return n;
}

/* Where most ranks differ from the first, it is the odd one. */
static void judge_rank(const struct check_host *host, const struct reading *r,
                       struct check_out *out)
{
	const struct env_row *row = env_row_of(r->name);
	size_t differ = row ? count_ranks(host, r->name) : 0;
	char own[READING_WORDS_MAX], usual[READING_WORDS_MAX];
	struct reading first;
	struct finding *f;

	if (!row)
		return;
	(void)look_get(host, "", r->name, &first);
	first.name = r->name;
	if (2 * differ > host->n_ranks)
		f = accuse(out, FINDING_ENV_MIXED, LOCUS_HOST, host->host, "");
	else
		f = accuse_rank(out, FINDING_ENV_MIXED, host->host,
		                reading_rank(r->device));
	accuse_mild(f, row->severity);
	accuse_note(f, "%s: %.50s on %s; %.50s on the first rank of %.40s",
	            r->name + strlen("env."), reading_words(r, own), r->device,
	            reading_words(&first, usual), host->host->name);
}

void env_judge_ranks(const struct check_host *host, struct check_out *out)
{
	size_t n = host->n_ranks > 1 ? readings_count(host->set) : 0;

	for (size_t i = 0; i < n; i++) {
		struct reading r = readings_at(host->set, i);

		if (reading_rank(r.device) >= 0)
			judge_rank(host, &r, out);
	}
}
