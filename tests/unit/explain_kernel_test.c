// SPDX-License-Identifier: Apache-2.0
// Unit tests of the reader of kernel logs: each stamp, each thing that it sees.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/explain_bed.h"

static const struct {
	const char *text, *bus;
	struct seen want;
} rows[] = {
	{ "[1085456.074562] NVRM: Xid (PCI:0000:09:00): 79, pid=0, GPU has "
	  "fallen off the bus.\n",
	  "0000:09:00.0",
	  { KIND_XID, -1, -1, "", NULL, NULL, 79, -1 } },
	{ "[Wed Sep 10 09:15:46 2026] NVRM: Xid (PCI:0008:01:00): 149, "
	  "NETIR_LINK_DOWN Fatal XC0 i0 Link 14 (0x0 0x0)\n",
	  "0008:01:00.0",
	  { KIND_XID, -1, -1, "", NULL, NULL, 149, 14 } },
	{ "kern  :err   : 2025-01-21T02:21:33,498559+00:00 nvidia-nvswitch0: "
	  "SXid (PCI:0000:c1:00.0): 20034, Fatal, Link 30 LTSSM Fault Up\n",
	  "0000:c1:00.0",
	  { KIND_SXID, -1, -1, "", NULL, NULL, 20034, 30 } },
	{ "[  +0.000005] pcieport 0000:00:03.0: PCIe Bus Error: severity="
	  "Corrected, type=Data Link Layer, (Transmitter ID)\n",
	  "0000:00:03.0",
	  { KIND_AER_CORRECTED, -1, -1, "", NULL, NULL, 0, -2 } },
	{ "[75889.542044] pcieport 0000:00:02.0: PCIe Bus Error: severity="
	  "Uncorrected (Fatal), type=Transaction Layer\n",
	  "0000:00:02.0",
	  { KIND_AER_FATAL, -1, -1, "", NULL, NULL, 2, -2 } },
	{ "<6>[    2.608284] mlx5_core 0000:41:00.1: 63.008 Gb/s available "
	  "PCIe bandwidth (8.0 GT/s PCIe x8 link)\n",
	  "0000:41:00.1",
	  { KIND_PCIE_LINK, -1, -1, "", NULL, NULL, 63008, 8 } },
	{ "Unable to determine the device handle for GPU0000:03:00.0: Unknown "
	  "Error\n",
	  "0000:03:00.0",
	  { KIND_GPU_LOST, -1, -1, NULL, NULL, NULL, -2, -2 } },
	{ "6,3973,227996636,-;nvidia-peermem nv_get_p2p_free_callback:127 "
	  "ERROR detected invalid context, skipping further processing\n",
	  "",
	  { KIND_PEERMEM, -1, -1, "", NULL, NULL, -2, -2 } },
	{ "[ 9.1] mlx5_core 0000:41:00.0 enp65s0f0np0: Link down\n",
	  "",
	  { KIND_NIC_DOWN, -1, -1, "", NULL, "enp65s0f0np0", -2, -2 } },
	{ "[ 9.1] mlx5_core 0000:5e:00.0: poll_health:800:(pid 0): device's "
	  "health compromised - reached miss count\n",
	  "0000:5e:00.0",
	  { KIND_NIC_FATAL, -1, -1, "", NULL, NULL, -2, -2 } },
	{ "[ 9.1] Out of memory: Killed process 4711 (python3) total-vm:1kB\n",
	  "",
	  { KIND_OOM, -1, -1, "", NULL, NULL, 4711, -2 } },
	{ "[ 9.1] INFO: task pt_main_thread:77 blocked for more than 120 "
	  "seconds.\n",
	  "",
	  { KIND_KERNEL_HUNG, -1, -1, "", NULL, NULL, -2, -2 } },
	{ "[ERROR] [tid 99] nv-fabricmanager: detected NVSwitch fatal error "
	  "20034 on device\n",
	  "",
	  { KIND_FM_ERROR, -1, -1, NULL, NULL, NULL, -2, -2 } },
};

/* Lines near these that say nothing. */
static const char *const silent[] = {
	"[ 9.1] NVRM:     -1    103  GSP_RM_ALLOC  0x79 0x79 y\n",
	"[ 9.1] mlx5_core 0:41:0.1: Port module event: 1, Cable unplugged\n",
	"[ 9.1] mlx5_core 0000:41:00.1: firmware version: 28.39.1002\n",
	"[ 9.1] NVRM: Xid (PCI:zz): x\n",
};

static void reads_lines(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct gather g = { 0 };
		const struct event *e;

		explain_bed_read(&g, "dmesg", rows[i].text);
		e = explain_bed_expect(&g, &rows[i].want);
		assert_string_equal(event_str(&g.events, e->bus), rows[i].bus);
		if (g.events.n != 1)
			fail_msg("%zu events of %s", g.events.n, rows[i].text);
		gather_done(&g);
	}
}

static void is_silent(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(silent) / sizeof(silent[0]); i++) {
		struct gather g = { 0 };

		explain_bed_read(&g, "dmesg", silent[i]);
		if (g.events.n)
			fail_msg("%zu events of %s", g.events.n, silent[i]);
		gather_done(&g);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_lines),
		cmocka_unit_test(is_silent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
