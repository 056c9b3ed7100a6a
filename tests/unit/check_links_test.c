// SPDX-License-Identifier: Apache-2.0
// What the checks of MTUs, PCIe and NVLink find, and their clean twins.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "probes/check/check.h"
#include "tests/unit/check_bed.h"

#define NETDEVS(a, b, c)                                           \
	"h0 eth0 !netdev " #a "\nh1 eth0 !netdev " #b "\nh2 eth0 " \
	"!netdev " #c "\n"
#define PORTS(a, b, c)                                     \
	"h0 mlx5_0/1 port.active_mtu " #a "\nh1 mlx5_0/1 " \
	"port.active_mtu " #b "\nh2 mlx5_0/1 port.active_mtu " #c "\n"

static void mtus(void **state)
{
	static const struct check_bed_row rows[] = {
		{ NETDEVS(9000, 1500, 9000), NETDEVS(9000, 9000, 9000),
		  "fault FP-MTU-MIXED at host h1, eth0\n" },
		/* two hosts: nobody can say which is right */
		{ "h0 eth0 !netdev 9000\nh1 eth0 !netdev 1500\n",
		  "h0 eth0 !netdev 1500\nh1 eth0 !netdev 1500\n",
		  "fault FP-MTU-MIXED at the job\n" },
		/* a rail each: names are compared, not devices */
		{ NETDEVS(9000, 9000, 1500) "h0 eth1 !netdev 4000\n",
		  NETDEVS(9000, 9000, 9000) "h0 eth1 !netdev 1500\n",
		  "fault FP-MTU-MIXED at host h2, eth0\n" },
		{ PORTS(4096, 4096, 1024), PORTS(1024, 1024, 1024),
		  "fault FP-PORT-MTU-MIXED at host h2, port mlx5_0/1\n" },
	};

	(void)state;
	check_bed_rows("mtu", rows, CHECK_BED_ROWS(rows));
}

#define BRIDGE "0000:00:01.0"
#define CARD "0000:01:00.0"
#define READ(device, name, value) "h0 " device " " name " " value "\n"
#define LINK(device, speed, width, max_speed, max_width) \
	READ(device, "pcie.speed", speed)                \
	READ(device, "pcie.width", width)                \
	READ(device, "pcie.max_speed", max_speed)        \
	READ(device, "pcie.max_width", max_width)
#define GPU_BELOW "h0 " BRIDGE " !bridge -\nh0 " CARD " !gpu " BRIDGE "\n"
#define GEN5_X16(device) LINK(device, "32000", "16", "32000", "16")
#define BUSY READ(CARD, "gpu.utilization", "90")
#define IDLE READ(CARD, "gpu.utilization", "0")

static void pcie_links(void **state)
{
	static const struct check_bed_row rows[] = {
		{ GPU_BELOW LINK(BRIDGE, "32000", "8", "32000", "16")
		          LINK(CARD, "32000", "8", "32000", "16"),
		  GPU_BELOW GEN5_X16(BRIDGE) GEN5_X16(CARD),
		  "fault FP-PCIE-WIDTH at host h0, PCI " CARD "\n" },
		/* the slot has no more: as it was built */
		{ GPU_BELOW LINK(BRIDGE, "16000", "4", "32000", "8")
		          LINK(CARD, "16000", "4", "32000", "16") BUSY,
		  GPU_BELOW LINK(BRIDGE, "16000", "8", "16000", "8")
		          LINK(CARD, "16000", "8", "32000", "16") BUSY,
		  "fault FP-PCIE-WIDTH at host h0, PCI " CARD "\n"
		  "fault FP-PCIE-SPEED at host h0, PCI " CARD "\n" },
		/* an idle GPU lowers its speed */
		{ GPU_BELOW GEN5_X16(BRIDGE)
		          LINK(CARD, "2500", "16", "32000", "16") BUSY,
		  GPU_BELOW GEN5_X16(BRIDGE)
		          LINK(CARD, "2500", "16", "32000", "16") IDLE,
		  "fault FP-PCIE-SPEED at host h0, PCI " CARD "\n" },
		/* a virtual machine's bridge, and width 0 */
		{ GPU_BELOW LINK(CARD, "32000", "8", "32000", "16"),
		  GPU_BELOW LINK(BRIDGE, "2500", "1", "2500", "1")
		          LINK(CARD, "32000", "8", "32000", "16"),
		  "warn FP-PCIE-WIDTH at host h0, PCI " CARD "\n" },
		{ GPU_BELOW GEN5_X16(BRIDGE)
		          LINK(CARD, "32000", "1", "32000", "16"),
		  GPU_BELOW GEN5_X16(BRIDGE)
		          LINK(CARD, "32000", "0", "32000", "16"),
		  "fault FP-PCIE-WIDTH at host h0, PCI " CARD "\n" },
		{ GPU_BELOW GEN5_X16(BRIDGE)
		          LINK(CARD, "32000", "1", "32000", "16"),
		  GPU_BELOW GEN5_X16(BRIDGE)
		          LINK(CARD, "32000", "1", "32000", "16")
		                  READ("-", "cpu.hypervisor", "1"),
		  "fault FP-PCIE-WIDTH at host h0, PCI " CARD "\n" },
	};

	(void)state;
	check_bed_rows("pcie", rows, CHECK_BED_ROWS(rows));
}

#define DRIVER_SAYS(gen, width)             \
	READ(CARD, "gpu.pcie_gen", gen)     \
	READ(CARD, "gpu.pcie_gen_max", "5") \
	READ(CARD, "gpu.pcie_width", width) \
	READ(CARD, "gpu.pcie_width_max", "16")
#define REPLAYS(a, b, c)                         \
	"h0 0000:01:00.0 gpu.pcie_replays " #a   \
	"\nh0 0000:02:00.0 gpu.pcie_replays " #b \
	"\nh0 0000:03:00.0 gpu.pcie_replays " #c "\n"
#define BANDWIDTH(n, line) READ("0000:41:00.0", "kmsg.pcie_bandwidth", n)

static void pcie_devices(void **state)
{
	static const struct check_bed_row rows[] = {
		{ DRIVER_SAYS("5", "8"), DRIVER_SAYS("5", "16"),
		  "fault FP-PCIE-WIDTH at host h0, " CARD "\n" },
		{ DRIVER_SAYS("3", "16") BUSY, DRIVER_SAYS("1", "16") IDLE,
		  "fault FP-PCIE-SPEED at host h0, " CARD "\n" },
		{ READ(CARD, "pcie.aer_fatal", "1"),
		  READ(CARD, "pcie.aer_fatal", "0")
		          READ(CARD, "pcie.aer_correctable", "12"),
		  "warn FP-PCIE-AER at host h0, PCI " CARD "\n" },
		/* some repeats are normal */
		{ REPLAYS(60, 120, 50000), REPLAYS(60, 120, 67),
		  "warn FP-PCIE-REPLAYS at host h0, 0000:03:00.0\n" },
		{ BANDWIDTH("63008", ""), BANDWIDTH("252048", ""),
		  "info FP-PCIE-NARROW-SLOT at host h0, PCI 0000:41:00.0\n" },
	};

	(void)state;
	check_bed_rows("pcie", rows, CHECK_BED_ROWS(rows));
}

/* Four GPUs: those of 0 to 1, 0 to 2, ... */
#define DRAWING(a, b, c, d, e, f)                                      \
	"\tGPU0\tGPU1\tGPU2\tGPU3\tCPU Affinity\n"                     \
	"GPU0\tX\t" a "\t" b "\t" c "\t0\nGPU1\t" a "\tX\t" d "\t" e   \
	"\t0\nGPU2\t" b "\t" d "\tX\t" f "\t0\nGPU3\t" c "\t" e "\t" f \
	"\tX\t0\n"
#define UP(n) " Link " #n ": 25.781 GB/s\n"
#define V100 "GPU 3: Tesla V100-SXM2-32GB (UUID: GPU-3)\n"
#define GH200 "GPU 0: NVIDIA GH200 480GB (UUID: GPU-0)\n"
#define FABRIC(state, status)                 \
	READ(CARD, "gpu.fabric_state", state) \
	READ(CARD, "gpu.fabric_status", status)
/* Two hosts of one NVLink domain, with so many IMEX channels each. */
#define RACK(cluster, clique, n0, n1)              \
	"h0 GPU0 gpu.fabric_cluster " cluster "\n" \
	"h0 GPU0 gpu.fabric_clique " clique "\n"   \
	"h0 - imex.channels " n0 "\n"              \
	"h1 GPU0 gpu.fabric_cluster " cluster "\n" \
	"h1 GPU0 gpu.fabric_clique " clique "\n"   \
	"h1 - imex.channels " n1 "\n"

#define RECOVERIES(a, b, c)                       \
	"h0 GPU0/nvlink0 nvlink.recoveries " #a   \
	"\nh0 GPU0/nvlink1 nvlink.recoveries " #b \
	"\nh0 GPU0/nvlink2 nvlink.recoveries " #c "\n"

static void nvlinks(void **state)
{
	static const struct check_bed_row rows[] = {
		{ DRAWING("NV18", "SYS", "NV18", "SYS", "NV18", "SYS"),
		  DRAWING("NV8", "NV8", "NV8", "NV8", "NV8", "NV8"),
		  "fault FP-NVLINK-NONE at host h0, GPU2\n" },
		{ DRAWING("NV18", "NV17", "NV18", "NV17", "NV18", "NV17"),
		  DRAWING("SYS", "SYS", "SYS", "SYS", "SYS", "SYS"),
		  "fault FP-NVLINK-FEWER at host h0, GPU2\n" },
		{ DRAWING("NV4", "NV4", "NV4", "NV3", "NV4", "NV4"),
		  DRAWING("NV1", "NV1", "NV2", "NV2", "NV1", "NV1"),
		  "fault FP-NVLINK-PAIR at host h0, GPU1 and GPU2\n" },
		{ V100 UP(0) UP(1) UP(2) " Link 3: <inactive>\n" UP(
			  4) " Link 5: <inactive>\n\n",
		  V100 UP(0) UP(1) UP(2) UP(3) UP(4) UP(5) "\n",
		  "fault FP-NVLINK-DOWN at host h0, GPU3\n" },
		/* the lists of nvidia-smi c2c -s */
		{ GH200 " C2C Link 0: 44.712 GB/s\n C2C Link 1: <inactive>\n",
		  GH200 " C2C Link 0: 44.712 GB/s\n C2C Link 1: 44.712 GB/s\n",
		  "fault FP-C2C-DOWN at host h0, GPU0\n" },
		{ READ(CARD, "gpu.c2c", "10") READ(CARD, "gpu.c2c_up", "8"),
		  READ(CARD, "gpu.c2c", "10") READ(CARD, "gpu.c2c_up", "10"),
		  "fault FP-C2C-DOWN at host h0, " CARD "\n" },
		{ RECOVERIES(0, 505, 0), RECOVERIES(3, 2, 9),
		  "warn FP-NVLINK-ERRORS at host h0, GPU0/nvlink1\n" },
	};

	(void)state;
	check_bed_rows("nvlink", rows, CHECK_BED_ROWS(rows));
}

/* What NVML says of a GPU and the fabric of NVSwitches. */
static void fabrics(void **state)
{
	static const struct check_bed_row rows[] = {
		{ FABRIC("2", "0"), FABRIC("3", "0"),
		  "fault FP-FABRIC-STATE at host h0, " CARD "\n" },
		{ FABRIC("3", "1"), FABRIC("0", "0"),
		  "fault FP-FABRIC-STATE at host h0, " CARD "\n" },
		/* masks of NVML: all is well; a degraded bandwidth, a route
		 * that is unhealthy, too few links */
		{ READ(CARD, "gpu.fabric_health", "341"),
		  READ(CARD, "gpu.fabric_health", "426"),
		  "fault FP-FABRIC-HEALTH at host h0, " CARD "\n" },
		{ READ(CARD, "gpu.fabric_health", "16"),
		  READ(CARD, "gpu.fabric_health", "0"),
		  "fault FP-FABRIC-HEALTH at host h0, " CARD "\n" },
		{ READ(CARD, "gpu.fabric_health", "1450"),
		  READ(CARD, "gpu.fabric_health", "298"),
		  "fault FP-FABRIC-HEALTH at host h0, " CARD "\n" },
		{ READ("GPU0", "gpu.fabric_clique", "1")
		          READ("GPU1", "gpu.fabric_clique", "2"),
		  READ("GPU0", "gpu.fabric_clique", "2")
		          READ("GPU1", "gpu.fabric_clique", "2"),
		  "warn FP-FABRIC-SPLIT at host h0\n" },
		{ READ("GPU0", "gpu.fabric_cluster", "a1")
		          READ("GPU1", "gpu.fabric_cluster", "b2"),
		  "h0 GPU0 gpu.fabric_cluster a1\n"
		  "h1 GPU0 gpu.fabric_cluster b2\n",
		  "warn FP-FABRIC-SPLIT at host h0\n" },
		/* of one that is not registered yet nothing else is told */
		{ READ("GPU0", "gpu.fabric_clique", "0")
		          READ("GPU0", "gpu.fabric_state", "2")
		                  READ("GPU1", "gpu.fabric_clique", "2")
		                          READ("GPU1", "gpu.fabric_state", "3"),
		  READ("GPU0", "gpu.fabric_clique", "2")
		          READ("GPU0", "gpu.fabric_state", "3")
		                  READ("GPU1", "gpu.fabric_clique", "2")
		                          READ("GPU1", "gpu.fabric_state", "3"),
		  "fault FP-FABRIC-STATE at host h0, GPU0\n" },
	};

	(void)state;
	check_bed_rows("nvlink", rows, CHECK_BED_ROWS(rows));
}

/* However many devices of a host it is of, it counts once. */
static void skips_count_hosts(void **state)
{
	static const char text[] = GPU_BELOW GEN5_X16(BRIDGE)
		LINK(CARD, "2500", "16", "32000", "16")
			IDLE READ(CARD, "gpu.pcie_gen", "1")
				READ(CARD, "gpu.pcie_gen_max", "5");
	struct check_out out = { .failed = false };
	struct topo_job job;
	int bit = checks_find("pcie");

	(void)state;
	assert_true(bit >= 0);
	check_bed_job(text, &job);
	assert_int_equal(checks_run(&job, 1u << bit, &out, NULL), FP_OK);
	assert_int_equal(out.n_skips, 1);
	assert_int_equal(out.skips[0].n_hosts, 1);
	assert_string_equal(out.skips[0].host, "h0");
	check_out_done(&out);
	topo_job_done(&job);
}

/* Some hosts of an NVLink domain have an IMEX channel, others none. */
static void channels(void **state)
{
	static const struct check_bed_row rows[] = {
		{ RACK("a1", "7", "1", "0"), RACK("a1", "7", "1", "1"),
		  "fault FP-IMEX-CHANNEL at host h1\n" },
		/* nobody has one; another clique; no NVLink between hosts */
		{ RACK("a1", "7", "1", "0"), RACK("a1", "7", "0", "0"),
		  "fault FP-IMEX-CHANNEL at host h1\n" },
		{ RACK("a1", "7", "1", "0"),
		  "h0 GPU0 gpu.fabric_cluster a1\nh0 GPU0 gpu.fabric_clique 7\n"
		  "h0 - imex.channels 1\nh1 GPU0 gpu.fabric_cluster a1\n"
		  "h1 GPU0 gpu.fabric_clique 8\nh1 - imex.channels 0\n",
		  "fault FP-IMEX-CHANNEL at host h1\n" },
		{ RACK("a1", "7", "2", "0"), RACK("0-0", "7", "2", "0"),
		  "fault FP-IMEX-CHANNEL at host h1\n" },
	};

	(void)state;
	check_bed_rows("nvlink", rows, CHECK_BED_ROWS(rows));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mtus),
		cmocka_unit_test(pcie_links),
		cmocka_unit_test(pcie_devices),
		cmocka_unit_test(nvlinks),
		cmocka_unit_test(fabrics),
		cmocka_unit_test(skips_count_hosts),
		cmocka_unit_test(channels),
	};

	return cmocka_run_group_tests_name("check_links", tests, NULL, NULL);
}
