/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The job as the run knows it: hosts, their network devices, and ranks.
 * Arrays addressed by index; -1 points nowhere. What hangs off the PCI buses of
 * a host is its map (topo/model/model_map.h), which hosts without a GPU do not have.
 */
#ifndef FP_TOPO_MODEL_MODEL_H
#define FP_TOPO_MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "topo/base/status.h"

struct readings;
struct topo_map;

#define TOPO_NAME_MAX 64
#define TOPO_ADDR_MAX 48 /* numeric IPv4 or IPv6, with %scope if link-local */
#define TOPO_PORT_MAX 32
#define TOPO_PORTS_MAX 256
#define TOPO_MAX_NETDEVS 256
#define TOPO_MAX_RANKS 65536

/** struct topo_netdev - one network device of a host with an address. */
struct topo_netdev {
	char name[TOPO_NAME_MAX];
	char addr[TOPO_ADDR_MAX]; /* first usable address; "" if none */
	char driver[TOPO_NAME_MAX];
	int64_t speed_bps; /* bits per second as sysfs says; -1 unknown */
	int32_t mtu_bytes; /* -1 unknown */
	bool up;           /* has carrier */
	bool loopback;
	bool hca; /* belongs to an RDMA device */
};

/** struct topo_host - a machine. */
struct topo_host {
	char name[TOPO_NAME_MAX];
	char boot_id[TOPO_NAME_MAX];
	char host_id[TOPO_NAME_MAX]; /* same host <=> same host_id */
	char kernel[TOPO_NAME_MAX];
	int32_t n_cpus; /* usable by the reading process; -1 unknown */
	struct topo_netdev *netdevs;
	size_t n_netdevs;
	struct topo_map *map; /* GPUs, HCAs, paths; owned; NULL: not read */
	struct readings *readings; /* a reference; NULL: not read */
};

/** struct topo_rank - an MPI rank and where it runs. */
struct topo_rank {
	int32_t rank;
	int32_t host;       /* index into the job's hosts; -1: never heard of */
	int32_t local_rank; /* 0.. within its host, in rank order; -1 */
	int32_t netdev;     /* tcp data device, index into the host's; -1 */
	int64_t pid;        /* agent's; -1 unknown */
	char port[TOPO_PORT_MAX];   /* RDMA port, "mlx5_0/1"; "" if none */
	char ports[TOPO_PORTS_MAX]; /* all of several, rail by rail, the first
	                               first: "mlx5_0/1,mlx5_1/1"; else "" */
};

/** struct topo_job - everything that takes part. ranks[i].rank == i. */
struct topo_job {
	struct topo_host *hosts;
	size_t n_hosts;
	struct topo_rank *ranks;
	size_t n_ranks;
	size_t placed_end; /* topo_job_place(): ranks from here on have no host */
};

/**
 * topo_job_init() - a job of @n_ranks ranks (1..TOPO_MAX_RANKS) on no host.
 *
 * Return: FP_OK, FP_ERR_LIMIT, FP_ERR_NOMEM. Undo with topo_job_done().
 */
enum fp_status topo_job_init(struct topo_job *job, size_t n_ranks,
                             struct fp_err *err);

/** topo_job_done() - free all; takes NULL and half-built jobs. */
void topo_job_done(struct topo_job *job);

/** topo_host_done() - free what a host owns; takes NULL. */
void topo_host_done(struct topo_host *host);

/** topo_host_trim() - forget the map and the readings of @host. */
void topo_host_trim(struct topo_host *host);

/**
 * topo_host_copy() - deep copy, which shares the readings. @dst is
 * overwritten, not freed first.
 *
 * Return: FP_OK or FP_ERR_NOMEM; then @dst has no netdevs, no map and no
 * readings.
 */
enum fp_status topo_host_copy(struct topo_host *dst,
                              const struct topo_host *src, struct fp_err *err);

/**
 * topo_job_place() - put @rank on the host that equals @host by host_id,
 * adding a copy of @host if the job has none such, and number local ranks.
 * A host already known keeps what it has; what it does not know yet (netdevs,
 * CPUs, kernel, boot id, map, GPUs, readings) it takes from @host. A rank
 * placed before moves. Readings of hosts that are alike are shared.
 *
 * Return: FP_OK, FP_ERR_NOMEM; FP_ERR_INPUT if @rank is out of range.
 */
enum fp_status topo_job_place(struct topo_job *job, int32_t rank,
                              const struct topo_host *host, struct fp_err *err);

/**
 * topo_job_share() - once all is known of all hosts: keep the readings of
 * each only where they differ from the first host's.
 */
void topo_job_share(struct topo_job *job);

/** topo_host_find_netdev() - index of netdev @name, or -1. */
int32_t topo_host_find_netdev(const struct topo_host *host, const char *name);

/**
 * topo_host_default_netdev() - the device that data takes unless somebody
 * chose one: the first with an address that is up and not the loopback, else
 * the loopback.
 *
 * Return: its index, or -1.
 */
int32_t topo_host_default_netdev(const struct topo_host *host);

/** topo_job_same_host() - do both ranks sit on one known host? */
bool topo_job_same_host(const struct topo_job *job, int32_t a, int32_t b);

/**
 * topo_job_host_name() - the host's name of @rank; "?" if unknown.
 *
 * Return: never NULL; belongs to @job.
 */
const char *topo_job_host_name(const struct topo_job *job, int32_t rank);

/**
 * topo_job_netdev() - the tcp data device of @rank, or NULL.
 */
const struct topo_netdev *topo_job_netdev(const struct topo_job *job,
                                          int32_t rank);

#endif
