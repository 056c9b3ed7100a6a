/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of --fabric, under which leaf each host of a job is, and --cluster. */
#ifndef FP_MPI_CMD_FABRIC_H
#define FP_MPI_CMD_FABRIC_H

#include "topo/fabric/fabric.h"

/**
 * cmd_fabric() - the fabric that @text tells of, with the hosts of @job and a
 * device of each. Slurm's topology.conf, ibnetdiscover's output, a list of
 * ports (host,nic,switch[,port,cable]), or the short description in JSON,
 * whose hosts_per_leaf goes by the order of the job's hosts.
 *
 * Return: FP_OK; FP_ERR_INPUT, FP_ERR_USAGE if it names no host of the job;
 * FP_ERR_NOMEM, FP_ERR_LIMIT. Undo with fabric_done().
 */
enum fp_status cmd_fabric(const char *text, const struct topo_job *job,
                          struct fabric *ret, struct fp_err *err);

/** cmd_cluster() - a modelled one, all of which the short description in @text
 * tells. As cmd_fabric(). */
enum fp_status cmd_cluster(const char *text, struct fabric *ret,
                           struct fp_err *err);

#endif
