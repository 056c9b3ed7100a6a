/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the host this process runs on. Called in workers, never in agents. */
#ifndef FP_TOPO_DISCOVER_DISCOVER_H
#define FP_TOPO_DISCOVER_DISCOVER_H

#include "topo/model/model.h"

/**
 * enum topo_reads - how much of a host is read, besides its identity and its
 * network devices. Bits.
 * @TOPO_READ_HOST:    the map and the readings of all that files and the kernel
 *                     tell; one process of a host is enough
 * @TOPO_READ_DRIVERS: what libraries of drivers (NVML, libibverbs) tell of
 *                     devices; only in a worker, for they may hang
 * @TOPO_READ_ENV:     the environment alone, which each process has its own of
 */
enum topo_reads {
	TOPO_READ_HOST = 1,
	TOPO_READ_DRIVERS = 2,
	TOPO_READ_ENV = 4
};

/**
 * struct topo_env - where to read from and what to believe. NULL and "" are
 * the same everywhere.
 */
struct topo_env {
	const char *sysroot;   /* "/" or a captured host's folder; NULL: "/" */
	const char *host_name; /* NULL: the kernel's */
	const char *host_id;   /* NULL: "<host name>/<boot id>"; one that is
	                          too long ends in a hash of all of it */
	uint32_t reads;        /* enum topo_reads */
	int32_t pid; /* whose environment and limits are read; 0: the caller's,
	                and of a captured host those that were saved */
};

/**
 * topo_discover_identity() - name, boot id, host_id and kernel only: three
 * small reads that cannot block on a device, so an agent may call it.
 *
 * Return: FP_OK, FP_ERR_SYS, FP_ERR_NOMEM.
 */
enum fp_status topo_discover_identity(const struct topo_env *env,
                                      struct topo_host *ret_host,
                                      struct fp_err *err);

/**
 * topo_gpus_in_use() - does a process that may be a job's have a GPU open, as
 * far as /proc below @sysroot may be read? Touches no device.
 */
bool topo_gpus_in_use(const char *sysroot);

/**
 * topo_discover_host() - identity and network devices, and what @env asks for.
 * A device whose sysfs cannot be read is kept with what is known of it.
 *
 * Return: FP_OK, FP_ERR_SYS, FP_ERR_LIMIT, FP_ERR_NOMEM. Undo with
 * topo_host_done().
 */
enum fp_status topo_discover_host(const struct topo_env *env,
                                  struct topo_host *ret_host,
                                  struct fp_err *err);

/**
 * topo_sysroot() - @pattern with @host_name for each "%h".
 *
 * Return: @buf, cut to @size.
 */
char *topo_sysroot(const char *pattern, const char *host_name, char *buf,
                   size_t size);

/**
 * topo_reader_name(), topo_reader_help() - of reader @i of a host, in the
 * order in which they read, for a list. Return: NULL beyond the last one.
 */
const char *topo_reader_name(size_t i);
const char *topo_reader_help(size_t i);

#endif
