// SPDX-License-Identifier: Apache-2.0
// Unit tests of the readers of tables: nccl-tests, matrices, perftest.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "probes/explain/table.h"
#include "tests/unit/explain_bed.h"

/* Rows of every version, and what they tell. */
static const struct {
	const char *text;
	int64_t bytes;
	double busbw;
	int64_t wrong, ranks;
} rows[] = {
	/* 2.x: redop and root, both places */
	{ "     1048576        262144     float     sum      -1    41.67   "
	  "25.16 "
	  "  47.18      0    41.08   25.53   47.86      0",
	  1048576, 47.86, 0, 16 },
	/* -c 0 */
	{ "  8589934592     134217728     float    none      -1    42954  "
	  "199.98 "
	  " 187.48    N/A    43188  198.90  186.47    N/A",
	  8589934592, 187.48, -1, 16 },
	/* from a page */
	{ "536870912 16777216 float none -1 1421.29 377.73 330.52 0 1392.81 "
	  "385.46 337.28 0",
	  536870912, 337.28, 0, 8 },
	/* 2.0: no root, an error instead of a count */
	{ "   536870912     134217728     float     sum   244833    2.19    "
	  "4.32 "
	  " 2e-06   244844    2.19    4.32  2e-06",
	  536870912, 4.32, -1, 73 },
	/* 2.0 without a redop */
	{ "   268435456       1048576     float           520935    0.52    "
	  "0.51 "
	  " 0e+00   519562    0.52    0.51  1e+00",
	  268435456, 0.51, -1, 64 },
	/* wrong in one place */
	{ "16777216 8388608 half sum -1 900 18.6 18.6 0 900 18.6 18.6 7",
	  16777216, 18.6, 7, 2 },
	/* a single rank has no bus */
	{ "16777216 4194304 float sum -1 73.4 228.57 0.00 0 0.52 32263.8 0.00 "
	  "0",
	  16777216, 0, 0, 1 },
	/* a commented one of version 1, one place */
	{ "# 1048576 262144 bfloat16 prod 40 26.2 39.3 0", 1048576, 39.3, 0,
	  4 },
};

static const char *const no_rows[] = {
	"",
	"size count type redop root time algbw busbw #wrong",
	"1 2 3 4 5 6 7 8 9 10 11",
	"1048576 262144 float sum -1 41.67 25.16 47.18",
	"1048576 262144 floaty sum -1 41.67 25.16 47.18 0",
	"1048576 262144 float sum -1 x 25.16 47.18 0",
	"-8 2 float sum -1 6.10 0.00 0.00 0",
	"8 2 float sum -1 inf nan 0.00 0",
	"1 2 float a b c d e f g h i j k l m n o p q r s t u v w x y z",
};

static void takes_rows_apart(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct table_row row;

		if (!table_row_read(rows[i].text, &row))
			fail_msg("not read: %s", rows[i].text);
		assert_int_equal(row.bytes, rows[i].bytes);
		assert_true(row.busbw == rows[i].busbw);
		assert_int_equal(row.wrong, rows[i].wrong);
		assert_int_equal(table_ranks(&row), rows[i].ranks);
	}
	for (size_t i = 0; i < sizeof(no_rows) / sizeof(no_rows[0]); i++) {
		struct table_row row;

		if (table_row_read(no_rows[i], &row))
			fail_msg("read: %s", no_rows[i]);
	}
}

/* A text, an event that it gives, and how many events there are. */
struct paste {
	const char *text;
	struct seen want;
	size_t n;
};

static void check(const struct paste *pastes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct gather g = { 0 };

		explain_bed_read(&g, "log", pastes[i].text);
		explain_bed_expect(&g, &pastes[i].want);
		if (g.events.n != pastes[i].n)
			fail_msg("%zu events, not %zu, of:\n%s", g.events.n,
			         pastes[i].n, pastes[i].text);
		gather_done(&g);
	}
}

#define GOOD_ROW                                                       \
	"  1073741824 268435456 float sum -1 9000 119.3 223.7 0 9010 " \
	"119.1 223.3 0\n"
#define HALF_ROW                                                        \
	"  1073741824 268435456 float sum -1 18000 59.65 99.4 0 18010 " \
	"59.6 99.3 0\n"

static const struct paste tables[] = {
	{ "0: # nThread 1 nGpus 1 minBytes 8\n0: " GOOD_ROW
	  "a line of something else\n0: " GOOD_ROW
	  "0: # Out of bounds values : 0 OK\n0: # Avg bus bandwidth : 12\n",
	  { KIND_TABLE_READ, -2, -2, NULL, NULL, NULL, 2, 16 },
	  1 },
	{ "# size count type redop root time algbw busbw #wrong\n" GOOD_ROW
	  "# Out of bounds values : 50 FAILED\n",
	  { KIND_TABLE_WRONG, -2, -2, NULL, NULL, NULL, 50, -2 },
	  2 },
	/* in-place alltoall is not checked: the sum decides */
	{ "# size count type redop time algbw busbw #wrong\n"
	  "1048576 65536 float none -1 40 26.2 24.6 0 40 26.2 24.6 9\n"
	  "# Out of bounds values : 0 OK\n",
	  { KIND_TABLE_READ, -2, -2, NULL, NULL, NULL, 1, 16 },
	  1 },
	/* cut before the sum */
	{ "# size count type redop time algbw busbw #wrong\n"
	  "1048576 262144 float sum -1 40 26.2 24.6 3 40 26.2 24.6 9\n",
	  { KIND_TABLE_WRONG, -2, -2, NULL, NULL, NULL, 12, -2 },
	  2 },
	{ "# Collective test starting: all_reduce_perf\n" GOOD_ROW
	  "# Out of bounds values : 0 OK\n"
	  "# Collective test starting: all_reduce_perf\n" HALF_ROW
	  "# Out of bounds values : 0 OK\n",
	  { KIND_TABLE_ODD, -2, -2, NULL, NULL, NULL, 16, 6 },
	  3 },
	{ "# size count type redop time algbw busbw #wrong\n" GOOD_ROW
	  "   21474836",
	  { KIND_CUT, -2, -2, NULL, NULL, NULL, -2, -2 },
	  2 },
	/* broken by mail, at a blank, and by a terminal, within a figure */
	{ "# size count type redop root time algbw busbw #wrong\n"
	  "1073741824 268435456 float sum -1 9000 119.3\n"
	  "223.7 0 9010 119.1 223.3 0\n"
	  "2147483648 536870912 float sum -1 18000 119.3 22\n"
	  "3.7 0 18010 119.1 223.3 0\n# Avg bus bandwidth : 12\n",
	  { KIND_TABLE_READ, -2, -2, NULL, NULL, NULL, 2, 16 },
	  1 },
	/* a launcher's tag before each piece that it was given */
	{ "# size count type redop root time algbw busbw #wrong\n"
	  "[0]   1073741824 268435456 float sum -1[0]  9000 119.3 223.7 0[0] "
	  "9010 119.1 223.3 0\n# Avg bus bandwidth : 12\n",
	  { KIND_TABLE_READ, -2, -2, NULL, NULL, NULL, 1, 16 },
	  1 },
	/* larger ones at a fraction of the best rate */
	{ "# size count type redop root time algbw busbw #wrong\n"
	  "33554432 8388608 float sum -1 2180 15.39 28.86 0\n"
	  "67108864 16777216 float sum -1 24410 2.75 5.15 0\n"
	  "134217728 33554432 float sum -1 49264 2.72 5.1 0\n"
	  "268435456 67108864 float sum -1 98264 2.73 5.12 0\n",
	  { KIND_TABLE_ODD, -2, -2, NULL, NULL, NULL, 16, 16 },
	  2 },
	{ "#  Rank  0 Group  0 Pid  3238 on h1 device 0 [0x00] NVIDIA A10G\n"
	  "#  Rank  0 Group  0 Pid  3239 on h1 device 1 [0x01] NVIDIA A10G\n",
	  { KIND_TABLE_ALONE, -2, -2, NULL, NULL, NULL, 2, -2 },
	  2 },
};

static void reads_tables(void **state)
{
	(void)state;
	check(tables, sizeof(tables) / sizeof(tables[0]));
}

#define UNI "Unidirectional P2P=Enabled Bandwidth (P2P Writes) Matrix (GB/s)\n"
#define OFF "Unidirectional P2P=Disabled Bandwidth Matrix (GB/s)\n"
#define HEAD4 "   D\\D     0      1      2      3 \n"

static const struct paste matrices[] = {
	/* tiers of a host with two sockets are no fault */
	{ "memcpy CE GPU(row) -> GPU(column) bandwidth (GB/s)\n"
	  "           0         1         2         3\n"
	  " 0       N/A     26.34     21.95     22.64\n"
	  " 1     26.34       N/A     21.86     22.62\n"
	  " 2     21.95     22.34       N/A     26.35\n"
	  " 3     21.82     21.82     26.34       N/A\n"
	  "\nSUM device_to_device_memcpy_read_ce 280.15\n",
	  { KIND_MATRIX_READ, -2, -2, NULL, NULL, NULL, 4, 4 },
	  1 },
	/* NVLink pairs beside PCIe are none either */
	{ UNI HEAD4
	  "     0 790.1 52.9 11.1 11.2 \n     1 52.9 790.1 11.1 11.2 \n"
	  "     2 11.1 11.2 790.0 52.9 \n     3 11.2 11.1 52.9 790.0 \n",
	  { KIND_MATRIX_READ, -2, -2, NULL, NULL, NULL, 4, 4 },
	  1 },
	{ UNI HEAD4
	  "     0 918.5 25.4 25.1 3.93 \n     1 25.0 921.5 25.1 3.91 \n"
	  "     2 25.0 25.1 923.1 3.94 \n     3 3.92 3.92 3.93 278.4 \n",
	  { KIND_MATRIX_GPU, -2, -2, NULL, NULL, NULL, -1, 1 },
	  2 },
	{ UNI HEAD4
	  "     0 918.5 25.4 25.1 25.3 \n     1 25.0 921.5 8.1 25.1 \n"
	  "     2 25.0 25.1 923.1 25.4 \n     3 25.2 25.2 25.3 918.4 \n",
	  { KIND_MATRIX_PAIR, -2, -2, NULL, NULL, NULL, 2, -2 },
	  2 },
	{ UNI "   D\\D     0      1      2 \n     0 1553.2 128.3 128.0 \n"
	      "     1 128.1 1551.6 14.33 \n     2 122.0 14.31 1552.4 \n",
	  { KIND_MATRIX_OVER, -2, -2, NULL, NULL, NULL, -1, -2 },
	  2 },
	{ "Device: 0, NVIDIA GeForce RTX 4090, pciBusID: 1\n" UNI
	  "   D\\D     0      1 \n     0 900.0 140.0 \n     1 140.0 900.0 \n",
	  { KIND_MATRIX_OVER, -2, -2, NULL, NULL, NULL, -1, -2 },
	  2 },
	{ OFF
	  "   D\\D     0      1 \n     0 911.0 22.1 \n     1 22.3 920.2 \n" UNI
	  "   D\\D     0      1 \n     0 912.6 9.9 \n     1 9.9 922.3 \n",
	  { KIND_MATRIX_P2P, -2, -2, NULL, NULL, NULL, -2, -2 },
	  3 },
	/* the CPU's row: one GPU in a narrow slot */
	{ "memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)\n"
	  "           0         1         2         3\n"
	  " 0     55.34     55.11     13.60     55.20\n",
	  { KIND_MATRIX_GPU, -2, -2, NULL, NULL, NULL, -1, -2 },
	  2 },
	/* a title and nothing below it */
	{ UNI "terminate called\n",
	  { KIND_CUT, -2, -2, NULL, NULL, NULL, -2, -2 },
	  1 },
	/* cut in a row: what is there is read */
	{ UNI HEAD4 "     0 918.5 25.4 25.1 25.3 \n     1 25.0 92",
	  { KIND_MATRIX_READ, -2, -2, NULL, NULL, NULL, 1, 4 },
	  2 },
	{ UNI HEAD4 "     0 918.5 25.4 25.1 25.3 \n     1 25.0 92",
	  { KIND_CUT, -2, -2, NULL, NULL, NULL, -2, -2 },
	  2 },
	/* and between two rows */
	{ UNI HEAD4 "     0 918.5 25.4 25.1 25.3",
	  { KIND_CUT, -2, -2, NULL, NULL, NULL, -2, -2 },
	  2 },
};

static void reads_matrices(void **state)
{
	(void)state;
	check(matrices, sizeof(matrices) / sizeof(matrices[0]));
}

static void reads_perftest(void **state)
{
	static const char text[] =
		" #bytes     #iterations    BW peak[Gb/sec]    BW "
		"average[Gb/sec]   MsgRate[Mpps]\n"
		" 65536      5000             97.78              97.40   \t   "
		"0.185\n-----\n 8 1 2 3 4\n";
	static const struct seen want = { KIND_PERFTEST, -2,   -2,    NULL,
		                          NULL,          NULL, 65536, -2 };
	struct gather g = { 0 };
	const struct event *e;

	(void)state;
	explain_bed_read(&g, "log", text);
	e = explain_bed_expect(&g, &want);
	assert_true(e->x[0] == 97.40);
	assert_int_equal(g.events.n, 1);
	gather_done(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_rows_apart),
		cmocka_unit_test(reads_tables),
		cmocka_unit_test(reads_matrices),
		cmocka_unit_test(reads_perftest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
