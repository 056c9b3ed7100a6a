// SPDX-License-Identifier: Apache-2.0
// Unit tests of the reader of NCCL's lines: each grammar, each prefix.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/unit/explain_bed.h"

/* A text, and the event that it must give. */
struct row {
	const char *text;
	struct seen want;
};

static const struct row completions[] = {
	/* oldest: no peer */
	{ "h1:10:11 [2] transport/net_ib.cc:839 NCCL WARN NET/IB : Got "
	  "completion with error 12, opcode 1, len 0, vendor err 129\n",
	  { KIND_WC_RETRY, -1, -1, "h1", "", "", 12, 129 } },
	{ "h2:28257:28965 [0] ib_plugin.c:1105 NCCL WARN NET/IB : Got "
	  "completion from peer 10.0.42.1<49406> with error 4, opcode 5327, "
	  "len 5327, vendor err 81 (Send)\n",
	  { KIND_WC_LOC_PROT, -1, -1, "h2", "10.0.42.1", "", 4, 81 } },
	{ "h3:1:2 [0] transport/net_ib.cc:1909 NCCL WARN NET/IB : Got "
	  "completion from peer 10.1.10.201<33274> with status=9 opcode=0 "
	  "len=0 vendor err 138 (Send) localGid ::ffff:10.206.8.23 "
	  "remoteGids::ffff:10.206.8.11\n",
	  { KIND_WC_REM_INV, -1, -1, "h3", "10.1.10.201", "", 9, 138 } },
	{ "h4:1:2 [6] transport/net_ib.cc:2244 NCCL WARN NET/IB: Got "
	  "completion from peer 192.168.10.5<54125> with status=5 opcode=32552 "
	  "len=32549 vendor err 249 (Recv) localGid ::ffff:192.168.13.3 "
	  "remoteGids::ffff:192.168.13.5 hca mlx5_10\n",
	  { KIND_WC_FLUSH, -1, -1, "h4", "192.168.10.5", "mlx5_10", 5, 249 } },
	/* 2.30: names, and a date before the place */
	{ "[2026-03-13 23:33:02] h5:1:2 [3] transport/net_ib/p2p.cc:510 "
	  "(ncclIbTest) NCCL WARN NET/IB: Got completion from peer "
	  "10.0.0.2<45832> with status=IBV_WC_RETRY_EXC_ERR(12) "
	  "opcode=IBV_WC_SEND(0) vendor_err=129 localGid fe80::1 remoteGids"
	  "fe80::2 hca mlx5_3\n",
	  { KIND_WC_RETRY, -1, -1, "h5", "10.0.0.2", "mlx5_3", 12, 129 } },
	/* cut by a terminal */
	{ "h6:1:2 [0] transport/net_ib.cc:101 NCCL WARN NET/IB : Got "
	  "completion with error 12, opcode 1, len\n0, vendor err 129\n",
	  { KIND_WC_RETRY, -1, -1, "h6", "", "", 12, 129 } },
	/* cut for good */
	{ "h7:1:2 [0] transport/net_ib.cc:101 NCCL WARN NET/IB : Got "
	  "completion with error 12, opc",
	  { KIND_WC_RETRY, -1, -1, "h7", "", "", 12, -1 } },
};

static const struct row prefixes[] = {
	{ "[1,23]<stdout>:h1:75704:76538 [7] create_nccl_ofi_component:459 "
	  "NCCL WARN NET/OFI Couldn't open AV. RC: -22, ERROR: Invalid "
	  "argument\n",
	  { KIND_OFI_RESOURCE, 23, -1, "h1", "", "", 22, -2 } },
	{ " 7: h1:1:2 [3] NCCL WARN NET/OFI Unable to insert remote address "
	  "into address vector for device 1. RC: -22\n",
	  { KIND_OFI_ADDRESS, 7, -1, "h1", "", "", -2, -2 } },
	{ "(Trainer pid=77, ip=10.1.6.2) h9:1:2 [3] NCCL WARN Duplicate GPU "
	  "detected : rank 6 and rank 4 both on CUDA device 31000\n",
	  { KIND_DUPLICATE_GPU, 6, 4, "h9", "", "", -2, -2 } },
	{ "\x1b[31mh1:1:2 [0] misc/ibvwrap.cc:278 NCCL WARN Call to "
	  "ibv_reg_mr_iova2 failed with error Cannot allocate memory\x1b[0m\n",
	  { KIND_REG_MEMORY, -1, -1, "h1", "", "", -2, -2 } },
	{ "2025-01-17T15:36:26.128279123Z stderr F h1:1:2 [0] init.cc:1 NCCL "
	  "WARN Mismatched collective detected, please check your collective "
	  "calls at and around rank 39.\n",
	  { KIND_MISMATCH_CALL, -1, 39, "h1", "", "", -2, -2 } },
	{ "> h1:1:2 [0] [socket.cc:483](http://socket.cc/) NCCL WARN "
	  "socketStartConnect: Connect to 10.0.7.2<45980> failed : Software "
	  "caused connection abort\n",
	  { KIND_SOCK_CONNECT, -1, -1, "h1", "10.0.7.2", "", 103, 0 } },
	/* before 2.4 */
	{ "c0ffee:6282:6282 [0] include/socket.h:311 WARN Socket creation "
	  "failed : Address family not supported by protocol\n",
	  { KIND_SOCK_NONE, -1, -1, "c0ffee", "", "", -2, -2 } },
	{ "h1:4:5 [0] misc/socket.cc:480 NCCL WARN socketStartConnect: "
	  "Connect to 172.17.0.2<39064> failed : Connection refused\n",
	  { KIND_SOCK_CONNECT, -1, -1, "h1", "172.17.0.2", "", 111, 1 } },
	{ "h1:4:5 [5] ibvwrap.c:262 NCCL WARN Call to ibv_modify_qp failed "
	  "with 110 Connection timed out, on dev mlx5_5:1, curr state INIT, "
	  "next state RTR, local GID index 3, local GID ::ffff:10.20.12.17, "
	  "remote GID ::ffff:10.21.16.44\n",
	  { KIND_QP_MODIFY, -1, -1, "h1", "", "mlx5_5", 110, -2 } },
	/* nobody's warning of ours */
	{ "2025-01-01 00:00:00 WARN scheduler: busy\n"
	  "h1:4:5 [5] foo.cc:1 NCCL WARN something new\n",
	  { KIND_WARN_OTHER, -1, -1, "h1", "", "", 0, -2 } },
};

static const struct row infos[] = {
	{ "h1:4:5 [0] NCCL INFO Channel 00/0 : 8[7000] -> 0[7000] [receive] "
	  "via NET/IB/3\n",
	  { KIND_CHANNEL_NET, 0, 8, "h1", "", "", 3, 1 } },
	{ "9[1a000] -> 2[6b000] [send] via NET/IB/0/GDRDMA\n",
	  { KIND_CHANNEL_GDR, 9, 2, "", "", "", 0, 0 } },
	{ "h1:4:5 [0] NCCL INFO Channel 01 : 1[0] -> 0[0] [send] via "
	  "NET/Socket/0/Shared\n",
	  { KIND_CHANNEL_SOCKET, 1, 0, "h1", "", "", 0, 0 } },
	{ "h1:4:5 [0] NCCL INFO ncclCommInitRank comm 0x8d rank 3 nranks 16 "
	  "cudaDev 3 nvmlDev 3 busId 48000 commId 0xab - Init START\n",
	  { KIND_INIT_START, 3, -1, "h1", "", "", 16, -2 } },
	{ "h1:4:5 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/RoCE "
	  "[1]mlx5_1:1/RoCE [RO]; OOB eth0:10.0.0.1<0>\n",
	  { KIND_HCAS, -1, -1, "h1", "", "", 2, 1 } },
	{ "h1:4:5 [0] NCCL INFO NCCL_IB_GID_INDEX set by environment to 3.\n",
	  { KIND_ENV, -1, -1, "h1", "", "", -2, -2 } },
};

static void check_rows(const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct gather g = { 0 };

		explain_bed_read(&g, "log", rows[i].text);
		explain_bed_expect(&g, &rows[i].want);
		assert_int_equal(g.events.n, 1);
		gather_done(&g);
	}
}

static void reads_completions(void **state)
{
	(void)state;
	check_rows(completions, sizeof(completions) / sizeof(completions[0]));
}

static void sees_through_prefixes(void **state)
{
	(void)state;
	check_rows(prefixes, sizeof(prefixes) / sizeof(prefixes[0]));
}

static void reads_what_is_well(void **state)
{
	(void)state;
	check_rows(infos, sizeof(infos) / sizeof(infos[0]));
}

static void counts_what_repeats(void **state)
{
	struct gather g = { 0 };
	const struct event *e;

	(void)state;
	explain_bed_read(&g, "log",
	                 "x\n\nh1:4:5 [0] a.cc:1 NCCL WARN Duplicate GPU\n"
	                 "y\nh1:4:6 [0] a.cc:1 NCCL WARN Duplicate GPU\n");
	assert_int_equal(g.events.n, 1);
	e = &g.events.e[0];
	assert_int_equal(e->count, 2);
	assert_int_equal(e->line, 3);
	assert_int_equal(g.files[0].lines, 5);
	gather_done(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_completions),
		cmocka_unit_test(sees_through_prefixes),
		cmocka_unit_test(reads_what_is_well),
		cmocka_unit_test(counts_what_repeats),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
