// SPDX-License-Identifier: Apache-2.0
// What the checks of versions and limits find, and their clean twins.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/check_bed.h"

/* Three hosts that were read. */
#define READ                                                 \
	"h0 - kernel.release 6.1\nh1 - kernel.release 6.1\n" \
	"h2 - kernel.release 6.1\n"
#define EACH(name, a, b, c) \
	READ "h0 - " name " " a "\nh1 - " name " " b "\nh2 - " name " " c "\n"

static void what_must_be_equal(void **state)
{
	static const struct check_bed_row rows[] = {
		{ EACH("lib.libnccl.version", "2.21.5", "2.20.3", "2.21.5"),
		  EACH("lib.libnccl.version", "2.21.5", "2.21.5", "2.21.5"),
		  "fault FP-NCCL-MIXED at host h1\n" },
		/* the plugin is on some hosts only */
		{ READ "h0 - lib.libnccl-net.path /usr/lib/libnccl-net.so\n"
		       "h1 - lib.libnccl-net.path /usr/lib/libnccl-net.so\n",
		  READ, "fault FP-NCCL-MIXED at host h2\n" },
		{ EACH("lib.libibverbs.version", "1", "1", "2"),
		  EACH("lib.libibverbs.version", "1", "1", "1"),
		  "warn FP-SOFTWARE-MIXED at host h2\n" },
		{ EACH("driver.nvidia", "535.1", "550.2", "550.2"),
		  EACH("driver.nvidia", "550.2", "550.2", "550.2"),
		  "warn FP-SOFTWARE-MIXED at host h0\n" },
		{ EACH("cpu.vendor", "AuthenticAMD", "GenuineIntel",
		       "AuthenticAMD"),
		  EACH("cpu.vendor", "AuthenticAMD", "AuthenticAMD",
		       "AuthenticAMD"),
		  "warn FP-CPU-MIXED at host h1\n" },
		/* addresses and what is another every time may differ */
		{ "h0 - kernel.release 6.1\nh1 - kernel.release 6.1\n"
		  "h2 - kernel.release 6.2\n",
		  EACH("mem.available", "1", "2", "3"),
		  "warn FP-SOFTWARE-MIXED at host h2\n" },
		/* of two nobody can say which is right */
		{ "h0 - kernel.release 6.1\nh1 - kernel.release 6.2\n",
		  "h0 - kernel.release 6.1\nh1 - os.name x\n",
		  "warn FP-SOFTWARE-MIXED at the job\n" },
		{ READ "h0 0000:01:00.0 !gpu -\nh2 0000:01:00.0 !gpu -\n",
		  READ "h0 0000:01:00.0 !gpu -\nh1 0000:01:00.0 !gpu -\n"
		       "h2 0000:01:00.0 !gpu -\n",
		  "warn FP-GPU-MIXED at host h1\n" },
	};

	(void)state;
	check_bed_rows("versions", rows, CHECK_BED_ROWS(rows));
}

static void environment(void **state)
{
	static const struct check_bed_row rows[] = {
		{ EACH("env.NCCL_ALGO", "Ring", "Tree", "Ring"),
		  EACH("env.NCCL_ALGO", "Ring", "Ring", "Ring"),
		  "fault FP-ENV-MIXED at host h1\n" },
		/* set on one host only; several are one finding */
		{ READ "h2 - env.NCCL_PROTO Simple\nh2 - env.NCCL_BUFFSIZE 5\n",
		  READ "h2 - env.NCCL_DEBUG INFO\n"
		       "h2 - env.CUDA_VISIBLE_DEVICES 3\n",
		  "fault FP-ENV-MIXED at host h2\n" },
		{ EACH("env.NCCL_SOCKET_IFNAME", "eth0", "eth0", "ens5"),
		  EACH("env.NCCL_TOPO_DUMP_FILE", "a", "b", "c"),
		  "warn FP-ENV-MIXED at host h2\n" },
		{ EACH("env.UCX_TLS", "rc", "rc", "tcp"),
		  EACH("env.OMP_NUM_THREADS", "1", "1", "2"),
		  "warn FP-ENV-MIXED at host h2\n" },
		{ "h0 - env.NCCL_P2P_DISABLE 1\n",
		  "h0 - env.NCCL_P2P_DISABLE 0\nh0 - env.NCCL_NET_GDR_LEVEL "
		  "PHB\n",
		  "warn FP-ENV-WORKAROUND at the job\n" },
		/* one rank of a host, or all but its first */
		{ "h0 - !rank 1\nh0 - !rank 2\nh0 rank2 env.NCCL_ALGO Ring\n",
		  "h0 - !rank 1\nh0 - !rank 2\nh0 rank2 env.NCCL_DEBUG INFO\n",
		  "fault FP-ENV-MIXED at rank 2 (h0)\n" },
		{ "h0 - !rank 1\nh0 - !rank 2\nh0 - env.NCCL_ALGO Ring\n"
		  "h0 rank1 env.NCCL_ALGO skip not set\n"
		  "h0 rank2 env.NCCL_ALGO skip not set\n",
		  "h0 - !rank 1\nh0 - !rank 2\nh0 - env.NCCL_ALGO Ring\n",
		  "fault FP-ENV-MIXED at host h0\n" },
		{ "h0 - driver.cuda 12.2\nh0 - lib.libcudart.version 13.0\n",
		  "h0 - driver.cuda 12.2\nh0 - lib.libcudart.version 12.8\n",
		  "fault FP-DRIVER-OLD at host h0\n" },
		{ "h0 - driver.cuda 11080\nh0 - lib.libcudart.version 12.1\n",
		  "h0 - driver.cuda 13000\nh0 - lib.libcudart.version 12.1\n",
		  "fault FP-DRIVER-OLD at host h0\n" },
	};

	(void)state;
	check_bed_rows("versions", rows, CHECK_BED_ROWS(rows));
}

#define HAS(name, value) "h0 - kernel.release 6.1\nh0 - " name " " value "\n"
#define NET_MISMATCH HAS("env.NCCL_IGNORE_NET_MISMATCH", "1")
#define GEFORCE(n) "GPU " n ": NVIDIA GeForce RTX 4090 (UUID: GPU-" n ")\n"
#define GRANTED(cell)                                          \
	"\tGPU0\tGPU1\nGPU0\tX\t" cell "\nGPU1\t" cell "\tX\n" \
	"\n\tGPU0\tGPU1\nGPU0\tX\tOK\nGPU1\tOK\tX\n" GEFORCE("0") GEFORCE("1")
#define WORKAROUND "warn FP-ENV-WORKAROUND at the job\n"

static void known(void **state)
{
	static const struct check_bed_row rows[] = {
		{ HAS("lib.libnccl.version", "2.13.4"),
		  HAS("lib.libnccl.version", "2.19.3"),
		  "warn FP-KNOWN-HANG at the job\n" },
		{ HAS("lib.libnccl.version", "2.18.5"),
		  HAS("lib.libnccl.version", "2.27"),
		  "info FP-KNOWN-HANG at the job\n" },
		{ HAS("env.NCCL_ALGO", "Ring,NVLSTree"),
		  HAS("env.NCCL_ALGO", "^NVLSTree"),
		  "warn FP-KNOWN-HANG at the job\n" },
		{ HAS("env.NCCL_ALGO", "broadcast:ring;allreduce:nvlstree"),
		  HAS("env.NCCL_ALGO", "broadcast:ring;allreduce:^NVLSTree"),
		  "warn FP-KNOWN-HANG at the job\n" },
		{ HAS("lib.libnccl.version", "2.30.7")
		          HAS("env.NCCL_MULTI_RANK_GPU_ENABLE", "1"),
		  HAS("lib.libnccl.version", "2.29.2")
		          HAS("env.NCCL_MULTI_RANK_GPU_ENABLE", "1"),
		  "warn FP-KNOWN-HANG at the job\n" },
		{ "h0 mlx5_0 !hca -\n" HAS("env.NCCL_IB_ECE_ENABLE", "1"),
		  HAS("env.NCCL_IB_ECE_ENABLE", "1"),
		  "warn FP-KNOWN-HANG at the job\n" },
		/* granted on a GeForce, which through NVLinks it may be */
		{ GRANTED("PHB"), GRANTED("NV4"),
		  "warn FP-KNOWN-HANG at the job\n" },
	};

	(void)state;
	check_bed_rows("versions", rows, CHECK_BED_ROWS(rows));
}

/* With other HCAs it hangs; with the same it is a guard taken away. */
static void known_of_hosts(void **state)
{
	static const char two[] = NET_MISMATCH
		"h0 mlx5_0 !hca -\nh1 - kernel.release 6.1\n"
		"h1 - env.NCCL_IGNORE_NET_MISMATCH 1\nh1 mlx5_0 !hca -\n";
	static const char other[] = "h1 mlx5_1 !hca -\n";
	char text[sizeof(two) + sizeof(other)], *says;
	struct topo_job job;

	(void)state;
	check_bed_job(two, &job);
	says = check_bed_says("versions", &job);
	assert_string_equal(says, WORKAROUND);
	free(says);
	topo_job_done(&job);
	(void)snprintf(text, sizeof(text), "%s%s", two, other);
	check_bed_job(text, &job);
	says = check_bed_says("versions", &job);
	assert_string_equal(says,
	                    "fault FP-KNOWN-HANG at the job\n" WORKAROUND);
	free(says);
	topo_job_done(&job);
}

#define HCA "h0 mlx5_0 !hca -\n"
#define GPU "h0 0000:01:00.0 !gpu -\n"
#define TWO_GPUS GPU "h0 0000:02:00.0 !gpu -\n"

static void limits(void **state)
{
	static const struct check_bed_row rows[] = {
		/* only RDMA locks memory */
		{ HCA "h0 - limit.memlock 8388608\n",
		  "h0 - limit.memlock 8388608\n",
		  "fault FP-MEMLOCK at host h0\n" },
		/* what most hosts have is said once */
		{ HCA "h0 - limit.memlock 1\nh1 mlx5_0 !hca -\n"
		      "h1 - limit.memlock 1\nh2 mlx5_0 !hca -\n"
		      "h2 - limit.memlock 1\n",
		  HCA "h1 mlx5_0 !hca -\nh2 mlx5_0 !hca -\n",
		  "fault FP-MEMLOCK at the job\n" },
		{ HCA "h0 - limit.memlock 65536\n",
		  HCA "h0 - limit.memlock -1\n",
		  "fault FP-MEMLOCK at host h0\n" },
		{ "h0 - limit.nofile 256\n", "h0 - limit.nofile 1024\n",
		  "warn FP-NOFILE at host h0\n" },
		/* the 64 MB of a container */
		{ TWO_GPUS "h0 - shm.size 67108864\n",
		  GPU "h0 - shm.size 67108864\n",
		  "fault FP-SHM-SMALL at host h0\n" },
		{ TWO_GPUS "h0 - shm.size 67108864\n",
		  TWO_GPUS "h0 - shm.size 17179869184\n",
		  "fault FP-SHM-SMALL at host h0\n" },
		{ GPU "h0 - cpu.usable 2\n", GPU "h0 - cpu.usable 3\n",
		  "warn FP-CORES-FEW at host h0\n" },
		{ GPU "h0 - !rank 1\nh0 - cpu.usable 5\n",
		  GPU "h0 - !rank 1\nh0 - cpu.usable 6\n",
		  "warn FP-CORES-FEW at host h0\n" },
		{ "h0 0 !numa 0-3\nh0 0000:01:00.0 !gpu -\nh0 - cpu.allowed "
		  "4-7\n"
		  "h0 - kernel.release 6.1\n",
		  "h0 0 !numa 0-3\nh0 0000:01:00.0 !gpu -\nh0 - cpu.allowed "
		  "3-7\n"
		  "h0 - kernel.release 6.1\n",
		  "warn FP-CPUSET at host h0\n" },
		{ "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\n"
		  "GPU0\t X \tNV4\t0-3\t0\nGPU1\tNV4\t X \t\t1\n",
		  "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\n"
		  "GPU0\t X \tNV4\t0-3\t0\nGPU1\tNV4\t X \tN/A\tN/A\n",
		  "warn FP-CPUSET at host h0\n" },
	};

	(void)state;
	check_bed_rows("limits", rows, CHECK_BED_ROWS(rows));
}

#define SMI(mode)                                                 \
	"Attached GPUs : 1\nGPU 00000000:07:00.0\n    MIG Mode\n" \
	"        Current                   : " mode "\n"
#define AT "0000:01:00.0"
#define GPU3 "h0 0000:03:00.0 !gpu -\n"

static void gpus(void **state)
{
	static const struct check_bed_row rows[] = {
		{ SMI("Enabled"), SMI("Disabled"),
		  "info FP-GPU-MIG at host h0\n" },
		/* two tasks, each with one of the two GPUs on the bus */
		{ TWO_GPUS "h0 - !rank 1\nh0 " AT " gpu.uuid GPU-1\n",
		  TWO_GPUS "h0 - !rank 1\nh0 " AT " gpu.uuid GPU-1\n"
		           "h0 0000:02:00.0 gpu.uuid GPU-2\n",
		  "warn FP-GPU-VISIBLE at host h0\n" },
		/* both see one, and another */
		{ TWO_GPUS "h0 - !rank 1\nh0 - nvml.gpus " AT "\n"
		           "h0 rank1 nvml.gpus 0000:02:00.0\n",
		  TWO_GPUS "h0 - !rank 1\nh0 - nvml.gpus " AT " 0000:02:00.0\n",
		  "warn FP-GPU-VISIBLE at host h0\n" },
		/* half of a host is a job's own, and all of it sees it */
		{ TWO_GPUS GPU3 "h0 - !rank 1\nh0 - !rank 2\n"
		                "h0 " AT " gpu.uuid GPU-1\n"
		                "h0 0000:02:00.0 gpu.uuid GPU-2\n",
		  TWO_GPUS GPU3 "h0 - !rank 1\nh0 " AT " gpu.uuid GPU-1\n"
		                "h0 0000:02:00.0 gpu.uuid GPU-2\n",
		  "warn FP-GPU-VISIBLE at host h0\n" },
		{ "h0 " AT " gpu.processes 2\nh0 " AT " gpu.index 1\n",
		  "h0 " AT " gpu.processes 0\nh0 " AT " gpu.index 1\n",
		  "warn FP-GPU-BUSY at host h0, GPU1 (" AT ")\n" },
		{ "h0 " AT " gpu.compute_mode 3\n",
		  "h0 " AT " gpu.compute_mode 0\n",
		  "warn FP-COMPUTE-MODE at host h0, " AT "\n" },
	};

	(void)state;
	check_bed_rows("limits", rows, CHECK_BED_ROWS(rows));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_must_be_equal),
		cmocka_unit_test(environment),
		cmocka_unit_test(known),
		cmocka_unit_test(known_of_hosts),
		cmocka_unit_test(limits),
		cmocka_unit_test(gpus),
	};

	return cmocka_run_group_tests_name("check_hosts", tests, NULL, NULL);
}
