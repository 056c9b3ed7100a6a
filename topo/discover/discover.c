// SPDX-License-Identifier: Apache-2.0
// Reads the host this process runs on, or a captured one.
#include "topo/discover/discover.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "topo/base/fmt.h"
#include "topo/source/live.h"
#include "topo/source/netdev.h"
#include "topo/source/sysfs.h"

/* FNV-1a. */
static uint64_t hash_text(const char *text)
{
	uint64_t hash = 0xcbf29ce484222325;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3;
	return hash;
}

/*
 * A long host name and the boot id do not fit into the field together, and an
 * id that is cut would make one host of two: then a hash stands for the rest.
 */
static void fit_id(char *id, size_t size, const char *whole)
{
	char cut[TOPO_NAME_MAX];

	(void)snprintf(cut, sizeof(cut), "%.*s~%016llx", (int)sizeof(cut) - 18,
	               whole, (unsigned long long)hash_text(whole));
	fp_copy(id, size, strlen(whole) < size ? whole : cut);
}

static void make_host_id(const struct topo_env *env, struct topo_host *host)
{
	char whole[2 * TOPO_NAME_MAX];

	(void)snprintf(whole, sizeof(whole), "%s%s%s", host->name,
	               host->boot_id[0] ? "/" : "", host->boot_id);
	fit_id(host->host_id, sizeof(host->host_id),
	       env->host_id && env->host_id[0] ? env->host_id : whole);
}

static void read_names(int root_fd, const struct topo_env *env,
                       struct topo_host *host)
{
	bool live = sysfs_is_live(env->sysroot);
	struct utsname uts;

	(void)sysfs_read(root_fd, "proc/sys/kernel/osrelease", host->kernel,
	                 sizeof(host->kernel));
	(void)sysfs_read(root_fd, "proc/sys/kernel/hostname", host->name,
	                 sizeof(host->name));
	if (!host->name[0] && !live)
		(void)sysfs_read(root_fd, "etc/hostname", host->name,
		                 sizeof(host->name));
	if (env->host_name && env->host_name[0])
		fp_copy(host->name, sizeof(host->name), env->host_name);
	if ((host->name[0] && host->kernel[0]) || uname(&uts) != 0)
		return;
	if (!host->name[0])
		fp_copy(host->name, sizeof(host->name), uts.nodename);
	if (!host->kernel[0] && live)
		fp_copy(host->kernel, sizeof(host->kernel), uts.release);
}

static void read_identity(int root_fd, const struct topo_env *env,
                          struct topo_host *host)
{
	*host = (struct topo_host){ .n_cpus = -1 };
	read_names(root_fd, env, host);
	(void)sysfs_read(root_fd, "proc/sys/kernel/random/boot_id",
	                 host->boot_id, sizeof(host->boot_id));
	make_host_id(env, host);
}

/* The set grows until the kernel's mask fits: 1024 bits do not everywhere. */
static int32_t count_cpus(void)
{
	for (size_t n = CPU_SETSIZE; n <= 64 * CPU_SETSIZE; n *= 2) {
		cpu_set_t *set = CPU_ALLOC(n);
		size_t size = CPU_ALLOC_SIZE(n);
		int count = -1, errnum = 0;

		if (!set)
			return -1;
		if (sched_getaffinity(0, size, set) == 0)
			count = CPU_COUNT_S(size, set);
		else
			errnum = errno;
		CPU_FREE(set);
		if (errnum != EINVAL)
			return count;
	}
	return -1;
}

enum fp_status topo_discover_identity(const struct topo_env *env,
                                      struct topo_host *ret_host,
                                      struct fp_err *err)
{
	enum fp_status status;
	int root_fd;

	status = sysfs_open(env->sysroot, &root_fd, err);
	if (status != FP_OK)
		return status;
	read_identity(root_fd, env, ret_host);
	close(root_fd);
	return FP_OK;
}

bool topo_gpus_in_use(const char *sysroot)
{
	struct fp_err err = { 0 };
	int root_fd;
	bool any;

	if (sysfs_open(sysroot, &root_fd, &err) != FP_OK)
		return false;
	any = live_users_any(root_fd);
	close(root_fd);
	return any;
}

/* CPUs before what hangs from them, the tree before its devices; the kernel
 * log last, for its rows are another number on every host. */
static const struct live_ops *const sources[] = {
	&live_cpu_ops,   &live_hwloc_ops,  &live_pci_ops,    &live_gpu_ops,
	&live_ib_ops,    &live_netdev_ops, &live_addr_ops,   &live_dcb_ops,
	&live_users_ops, &live_kernel_ops, &live_limits_ops, &live_env_ops,
	&live_libs_ops,  &live_tools_ops,  &live_nvml_ops,   &live_verbs_ops,
	&live_mad_ops,   &live_kmsg_ops,
};

#define N_SOURCES (sizeof(sources) / sizeof(*sources))

const char *topo_reader_name(size_t i)
{
	return i < N_SOURCES ? sources[i]->name : NULL;
}

const char *topo_reader_help(size_t i)
{
	return i < N_SOURCES ? sources[i]->help : NULL;
}

char *topo_sysroot(const char *pattern, const char *host_name, char *buf,
                   size_t size)
{
	size_t len = 0;

	for (; *pattern && len + 1 < size; pattern++) {
		if (strncmp(pattern, "%h", 2) != 0) {
			buf[len++] = *pattern;
			continue;
		}
		(void)snprintf(buf + len, size - len, "%s", host_name);
		len += strlen(buf + len);
		pattern++;
	}
	buf[len] = '\0';
	return buf;
}

static bool is_asked_for(const struct live_ops *ops, uint32_t reads,
                         bool running)
{
	if (ops == &live_env_ops && reads & TOPO_READ_ENV)
		return true;
	if (ops->where == LIVE_DRIVER)
		return running && reads & TOPO_READ_DRIVERS;
	return reads & TOPO_READ_HOST && (running || ops->where == LIVE_FILES);
}

static enum fp_status read_sources(struct live *live, uint32_t reads,
                                   struct fp_err *err)
{
	enum fp_status status = FP_OK;

	for (size_t i = 0; i < N_SOURCES && status == FP_OK; i++) {
		if (!is_asked_for(sources[i], reads, live->running))
			continue;
		status = sources[i]->read(live, err);
		if (status != FP_OK)
			fp_err_prefix(err, "%s", sources[i]->name);
	}
	topo_map_resolve(live->map);
	return status;
}

/* Fill the map and the readings of a host whose identity is known. */
static enum fp_status read_whole(int root_fd, const struct topo_env *env,
                                 struct topo_host *host, struct fp_err *err)
{
	struct live live = { .root_fd = root_fd,
		             .running = sysfs_is_live(env->sysroot),
		             .host = host };

	host->map = calloc(1, sizeof(*host->map));
	host->readings = readings_new(time(NULL));
	if (!host->map || !host->readings)
		return fp_err_set(err, FP_ERR_NOMEM,
		                  "no memory for a host's map");
	if (live.running && env->pid > 0)
		(void)snprintf(live.process, sizeof(live.process), "proc/%d",
		               (int)env->pid);
	else
		fp_copy(live.process, sizeof(live.process), "proc/self");
	live.map = host->map;
	live.readings = host->readings;
	return read_sources(&live, env->reads, err);
}

enum fp_status topo_discover_host(const struct topo_env *env,
                                  struct topo_host *ret_host,
                                  struct fp_err *err)
{
	bool live = sysfs_is_live(env->sysroot);
	struct topo_host host;
	enum fp_status status;
	int root_fd;

	status = sysfs_open(env->sysroot, &root_fd, err);
	if (status != FP_OK)
		return status;
	read_identity(root_fd, env, &host);
	if (live)
		host.n_cpus = count_cpus();
	status = netdev_read(root_fd, live, &host, err);
	if (status == FP_OK && env->reads)
		status = read_whole(root_fd, env, &host, err);
	close(root_fd);
	if (status == FP_OK)
		*ret_host = host;
	else
		topo_host_done(&host);
	return status;
}
