// SPDX-License-Identifier: Apache-2.0
// Ranks with several RDMA ports, and a job as each rail sees it.
#include "topo/model/rails.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/build_run.h"

static void test_list(void **state)
{
	char ports[TOPO_PORTS_MAX] = "", one[TOPO_PORT_MAX], name[16];
	uint32_t n = 0;

	(void)state;
	assert_int_equal(topo_ports_count(ports), 0);
	assert_string_equal(topo_ports_at(ports, 0, one), "");
	assert_true(topo_ports_add(ports, "mlx5_0/1"));
	assert_true(topo_ports_add(ports, "mlx5_10/2"));
	assert_string_equal(ports, "mlx5_0/1,mlx5_10/2");
	assert_string_equal(topo_ports_at(ports, 1, one), "mlx5_10/2");
	assert_string_equal(topo_ports_at(ports, 2, one), "");
	assert_false(topo_ports_add(ports, ""));
	assert_false(topo_ports_add(ports, "a_name_as_long_as_no_port_has_it"));
	for (n = 2; n < 2 * TOPO_RAILS_MAX; n++) {
		snprintf(name, sizeof(name), "mlx5_%u/1", n);
		if (!topo_ports_add(ports, name))
			break;
	}
	assert_int_equal(n, TOPO_RAILS_MAX);
	assert_int_equal(topo_ports_count(ports), n);
}

static void test_rank(void **state)
{
	struct build_run b;
	struct topo_rank *r;
	char one[TOPO_PORT_MAX];

	(void)state;
	build_job(&b, "1 1", BUILD_ONE_DEV);
	r = &b.job.ranks[0];
	assert_int_equal(topo_job_rails(&b.job), 1);
	assert_int_equal(topo_rank_rails(r), 0);
	assert_string_equal(topo_rank_port(r, -1, one), "");
	topo_job_set_ports(&b.job, 0, "mlx5_3/1");
	assert_string_equal(r->ports, "");
	assert_string_equal(topo_rank_port(r, -1, one), "mlx5_3/1");
	assert_string_equal(topo_rank_port(r, 0, one), "mlx5_3/1");
	assert_string_equal(topo_rank_port(r, 1, one), "");
	topo_job_set_ports(&b.job, 1, "a/1,b/1,c/1");
	assert_int_equal(topo_job_rails(&b.job), 3);
	assert_string_equal(b.job.ranks[1].port, "a/1");
	assert_string_equal(topo_rank_port(&b.job.ranks[1], 2, one), "c/1");
	build_done(&b);
}

/* Two ranks of h0 share a port on rail 0, and none on rail 1; h1 has its own of
 * the same name. */
static void test_view(void **state)
{
	struct topo_job view;
	struct build_run b;

	(void)state;
	build_job(&b, "3 1", BUILD_ONE_DEV);
	topo_job_set_ports(&b.job, 0, "x/1,y/1");
	topo_job_set_ports(&b.job, 1, "y/1,z/1");
	topo_job_set_ports(&b.job, 2, "x/1");
	topo_job_set_ports(&b.job, 3, "x/1,y/1");
	assert_int_equal(topo_job_on_rail(&b.job, 0, &view, NULL), FP_OK);
	assert_string_equal(view.ranks[2].port, "x/1");
	assert_int_equal(view.ranks[0].netdev, view.ranks[2].netdev);
	assert_int_not_equal(view.ranks[0].netdev, view.ranks[1].netdev);
	/* no device of the host, whose speed or name would be taken for it */
	assert_null(topo_job_netdev(&view, 0));
	assert_true(view.ranks[0].netdev < TOPO_MAX_NETDEVS);
	topo_job_on_rail_done(&view);
	assert_int_equal(topo_job_on_rail(&b.job, 1, &view, NULL), FP_OK);
	assert_string_equal(view.ranks[0].port, "y/1");
	assert_string_equal(view.ranks[1].port, "z/1");
	assert_string_equal(view.ranks[2].port, "");
	assert_int_equal(view.ranks[2].netdev, -1);
	topo_job_on_rail_done(&view);
	build_done(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_rank),
		cmocka_unit_test(test_view),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
