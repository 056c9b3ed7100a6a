// SPDX-License-Identifier: Apache-2.0
// What the checks of clocks and the kernel log find, and their clean twins.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/check_bed.h"

#define AT "0000:01:00.0"
#define GPU(name, value) "h0 " AT " gpu." name " " value "\n"

static void clocks(void **state)
{
	static const struct check_bed_row rows[] = {
		{ GPU("ecc_uncorrected", "1"), GPU("ecc_corrected", "177"),
		  "fault FP-GPU-ECC at host h0, " AT "\n" },
		{ GPU("ecc_uncorrected_all", "1"),
		  GPU("ecc_uncorrected_all", "0"),
		  "warn FP-GPU-ECC at host h0, " AT "\n" },
		{ GPU("remap_pending", "1"), GPU("remap_uncorrected", "4"),
		  "fault FP-GPU-REMAP-PENDING at host h0, " AT "\n" },
		{ GPU("remap_failed", "1"), GPU("remap_failed", "0"),
		  "fault FP-GPU-REMAP-FAILED at host h0, " AT "\n" },
		{ GPU("retired_pending", "1"), GPU("retired_sbe", "1"),
		  "warn FP-GPU-RETIREMENT at host h0, " AT "\n" },
		{ GPU("recovery", "2"), GPU("recovery", "0"),
		  "fault FP-GPU-RECOVERY at host h0, " AT "\n" },
		{ GPU("temperature", "92") GPU("temperature_slowdown", "92"),
		  GPU("temperature", "91") GPU("temperature_slowdown", "92"),
		  "fault FP-GPU-HOT at host h0, " AT "\n" },
		/* 0x40: heat; 0x5: idle and the power cap that is set */
		{ GPU("clock_events", "64"), GPU("clock_events", "5"),
		  "fault FP-GPU-HOT at host h0, " AT "\n" },
		{ GPU("clock_events", "136"), GPU("clock_events", "1"),
		  "warn FP-GPU-SLOWDOWN at host h0, " AT "\n" },
	};

	(void)state;
	check_bed_rows("clocks", rows, CHECK_BED_ROWS(rows));
}

#define XID(bus, rest) "[ 12.5] NVRM: Xid (PCI:" bus "): " rest "\n"
#define NOISE "[ 1.0] mlx5_core 0000:1a:00.0: firmware version: 28.39\n"
#define PLACE(what) what " at host h0, 0000:9b:00.0\n"

static void xids(void **state)
{
	static const struct check_bed_row rows[] = {
		{ XID("0000:9b:00", "79, pid=0, GPU has fallen off the bus."),
		  NOISE, PLACE("fault FP-GPU-LOST") },
		{ "Unable to determine the device handle for "
		  "GPU0000:9b:00.0: Unknown Error\n" NOISE,
		  "No devices were found\n" NOISE, PLACE("fault FP-GPU-LOST") },
		{ XID("0000:9b:00", "48, pid=1, name=a, DBE")
		          XID("0000:9b:00", "63, pid=1, name=a, Row Remapper"),
		  NOISE, PLACE("fault FP-XID-HARDWARE") },
		{ XID("0000:9b:00", "119, pid=2, name=b, Timeout after 6s"),
		  "[ 1.0] NVRM:      0    103  GSP_RM_ALLOC  0x20 0x04\n",
		  PLACE("fault FP-XID-DRIVER") },
		{ XID("0000:9b:00", "74, pid=2, name=b, NVLink: fatal error"),
		  NOISE, PLACE("fault FP-XID-NVLINK") },
		{ XID("0000:9b:00", "31, pid=2, name=b, Ch 00000008"), NOISE,
		  PLACE("warn FP-XID-APPLICATION") },
		/* back to none: it has recovered */
		{ XID("0000:9b:00", "154, GPU recovery action changed from 0x0 "
		                    "(None) to 0x1 (GPU Reset Required)"),
		  XID("0000:9b:00", "154, GPU recovery action changed from 0x1 "
		                    "(GPU Reset Required) to 0x0 (None)"),
		  PLACE("fault FP-GPU-RECOVERY") },
		/* the victims of a link are not to blame */
		{ XID("0000:9b:00", "149, NETIR_LINK_DOWN Fatal XC0 i0 Link 14 "
		                    "(0x0)")
		          XID("0009:01:00", "145, RLW_REMAP Nonfatal XC0 i0 "
		                            "Link 12 (0x0)"),
		  NOISE,
		  PLACE("fault FP-XID-NVLINK") "info FP-XID-NVLINK at host h0, "
		                               "0009:01:00.0\n" },
	};

	(void)state;
	check_bed_rows("kernel", rows, CHECK_BED_ROWS(rows));
}

#define AER(severity)                                                      \
	"[ 5.0] pcieport 0000:00:03.0: PCIe Bus Error: severity=" severity \
	", type=Data Link Layer, (Transmitter ID)\n"
#define FLAP "[ 5.0] mlx5_core 0000:41:00.0 ens1: Link down\n"

static void other_lines(void **state)
{
	static const struct check_bed_row rows[] = {
		{ "[ 5.0] nvidia-nvswitch0: SXid (PCI:0000:c1:00.0): 20034, "
		  "Fatal, Link 30 LTSSM Fault Up\n",
		  NOISE, "fault FP-SXID at host h0, PCI 0000:c1:00.0\n" },
		{ "[ 5.0] nvidia-nvswitch0: SXid (PCI:0000:c1:00.0): 22013, "
		  "Non-fatal, Link 04 Minion Link DLREQ interrupt\n",
		  NOISE, "warn FP-SXID at host h0, PCI 0000:c1:00.0\n" },
		{ AER("Corrected"), NOISE,
		  "warn FP-AER-LOG at host h0, PCI 0000:00:03.0\n" },
		{ AER("Corrected") AER("Uncorrected (Fatal)"), NOISE,
		  "fault FP-AER-LOG at host h0, PCI 0000:00:03.0\n" },
		{ FLAP FLAP FLAP, FLAP FLAP,
		  "warn FP-LINK-FLAP at host h0, ens1\n" },
		{ "[ 5.0] Out of memory: Killed process 4711 (python3) "
		  "total-vm:1kB\n",
		  NOISE, "warn FP-OOM-KILL at host h0\n" },
		{ "[ 5.0] mce: [Hardware Error]: Machine check events logged\n",
		  NOISE, "warn FP-MACHINE-CHECK at host h0\n" },
	};

	(void)state;
	check_bed_rows("kernel", rows, CHECK_BED_ROWS(rows));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clocks),
		cmocka_unit_test(xids),
		cmocka_unit_test(other_lines),
	};

	return cmocka_run_group_tests_name("check_gpus", tests, NULL, NULL);
}
