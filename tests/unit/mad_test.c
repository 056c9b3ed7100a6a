// SPDX-License-Identifier: Apache-2.0
// What switch ports count: records of MADs, and who may ask.
#include "topo/source/mad.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/made_root.h"
#include "tests/unit/ports_bed.h"

#define LIBRARY "libfake-ibmad.so.1"
#define COUNTER "port.switch.counter."

static int64_t counter(const struct readings *set, const char *device,
                       const char *name)
{
	char full[READING_NAME_MAX];

	(void)snprintf(full, sizeof(full), COUNTER "%s", name);
	return readings_get_int(set, device, full, -1);
}

static void test_node(void **state)
{
	uint8_t data[MAD_DATA_BYTES] = {
		[2] = 2, [16] = 1, [17] = 2, [36] = 31
	};

	(void)state;
	assert_true(mad_node_info(data).is_switch);
	assert_int_equal(mad_node_info(data).port, 31);
	assert_int_equal(mad_port_lid(data), 0x0102);
	data[2] = 1; /* an HCA */
	assert_false(mad_node_info(data).is_switch);
	data[2] = 3; /* a router */
	assert_false(mad_node_info(data).is_switch);
}

/* Each counter stands where the specification has it, and nowhere else. */
static void test_places(void **state)
{
	static const struct {
		const char *name;
		unsigned at, extended_at; /* their last bytes */
	} rows[] = {
		{ "symbol_error", 5, 79 },
		{ "link_error_recovery", 6, 87 },
		{ "link_downed", 7, 95 },
		{ "port_rcv_errors", 9, 103 },
		{ "port_rcv_remote_physical_errors", 11, 111 },
		{ "port_xmit_discards", 15, 127 },
		{ "port_xmit_wait", 43, 175 },
		{ "port_xmit_data", 27, 15 },
		{ "port_rcv_data", 31, 23 },
	};
	const size_t n = sizeof(rows) / sizeof(*rows);

	(void)state;
	for (size_t i = 0; i < 2 * n; i++) {
		uint8_t data[2][MAD_PERFORMANCE_BYTES] = { { 0 } };
		struct readings *set = readings_new(1);
		struct reading_pen pen = { .set = set, .device = "p" };
		bool wide = i >= n;

		data[wide][wide ? rows[i - n].extended_at : rows[i].at] = 9;
		mad_put_counters(&pen, data[0], data[1]);
		for (size_t k = 0; k < n; k++)
			if (counter(set, "p", rows[k].name) !=
			    (k == i % n ? 9 : 0))
				fail_msg("%s, by place %zu", rows[k].name, i);
		readings_unref(set);
	}
}

/* The short form stops at its largest value; the long one may not be there. */
static void test_larger(void **state)
{
	uint8_t shorts[MAD_PERFORMANCE_BYTES] = { [4] = 0xff, [5] = 0xff };
	uint8_t longs[MAD_PERFORMANCE_BYTES] = { [77] = 2 };
	struct readings *set = readings_new(1);
	struct reading_pen pen = { .set = set, .device = "a" };

	(void)state;
	mad_put_counters(&pen, shorts, longs);
	assert_int_equal(counter(set, "a", "symbol_error"), 131072);
	pen.device = "b";
	mad_put_counters(&pen, shorts, NULL);
	assert_int_equal(counter(set, "b", "symbol_error"), 65535);
	memset(longs, 0xff, sizeof(longs));
	pen.device = "c";
	mad_put_counters(&pen, shorts, longs);
	assert_int_equal(counter(set, "c", "symbol_error"), INT64_MAX);
	readings_unref(set);
}

/* Three HCAs of two ports, all up but mlx5_2/2, which is Ethernet. */
static void read_ports(const char *library, struct live *live)
{
	ports_bed_init(live, 6);
	for (size_t i = 0; i < live->map->n_ports; i++) {
		live->map->ports[i].state = PORT_ACTIVE;
		live->map->ports[i].layer =
			i < 5 ? PORT_LAYER_IB : PORT_LAYER_ETHERNET;
	}
	assert_int_equal(live_mad_read(live, library, NULL), FP_OK);
}

static void check_skip(const struct live *live, const char *device,
                       const char *why)
{
	ports_bed_skip(live, device, "port.switch", why);
}

/* A umad device of each InfiniBand port, as many as @n. */
static void make_umads(const struct made_root *root, int n)
{
	char path[96], text[16];

	for (int i = 0; i < n; i++) {
		(void)snprintf(path, sizeof(path),
		               "sys/class/infiniband_mad/umad%d/ibdev", i);
		(void)snprintf(text, sizeof(text), "mlx5_%d\n", i / 2);
		made_root_put(root, path, text);
		(void)snprintf(path, sizeof(path),
		               "sys/class/infiniband_mad/umad%d/port", i);
		(void)snprintf(text, sizeof(text), "%d\n", i % 2 + 1);
		made_root_put(root, path, text);
	}
}

static void test_asked(void **state)
{
	struct made_root root = { 0 };
	struct live live = { .running = true };
	char library[4096], path[64];

	(void)state;
	if (!ports_bed_library(LIBRARY, library))
		skip();
	made_root_make(&root);
	make_umads(&root, 5);
	for (int i = 0; i < 5; i++) {
		(void)snprintf(path, sizeof(path), "dev/infiniband/umad%d", i);
		made_root_put(&root, path, "");
	}
	live.root_fd = root.fd;
	read_ports(library, &live);
	assert_int_equal(counter(live.readings, "mlx5_0/1", "symbol_error"),
	                 65552);
	assert_int_equal(counter(live.readings, "mlx5_0/1", "link_downed"), 3);
	assert_int_equal(counter(live.readings, "mlx5_0/1", "port_xmit_data"),
	                 1 << 25);
	assert_int_equal(counter(live.readings, "mlx5_2/1", "symbol_error"),
	                 65535);
	check_skip(&live, "mlx5_0/2", "no switch");
	check_skip(&live, "mlx5_1/1", "does not answer");
	check_skip(&live, "mlx5_1/2", "mad_rpc_open_port: Input/output error");
	assert_int_equal(counter(live.readings, "mlx5_2/2", "symbol_error"),
	                 -1);
	ports_bed_done(&live);
	made_root_remove(&root);
}

/* No device for it, a device that is not there for this user, no library. */
static void test_may_not(void **state)
{
	struct made_root root = { 0 };
	struct live live = { .running = true };
	char library[4096];

	(void)state;
	if (!ports_bed_library(LIBRARY, library))
		skip();
	made_root_make(&root);
	make_umads(&root, 1);
	live.root_fd = root.fd;
	read_ports(library, &live);
	check_skip(&live, "mlx5_0/1",
	           "/dev/infiniband/umad0: No such file or directory");
	check_skip(&live, "mlx5_0/2", "no umad device");
	ports_bed_done(&live);
	live = (struct live){ .running = true, .root_fd = root.fd };
	read_ports("libnowhere.so.5", &live);
	check_skip(&live, "", "libnowhere.so.5");
	ports_bed_done(&live);
	made_root_remove(&root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_node),    cmocka_unit_test(test_places),
		cmocka_unit_test(test_larger),  cmocka_unit_test(test_asked),
		cmocka_unit_test(test_may_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
