/* SPDX-License-Identifier: Apache-2.0 */
/* A job made of what was saved of its hosts. */
#ifndef FP_MPI_CMD_SAVED_H
#define FP_MPI_CMD_SAVED_H

#include "mpi/opts/opts.h"
#include "topo/base/fmt.h"
#include "topo/model/model.h"

/**
 * saved_job() - one host for each of @paths, with a rank on each; a snapshot
 * alone is the whole job, with its ranks. A folder holds texts of one host,
 * or what was captured of it (it has a folder "sys"), or nothing but folders,
 * each of which is a host. "-" is standard input. Hosts that are called the
 * same, as masked ones are, get the names of their folders.
 * @ret_kinds: what was found in them, for people.
 *
 * Return: FP_OK with a job for topo_job_done(); FP_ERR_SYS, FP_ERR_INPUT,
 * FP_ERR_LIMIT naming the file; FP_ERR_NOMEM.
 */
enum fp_status saved_job(const struct opts_texts *paths,
                         struct topo_job *ret_job, struct fp_text *ret_kinds,
                         struct fp_err *err);

#endif
