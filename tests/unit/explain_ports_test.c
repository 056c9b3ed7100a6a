// SPDX-License-Identifier: Apache-2.0
// Unit tests of the readers of ports' counters and of a host's limits.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/unit/explain_bed.h"

static const struct {
	const char *text;
	struct seen want;
	size_t n;
} pastes[] = {
	/* perfquery: waiting is no error */
	{ "# Port extended counters: Lid 1719 port 1 (CapMask: 0x5300)\n"
	  "SymbolErrorCounter:..............0\n"
	  "PortXmitWait:....................22730501\n",
	  { KIND_PORT_OK, -2, -2, NULL, NULL, "", 0, -2 },
	  1 },
	{ "# Port counters: Lid 7 port 3 (CapMask: 0x02)\n"
	  "SymbolErrorCounter:..............12\n"
	  "LinkDownedCounter:...............2\n"
	  "PortRcvErrors:...................99\n",
	  { KIND_PORT_ERRORS, -2, -2, NULL, NULL, "Lid 7 port 3", 2, -2 },
	  3 },
	/* older names */
	{ "# Port counters: Lid 7 port 1\nLinkDowned:......................9\n",
	  { KIND_PORT_ERRORS, -2, -2, NULL, NULL, "Lid 7 port 1", 9, -2 },
	  2 },
	{ "Errors for 0xe41d2d0300 \"leaf3\"\n"
	  "   GUID 0xe41d2d0300 port 12: [SymbolErrorCounter == 65535] "
	  "[LinkErrorRecoveryCounter == 3] [PortXmitWait == 9 (9.0)]\n",
	  { KIND_PORT_ERRORS, -2, -2, NULL, NULL,
	    "0xe41d2d0300 \"leaf3\" port 12", 65535, -2 },
	  2 },
	/* two rates of two kinds of machine are well */
	{ "           3    1[  ] ==( 4X      25.78125 Gbps Active/  LinkUp)==> "
	  " "
	  "     1    1[  ] \"gpu-0 HCA-1\" ( )\n"
	  "           3   41[  ] ==( 4X        53.125 Gbps Active/  LinkUp)==> "
	  " "
	  "     4    1[  ] \"Aggregation Node\" ( )\n"
	  "           3    5[  ] ==(                Down/ Polling)==>          "
	  "   "
	  "[  ] \"\" ( )\n",
	  { KIND_PORT_OK, -2, -2, NULL, NULL, "", 212500, -2 },
	  1 },
	{ "           3    1[  ] ==( 4X       14.0625 Gbps Active/  LinkUp)==> "
	  " "
	  "     1    1[  ] \"gpu-0 HCA-1\" ( Could be 25.78125 Gbps)\n",
	  { KIND_PORT_SLOW, -2, -2, NULL, NULL, "gpu-0 HCA-1", 56250, 103125 },
	  1 },
	{ "$ lspci -vvv -s 40:01.1 | grep ACSCtl\n\t\tACSCtl:\tSrcValid+ "
	  "TransBlk- ReqRedir+ CmpltRedir+ UpstreamFwd+ EgressCtrl-\n",
	  { KIND_ACS_ON, -2, -2, NULL, NULL, NULL, -2, -2 },
	  1 },
	{ "$ ulimit -l\n8192\n",
	  { KIND_MEMLOCK, -2, -2, NULL, NULL, NULL, 8192, -2 },
	  1 },
	{ "max locked memory       (kbytes, -l) 64\n",
	  { KIND_MEMLOCK, -2, -2, NULL, NULL, NULL, 64, -2 },
	  1 },
	{ "shm              64M     0   64M   0% /dev/shm\n",
	  { KIND_SHM_SIZE, -2, -2, NULL, NULL, NULL, 65536, -2 },
	  1 },
	{ "tmpfs            65536   12  65524   1% /dev/shm\n",
	  { KIND_SHM_SIZE, -2, -2, NULL, NULL, NULL, 65536, -2 },
	  1 },
};

/* Nothing is wrong in these, and nothing was looked at. */
static const char *const silent[] = {
	"ulimit -l\nunlimited\n",
	"max locked memory       (kbytes, -l) unlimited\n",
	"shm  64G  0  64G  0% /dev/shm\n",
	"ls /dev/shm\n",
	"\t\tACSCtl:\tSrcValid- TransBlk- ReqRedir- CmpltRedir-\n",
	"x == y ==> z ==( \": [\"\n",
	"Errors for\n   port : [SymbolErrorCounter == ]\n",
};

static void reads_ports_and_limits(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(pastes) / sizeof(pastes[0]); i++) {
		struct gather g = { 0 };

		explain_bed_read(&g, "log", pastes[i].text);
		explain_bed_expect(&g, &pastes[i].want);
		if (g.events.n != pastes[i].n)
			fail_msg("%zu events of:\n%s", g.events.n,
			         pastes[i].text);
		gather_done(&g);
	}
}

static void is_silent(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(silent) / sizeof(silent[0]); i++) {
		struct gather g = { 0 };

		explain_bed_read(&g, "log", silent[i]);
		if (g.events.n)
			fail_msg("%zu events of:\n%s", g.events.n, silent[i]);
		gather_done(&g);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_ports_and_limits),
		cmocka_unit_test(is_silent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
