// SPDX-License-Identifier: Apache-2.0
// Unit tests of reading RDMA MTUs, by a libibverbs that is a fake.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/ports_bed.h"
#include "topo/source/live.h"

static void read_ports(const char *library, struct live *live)
{
	ports_bed_init(live, 4);
	assert_int_equal(live_verbs_read(live, library, NULL), FP_OK);
}

static void check_skip(const struct live *live, const char *device,
                       const char *why)
{
	ports_bed_skip(live, device, "port.active_mtu", why);
}

static void test_mtus_are_read_or_said_to_be_hidden(void **state)
{
	struct live live = { .running = true };
	char library[4096];

	(void)state;
	if (!ports_bed_library("libfake-ibverbs.so.1", library))
		skip();
	read_ports(library, &live);
	assert_int_equal(readings_get_int(live.readings, "mlx5_0/1",
	                                  "port.active_mtu", -1),
	                 4096);
	check_skip(&live, "mlx5_0/2", "ibv_query_port");
	check_skip(&live, "mlx5_1", "ibv_open_device: Permission denied");
	ports_bed_done(&live);
}

static void test_no_library_is_a_skip(void **state)
{
	struct live live = { .running = true };

	(void)state;
	read_ports("libnowhere.so.1", &live);
	check_skip(&live, "", "libnowhere.so.1");
	ports_bed_done(&live);
}

static void test_another_library_is_a_skip(void **state)
{
	struct live live = { .running = true };

	(void)state;
	read_ports("libm.so.6", &live);
	check_skip(&live, "", "it lacks a function");
	ports_bed_done(&live);
}

static void test_without_hcas_nobody_is_asked(void **state)
{
	struct topo_map none = { 0 };
	struct live live = { .map = &none, .readings = readings_new(1) };

	(void)state;
	assert_int_equal(live_verbs_read(&live, "libnowhere.so.1", NULL),
	                 FP_OK);
	assert_int_equal(readings_count(live.readings), 0);
	readings_unref(live.readings);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mtus_are_read_or_said_to_be_hidden),
		cmocka_unit_test(test_no_library_is_a_skip),
		cmocka_unit_test(test_another_library_is_a_skip),
		cmocka_unit_test(test_without_hcas_nobody_is_asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
