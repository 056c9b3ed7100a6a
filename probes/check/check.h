/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks: pure judges of what hosts are and of what was read of them. Most
 * need no traffic, so that a snapshot can be checked anywhere.
 */
#ifndef FP_PROBES_CHECK_CHECK_H
#define FP_PROBES_CHECK_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probes/finding/finding.h"
#include "topo/model/model.h"

struct check_host;

/** struct check_skip - what could not be looked at, on how many hosts, of which
 * the first is named ("": of none in particular), and why. */
struct check_skip {
	char what[64], host[64], why[160];
	size_t n_hosts;
	const struct topo_host *last; /* of them; only compared */
};

/**
 * struct check_out - what checks found. Zero-initialise; check_out_done().
 * @failed: there was no memory for all of it.
 */
struct check_out {
	struct findings findings;
	struct check_skip *skips;
	size_t n_skips, room_skips;
	bool failed;
};

/**
 * struct check_input - what is judged.
 * @hosts: of @job, in its order, with their readings at hand.
 */
struct check_input {
	const struct topo_job *job;
	const struct check_host *hosts;
	size_t n_hosts;
};

/**
 * struct check_ops - a check.
 * @needs: names of the readings that it looks at, for people
 * @host:  judge one host by itself; or NULL
 * @job:   judge hosts against one another; or NULL
 */
struct check_ops {
	const char *name, *help, *needs;
	void (*host)(const struct check_input *in,
	             const struct check_host *host, struct check_out *out);
	void (*job)(const struct check_input *in, struct check_out *out);
};

extern const struct check_ops check_mtu_ops;
extern const struct check_ops check_p2p_ops;
extern const struct check_ops check_pcie_ops;
extern const struct check_ops check_nvlink_ops;
extern const struct check_ops check_hca_ops;
extern const struct check_ops check_versions_ops;
extern const struct check_ops check_limits_ops;
extern const struct check_ops check_kernel_ops;
extern const struct check_ops check_clocks_ops;

/** checks_all() - every check, in the order in which they run. */
const struct check_ops *const *checks_all(size_t *ret_n);

/** checks_find() - the place of the check called @name, or -1. */
int checks_find(const char *name);

/**
 * checks_run() - judge @job.
 * @mask: bit i is the i-th of checks_all().
 * @out:  findings in no particular order, each place and code once.
 *
 * Return: FP_OK whatever was found, FP_ERR_NOMEM.
 */
enum fp_status checks_run(const struct topo_job *job, uint32_t mask,
                          struct check_out *out, struct fp_err *err);

/** check_out_done() - free; takes NULL. */
void check_out_done(struct check_out *out);

#endif
