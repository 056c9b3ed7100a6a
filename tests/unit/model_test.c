// SPDX-License-Identifier: Apache-2.0
// Unit tests of the job: placing ranks on hosts, and lookups.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "topo/model/model.h"

#define N_ROWS(table) (sizeof(table) / sizeof(*(table)))

static struct topo_host make_host(const char *name)
{
	struct topo_host host = { .n_cpus = -1 };

	(void)snprintf(host.name, sizeof(host.name), "%s", name);
	(void)snprintf(host.host_id, sizeof(host.host_id), "%s/boot", name);
	return host;
}

static void place(struct topo_job *job, int32_t rank, const char *host)
{
	struct topo_host h = make_host(host);

	assert_int_equal(topo_job_place(job, rank, &h, NULL), FP_OK);
}

/* Local ranks count up from 0 on each host, in rank order. */
static void check_local_ranks(const struct topo_job *job)
{
	for (size_t h = 0; h < job->n_hosts; h++) {
		int32_t next = 0;

		for (size_t i = 0; i < job->n_ranks; i++) {
			if (job->ranks[i].host != (int32_t)h)
				continue;
			assert_int_equal(job->ranks[i].local_rank, next);
			next++;
		}
	}
}

static void test_an_empty_job(void **state)
{
	struct topo_job job;

	(void)state;
	assert_int_equal(topo_job_init(&job, 3, NULL), FP_OK);
	for (int32_t i = 0; i < 3; i++) {
		const struct topo_rank *r = &job.ranks[i];

		assert_int_equal(r->rank, i);
		assert_int_equal(r->host, -1);
		assert_int_equal(r->local_rank, -1);
		assert_int_equal(r->netdev, -1);
		assert_int_equal(r->pid, -1);
		assert_string_equal(topo_job_host_name(&job, i), "?");
		assert_null(topo_job_netdev(&job, i));
	}
	assert_false(topo_job_same_host(&job, 0, 1));
	assert_false(topo_job_same_host(&job, 0, 0));
	topo_job_done(&job);
	topo_job_done(&job);
	topo_job_done(NULL);
	topo_host_done(NULL);
}

static void test_jobs_have_limits(void **state)
{
	static const size_t sizes[] = { 0, TOPO_MAX_RANKS + 1, SIZE_MAX };

	(void)state;
	for (size_t i = 0; i < N_ROWS(sizes); i++) {
		struct fp_err err = { 0 };
		struct topo_job job;

		assert_int_equal(topo_job_init(&job, sizes[i], &err),
		                 FP_ERR_LIMIT);
		assert_non_null(strstr(err.text, "65536"));
	}
}

static void test_placing_in_any_order(void **state)
{
	static const int32_t orders[][6] = {
		{ 0, 1, 2, 3, 4, 5 },
		{ 5, 4, 3, 2, 1, 0 },
		{ 3, 0, 5, 1, 4, 2 },
		{ 2, 4, 0, 5, 3, 1 },
	};
	static const char *const hosts[] = { "a", "b", "a", "b", "b", "a" };

	(void)state;
	for (size_t i = 0; i < N_ROWS(orders); i++) {
		struct topo_job job;

		assert_int_equal(topo_job_init(&job, 6, NULL), FP_OK);
		for (size_t k = 0; k < 6; k++) {
			int32_t rank = orders[i][k];

			place(&job, rank, hosts[rank]);
			place(&job, rank, hosts[rank]);
			check_local_ranks(&job);
		}
		assert_int_equal(job.n_hosts, 2);
		for (int32_t r = 0; r < 6; r++)
			assert_string_equal(topo_job_host_name(&job, r),
			                    hosts[r]);
		assert_true(topo_job_same_host(&job, 0, 5));
		assert_false(topo_job_same_host(&job, 0, 1));
		topo_job_done(&job);
	}
}

static void test_a_rank_that_moves(void **state)
{
	struct topo_job job;

	(void)state;
	assert_int_equal(topo_job_init(&job, 4, NULL), FP_OK);
	for (int32_t r = 0; r < 4; r++)
		place(&job, r, "a");
	place(&job, 1, "b");
	check_local_ranks(&job);
	place(&job, 0, "b");
	check_local_ranks(&job);
	assert_int_equal(job.ranks[1].local_rank, 1);
	assert_int_equal(job.ranks[3].local_rank, 1);
	topo_job_done(&job);
}

static void test_ranks_out_of_range(void **state)
{
	static const int32_t ranks[] = { -1, 2, INT32_MAX, INT32_MIN };
	struct topo_host host = make_host("a");
	struct topo_job job;

	(void)state;
	assert_int_equal(topo_job_init(&job, 2, NULL), FP_OK);
	place(&job, 0, "a");
	for (size_t i = 0; i < N_ROWS(ranks); i++) {
		struct fp_err err = { 0 };

		assert_int_equal(topo_job_place(&job, ranks[i], &host, &err),
		                 FP_ERR_INPUT);
		assert_string_equal(topo_job_host_name(&job, ranks[i]), "?");
		assert_false(topo_job_same_host(&job, ranks[i], 0));
		assert_null(topo_job_netdev(&job, ranks[i]));
	}
	assert_int_equal(job.n_hosts, 1);
	topo_job_done(&job);
}

static void test_a_host_is_learnt_piece_by_piece(void **state)
{
	struct topo_netdev devs[2] = { { .name = "lo" }, { .name = "eth0" } };
	struct topo_netdev other[1] = { { .name = "ib0" } };
	struct topo_host brief = make_host("a"), full = make_host("a");
	struct topo_job job;

	(void)state;
	full.netdevs = devs;
	full.n_netdevs = 2;
	full.n_cpus = 8;
	(void)snprintf(full.kernel, sizeof(full.kernel), "6.1.0");
	assert_int_equal(topo_job_init(&job, 3, NULL), FP_OK);
	assert_int_equal(topo_job_place(&job, 0, &brief, NULL), FP_OK);
	assert_int_equal(topo_job_place(&job, 1, &full, NULL), FP_OK);
	assert_int_equal(job.n_hosts, 1);
	assert_int_equal(job.hosts[0].n_cpus, 8);
	assert_string_equal(job.hosts[0].kernel, "6.1.0");
	assert_int_equal(job.hosts[0].n_netdevs, 2);
	assert_ptr_not_equal(job.hosts[0].netdevs, devs);

	full.netdevs = other;
	full.n_netdevs = 1;
	full.n_cpus = 1;
	assert_int_equal(topo_job_place(&job, 2, &full, NULL), FP_OK);
	assert_int_equal(job.hosts[0].n_netdevs, 2);
	assert_int_equal(job.hosts[0].n_cpus, 8);

	job.ranks[2].netdev = 1;
	assert_string_equal(topo_job_netdev(&job, 2)->name, "eth0");
	job.ranks[2].netdev = 2;
	assert_null(topo_job_netdev(&job, 2));
	topo_job_done(&job);
}

static void test_copies_are_deep(void **state)
{
	struct topo_netdev devs[1] = { { .name = "eth0", .mtu_bytes = 1500 } };
	struct topo_host src = make_host("a"), dst;

	(void)state;
	src.netdevs = devs;
	src.n_netdevs = 1;
	assert_int_equal(topo_host_copy(&dst, &src, NULL), FP_OK);
	assert_ptr_not_equal(dst.netdevs, devs);
	assert_int_equal(dst.netdevs[0].mtu_bytes, 1500);
	assert_int_equal(topo_host_find_netdev(&dst, "eth0"), 0);
	assert_int_equal(topo_host_find_netdev(&dst, "eth"), -1);
	topo_host_done(&dst);
	assert_int_equal(dst.n_netdevs, 0);
	src.n_netdevs = 0;
	assert_int_equal(topo_host_copy(&dst, &src, NULL), FP_OK);
	assert_null(dst.netdevs);
}

static void test_the_device_that_data_takes(void **state)
{
	struct topo_netdev lo = {
		.name = "lo", .addr = "127.0.0.1", .up = true, .loopback = true
	};
	struct topo_netdev down = { .name = "eth0", .addr = "10.0.0.1" };
	struct topo_netdev bare = { .name = "eth1", .up = true };
	struct topo_netdev up = { .name = "eth2",
		                  .addr = "10.0.0.2",
		                  .up = true };
	struct topo_netdev last = { .name = "eth3",
		                    .addr = "10.0.0.3",
		                    .up = true };
	struct topo_netdev none = { .name = "lo", .loopback = true };
	struct topo_netdev all[] = { lo, down, bare, up, last };
	struct topo_netdev loopback[] = { bare, down, lo };
	struct topo_netdev nothing[] = { bare, down, none };
	struct {
		struct topo_netdev *devs;
		size_t n;
		int32_t want;
	} rows[] = {
		{ all, 5, 3 },      { all, 3, 0 },   { loopback, 3, 2 },
		{ nothing, 3, -1 }, { NULL, 0, -1 },
	};

	(void)state;
	for (size_t i = 0; i < N_ROWS(rows); i++) {
		struct topo_host host = { .netdevs = rows[i].devs,
			                  .n_netdevs = rows[i].n };

		assert_int_equal(topo_host_default_netdev(&host), rows[i].want);
	}
}

static void test_a_job_of_the_largest_size(void **state)
{
	struct topo_host host = { .n_cpus = 1 };
	struct topo_job job;

	(void)state;
	assert_int_equal(topo_job_init(&job, TOPO_MAX_RANKS, NULL), FP_OK);
	for (int32_t r = 0; r < TOPO_MAX_RANKS; r++) {
		(void)snprintf(host.host_id, sizeof(host.host_id), "h%d",
		               r / 64);
		assert_int_equal(topo_job_place(&job, r, &host, NULL), FP_OK);
	}
	assert_int_equal(job.n_hosts, TOPO_MAX_RANKS / 64);
	for (int32_t r = 0; r < TOPO_MAX_RANKS; r++)
		assert_int_equal(job.ranks[r].local_rank, r % 64);
	topo_job_done(&job);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_an_empty_job),
		cmocka_unit_test(test_jobs_have_limits),
		cmocka_unit_test(test_placing_in_any_order),
		cmocka_unit_test(test_a_rank_that_moves),
		cmocka_unit_test(test_ranks_out_of_range),
		cmocka_unit_test(test_a_host_is_learnt_piece_by_piece),
		cmocka_unit_test(test_copies_are_deep),
		cmocka_unit_test(test_the_device_that_data_takes),
		cmocka_unit_test(test_a_job_of_the_largest_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
