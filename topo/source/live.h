/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Readers of a host: the running one, or one whose files were captured. Each
 * adds what it knows to the host's map and readings. A file that is not there
 * is no error; what is there and may not be read is a skip among the readings.
 */
#ifndef FP_TOPO_SOURCE_LIVE_H
#define FP_TOPO_SOURCE_LIVE_H

#include "topo/model/model.h"
#include "topo/model/model_map.h"
#include "topo/reading/reading.h"

/* What capture-host adds to a tree that no file of a host says. */
#define LIVE_EXTRAS "fabricprobe"

/** struct live - a host that is being read. */
struct live {
	int root_fd;      /* "/" or a captured host's folder */
	bool running;     /* it is this machine: more than files may be asked */
	char process[32]; /* whose environment and limits: "proc/4711" */
	struct topo_host *host; /* identity and netdevs are there */
	struct topo_map *map;
	struct readings *readings;
};

/**
 * struct live_ops - a reader. Those that ask a driver's library are run by
 * workers only (enum live_where).
 */
struct live_ops {
	const char *name, *help;
	uint32_t where; /* enum live_where */
	enum fp_status (*read)(struct live *live, struct fp_err *err);
};

/**
 * enum live_where - what a reader needs.
 * @LIVE_FILES:   files below the root: a captured host's will do
 * @LIVE_RUNNING: the running host
 * @LIVE_DRIVER:  the running host, and a library that asks a driver
 */
enum live_where { LIVE_FILES, LIVE_RUNNING, LIVE_DRIVER };

extern const struct live_ops live_cpu_ops;
extern const struct live_ops live_hwloc_ops;
extern const struct live_ops live_pci_ops;
extern const struct live_ops live_gpu_ops;
extern const struct live_ops live_ib_ops;
extern const struct live_ops live_netdev_ops;
extern const struct live_ops live_addr_ops;
extern const struct live_ops live_dcb_ops;
extern const struct live_ops live_users_ops;
extern const struct live_ops live_kernel_ops;
extern const struct live_ops live_limits_ops;
extern const struct live_ops live_env_ops;
extern const struct live_ops live_libs_ops;
extern const struct live_ops live_tools_ops;
extern const struct live_ops live_nvml_ops;
extern const struct live_ops live_verbs_ops;
extern const struct live_ops live_mad_ops;
extern const struct live_ops live_kmsg_ops;

/**
 * live_verbs_read() - what @library (libibverbs.so.1, or a test's) says of the
 * ports of the map: their RDMA MTU.
 */
enum fp_status live_verbs_read(struct live *live, const char *library,
                               struct fp_err *err);

/** live_users_any() - does a process of a job have a GPU open? */
bool live_users_any(int root_fd);

/** live_pen() - writes readings of @device ("": the host). */
struct reading_pen live_pen(struct live *live, uint32_t source,
                            const char *device, struct fp_err *err);

/** live_put_file() - the text of @file, if it is there. */
void live_put_file(struct reading_pen *pen, const char *name, int root_fd,
                   const char *file);

/** live_numa_of() - the map's row of the node @id, or of the only one. */
int32_t live_numa_of(const struct topo_map *map, int64_t id);

#endif
