// SPDX-License-Identifier: Apache-2.0
// The table of checks, and the one loop that runs them.
#include <stdlib.h>
#include <string.h>

#include "probes/check/check.h"
#include "probes/check/look.h"

static const struct check_ops *const checks[] = {
	&check_mtu_ops,    &check_p2p_ops,    &check_pcie_ops,
	&check_nvlink_ops, &check_hca_ops,    &check_versions_ops,
	&check_limits_ops, &check_kernel_ops, &check_clocks_ops,
};

#define N_CHECKS (sizeof(checks) / sizeof(*checks))

const struct check_ops *const *checks_all(size_t *ret_n)
{
	*ret_n = N_CHECKS;
	return checks;
}

int checks_find(const char *name)
{
	for (size_t i = 0; i < N_CHECKS; i++) {
		if (strcmp(checks[i]->name, name) == 0)
			return (int)i;
	}
	return -1;
}

static void run_one(const struct check_ops *check, const struct check_input *in,
                    struct check_out *out)
{
	for (size_t i = 0; check->host && i < in->n_hosts; i++)
		check->host(in, &in->hosts[i], out);
	if (check->job)
		check->job(in, out);
}

enum fp_status checks_run(const struct topo_job *job, uint32_t mask,
                          struct check_out *out, struct fp_err *err)
{
	struct check_host *hosts = check_hosts_make(job);
	struct check_input in = { job, hosts, job->n_hosts };

	if (!hosts)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for checks");
	for (size_t i = 0; i < N_CHECKS; i++) {
		if (mask >> i & 1)
			run_one(checks[i], &in, out);
	}
	check_hosts_done(hosts, job->n_hosts);
	return out->failed ? fp_err_set(err, FP_ERR_NOMEM,
	                                "no memory for what checks found")
	                   : FP_OK;
}

void check_out_done(struct check_out *out)
{
	if (!out)
		return;
	findings_done(&out->findings);
	free(out->skips);
	*out = (struct check_out){ 0 };
}
