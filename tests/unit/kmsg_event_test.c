// SPDX-License-Identifier: Apache-2.0
// Lines of the kernel log: every style of stamp, every kind of event, and what
// looks like one.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "topo/source/kmsg_event.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void stamps(void **state)
{
	static const struct {
		const char *line;
		uint32_t clock;
		double time_s;
	} rows[] = {
		{ "[   12.345678] text", KMSG_BOOT, 12.345678 },
		{ "[1085456.074554] text", KMSG_BOOT, 1085456.074554 },
		{ "<6>[    2.608284] text", KMSG_BOOT, 2.608284 },
		{ "6,3973,227996636,-;text", KMSG_BOOT, 227.996636 },
		{ "4,1,5000000,c,caller=T1;text", KMSG_BOOT, 5 },
		{ "[  +0.000316] text", KMSG_DELTA, 0.000316 },
		{ "[Sun Feb 23 16:24:18 2025] text", KMSG_UNIX, 1740327858 },
		{ "[Sat Sep  5 04:58:12 2026] text", KMSG_UNIX, 1788584292 },
		{ "kern  :warn  : 2025-01-21T02:21:33,500000+00:00 text",
		  KMSG_UNIX, 1737426093.5 },
		{ "2025-01-21T04:21:33,500000+02:00 text", KMSG_UNIX,
		  1737426093.5 },
		{ "2025-01-21T02:21:33.500000+0000 n7 kernel: text", KMSG_UNIX,
		  1737426093.5 },
		{ "[2025-01-21T02:21:33Z] text", KMSG_UNIX, 1737426093 },
		{ "Feb 23 16:24:18 node7 kernel: [   12.3] text", KMSG_NO_YEAR,
		  4638258 },
		{ "Feb  3 16:24:18 node7 kernel: text", KMSG_NO_YEAR, 2910258 },
		{ "text", KMSG_NO_CLOCK, 0 },
		{ "   text", KMSG_NO_CLOCK, 0 },
	};
	struct kmsg_stamp got;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		kmsg_stamp_read(rows[i].line, &got);
		if (got.clock != rows[i].clock ||
		    got.time_s - rows[i].time_s > 1e-6 ||
		    rows[i].time_s - got.time_s > 1e-6 ||
		    strcmp(got.message, "text") != 0)
			fail_msg("'%s' is %u, %f, '%s'", rows[i].line,
			         got.clock, got.time_s, got.message);
	}
}

/* What only begins like a stamp belongs to the message. */
static void no_stamps(void **state)
{
	static const char *const lines[] = {
		"[drm] Initialized nvidia-drm 0.0.0",
		"[12.3 text",
		"[Sun Feb text",
		"[+] text",
		"6,3973 text",
		"<x>text",
		"2025-01-21 text",
		"audit: type=1400 text",
		"mlx5_core 0000:41:00.1: text",
		"",
	};
	struct kmsg_stamp got;

	(void)state;
	for (size_t i = 0; i < COUNT(lines); i++) {
		kmsg_stamp_read(lines[i], &got);
		assert_int_equal(got.clock, KMSG_NO_CLOCK);
		assert_string_equal(got.message, lines[i]);
	}
}

struct event_row {
	const char *message;
	struct kmsg_event want;
};

static void check_event(const struct event_row *row)
{
	struct kmsg_event got;

	assert_true(kmsg_event_read(row->message, &got));
	if (got.kind != row->want.kind || got.number != row->want.number ||
	    strcmp(got.device, row->want.device) != 0 ||
	    got.pid != row->want.pid ||
	    strcmp(got.process, row->want.process) != 0 ||
	    got.link != row->want.link)
		fail_msg("'%s' is kind %u, %lld of '%s', pid %lld '%s', "
		         "link %d",
		         row->message, got.kind, (long long)got.number,
		         got.device, (long long)got.pid, got.process, got.link);
}

static void xids(void **state)
{
	static const struct event_row rows[] = {
		{ "NVRM: Xid (PCI:0000:9b:00): 119, pid=2024380, "
		  "name=nvidia-smi, Timeout after 6s of waiting for RPC",
		  { KMSG_XID, 119, "0000:9b:00.0", 2024380, "nvidia-smi",
		    -1 } },
		{ "NVRM: Xid (PCI:0000:38:00): 13, pid='<unknown>', "
		  "name=<unknown>, Graphics SM Warp Exception on (GPC 8)",
		  { KMSG_XID, 13, "0000:38:00.0", -1, "", -1 } },
		{ "NVRM: Xid (PCI:0000:02:00): 79, GPU has fallen off the bus.",
		  { KMSG_XID, 79, "0000:02:00.0", -1, "", -1 } },
		{ "NVRM: Xid (PCI:0008:01:00): 149, NETIR_LINK_DOWN Fatal XC0 "
		  "i0 Link 14 (0x00000000 0x00000000)",
		  { KMSG_XID, 149, "0008:01:00.0", -1, "", 14 } },
		{ "NVRM: Xid (PCI:0008:01:00): 145, RLW_REMAP Nonfatal XC0 i0 "
		  "Link -1 (0x00000000)",
		  { KMSG_XID, 145, "0008:01:00.0", -1, "", -1 } },
		{ "NVRM: Xid (PCI:0000:dc:00): 45, pid=1818990, name=python3, "
		  "Ch 00000001 caused by previous Xid 149",
		  { KMSG_XID, 149, "0000:dc:00.0", 1818990, "python3", -1 } },
		{ "nvidia-nvswitch0: SXid (PCI:0000:c1:00.0): 20034, Fatal, "
		  "Link 30 LTSSM Fault Up",
		  { KMSG_SXID, 20034, "0000:c1:00.0", -1, "", 30 } },
		{ "NVRM: GPU 0000:09:00.0: GPU has fallen off the bus.",
		  { KMSG_BUS_LOST, 0, "0000:09:00.0", -1, "", -1 } },
		{ "Unable to determine the device handle for "
		  "GPU0000:03:00.0: Unknown Error",
		  { KMSG_BUS_LOST, 0, "0000:03:00.0", -1, "", -1 } },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		check_event(&rows[i]);
}

static void other_events(void **state)
{
	static const struct event_row rows[] = {
		{ "pcieport 0000:00:03.0: PCIe Bus Error: severity=Corrected, "
		  "type=Data Link Layer, (Transmitter ID)",
		  { KMSG_AER, 0, "0000:00:03.0", -1, "", -1 } },
		{ "pcieport 0000:00:03.1: PCIe Bus Error: "
		  "severity=Correctable, type=Data Link Layer",
		  { KMSG_AER, 0, "0000:00:03.1", -1, "", -1 } },
		{ "pcieport 0000:00:03.1: PCIe Bus Error: "
		  "severity=Uncorrectable (Fatal), type=Transaction Layer",
		  { KMSG_AER, 2, "0000:00:03.1", -1, "", -1 } },
		{ "pcieport 0000:00:01.1: AER: PCIe Bus Error: "
		  "severity=Uncorrected (Non-Fatal), type=Transaction Layer",
		  { KMSG_AER, 1, "0000:00:01.1", -1, "", -1 } },
		{ "pcieport 0000:00:02.0: PCIe Bus Error: severity=Uncorrected "
		  "(Fatal), type=Transaction Layer, id=0010(Receiver ID)",
		  { KMSG_AER, 2, "0000:00:02.0", -1, "", -1 } },
		{ "mlx5_core 0000:41:00.1: 63.008 Gb/s available PCIe "
		  "bandwidth "
		  "(8.0 GT/s PCIe x8 link)",
		  { KMSG_PCIE_BANDWIDTH, 63008, "0000:41:00.1", -1, "", -1 } },
		{ "mlx5_core 0000:41:00.0 enp65s0f0np0: Link down",
		  { KMSG_LINK_DOWN, 0, "enp65s0f0np0", -1, "", -1 } },
		{ "ixgbe 0000:01:00.0 eth2: NIC Link is Down",
		  { KMSG_LINK_DOWN, 0, "eth2", -1, "", -1 } },
		{ "mlx4_en: ens6: Link Down",
		  { KMSG_LINK_DOWN, 0, "ens6", -1, "", -1 } },
		{ "mlx5_core 0000:41:00.0 enp65s0f0np0: Link up",
		  { KMSG_LINK_UP, 0, "enp65s0f0np0", -1, "", -1 } },
		{ "Out of memory: Killed process 4711 (python3) total-vm:1kB",
		  { KMSG_OOM, 4711, "", 4711, "python3", -1 } },
		{ "Memory cgroup out of memory: Killed process 5 (a) x",
		  { KMSG_OOM, 5, "", 5, "a", -1 } },
		{ "mce: [Hardware Error]: Machine check events logged",
		  { KMSG_MCE, 0, "", -1, "", -1 } },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		check_event(&rows[i]);
}

static void no_events(void **state)
{
	static const char *const messages[] = {
		"NVRM:      0    103  GSP_RM_ALLOC   0x2081 0x0004",
		"NVRM: Xid (PCI:zz): 79, no address",
		"NVRM: Xid (PCI:0000:9b:00): seventy-nine",
		"NVRM: GPU at PCI:0000:9b:00: GPU-00000000-b600",
		"NVRM: GPU 0000:09:00.0: GPU is on Board .",
		"pcieport 0000:00:03.0: AER: Corrected error received",
		"pcieport 0000:00:03.0:    [12] Timeout",
		"mlx5_core 0000:41:00.1: module 1, Cable unplugged",
		"mlx5_core 0000:1a:00.0: insufficient power on the slot (27W)",
		"nvidia-peermem nv_get_p2p_free_callback:127 ERROR detected",
		"nvidia-nvlink: Nvlink Core is being initialized",
		"mce: CPU supports 32 MCE banks",
		"Killed process x (y)",
		": Link down",
		"",
	};
	struct kmsg_event got;

	(void)state;
	for (size_t i = 0; i < COUNT(messages); i++) {
		if (kmsg_event_read(messages[i], &got))
			fail_msg("'%s' is of kind %u", messages[i], got.kind);
		assert_int_equal(got.kind, KMSG_OTHER);
	}
}

static void kinds_have_readings(void **state)
{
	(void)state;
	assert_null(kmsg_kind_reading(KMSG_OTHER));
	assert_null(kmsg_kind_reading(KMSG_KIND_COUNT));
	for (unsigned kind = KMSG_OTHER + 1; kind < KMSG_KIND_COUNT; kind++)
		assert_int_equal(strncmp(kmsg_kind_reading(kind), "kmsg.", 5),
		                 0);
}

/* Each line as a logger hands it on; what is between does no harm. */
static void lost_without_xid(void **state)
{
	static const char *const lines[] = {
		"NVRM: The NVIDIA GPU 0000:b3:00.0",
		"               NVRM: (PCI ID: 10de:26b5) installed in this "
		"system has",
		"               NVRM: fallen off the bus and is not responding "
		"to commands.",
	};
	static const char *const another[] = {
		"NVRM: The NVIDIA GPU 0000:b3:00.0 (PCI ID: 10de:1024)",
		"NVRM: installed in this system is not supported by the",
		"NVRM: NVIDIA 570.158.01 driver release.",
		"NVRM: fallen off the bus and is not responding to commands.",
	};
	struct kmsg_lines open = { .left = 0 };
	struct kmsg_event got;

	(void)state;
	assert_false(kmsg_lines_read(&open, lines[0], &got));
	assert_false(kmsg_lines_read(&open, lines[1], &got));
	assert_true(kmsg_lines_read(&open, lines[2], &got));
	assert_int_equal(got.kind, KMSG_BUS_LOST);
	assert_string_equal(got.device, "0000:b3:00.0");
	assert_int_equal(open.left, 0);
	for (size_t i = 0; i < COUNT(another); i++)
		assert_false(kmsg_lines_read(&open, another[i], &got));
	assert_true(kmsg_lines_read(
		&open,
		"NVRM: The NVIDIA GPU 0000:b3:00.0\\x0aNVRM: (PCI ID: "
		"10de:26b5) installed in this system has\\x0aNVRM: fallen "
		"off the bus and is not responding to commands.",
		&got));
	assert_string_equal(got.device, "0000:b3:00.0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stamps),
		cmocka_unit_test(no_stamps),
		cmocka_unit_test(xids),
		cmocka_unit_test(lost_without_xid),
		cmocka_unit_test(other_events),
		cmocka_unit_test(no_events),
		cmocka_unit_test(kinds_have_readings),
	};

	return cmocka_run_group_tests_name("kmsg_event", tests, NULL, NULL);
}
