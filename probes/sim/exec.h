/* SPDX-License-Identifier: Apache-2.0 */
/* The model as an executor: a session runs on it as on a cluster. */
#ifndef FP_PROBES_SIM_EXEC_H
#define FP_PROBES_SIM_EXEC_H

#include "probes/session/exec.h"
#include "probes/sim/model.h"
#include "topo/model/model.h"

/** struct sim_exec - an executor's self. Borrows all. */
struct sim_exec {
	const struct sim_model *m;
	const struct topo_job *job; /* host i is host i of the fabric; local
	                               rank g its GPU g */
};

/** sim_exec_ops - its run() takes a struct sim_exec. Rounds take no time, and
 * say how long they would. */
extern const struct exec_ops sim_exec_ops;

/** sim_name_hosts() - call the hosts of @f h0, h1... FP_OK or FP_ERR_NOMEM. */
enum fp_status sim_name_hosts(struct fabric *f, struct fp_err *err);

/**
 * sim_job() - the job that runs on every GPU of @f, or once on every host
 * without one: hosts by their names; HCAs as devices.
 *
 * Return: FP_OK, FP_ERR_LIMIT for too many ranks, FP_ERR_NOMEM. Undo with
 * topo_job_done().
 */
enum fp_status sim_job(const struct fabric *f, struct topo_job *ret,
                       struct fp_err *err);

#endif
