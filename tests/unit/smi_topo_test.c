// SPDX-License-Identifier: Apache-2.0
// Unit tests of nvidia-smi topo in the forms in which it is pasted.
#include "tests/unit/map_bed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const matrix_forms[] = {
	/* as it is printed */
	"\tGPU0\tGPU1\tNIC0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n"
	"GPU0\t X \tNV4\tPIX\t0-15,32-47\t0\t\tN/A\n"
	"GPU1\tNV4\t X \tSYS\t16-31,48-63\t1\t\tN/A\n"
	"NIC0\tPIX\tSYS\t X \t\t\t\t\n",
	/* underlined, with carriage returns */
	"\t\033[4mGPU0\tGPU1\tNIC0\tCPU Affinity\tNUMA Affinity\tGPU "
	"NUMA ID\033[0m\r\n"
	"GPU0\t X \tNV4\tPIX\t0-15,32-47\t0\t\tN/A\r\n"
	"GPU1\tNV4\t X \tSYS\t16-31,48-63\t1\t\tN/A\r\n"
	"NIC0\tPIX\tSYS\t X \t\t\t\t\r\n",
	/* leading tab lost, heading and fence before */
	"NVIDIA Topology: \n```bash\n"
	"GPU0 GPU1 NIC0 CPU Affinity NUMA Affinity GPU NUMA ID\n"
	"GPU0 X NV4 PIX 0-15,32-47 0 N/A\n"
	"GPU1 NV4 X SYS 16-31,48-63 1 N/A\n"
	"NIC0 PIX SYS X\n```\n",
	/* no blank is left but those of X */
	"GPU0GPU1NIC0CPU AffinityNUMA AffinityGPU NUMA ID\n"
	"GPU0 X NV4PIX0-15,32-470N/A\n"
	"GPU1NV4 X SYS16-31,48-631N/A\n"
	"NIC0PIXSYS X \n",
	/* columns behind the matrix glued */
	"        GPU0    GPU1    NIC0    CPU Affinity    NUMA Affinity "
	"  GPU NUMA ID\n"
	"GPU0     X      NV4     PIX     0-15,32-47 0N/A\n"
	"GPU1    NV4      X      SYS     16-31,48-631              "
	"N/A\n"
	"NIC0    PIX     SYS      X\n",
	/* Markdown, with and without outer rules */
	"  | GPU0 | GPU1 | NIC0 | CPU Affinity | NUMA Affinity | GPU "
	"NUMA ID\n-- | -- | -- | -- | -- | -- | --\n"
	"GPU0 | X | NV4 | PIX | 0-15,32-47 | 0 | N/A\n"
	"GPU1 | NV4 | X | SYS | 16-31,48-63 | 1 | N/A\n"
	"NIC0 | PIX | SYS | X |  |  | \n",
	"|      | GPU0 | GPU1 | NIC0 | CPU Affinity | NUMA Affinity | "
	"GPU "
	"NUMA ID |\n|---|---|---|---|---|---|---|\n"
	"| GPU0 | X | NV4 | PIX | 0-15,32-47 | 0 | N/A |\n"
	"| GPU1 | NV4 | X | SYS | 16-31,48-63 | 1 | N/A |\n"
	"| NIC0 | PIX | SYS | X |  |  |  |\n",
	/* with emphasis */
	"| | **GPU0** | **GPU1** | **NIC0** | **CPU Affinity** | NUMA Affinity "
	"| GPU NUMA ID |\n|:---:|---|---|---|---|---|---|\n"
	"| **GPU0** | X | `NV4` | PIX | 0-15,32-47 | 0 | N/A |\n"
	"| **GPU1** | NV4 | X | `SYS` | 16-31,48-63 | 1 | N/A |\n"
	"| **NIC0** | PIX | SYS | X |  |  |  |\n",
	/* of a web page */
	"<pre>\tGPU0\tGPU1\tNIC0\tCPU Affinity\tNUMA Affinity\tGPU NUMA "
	"ID<br>\n"
	"GPU0\t X \tNV4\tPIX\t0-15,32-47\t0\t\tN/A<br>\n"
	"GPU1\tNV4\t X \tSYS\t16-31,48-63\t1\t\tN/A<br>\n"
	"NIC0\tPIX\tSYS\t X \t\t\t\t<br></pre>\n",
	/* with nothing where a device meets itself */
	"|      | GPU0 | GPU1 | NIC0 | CPU Affinity | NUMA Affinity | GPU "
	"NUMA ID |\n|---|---|---|---|---|---|---|\n"
	"| GPU0 | | NV4 | PIX | 0-15,32-47 | 0 | N/A |\n"
	"| GPU1 | NV4 | | SYS | 16-31,48-63 | 1 | N/A |\n"
	"| NIC0 | PIX | SYS | |  |  |  |\n",
	/* a launcher's and a mailer's prefixes */
	"[1,0]<stdout>:\tGPU0\tGPU1\tNIC0\tCPU Affinity\tNUMA "
	"Affinity\tGPU NUMA ID\n"
	"[1,0]<stdout>:GPU0\t X \tNV4\tPIX\t0-15,32-47\t0\t\tN/A\n"
	"[1,0]<stdout>:GPU1\tNV4\t X \tSYS\t16-31,48-63\t1\t\tN/A\n"
	"[1,0]<stdout>:NIC0\tPIX\tSYS\t X \t\t\t\t\n",
	"> 0: \tGPU0\tGPU1\tNIC0\tCPU Affinity\tNUMA Affinity\tGPU "
	"NUMA ID\n"
	"> 0: GPU0\t X \tNV4\tPIX\t0-15,32-47\t0\t\tN/A\n"
	"> 0: GPU1\tNV4\t X \tSYS\t16-31,48-63\t1\t\tN/A\n"
	"> 0: NIC0\tPIX\tSYS\t X \t\t\t\t\n",
	/* lines broken by a terminal */
	"\tGPU0\tGPU1\n\tNIC0\tCPU Affinity\tNUMA Affinity\tGPU NUMA "
	"ID\n"
	"GPU0\t X \tNV4\n\tPIX\t0-15,32-47\t0\t\tN/A\n"
	"GPU1\tNV4\t X \n\tSYS\t16-31,48-63\t1\t\tN/A\n"
	"NIC0\tPIX\tSYS\n\t X \n",
	/* broken behind the cells, between words and within one, in three */
	"        GPU0    GPU1    NIC0    CPU Affinity\n"
	"    NUMA Affinity\n   GPU NUMA ID\n"
	"GPU0     X      NV4     PIX     0-15,32\n-47 \n    0\n   N/A\n"
	"GPU1    NV4      X      SYS     16-31,4\n8-63\n    1\n   N/A\n"
	"NIC0    PIX     SYS      X\n",
	/* out of a spreadsheet or a script, lists of CPUs quoted or not */
	",GPU0,GPU1,NIC0,CPU Affinity,NUMA Affinity,GPU NUMA ID\n"
	"GPU0, X ,NV4,PIX,\"0-15,32-47\",0,N/A\n"
	"GPU1,NV4, X ,SYS,\"16-31,48-63\",1,N/A\nNIC0,PIX,SYS, X ,,,\n",
	"\"\",\"GPU0\",\"GPU1\",\"NIC0\",\"CPU Affinity\",\"NUMA "
	"Affinity\",\"GPU NUMA ID\"\n"
	"\"GPU0\",\"X\",\"NV4\",\"PIX\",\"0-15,32-47\",\"0\",\"N/A\"\n"
	"\"GPU1\",\"NV4\",\"X\",\"SYS\",\"16-31,48-63\",\"1\",\"N/A\"\n"
	"\"NIC0\",\"PIX\",\"SYS\",\"X\",\"\",\"\",\"\"\n",
	";GPU0;GPU1;NIC0;CPU Affinity;NUMA Affinity;GPU NUMA ID\n"
	"GPU0;X;NV4;PIX;0-15,32-47;0;N/A\n"
	"GPU1;NV4;X;SYS;16-31,48-63;1;N/A\nNIC0;PIX;SYS;X;;;\n",
	",GPU0,GPU1,NIC0,CPU Affinity,NUMA Affinity,GPU NUMA ID\n"
	"GPU0,X,NV4,PIX,0-15,32-47,0,,N/A\n"
	"GPU1,NV4,X,SYS,16-31,48-63,1,,N/A\nNIC0,PIX,SYS,X\n",
	/* small crosses, and a launcher's numbers of lines */
	"1: \tGPU0\tGPU1\tNIC0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n"
	"2: GPU0\t x \tNV4\tPIX\t0-15,32-47\t0\t\tN/A\n"
	"3: GPU1\tNV4\t x \tSYS\t16-31,48-63\t1\t\tN/A\n"
	"4: NIC0\tPIX\tSYS\t x \t\t\t\t\n",
	/* the NIC's row is missing, or the last one is cut */
	"\tGPU0\tGPU1\tNIC0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n"
	"GPU0\t X \tNV4\tPIX\t0-15,32-47\t0\t\tN/A\n"
	"GPU1\tNV4\t X \tSYS\t16-31,48-63\t1\t\tN/A\n",
	"\tGPU0\tGPU1\tNIC0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n"
	"GPU0\t X \tNV4\tPIX\t0-15,32-47\t0\t\tN/A\n"
	"GPU1\tNV4\t X \tSYS\t16-31,48-63\t1\t\tN/A\n"
	"NIC0\tPI",
	/* NULs and no-break spaces for blanks would need their length */
	"    \tGPU0\tGPU1\tNIC0\tCPU Affinity\tNUMA Affinity\tGPU NUMA "
	"ID   \n"
	"    GPU0\t\xc2\xa0X\xc2\xa0\tNV4\tPIX\t0-15,32-47\t0\t\tN/A  "
	"\n"
	"    GPU1\tNV4\t X \tSYS\t16-31,48-63\t1\t\tN/A     \n"
	"    NIC0\tPIX\tSYS\t X          \n",
};

/* All of these say the same: two GPUs with four links, one NIC. */
static void forms_of_one_matrix(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_ROWS(matrix_forms); i++) {
		struct topo_map map;

		map_read(matrix_forms[i], &map);
		assert_int_equal(map.n_gpus, 2);
		assert_int_equal(map.n_hcas, 1);
		assert_int_equal(map.columns, 7);
		map_check_path(&map, PATH_VIEW_SMI, 0, 1, "NV4");
		map_check_path(&map, PATH_VIEW_SMI, 0, 2, "PIX");
		map_check_path(&map, PATH_VIEW_SMI, 1, 2, "SYS");
		map_check_tail(&map, 0, "0-15,32-47", "0", -1);
		map_check_tail(&map, 1, "16-31,48-63", "1", -1);
		topo_map_done(&map);
	}
}

#define HEAD "\tGPU0\tGPU1\t"

static const struct {
	const char *text;
	const char *cpus[2], *numas[2];
	int32_t own[2];
} tail_rows[] = {
	/* a cpuset leaves one GPU no CPU */
	{ HEAD "CPU Affinity\tNUMA Affinity\tGPU NUMA ID\n"
	       "GPU0\t X \tSYS\t44-51,148-155\t0\t\tN/A\n"
	       "GPU1\tSYS\t X \t\t1\t\tN/A\n",
	  { "44-51,148-155", "" },
	  { "0", "1" },
	  { -1, -1 } },
	/* the same in blanks */
	{ "     GPU0 GPU1 CPU Affinity  NUMA Affinity  GPU NUMA ID\n"
	  "GPU0  X   SYS  44-51,148-155 0              N/A\n"
	  "GPU1 SYS   X                 1              N/A\n",
	  { "44-51,148-155", "" },
	  { "0", "1" },
	  { -1, -1 } },
	/* single CPUs, no NUMA node known */
	{ HEAD "CPU Affinity\tNUMA Affinity\n"
	       "GPU0\t X \tPHB\t4,6,8,10\tN/A\n"
	       "GPU1\tPHB\t X \t4,6,8,10\tN/A\n",
	  { "4,6,8,10", "4,6,8,10" },
	  { "N/A", "N/A" },
	  { -1, -1 } },
	{ HEAD "CPU Affinity\nGPU0\t X \tPHB\t0-9,20-29\n"
	       "GPU1\tPHB\t X \t0-9,20-29\n",
	  { "0-9,20-29", "0-9,20-29" },
	  { "N/A", "N/A" },
	  { -1, -1 } },
	/* lists of NUMA nodes, and a node of the GPU's own */
	{ HEAD "CPU Affinity\tNUMA Affinity\tGPU NUMA ID\n"
	       "GPU0\t X \tNV18\t0-71\t0,3-9,11-17\t\t2\n"
	       "GPU1\tNV18\t X \t72-143\t1\t\t10\n",
	  { "0-71", "72-143" },
	  { "0,3-9,11-17", "1" },
	  { 2, 10 } },
	/* glued in all rows: what makes sense for all of them */
	{ HEAD "CPU Affinity\tNUMA Affinity\n"
	       "GPU0\t X \tSYS\t0-270\nGPU1\tSYS\t X \t28-551\n",
	  { "0-27", "28-55" },
	  { "0", "1" },
	  { -1, -1 } },
	/* the column is not there: nothing is cut off */
	{ HEAD "CPU Affinity\tNUMA Affinity\n"
	       "GPU0\t X \tSYS\t0-31\nGPU1\tSYS\t X \t32-63\n",
	  { "0-31", "32-63" },
	  { "N/A", "N/A" },
	  { -1, -1 } },
	{ HEAD "CPU Affinity\tNUMA Affinity\tGPU NUMA ID\n"
	       "GPU0\t X \tSYS\tN/A\tN/A\t\tN/A\n"
	       "GPU1\tSYS\t X \tN/A\tN/A\t\tN/A\n",
	  { "N/A", "N/A" },
	  { "N/A", "N/A" },
	  { -1, -1 } },
	/* a remark of whoever pasted it */
	{ HEAD "CPU Affinity\tNUMA Affinity\n"
	       "GPU0\t X \tSYS\t0-15\t0   <-- this one\n"
	       "GPU1\tSYS\t X \t16-31\t1\n",
	  { "0-15", "16-31" },
	  { "0", "1" },
	  { -1, -1 } },
	/* no columns at all */
	{ "\tGPU0\tGPU1\nGPU0\t X \tPIX\nGPU1\tPIX\t X \n",
	  { "N/A", "N/A" },
	  { "N/A", "N/A" },
	  { -1, -1 } },
};

/* What stands behind the matrix of two GPUs. */
static void tails(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_ROWS(tail_rows); i++) {
		struct topo_map map;

		map_read(tail_rows[i].text, &map);
		for (size_t g = 0; g < 2; g++)
			map_check_tail(&map, g, tail_rows[i].cpus[g],
			               tail_rows[i].numas[g],
			               tail_rows[i].own[g]);
		assert_false(map.partial);
		topo_map_done(&map);
	}
}

static void cells(void **state)
{
	static const struct {
		const char *cell, *name;
	} rows[] = {
		{ "SYS", "SYS" },   { "NODE", "NODE" }, { "PHB", "PHB" },
		{ "PXB", "PXB" },   { "PIX", "PIX" },   { "NV1", "NV1" },
		{ "NV18", "NV18" }, { "NV36", "NV36" }, { "SOC", "SYS" },
		{ "PSB", "PIX" },   { "C2C", "C2C" },
	};

	(void)state;
	for (size_t i = 0; i < N_ROWS(rows); i++) {
		struct topo_map map;
		char text[160];

		(void)snprintf(text, sizeof(text),
		               "\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \t%s\t0\n"
		               "GPU1\t%s\t X \t0\n",
		               rows[i].cell, rows[i].cell);
		map_read(text, &map);
		map_check_path(&map, PATH_VIEW_SMI, 0, 1, rows[i].name);
		topo_map_done(&map);
	}
}

static void names_of_nics(void **state)
{
	struct topo_map map;
	char name[MAP_NAME_MAX];

	(void)state;
	map_read("\tGPU0\tmlx5_0\tmlx5_bond_0\tCPU Affinity\n"
	         "GPU0\t X \tPIX\tSYS\t0-7\nmlx5_0\tPIX\t X \tSYS\n"
	         "mlx5_bond_0\tSYS\tSYS\t X \n",
	         &map);
	assert_int_equal(map.n_hcas, 2);
	assert_string_equal(topo_map_device_name(&map, 2, name), "mlx5_bond_0");
	topo_map_done(&map);
	map_read("\tGPU0\tNIC0\tNIC1\tCPU Affinity\nGPU0\t X \tPIX\tSYS\t0-7\n"
	         "NIC0\tPIX\t X \tSYS\t\t\nNIC1\tSYS\tSYS\t X \t\t\n\n"
	         "NIC Legend:\n\n  NIC0: mlx5_0\n  NIC1: rocep49s0\n",
	         &map);
	assert_string_equal(topo_map_device_name(&map, 2, name), "NIC1");
	assert_string_equal(map.hcas[1].name, "rocep49s0");
	topo_map_done(&map);
}

static void what_is_not_a_matrix(void **state)
{
	struct topo_map map;

	(void)state;
	/* Sentences, a list of GPUs and a legend around it. */
	map_read("GPU0 and GPU1 are fine, GPU2 fell off the bus (Xid 79)\n"
	         "GPU 0: NVIDIA L4 (UUID: GPU-00000000-1)\n"
	         "\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \tPHB\t0-7\n"
	         "GPU1\tPHB\t X \t0-7\n\nLegend:\n\n  X    = Self\n"
	         "  SYS  = Connection\n  PIX  = Connection\n"
	         "GPU0 X marks the spot\n",
	         &map);
	assert_int_equal(map.n_gpus, 2);
	assert_string_equal(map.gpus[0].name, "NVIDIA L4");
	map_check_path(&map, PATH_VIEW_SMI, 0, 1, "PHB");
	assert_false(map.partial);
	topo_map_done(&map);
}

static void damage_is_said(void **state)
{
	struct topo_map map;

	(void)state;
	map_read("\tGPU0\tGPU1\tGPU2\tCPU Affinity\nGPU0\t X \tFOO\tSYS\t0-7\n",
	         &map);
	assert_true(map.partial);
	assert_true(map.n_notes > 0);
	assert_int_equal(map.notes[0].line, 2);
	assert_int_equal(map.notes[0].column, 10);
	map_check_path(&map, PATH_VIEW_SMI, 0, 1, "?");
	map_check_path(&map, PATH_VIEW_SMI, 0, 2, "SYS");
	topo_map_done(&map);
	/* "NV1" at the end of a file may be what is left of "NV18". */
	map_read("\tGPU0\tGPU1\tGPU2\nGPU0\t X \tNV18\tNV1", &map);
	assert_true(map.partial);
	map_check_path(&map, PATH_VIEW_SMI, 0, 1, "NV18");
	map_check_path(&map, PATH_VIEW_SMI, 0, 2, "?");
	topo_map_done(&map);
}

static void without_a_header(void **state)
{
	struct topo_map map;

	(void)state;
	map_read("GPU0\t X \tNV4\t0-7\t0\t\tN/A\nGPU1\tNV4\t X \t8-15\t1\t\tN/A"
	         "\n",
	         &map);
	assert_int_equal(map.n_gpus, 2);
	map_check_path(&map, PATH_VIEW_SMI, 0, 1, "NV4");
	map_check_tail(&map, 1, "8-15", "1", -1);
	topo_map_done(&map);
}

static void peer_access(void **state)
{
	static const char p2p[] =
		" \tGPU0\tGPU1\tGPU2\n GPU0\tX\tOK\tCNS\n GPU1\tOK\tX\tTNS\n"
		" GPU2\tCNS\tTNS\tX\n\nLegend:\n\n  X    = Self\n"
		"  OK   = Status Ok\n  CNS  = Chipset not supported\n";
	static const char both[] =
		"\tGPU0\tGPU1\nGPU0\tX\tNS\nGPU1\tNS\tX\n"
		"\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \tSYS\t0\n"
		"GPU1\tSYS\t X \t1\n";
	struct topo_map map;

	(void)state;
	map_read(p2p, &map);
	assert_int_equal(map.n_gpus, 3);
	assert_null(map.drawn);
	assert_int_equal(map.p2p[1], P2P_OK);
	assert_int_equal(map.p2p[2], P2P_CNS);
	assert_int_equal(map.p2p[5], P2P_TNS);
	map_check_tail(&map, 0, "N/A", "N/A", -1);
	topo_map_done(&map);
	map_read(both, &map);
	assert_int_equal(map.n_gpus, 2);
	assert_int_equal(map.p2p[1], P2P_NS);
	map_check_path(&map, PATH_VIEW_SMI, 0, 1, "SYS");
	topo_map_done(&map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(forms_of_one_matrix),
		cmocka_unit_test(tails),
		cmocka_unit_test(cells),
		cmocka_unit_test(names_of_nics),
		cmocka_unit_test(what_is_not_a_matrix),
		cmocka_unit_test(damage_is_said),
		cmocka_unit_test(without_a_header),
		cmocka_unit_test(peer_access),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
