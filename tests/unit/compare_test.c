// SPDX-License-Identifier: Apache-2.0
// Unit tests of hosts against the majority: looks, readings, their words.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/map_bed.h"
#include "topo/compare/compare.h"
#include "topo/compare/map_differ.h"
#include "topo/render/render_job.h"

#define HOSTS 6

/* The only reading of each host; NULL: it has none of that name. */
typedef const char *const values[HOSTS];

static void add_host(struct topo_job *job, int32_t rank, const char *value,
                     bool shared)
{
	struct topo_host host = { .n_cpus = -1 };
	struct reading_pen pen = { .device = "" };

	(void)snprintf(host.name, sizeof(host.name), "node%d", rank);
	(void)snprintf(host.host_id, sizeof(host.host_id), "node%d", rank);
	host.readings = readings_new(1700000000);
	pen.set = host.readings;
	/* Where another row comes first, nothing can be shared. */
	if (!shared && rank % 2)
		reading_put_int(&pen, "mem.available", rank);
	reading_put_text(&pen, "kernel.cmdline", host.name);
	reading_put_text(&pen, "os.name", "all have this one");
	reading_put_int(&pen, "limit.memlock", -1);
	if (value && strcmp(value, "skip") == 0)
		reading_put_skip(&pen, "kernel.release", "not told");
	else if (value)
		reading_put_text(&pen, "kernel.release", value);
	assert_int_equal(pen.status, FP_OK);
	assert_int_equal(topo_job_place(job, rank, &host, NULL), FP_OK);
	topo_host_done(&host);
}

static void make_job(struct topo_job *job, values row, bool shared)
{
	assert_int_equal(topo_job_init(job, HOSTS, NULL), FP_OK);
	for (int32_t i = 0; i < HOSTS; i++)
		add_host(job, i, row[i], shared);
}

/* "usual xN|host=value,..." of the only row, or "". */
static void write_rows(const struct topo_job *job, const struct compare *c,
                       struct fp_text *text)
{
	char value[COMPARE_NAME_MAX];

	for (size_t i = 0; i < c->n; i++) {
		const struct compare_row *row = &c->rows[i];

		fp_text_printf(text, "%s%s x%zu|", row->split ? "?" : "",
		               compare_value(job, row->usual_host,
		                             row->usual_reading, value),
		               row->n_usual);
		for (size_t o = 0; o < row->n_odds; o++)
			fp_text_printf(text, "%s%zu=%s", o ? "," : "",
			               row->odds[o].host,
			               compare_value(job, row->odds[o].host,
			                             row->odds[o].reading,
			                             value));
	}
}

static void check_rows(values row, bool shared, const char *want)
{
	struct fp_text text = { 0 };
	struct topo_job job;
	struct compare compare;

	make_job(&job, row, shared);
	assert_int_equal(compare_readings(&job, &compare, NULL), FP_OK);
	write_rows(&job, &compare, &text);
	assert_string_equal(fp_text_str(&text), want);
	fp_text_free(&text);
	compare_done(&compare);
	topo_job_done(&job);
}

static void test_minorities_are_named(void **state)
{
	static const struct {
		values row;
		const char *want;
	} rows[] = {
		{ { "5", "5", "5", "5", "5", "5" }, "" },
		{ { "5", "5", "5", "6", "5", "5" }, "5 x5|3=6" },
		/* The first host may be the odd one. */
		{ { "6", "5", "5", "5", "5", "5" }, "5 x5|0=6" },
		{ { "6", "5", "5", "7", "5", "5" }, "5 x4|0=6,3=7" },
		{ { "5", "5", NULL, "5", "5", "5" }, "5 x5|2=none" },
		{ { NULL, NULL, NULL, "5", NULL, NULL }, "none x5|3=5" },
		/* What could not be read differs from nothing. */
		{ { "5", "5", "skip", "5", "5", "5" }, "" },
		{ { "5", "5", "skip", "6", "5", "5" }, "5 x4|3=6" },
		{ { "skip", "5", "5", "6", "5", "5" }, "5 x4|3=6" },
		{ { "5", "5", "5", "6", "6", "6" }, "?5 x3|3=6,4=6,5=6" },
	};

	(void)state;
	for (size_t i = 0; i < N_ROWS(rows); i++) {
		check_rows(rows[i].row, true, rows[i].want);
		check_rows(rows[i].row, false, rows[i].want);
	}
}

static void test_names_and_counters_may_differ(void **state)
{
	struct topo_job job;
	struct compare compare;
	values row = { "5", "5", "5", "5", "5", "5" };

	(void)state;
	make_job(&job, row, false); /* cmdline and mem.available differ */
	assert_int_equal(compare_readings(&job, &compare, NULL), FP_OK);
	assert_int_equal(compare.n, 0);
	assert_int_equal(compare.n_hosts, HOSTS);
	compare_done(&compare);
	topo_job_done(&job);
}

static void test_hosts_without_readings_are_left_out(void **state)
{
	struct topo_host host = { .name = "x", .host_id = "x", .n_cpus = -1 };
	struct topo_job job;
	struct compare compare;

	(void)state;
	assert_int_equal(topo_job_init(&job, 3, NULL), FP_OK);
	assert_int_equal(topo_job_place(&job, 0, &host, NULL), FP_OK);
	assert_int_equal(compare_readings(&job, &compare, NULL), FP_OK);
	assert_int_equal(compare.n, 0);
	compare_done(&compare);
	add_host(&job, 1, "5", true);
	add_host(&job, 2, "6", true);
	assert_int_equal(compare_readings(&job, &compare, NULL), FP_OK);
	assert_int_equal(compare.n, 1);
	assert_int_equal(compare.n_hosts, 2);
	assert_true(compare.rows[0].split);
	compare_done(&compare);
	topo_job_done(&job);
}

static void test_more_values_than_are_counted(void **state)
{
	char value[16];
	struct topo_job job;
	struct compare compare;

	(void)state;
	assert_int_equal(topo_job_init(&job, 100, NULL), FP_OK);
	for (int32_t i = 0; i < 100; i++) {
		(void)snprintf(value, sizeof(value), "v%d", i < 60 ? 0 : i);
		add_host(&job, i, value, true);
	}
	assert_int_equal(compare_readings(&job, &compare, NULL), FP_OK);
	assert_int_equal(compare.n, 1);
	assert_true(compare.capped);
	assert_int_equal(compare.rows[0].n_usual, 60);
	assert_int_equal(compare.rows[0].n_odds, 40);
	compare_done(&compare);
	topo_job_done(&job);
}

/* Two GPUs below one port each, and a NIC; @kind makes it another. */
enum kind { AS_USUAL, OTHER_BUS, OTHER_MODEL, NIC_DOWN, NO_NIC, OTHER_TREE };

static void make_map(struct topo_map *map, enum kind kind)
{
	int32_t numa = map_add_numa(map, 0), pci;
	struct map_port *port;

	for (int i = 0; i < 2; i++) {
		char bus[MAP_BUS_MAX];

		(void)snprintf(bus, sizeof(bus), "0000:%02x:00.0",
		               kind == OTHER_BUS ? i + 64 : i + 1);
		pci = map_add_pci(map, -1, numa, bus,
		                  kind == OTHER_TREE && i ? "0000:40"
		                                          : "0000:00");
		map_add_gpu(map, pci);
		(void)snprintf(map->gpus[i].uuid, MAP_NAME_MAX, "GPU-%d", kind);
		(void)snprintf(map->gpus[i].name, MAP_NAME_MAX, "%s",
		               kind == OTHER_MODEL ? "H200" : "H100");
	}
	map->tree = TREE_PORTS;
	if (kind == NO_NIC)
		return;
	pci = map_add_pci(map, -1, numa, "0000:09:00.0", "0000:00");
	map_add_hca(map, pci);
	(void)snprintf(map->hcas[0].name, MAP_NAME_MAX, "mlx5_0");
	assert_int_equal(topo_map_add_port(map, &port, NULL), FP_OK);
	port->hca = 0;
	port->port = 1;
	port->state = kind == NIC_DOWN ? PORT_DOWN : PORT_ACTIVE;
}

static void test_looks_do_not_mind_names(void **state)
{
	static const struct {
		enum kind kind;
		bool equal;
		const char *says;
	} rows[] = {
		{ AS_USUAL, true, "" },
		{ OTHER_BUS, true, "" },
		{ OTHER_MODEL, false, "GPU0 is H200; usual: H100" },
		{ NIC_DOWN, false, "mlx5_0/1 is Down (?); usual: Active (?)" },
		{ NO_NIC, false, "0 NICs; usual: 1" },
		{ OTHER_TREE, false, "GPU0 to GPU1: NODE; usual: PHB" },
	};

	(void)state;
	for (size_t i = 0; i < N_ROWS(rows); i++) {
		struct topo_map usual = { 0 }, map = { 0 };
		struct fp_text text = { 0 };

		make_map(&usual, AS_USUAL);
		make_map(&map, rows[i].kind);
		assert_int_equal(map_look_equal(&usual, &map), rows[i].equal);
		assert_int_equal(map_look_equal(&map, &usual), rows[i].equal);
		assert_int_equal(map_differ_write(&usual, &map, &text, NULL),
		                 FP_OK);
		if (!strstr(fp_text_str(&text), rows[i].says))
			fail_msg("'%s' is not in '%s'", rows[i].says,
			         fp_text_str(&text));
		fp_text_free(&text);
		topo_map_done(&usual);
		topo_map_done(&map);
	}
}

static void add_mapped(struct topo_job *job, int32_t rank, enum kind kind)
{
	struct topo_host host = { .n_cpus = -1 };

	(void)snprintf(host.name, sizeof(host.name), "h%02d", rank);
	(void)snprintf(host.host_id, sizeof(host.host_id), "h%02d", rank);
	host.map = calloc(1, sizeof(*host.map));
	assert_non_null(host.map);
	make_map(host.map, kind);
	assert_int_equal(topo_job_place(job, rank, &host, NULL), FP_OK);
	topo_host_done(&host);
}

static void test_groups_come_by_size(void **state)
{
	static const enum kind kinds[] = { NO_NIC, AS_USUAL, AS_USUAL,
		                           NO_NIC, AS_USUAL, OTHER_MODEL };
	static const int32_t want[] = { 1, 0, 0, 1, 0, 2 };
	struct topo_host bare = { .name = "z", .host_id = "z", .n_cpus = -1 };
	struct host_groups groups;
	struct topo_job job;

	(void)state;
	assert_int_equal(topo_job_init(&job, 7, NULL), FP_OK);
	for (int32_t i = 0; i < 6; i++)
		add_mapped(&job, i, kinds[i]);
	assert_int_equal(topo_job_place(&job, 6, &bare, NULL), FP_OK);
	assert_int_equal(host_groups_init(&job, &groups, NULL), FP_OK);
	assert_int_equal(groups.n, 3);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(groups.group[i], want[i]);
	assert_int_equal(groups.group[6], -1);
	assert_int_equal(groups.count[0], 3);
	assert_int_equal(groups.first[0], 1);
	host_groups_done(&groups);
	topo_job_done(&job);
}

static void test_a_job_is_drawn_with_what_is_missing(void **state)
{
	struct topo_host bare = { .name = "z", .host_id = "z", .n_cpus = -1 };
	struct job_verdict verdict;
	struct fp_text text = { 0 };
	struct topo_job job;

	(void)state;
	assert_int_equal(topo_job_init(&job, 4, NULL), FP_OK);
	add_mapped(&job, 0, AS_USUAL);
	add_mapped(&job, 1, AS_USUAL);
	assert_int_equal(topo_job_place(&job, 2, &bare, NULL), FP_OK);
	assert_int_equal(render_job(&job, PATH_VIEW_SMI, &text, &verdict, NULL),
	                 FP_OK);
	assert_non_null(strstr(fp_text_str(&text),
	                       "2 hosts look the same: h[00-01]\n"));
	assert_non_null(
		strstr(fp_text_str(&text), "1 host could not be read: z\n"));
	assert_non_null(strstr(fp_text_str(&text), "1 rank did not come"));
	assert_int_equal(verdict.unread, 1);
	assert_int_equal(verdict.missing, 1);
	assert_int_equal(verdict.faults, 0);
	fp_text_free(&text);
	topo_job_done(&job);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_minorities_are_named),
		cmocka_unit_test(test_names_and_counters_may_differ),
		cmocka_unit_test(test_hosts_without_readings_are_left_out),
		cmocka_unit_test(test_more_values_than_are_counted),
		cmocka_unit_test(test_looks_do_not_mind_names),
		cmocka_unit_test(test_groups_come_by_size),
		cmocka_unit_test(test_a_job_is_drawn_with_what_is_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
