// SPDX-License-Identifier: Apache-2.0
// Unit tests of what stands out in a map: each fault, and what looks like it.
#include "tests/unit/map_bed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "topo/compare/oddity.h"
#include "topo/path/rail.h"

/* A drawing of @n GPUs from the upper half of its matrix, row by row. */
static void build(struct topo_map *map, size_t n, const char *const *cells)
{
	map->drawn = calloc(n * n, sizeof(*map->drawn));
	assert_non_null(map->drawn);
	for (size_t a = 0; a < n; a++) {
		map_add_gpu(map, -1);
		map->drawn[a * n + a].type = PATH_SELF;
		for (size_t b = a + 1; b < n; b++) {
			const char *cell = *cells++;
			struct path path = { .type = PATH_SYS };

			if (strncmp(cell, "NV", 2) == 0)
				path = (struct path){ PATH_NVLINK,
					              (uint8_t)atoi(cell + 2) };
			map->drawn[a * n + b] = path;
			map->drawn[b * n + a] = path;
		}
	}
}

/* The faults of @map as "kind gpu other, ..." in their order. */
static void check_faults(const struct topo_map *map, const char *want)
{
	struct path_matrix matrix;
	struct oddities found;
	struct fp_text got = { 0 };

	assert_int_equal(path_matrix_init(map, PATH_VIEW_SMI, &matrix, NULL),
	                 FP_OK);
	assert_int_equal(oddities_find(map, &matrix, &found, NULL), FP_OK);
	for (size_t i = 0; i < found.n; i++) {
		const struct oddity *row = &found.rows[i];

		if (oddity_is_fault(row))
			fp_text_printf(&got, "%s%u %d %d", got.len ? ", " : "",
			               row->kind, row->gpu, row->other);
	}
	assert_string_equal(fp_text_str(&got), want);
	fp_text_free(&got);
	oddities_done(&found);
	path_matrix_done(&matrix);
}

static bool has_kind(const struct topo_map *map, uint32_t kind)
{
	struct path_matrix matrix;
	struct oddities found;
	bool has = false;

	assert_int_equal(path_matrix_init(map, PATH_VIEW_SMI, &matrix, NULL),
	                 FP_OK);
	assert_int_equal(oddities_find(map, &matrix, &found, NULL), FP_OK);
	for (size_t i = 0; i < found.n; i++)
		has |= found.rows[i].kind == kind;
	oddities_done(&found);
	path_matrix_done(&matrix);
	return has;
}

#define SIX(a, b, c, d, e, f)    \
	{                        \
		a, b, c, d, e, f \
	}

static void four_gpus(void **state)
{
	static const struct {
		const char *cells[6]; /* 01 02 03 12 13 23 */
		const char *faults;
	} rows[] = {
		/* all alike, whatever the number */
		{ SIX("NV4", "NV4", "NV4", "NV4", "NV4", "NV4"), "" },
		{ SIX("NV8", "NV8", "NV8", "NV8", "NV8", "NV8"), "" },
		{ SIX("SYS", "SYS", "SYS", "SYS", "SYS", "SYS"), "" },
		/* bridges between pairs */
		{ SIX("NV12", "SYS", "SYS", "SYS", "SYS", "NV12"), "" },
		{ SIX("NV12", "SYS", "SYS", "SYS", "SYS", "SYS"), "" },
		/* half of a cube mesh, and another four of it */
		{ SIX("NV1", "NV1", "NV2", "NV2", "NV1", "NV1"), "" },
		{ SIX("NV1", "NV1", "NV2", "NV2", "SYS", "SYS"), "" },
		{ SIX("NV1", "NV1", "SYS", "NV2", "SYS", "SYS"), "" },
		/* the first GPU has none, the third has fewer */
		{ SIX("SYS", "SYS", "SYS", "NV18", "NV18", "NV18"), "0 0 -1" },
		{ SIX("NV18", "NV17", "NV18", "NV17", "NV18", "NV17"),
		  "1 2 -1" },
		/* one pair has fewer, or none */
		{ SIX("NV4", "NV4", "NV4", "NV3", "NV4", "NV4"), "2 1 2" },
		{ SIX("NV4", "NV4", "NV4", "SYS", "NV4", "NV4"), "2 1 2" },
	};

	(void)state;
	for (size_t i = 0; i < N_ROWS(rows); i++) {
		struct topo_map map = { 0 };

		build(&map, 4, rows[i].cells);
		check_faults(&map, rows[i].faults);
		topo_map_done(&map);
	}
}

/* All pairs NV18 but those of the GPUs that are @out. */
static void build_all(struct topo_map *map, size_t n, uint32_t out)
{
	const char *cells[16 * 15 / 2];
	size_t used = 0;

	for (size_t a = 0; a < n; a++) {
		for (size_t b = a + 1; b < n; b++)
			cells[used++] =
				(out >> a | out >> b) & 1 ? "SYS" : "NV18";
	}
	build(map, n, cells);
}

/* Rows that a paste lost say nothing of their pairs. */
static void rows_that_are_missing(void **state)
{
	static const char text[] = "\tGPU0\tGPU1\tGPU2\tGPU3\tGPU4\tGPU5\n"
				   "GPU0\t X \tNV4\tNV4\tNV4\tNV4\tNV4\n"
				   "GPU3\tNV4\tNV4\tNV4\t X \tNV4\tNV4\n"
				   "GPU4\tNV4\tNV4\tNV4\tNV4\t X \tNV4\n"
				   "GPU5\tNV4\tNV4\tNV4\tNV4\tNV4\t X \n";
	struct topo_map map;

	(void)state;
	map_read(text, &map);
	check_faults(&map, "");
	topo_map_done(&map);
}

static void larger_boards(void **state)
{
	static const struct {
		size_t n;
		uint32_t out;
		const char *faults;
	} rows[] = {
		{ 8, 0, "" },
		{ 8, 1 << 2, "0 2 -1" },
		{ 8, 1 << 2 | 1 << 7, "0 2 -1, 0 7 -1" },
		{ 16, 1 << 11, "0 11 -1" },
		/* half of them: nobody can say which half is right */
		{ 8, 0xf0, "" },
		/* a fifth GPU is that of a display */
		{ 5, 1 << 4, "" },
		{ 3, 1 << 1, "" },
		{ 2, 0, "" },
		{ 1, 0, "" },
	};

	(void)state;
	for (size_t i = 0; i < N_ROWS(rows); i++) {
		struct topo_map map = { 0 };

		build_all(&map, rows[i].n, rows[i].out);
		check_faults(&map, rows[i].faults);
		topo_map_done(&map);
	}
}

static void a_gpu_in_mig_mode_is_no_fault(void **state)
{
	struct topo_map map = { 0 };

	(void)state;
	build_all(&map, 8, 1 << 2);
	map.gpus[2].mig = true;
	check_faults(&map, "");
	assert_true(has_kind(&map, ODDITY_MIG));
	topo_map_done(&map);
}

#define UP(n) " Link " #n ": 25.781 GB/s\n"
#define DOWN(n) " Link " #n ": <inactive>\n"
#define GPU(n, name) "GPU " #n ": " name " (UUID: GPU-0000000" #n ")\n"
#define ALL_UP UP(0) UP(1) UP(2) UP(3) UP(4) UP(5)
#define ALL_DOWN DOWN(0) DOWN(1) DOWN(2) DOWN(3) DOWN(4) DOWN(5)
#define TWO_DOWN UP(0) UP(1) UP(2) DOWN(3) UP(4) DOWN(5)
#define V100(n) GPU(n, "Tesla V100-SXM2-32GB")

static void listed_links(void **state)
{
	static const struct {
		const char *text, *faults;
	} rows[] = {
		{ V100(0) ALL_UP V100(1) ALL_UP, "" },
		/* alone: by its model */
		{ V100(3) TWO_DOWN "\n", "3 0 -1" },
		/* without an end of the last line */
		{ V100(0) ALL_UP V100(1) ALL_UP V100(2) UP(0) UP(1) UP(2)
		          DOWN(3) UP(4) " Link 5: <inactive>",
		  "3 2 -1" },
		/* by its peers, of whom more than half agree */
		{ V100(0) ALL_UP V100(1) TWO_DOWN V100(2) ALL_UP V100(3) ALL_UP,
		  "3 1 -1" },
		{ V100(0) ALL_UP V100(1) ALL_DOWN V100(2) ALL_UP V100(3) ALL_UP,
		  "3 1 -1" },
		/* all alike: that is full width here */
		{ V100(0) TWO_DOWN V100(1) TWO_DOWN, "" },
		/* no bridge is plugged in */
		{ V100(0) ALL_DOWN V100(1) ALL_DOWN, "" },
		/* another model beside them */
		{ V100(0) ALL_UP V100(1) ALL_UP V100(2)
		          ALL_UP GPU(3, "NVIDIA T4") UP(0),
		  "" },
		/* a peer whose list is cut says nothing */
		{ V100(0) TWO_DOWN V100(1) UP(0) "...\n", "3 0 -1" },
		/* cut or left out: nobody knows how many there are */
		{ V100(0) ALL_UP V100(1) UP(0) UP(1) "...\n", "" },
		{ V100(0) ALL_UP V100(1) UP(0) " Link 1: 25.", "" },
	};

	(void)state;
	for (size_t i = 0; i < N_ROWS(rows); i++) {
		struct topo_map map;

		map_read(rows[i].text, &map);
		check_faults(&map, rows[i].faults);
		topo_map_done(&map);
	}
}

static void remarks(void **state)
{
	static const struct {
		const char *text;
		uint32_t kind;
	} rows[] = {
		{ "\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \tPHB\t0\n"
		  "GPU1\tPHB\t X \t1\n",
		  ODDITY_PCIE_ONLY },
		{ "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\n"
		  "GPU0\t X \tNV4\t0-3\t0\nGPU1\tNV4\t X \t\t1\n",
		  ODDITY_CPUSET },
		{ "\tGPU0\tNIC0\tNIC1\tCPU Affinity\nGPU0\t X \tPIX\tSYS\t0\n",
		  ODDITY_HCA_FAR },
		{ "\tGPU0\tGPU1\tNIC0\nGPU0\t X \tNV4\tPIX\n"
		  "GPU1\tNV4\t X \tPIX\n",
		  ODDITY_HCA_SHARED },
		{ "<system><cpu numaid=\"0\"><pci busid=\"0000:01:00.0\" "
		  "class=\"0x030200\" link_width=\"0\"/></cpu></system>",
		  ODDITY_VIRTUAL },
		{ "<system><cpu numaid=\"0\"><pci busid=\"0000:01:00.0\" "
		  "class=\"0x030200\"><gpu dev=\"0\"><nvlink "
		  "target=\"0000:09:00.0\" count=\"2\" tclass=\"0x030200\"/>"
		  "</gpu></pci></cpu></system>",
		  ODDITY_DANGLING },
		{ "<system><cpu numaid=\"0\"><pci busid=\"0000:01:00.0\"/>"
		  "</cpu></system>",
		  ODDITY_NO_CLASS },
		{ "\tGPU0\tGPU1\nGPU0\tX\tCNS\nGPU1\tCNS\tX\n", ODDITY_P2P },
	};
	static const char clean[] = "\tGPU0\tGPU1\tNIC0\tNIC1\tCPU Affinity\n"
				    "GPU0\t X \tNV4\tPIX\tNODE\t0\n"
				    "GPU1\tNV4\t X \tNODE\tPIX\t0\n";
	struct topo_map twin;

	(void)state;
	map_read(clean, &twin);
	for (size_t i = 0; i < N_ROWS(rows); i++) {
		struct topo_map map;

		map_read(rows[i].text, &map);
		assert_true(has_kind(&map, rows[i].kind));
		assert_false(has_kind(&twin, rows[i].kind));
		check_faults(&map, "");
		topo_map_done(&map);
	}
	topo_map_done(&twin);
}

static void rails_follow_the_gpus(void **state)
{
	struct topo_map map;
	struct path_matrix matrix;
	struct rails rails;

	(void)state;
	map_read("\tGPU0\tGPU1\tNIC0\tNIC1\tNIC2\tCPU Affinity\n"
	         "GPU0\t X \tNV4\tSYS\tNODE\tPIX\t0\n"
	         "GPU1\tNV4\t X \tSYS\tPXB\tNODE\t0\n",
	         &map);
	assert_int_equal(path_matrix_init(&map, PATH_VIEW_SMI, &matrix, NULL),
	                 FP_OK);
	assert_int_equal(rails_init(&map, &matrix, &rails, NULL), FP_OK);
	assert_int_equal(rails.n, 2);
	assert_int_equal(rails.hcas[0], 2);
	assert_int_equal(rails.hcas[1], 1);
	assert_int_equal(rail_nearest(&map, &matrix, 1), PATH_PXB);
	assert_true(rail_near(&map, &matrix, 0, 2));
	assert_false(rail_near(&map, &matrix, 0, 1));
	rails_done(&rails);
	path_matrix_done(&matrix);
	topo_map_done(&map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(four_gpus),
		cmocka_unit_test(larger_boards),
		cmocka_unit_test(rows_that_are_missing),
		cmocka_unit_test(a_gpu_in_mig_mode_is_no_fault),
		cmocka_unit_test(listed_links),
		cmocka_unit_test(remarks),
		cmocka_unit_test(rails_follow_the_gpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
