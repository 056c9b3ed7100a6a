// SPDX-License-Identifier: Apache-2.0
// The table of checks, and the one loop that runs them.
#include <stdio.h>
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

/* A host's own finding, not one of a device of it. */
static bool is_of_host(const struct finding *f, unsigned code)
{
	return f->code == code && f->locus.kind == LOCUS_HOST;
}

/* What holds on most hosts is the job's: said once, with who else has it. */
static void merge_code(struct findings *list, struct finding *first,
                       size_t n_same)
{
	unsigned code = first->code;
	size_t n = (size_t)(first - list->f) + 1;
	char others[FINDING_TEXT_MAX];

	(void)snprintf(others, sizeof(others), "%.60s and %zu more hosts",
	               first->locus.host, n_same - 1);
	first->locus = (struct locus){ .kind = LOCUS_JOB,
		                       .rank = -1,
		                       .peer_rank = -1 };
	if (first->n_evidence >= FINDING_EVIDENCE_MAX)
		first->n_evidence--;
	finding_evidence(first, "%s", others);
	for (size_t i = n; i < list->n; i++) {
		if (!is_of_host(&list->f[i], code))
			list->f[n++] = list->f[i];
	}
	list->n = n;
}

static void merge_hosts(struct findings *list, size_t n_hosts)
{
	for (size_t i = 0; i < list->n; i++) {
		unsigned code = list->f[i].code;
		size_t n = 0;

		for (size_t k = i; k < list->n; k++)
			n += is_of_host(&list->f[k], code);
		if (is_of_host(&list->f[i], code) && n > 2 && 2 * n > n_hosts)
			merge_code(list, &list->f[i], n);
	}
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
	merge_hosts(&out->findings, job->n_hosts);
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
