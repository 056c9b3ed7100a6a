/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts and jobs to JSON and back; versioned ("fabricprobe-snapshot/1"). */
#ifndef FP_TOPO_JSON_SNAPSHOT_H
#define FP_TOPO_JSON_SNAPSHOT_H

#include "topo/model/model.h"

#define TOPO_SNAPSHOT_SCHEMA "fabricprobe-snapshot/1"
#define TOPO_SNAPSHOT_MAX_BYTES (256u << 20)

/**
 * topo_host_to_json() - @host as one compact line of JSON.
 *
 * Return: text for free(3), or NULL without memory.
 */
char *topo_host_to_json(const struct topo_host *host);

/**
 * topo_host_from_json() - read what topo_host_to_json() wrote, from bytes
 * that may be hostile. Unknown members are ignored, missing ones are "not
 * known" (-1, ""), wrong types and limits refused with the member's name.
 *
 * Return: FP_OK, FP_ERR_INPUT, FP_ERR_LIMIT, FP_ERR_NOMEM. Undo with
 * topo_host_done().
 */
enum fp_status topo_host_from_json(const char *text, size_t len,
                                   struct topo_host *ret_host,
                                   struct fp_err *err);

/** topo_job_to_json() - the whole job, with the schema's name. As above. */
char *topo_job_to_json(const struct topo_job *job);

/** topo_job_from_json() - as topo_host_from_json(); topo_job_done(). */
enum fp_status topo_job_from_json(const char *text, size_t len,
                                  struct topo_job *ret_job, struct fp_err *err);

#endif
