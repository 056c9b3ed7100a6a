// SPDX-License-Identifier: Apache-2.0
// What the checks of HCAs and of peer access find, and their clean twins.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/check_bed.h"

#define CA(name, type, firmware, state, phys, rate, guid, layer)            \
	"CA '" name "'\n\tCA type: " type "\n\tFirmware version: " firmware \
	"\n\tPort 1:\n\t\tState: " state "\n\t\tPhysical state: " phys      \
	"\n\t\tRate: " rate "\n\t\tPort GUID: " guid                        \
	"\n\t\tLink layer: " layer "\n"
#define GOOD(name)                                                    \
	CA(name, "MT4129", "28.39", "Active", "LinkUp", "400", "0x1", \
	   "InfiniBand")
#define DOWN(name, phys) \
	CA(name, "MT4129", "28.39", "Down", phys, "40", "0x1", "InfiniBand")
#define SERVICE(name, state, phys) \
	CA(name, "MT4125", "22.39", state, phys, "100", "0x0", "Ethernet")
#define THREE GOOD("mlx5_0") GOOD("mlx5_1") GOOD("mlx5_2")

static void ports_inside_a_host(void **state)
{
	static const struct check_bed_row rows[] = {
		{ THREE DOWN("mlx5_3", "Polling"), THREE GOOD("mlx5_3"),
		  "fault FP-PORT-POLLING at host h0, port mlx5_3/1\n" },
		/* most of that type are off: nobody uses them */
		{ THREE DOWN("mlx5_3", "Disabled"),
		  THREE SERVICE("mlx5_3", "Down", "Disabled")
		          SERVICE("mlx5_4", "Down", "Disabled")
		                  SERVICE("mlx5_5", "Active", "LinkUp"),
		  "fault FP-PORT-DISABLED at host h0, port mlx5_3/1\n" },
		{ THREE DOWN("mlx5_3", "Sleep"),
		  GOOD("mlx5_0") DOWN("mlx5_1", "Polling"),
		  "fault FP-PORT-DOWN at host h0, port mlx5_3/1\n" },
		{ THREE CA("mlx5_3", "MT4129", "28.39", "Initializing",
		           "LinkUp", "400", "0x1", "InfiniBand"),
		  THREE, "fault FP-PORT-INIT at host h0, port mlx5_3/1\n" },
		/* slower ones of another type are for services */
		{ THREE CA("mlx5_3", "MT4129", "28.39", "Active", "LinkUp",
		           "200", "0x1", "InfiniBand"),
		  THREE SERVICE("mlx5_3", "Active", "LinkUp"),
		  "fault FP-PORT-RATE-LOW at host h0, port mlx5_3/1\n" },
		{ THREE CA("mlx5_3", "MT4129", "28.39", "Active", "LinkUp",
		           "400", "0x1", "Ethernet"),
		  THREE, "warn FP-PORT-LAYER at host h0, port mlx5_3/1\n" },
		{ THREE CA("mlx5_3", "MT4129", "28.38", "Active", "LinkUp",
		           "400", "0x1", "InfiniBand"),
		  THREE SERVICE("mlx5_3", "Active", "LinkUp"),
		  "warn FP-HCA-FIRMWARE at host h0, mlx5_3\n" },
		{ SERVICE("mlx5_0", "Active", "LinkUp"),
		  THREE SERVICE("mlx5_3", "Active", "LinkUp"),
		  "warn FP-PORT-GID at host h0, port mlx5_0/1\n" },
	};

	(void)state;
	check_bed_rows("hca", rows, CHECK_BED_ROWS(rows));
}

#define PORT(host, name, state, phys, rate)                                 \
	host " " name " port.state " state "\n" host " " name               \
	     " port.phys_state " phys "\n" host " " name " port.rate " rate \
	     "\n" host " " name " port.link_layer InfiniBand\n"
#define UP(host, name) PORT(host, name, "Active", "LinkUp", "400000000000")
#define OFF(host, name) PORT(host, name, "Down", "Polling", "10000000000")
#define HALF(host, name) PORT(host, name, "Active", "LinkUp", "200000000000")

/* What is down, or slow, on most hosts is meant to be. */
static void ports_across_hosts(void **state)
{
	static const struct check_bed_row rows[] = {
		{ UP("h0", "mlx5_0/1") UP("h1", "mlx5_0/1")
		          OFF("h2", "mlx5_0/1"),
		  OFF("h0", "mlx5_0/1") OFF("h1", "mlx5_0/1")
		          UP("h2", "mlx5_0/1"),
		  "fault FP-PORT-POLLING at host h2, port mlx5_0/1\n" },
		/* no subnet manager: nobody is up, and nobody meant it so */
		{ UP("h0", "mlx5_0/1") UP("h1", "mlx5_0/1")
		          PORT("h0", "mlx5_5/1", "Initializing", "LinkUp",
		               "400000000000"),
		  UP("h0", "mlx5_0/1") UP("h1", "mlx5_0/1")
		          OFF("h0", "mlx5_5/1") OFF("h1", "mlx5_5/1"),
		  "fault FP-PORT-INIT at host h0, port mlx5_5/1\n" },
		{ PORT("h0", "mlx5_5/1", "Initializing", "LinkUp",
		       "400000000000") PORT("h1", "mlx5_5/1", "Initializing",
		                            "LinkUp", "400000000000"),
		  OFF("h0", "mlx5_5/1") OFF("h1", "mlx5_5/1"),
		  "fault FP-PORT-INIT at host h0, port mlx5_5/1\n"
		  "fault FP-PORT-INIT at host h1, port mlx5_5/1\n" },
		{ UP("h0", "mlx5_0/1") UP("h1", "mlx5_0/1")
		          HALF("h2", "mlx5_0/1"),
		  UP("h0", "mlx5_0/1") UP("h0", "mlx5_1/1") UP("h0", "mlx5_2/1")
		          HALF("h0", "mlx5_3/1") UP("h1", "mlx5_0/1")
		                  HALF("h1", "mlx5_3/1"),
		  "fault FP-PORT-RATE-LOW at host h2, port mlx5_0/1\n" },
	};

	(void)state;
	check_bed_rows("hca", rows, CHECK_BED_ROWS(rows));
}

#define HCA(host, name) host " " name " hca.type MT4129\n"
#define TWO(host) HCA(host, "mlx5_0") HCA(host, "mlx5_1")
#define EACH(name, a, b, c)                                                   \
	"h0 eth0 " name " " a "\nh1 eth0 " name " " b "\nh2 eth0 " name " " c \
	"\n"
#define FLAPS(a, b, c)                              \
	"h0 mlx5_0/1 port.counter.link_downed " a   \
	"\nh0 mlx5_1/1 port.counter.link_downed " b \
	"\nh0 mlx5_2/1 port.counter.link_downed " c "\n"

static void hcas(void **state)
{
	static const struct check_bed_row rows[] = {
		{ TWO("h0") HCA("h1", "mlx5_0") TWO("h2"),
		  TWO("h0") TWO("h1") TWO("h2"),
		  "fault FP-HCA-SET at host h1\n" },
		/* a host that was read and has none */
		{ TWO("h0") TWO("h1") "h2 - kernel.release 6.1\n",
		  TWO("h0") TWO("h1") "h2 - shm.size 5\n",
		  "fault FP-HCA-SET at host h2\n" },
		{ EACH("netdev.pfc", "8", "8", "0"),
		  EACH("netdev.pfc", "8", "8", "8"),
		  "warn FP-PFC-MIXED at host h2, eth0\n" },
		{ EACH("netdev.trust", "dscp", "pcp", "dscp"),
		  EACH("netdev.trust", "dscp", "dscp", "dscp"),
		  "warn FP-PFC-MIXED at host h1, eth0\n" },
		{ FLAPS("0", "40", "1"), FLAPS("2", "1", "1"),
		  "warn FP-PORT-ERRORS at host h0, port mlx5_1/1\n" },
		{ "h0 mlx5_0/1 port.state Active\n"
		  "h0 mlx5_0/1 port.link_layer Ethernet\n"
		  "h0 mlx5_0/1 port.gids_roce_v2 0\n",
		  "h0 mlx5_0/1 port.state Active\n"
		  "h0 mlx5_0/1 port.link_layer Ethernet\n"
		  "h0 mlx5_0/1 port.gids_roce_v2 2\n",
		  "warn FP-PORT-GID at host h0, port mlx5_0/1\n" },
	};

	(void)state;
	check_bed_rows("hca", rows, CHECK_BED_ROWS(rows));
}

/* Port @p of host @h, with the GIDs of a device at @a and its own address. */
#define ROCE(h, p, gid)                                                        \
	h " " p "/1 port.state Active\n" h " " p                               \
	  "/1 port.link_layer Ethernet\n" h " " p "/1 port.gids_roce_v2 2\n" h \
	  " " p "/1 port.gid.0 fe80:0000:0000:0000:0000:0000:0000:0001\n" h    \
	  " " p "/1 port.gid_type.0 RoCE v2\n" h " " p "/1 port.gid.3 " gid    \
	  "\n" h " " p "/1 port.gid_type.3 RoCE v2\n"
#define IN(net, n) "0000:0000:0000:0000:0000:ffff:" net ":" n
#define MASKED(h, p, addr) \
	h " " p "/1 port.netdev n" p "\n" h " n" p " netdev.addr " addr "\n"
#define LOCAL "fe80:0000:0000:0000:0000:0000:0000:0002"
#define RAILS(h, n) \
	ROCE(h, "mlx5_0", IN("0a01", n)) ROCE(h, "mlx5_1", IN("0a02", n))
#define FOUR RAILS("h0", "0001") RAILS("h1", "0002") RAILS("h2", "0003")
#define AT_H3(p, rest) \
	"fault FP-PORT-SUBNET at host h3, port mlx5_" p "/1\n" rest

static void subnets(void **state)
{
	static const struct check_bed_row rows[] = {
		/* a subnet for each rail; one port is in none of them */
		{ FOUR ROCE("h3", "mlx5_0", IN("0a01", "0004"))
		          ROCE("h3", "mlx5_1", IN("0a09", "0004")),
		  FOUR RAILS("h3", "0004"), AT_H3("1", "") },
		/* addresses, or cables, are crossed */
		{ FOUR ROCE("h3", "mlx5_0", IN("0a02", "0004"))
		          ROCE("h3", "mlx5_1", IN("0a01", "0004")),
		  /* all of its rails are elsewhere: another rack */
		  FOUR ROCE("h3", "mlx5_0", IN("0b01", "0004"))
		          ROCE("h3", "mlx5_1", IN("0b02", "0004")),
		  AT_H3("0", AT_H3("1", "")) },
		/* no address that goes anywhere */
		{ FOUR ROCE("h3", "mlx5_0", IN("0a01", "0004"))
		          ROCE("h3", "mlx5_1", LOCAL),
		  ROCE("h0", "mlx5_0", LOCAL) ROCE("h1", "mlx5_0", LOCAL)
		          ROCE("h2", "mlx5_0", LOCAL)
		                  ROCE("h3", "mlx5_0", IN("0a01", "0004")),
		  AT_H3("1", "") },
		/* one rail: it may be routed */
		{ ROCE("h0", "mlx5_0", IN("0a01", "0001"))
		          ROCE("h1", "mlx5_0", IN("0a01", "0002"))
		                  ROCE("h2", "mlx5_0", IN("0a01", "0003")) ROCE(
					  "h3", "mlx5_0", IN("0b01", "0004")),
		  /* so it is: two by two */
		  ROCE("h0", "mlx5_0", IN("0a01", "0001"))
		          ROCE("h1", "mlx5_0", IN("0a01", "0002")) ROCE(
				  "h2", "mlx5_0", IN("0a01", "0003"))
		                  ROCE("h3", "mlx5_0", IN("0b01", "0004")) ROCE(
					  "h4", "mlx5_0", IN("0b01", "0005")),
		  "warn FP-PORT-SUBNET at host h3, port mlx5_0/1\n" },
		/* what a mask tells, which is not known otherwise */
		{ ROCE("h0", "mlx5_0",
		       IN("0a01", "0101")) MASKED("h0", "mlx5_0", "10.1.1.1/24")
		          ROCE("h1", "mlx5_0", IN("0a01", "0102"))
		                  MASKED("h1", "mlx5_0", "10.1.1.2/24") ROCE(
					  "h2", "mlx5_0", IN("0a01", "0203"))
		                          MASKED("h2", "mlx5_0", "10.1.2.3/24"),
		  ROCE("h0", "mlx5_0", IN("0a01", "0101"))
		          ROCE("h1", "mlx5_0", IN("0a01", "0102"))
		                  ROCE("h2", "mlx5_0", IN("0a01", "0203")),
		  "warn FP-PORT-SUBNET at host h2, port mlx5_0/1\n" },
		/* a subnet for each link, as where hosts route */
		{ FOUR ROCE("h3", "mlx5_0", IN("0a09", "0004"))
		          ROCE("h3", "mlx5_1", IN("0a02", "0004")),
		  ROCE("h0", "mlx5_0", IN("0a01", "0001"))
		          ROCE("h1", "mlx5_0", IN("0a02", "0001"))
		                  ROCE("h2", "mlx5_0", IN("0a03", "0001")),
		  AT_H3("0", "") },
	};

	(void)state;
	check_bed_rows("hca", rows, CHECK_BED_ROWS(rows));
}

#define P2P(a, b, c)                                                    \
	"\tGPU0\tGPU1\tGPU2\nGPU0\tX\t" a "\t" b "\nGPU1\t" a "\tX\t" c \
	"\nGPU2\t" b "\t" c "\tX\n"
#define NAMED(name)                                   \
	"GPU 0: " name " (UUID: GPU-0)\nGPU 1: " name \
	" (UUID: GPU-1)\nGPU 2: " name " (UUID: GPU-2)\n"

static void peer_access(void **state)
{
	static const struct check_bed_row rows[] = {
		{ P2P("CNS", "CNS", "CNS") NAMED("NVIDIA L40S"),
		  P2P("OK", "OK", "OK") NAMED("NVIDIA L40S"),
		  "warn FP-P2P-OFF at host h0\n" },
		/* sold without: no fault */
		{ P2P("CNS", "CNS", "CNS") NAMED("NVIDIA GeForce RTX 4090"),
		  P2P("U", "U", "U"), "info FP-P2P-OFF at host h0\n" },
		{ P2P("OK", "CNS", "CNS"), P2P("OK", "OK", "CNS"),
		  "fault FP-P2P-PAIR at host h0, GPU2\n" },
	};

	(void)state;
	check_bed_rows("p2p", rows, CHECK_BED_ROWS(rows));
}

#define TREE                                               \
	"h0 0000:00:01.0 !bridge -\nh0 0000:01:00.0 !gpu " \
	"0000:00:01.0\nh0 0000:00:02.0 !bridge -\n"
#define GDR "h0 mlx5_0 !hca 0000:05:00.0\nh0 - module.nvidia 580\n" TREE

static void what_stands_between(void **state)
{
	static const struct check_bed_row rows[] = {
		/* nothing hangs from the second bridge */
		{ TREE "h0 0000:00:01.0 pcie.acs 29\n",
		  TREE "h0 0000:00:01.0 pcie.acs 1\n"
		       "h0 0000:00:02.0 pcie.acs 29\n",
		  "warn FP-P2P-ACS at host h0\n" },
		{ TREE "h0 0000:01:00.0 pcie.iommu_type DMA-FQ\n",
		  TREE "h0 0000:01:00.0 pcie.iommu_type identity\n",
		  "warn FP-P2P-IOMMU at host h0\n" },
		{ TREE "h0 0000:01:00.0 pcie.iommu_type DMA\n",
		  TREE "h0 0000:01:00.0 pcie.iommu_type DMA\n"
		       "h0 - cpu.hypervisor 1\n",
		  "warn FP-P2P-IOMMU at host h0\n" },
		{ GDR "h0 - kernel.release 5.4.0\n",
		  GDR "h0 - kernel.release 5.4.0\n"
		      "h0 - module.nvidia_peermem loaded\n",
		  "warn FP-GDR-OFF at host h0\n" },
		{ GDR "h0 - kernel.release 6.8.0-45\n",
		  "h0 - module.nvidia 580\nh0 - kernel.release 6.8\n" TREE,
		  "info FP-GDR-OFF at host h0\n" },
	};

	(void)state;
	check_bed_rows("p2p", rows, CHECK_BED_ROWS(rows));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ports_inside_a_host),
		cmocka_unit_test(ports_across_hosts),
		cmocka_unit_test(hcas),
		cmocka_unit_test(subnets),
		cmocka_unit_test(peer_access),
		cmocka_unit_test(what_stands_between),
	};

	return cmocka_run_group_tests_name("check_ports", tests, NULL, NULL);
}
