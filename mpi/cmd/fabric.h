/* SPDX-License-Identifier: Apache-2.0 */
/* --fabric FILE: under which leaf each host of a job is. */
#ifndef FP_MPI_CMD_FABRIC_H
#define FP_MPI_CMD_FABRIC_H

#include "topo/fabric/fabric.h"

/**
 * cmd_fabric() - the fabric that @path tells of, with the hosts of @job and a
 * device of each. Slurm's topology.conf, ibnetdiscover's output, a list of
 * ports (host,nic,switch[,port,cable]), or the short description in JSON,
 * whose hosts_per_leaf goes by the order of the job's hosts.
 *
 * Return: FP_OK; FP_ERR_SYS, FP_ERR_INPUT, FP_ERR_USAGE if it names no host
 * of the job; FP_ERR_NOMEM, FP_ERR_LIMIT. Undo with fabric_done().
 */
enum fp_status cmd_fabric(const char *path, const struct topo_job *job,
                          struct fabric *ret, struct fp_err *err);

#endif
