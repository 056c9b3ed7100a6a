/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The modelled cluster that the doubles of libcudart, libnccl and libnvidia-ml
 * act out: read once from the file that FP_DOUBLES names. Same file, same
 * cluster; what is counted over all processes lies beside it, in FILE.state.
 */
#ifndef FP_TESTS_DOUBLES_SCENARIO_H
#define FP_TESTS_DOUBLES_SCENARIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FPD_HOSTS_MAX 64
#define FPD_GPUS_MAX 16 /* of a host */
#define FPD_FAULTS_MAX 64
#define FPD_NAME_MAX 64

enum fpd_fault_kind {
	FPD_SLOW,         /* at -> to: rate / factor; via: one kind of path */
	FPD_NVLINK_DOWN,  /* at: n links fewer */
	FPD_OFF_FABRIC,   /* at: no NVLink at all */
	FPD_NO_P2P,       /* at <-> to: the driver refuses peer access */
	FPD_NO_GDR,       /* at: GPUDirect RDMA off */
	FPD_NO_IB,        /* at: NCCL finds no HCA */
	FPD_PCIE,         /* at: n lanes */
	FPD_CORRUPT,      /* at -> to, by via: the byte at offset n is wrong */
	FPD_HANG,         /* at, with to by via: where init, data, net,
	                     abort or nvml, for ever */
	FPD_ASYNC,        /* at: asynchronous error code */
	FPD_EXIT,         /* at: the process ends in the data path */
	FPD_CUDA,         /* at: call fails with code */
	FPD_NCCL,         /* at: call returns code */
	FPD_NO_DRIVER,    /* at */
	FPD_NO_DEVICE,    /* at */
	FPD_SLOW_GPU,     /* at: kernels and memory / factor */
	FPD_COUNTER,      /* at: NVML counter call: n more a second */
	FPD_THROTTLE,     /* at: NVML's reasons, bits of code */
	FPD_MIG,          /* at: NVML says MIG mode */
	FPD_XID,          /* at: NVML's event of Xid code, once */
	FPD_NO_FABRIC,    /* at: the fabric manager did not start */
	FPD_NCCL_VERSION, /* at: another library, version code */
	FPD_NONE,         /* one that does not hit this process */
	FPD_FAULT_COUNT
};

/** struct fpd_end - a GPU of a host; -1: any. */
struct fpd_end {
	int host, gpu;
};

/** struct fpd_fault - what is wrong, where, when. */
struct fpd_fault {
	enum fpd_fault_kind kind;
	struct fpd_end at, to;
	double factor;
	uint64_t n;     /* links, lanes, offset, counts a second */
	uint64_t after; /* operations, or calls, that go well first */
	uint64_t times; /* how many then do not; 0: all */
	int code;
	char where[16]; /* init, data, abort */
	char via[16];   /* nvlink, pcie, shm, net, socket; "" all */
	char call[48];
	double busy_s; /* slow, slow-gpu, corrupt: only once the kernels of a
	                  process ran for so long at at */
	/* "NAME=value" of processes that it does not hit, or hits alone */
	char unless[48], when[48];
	bool nccl; /* slow: of NCCL alone, not of copies */
};

/** struct fpd_gpu - what every GPU of the cluster is like. */
struct fpd_gpu {
	char name[FPD_NAME_MAX];
	int cc_major, cc_minor;
	uint64_t memory_bytes;
	unsigned nvlinks, nvlink_version, pcie_gen, pcie_width;
	double nvlink_Bps; /* of one link, one way */
	double pcie_Bps;   /* of all lanes */
	double hbm_Bps;    /* read or written */
	double flops;
};

/** struct fpd_world - the cluster. Rates B/s, latencies s. */
struct fpd_world {
	char name[FPD_NAME_MAX], driver[FPD_NAME_MAX], hca[16];
	char hosts[FPD_HOSTS_MAX][FPD_NAME_MAX];
	unsigned n_hosts, n_gpus; /* GPUs of each host */
	int cuda_driver, nccl_version;
	struct fpd_gpu gpu;
	double nic_Bps, gdr_off, socket_Bps, shm_share;
	double vary; /* part by which directed pairs differ */
	double nvlink_s, pcie_s, shm_s, net_s, socket_s, launch_s;
	int64_t epoch_s; /* when counters began: the file's time */
	struct fpd_fault faults[FPD_FAULTS_MAX];
	unsigned n_faults;
};

/**
 * fpd_world() - the cluster, read at the first call. A scenario that cannot be
 * read ends the process with a message: no double can go on without one.
 */
const struct fpd_world *fpd_world(void);

/** fpd_world_read() - parse @path into @ret; false with @why filled. */
bool fpd_world_read(const char *path, struct fpd_world *ret, char *why,
                    size_t size);

/**
 * fpd_host() - which host this process runs on: NCCL_HOSTID, FP_DOUBLES_HOST
 * or the system's host name is the name of one; a cluster of one host is it.
 */
int fpd_host(void);

/** fpd_fault_at() - does @f hit GPU @gpu of @host? */
bool fpd_fault_at(const struct fpd_fault *f, int host, int gpu);

/**
 * fpd_fault_find() - the first fault of @kind at that GPU; NULL: none. Start
 * with @from NULL, go on with the last result.
 */
const struct fpd_fault *fpd_fault_find(enum fpd_fault_kind kind, int host,
                                       int gpu, const struct fpd_fault *from);

/** fpd_fault_due() - is it time, at the @nth operation (from 0)? */
bool fpd_fault_due(const struct fpd_fault *f, uint64_t nth);

/**
 * fpd_count_fault() - how often was asked for @f before; over all processes.
 * fpd_count_operation() - the same of operations on a GPU.
 */
uint64_t fpd_count_fault(const struct fpd_fault *f);
uint64_t fpd_count_operation(struct fpd_end at);

/** fpd_operations() - how many operations were counted. */
uint64_t fpd_operations(struct fpd_end at);

/** fpd_fault_seen() - was fpd_count_fault() of @f called, by any process? */
bool fpd_fault_seen(const struct fpd_fault *f);

/** fpd_fault_ripe() - has what @f waits for come to pass: is its GPU hot? */
bool fpd_fault_ripe(const struct fpd_fault *f);

/** fpd_bus_id() - "0000:1b:00.0" of a GPU, or of the HCA beside it. */
void fpd_bus_id(int gpu, bool hca, char *buf, size_t size);

#endif
