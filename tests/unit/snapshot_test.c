// SPDX-License-Identifier: Apache-2.0
// Unit tests of hosts and jobs in JSON: there and back, and hostile ones.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "topo/json/snapshot.h"

#define N_ROWS(table) (sizeof(table) / sizeof(*(table)))

static const struct topo_netdev some_netdevs[] = {
	{ .name = "eth0",
	  .addr = "10.0.0.1",
	  .driver = "mlx5_core",
	  .speed_bps = 100000000000,
	  .mtu_bytes = 9000,
	  .up = true,
	  .hca = true },
	{ .name = "lo",
	  .addr = "127.0.0.1",
	  .speed_bps = -1,
	  .mtu_bytes = 65536,
	  .up = true,
	  .loopback = true },
};

static const struct topo_host some_host = {
	.name = "gpu07",
	.boot_id = "5f0c8a3e",
	.host_id = "gpu07/5f0c8a3e",
	.kernel = "6.1.0",
	.n_cpus = 128,
	/* Nobody writes to it: the host itself is const. */
	.netdevs = (struct topo_netdev *)(uintptr_t)some_netdevs,
	.n_netdevs = 2,
};

static enum fp_status read_host(const char *text, struct topo_host *host,
                                struct fp_err *err)
{
	return topo_host_from_json(text, strlen(text), host, err);
}

static enum fp_status read_job(const char *text, struct topo_job *job,
                               struct fp_err *err)
{
	return topo_job_from_json(text, strlen(text), job, err);
}

static void check_same_host(const struct topo_host *a,
                            const struct topo_host *b)
{
	assert_string_equal(a->name, b->name);
	assert_string_equal(a->boot_id, b->boot_id);
	assert_string_equal(a->host_id, b->host_id);
	assert_string_equal(a->kernel, b->kernel);
	assert_int_equal(a->n_cpus, b->n_cpus);
	assert_int_equal(a->n_netdevs, b->n_netdevs);
	for (size_t i = 0; i < a->n_netdevs; i++) {
		const struct topo_netdev *x = &a->netdevs[i];
		const struct topo_netdev *y = &b->netdevs[i];

		assert_string_equal(x->name, y->name);
		assert_string_equal(x->addr, y->addr);
		assert_string_equal(x->driver, y->driver);
		assert_int_equal(x->speed_bps, y->speed_bps);
		assert_int_equal(x->mtu_bytes, y->mtu_bytes);
		assert_int_equal(x->up, y->up);
		assert_int_equal(x->loopback, y->loopback);
		assert_int_equal(x->hca, y->hca);
	}
}

static void test_a_host_there_and_back(void **state)
{
	char *text = topo_host_to_json(&some_host), *again;
	struct topo_host host;

	(void)state;
	assert_non_null(text);
	assert_null(strchr(text, '\n'));
	assert_int_equal(read_host(text, &host, NULL), FP_OK);
	check_same_host(&host, &some_host);
	again = topo_host_to_json(&host);
	assert_string_equal(text, again);
	topo_host_done(&host);
	free(again);
	free(text);
}

static void test_a_job_there_and_back(void **state)
{
	char *text, *again;
	struct topo_job job, back;

	(void)state;
	assert_int_equal(topo_job_init(&job, 3, NULL), FP_OK);
	assert_int_equal(topo_job_place(&job, 1, &some_host, NULL), FP_OK);
	job.ranks[1].netdev = 1;
	job.ranks[1].pid = 4711;
	text = topo_job_to_json(&job);
	assert_non_null(text);
	assert_non_null(strstr(text, TOPO_SNAPSHOT_SCHEMA));
	assert_int_equal(read_job(text, &back, NULL), FP_OK);
	assert_int_equal(back.n_hosts, 1);
	check_same_host(&back.hosts[0], &some_host);
	assert_int_equal(back.n_ranks, 3);
	assert_memory_equal(back.ranks, job.ranks, 3 * sizeof(*job.ranks));
	assert_int_equal(back.placed_end, job.placed_end);
	again = topo_job_to_json(&back);
	assert_string_equal(text, again);
	free(again);
	free(text);
	topo_job_done(&back);
	topo_job_done(&job);
}

static void test_what_is_missing_is_not_known(void **state)
{
	struct topo_host host;
	struct topo_job job;

	(void)state;
	assert_int_equal(
		read_host("{\"netdevs\":[{}],\"later\":[1]}", &host, NULL),
		FP_OK);
	check_same_host(
		&host,
		&(struct topo_host){
			.n_cpus = -1,
			.netdevs = &(struct topo_netdev){ .speed_bps = -1,
	                                                  .mtu_bytes = -1 },
			.n_netdevs = 1 });
	topo_host_done(&host);
	assert_int_equal(read_host("{}", &host, NULL), FP_OK);
	assert_int_equal(host.n_netdevs, 0);
	assert_int_equal(read_job("{\"schema\":\"" TOPO_SNAPSHOT_SCHEMA
	                          "\",\"ranks\":[{},{}]}",
	                          &job, NULL),
	                 FP_OK);
	assert_int_equal(job.n_hosts, 0);
	assert_int_equal(job.ranks[1].rank, 1);
	assert_int_equal(job.ranks[1].host, -1);
	assert_int_equal(job.ranks[1].pid, -1);
	topo_job_done(&job);
}

static void test_texts_that_json_cannot_hold(void **state)
{
	struct topo_host odd = { .name = "h\xff\n", .n_cpus = -1 }, host;
	char *text;

	(void)state;
	memset(odd.kernel, 'k', sizeof(odd.kernel));
	text = topo_host_to_json(&odd);
	assert_non_null(text);
	assert_int_equal(read_host(text, &host, NULL), FP_OK);
	assert_string_equal(host.name, "h??");
	assert_int_equal(strlen(host.kernel), sizeof(host.kernel) - 1);
	topo_host_done(&host);
	free(text);
}

#define TEXT_64 \
	"0123456789012345678901234567890123456789012345678901234567890123"

static void test_bad_hosts_are_refused_by_member(void **state)
{
	static const struct {
		const char *text;
		enum fp_status status;
		const char *why;
	} rows[] = {
		{ "", FP_ERR_INPUT, "line" },
		{ "[]", FP_ERR_INPUT, "object" },
		{ "{", FP_ERR_INPUT, "line" },
		{ "{} x", FP_ERR_INPUT, "line" },
		{ "{\"name\":1}", FP_ERR_INPUT, "'name'" },
		{ "{\"name\":null}", FP_ERR_INPUT, "'name'" },
		{ "{\"name\":\"a\",\"name\":\"b\"}", FP_ERR_INPUT, "dup" },
		{ "{\"name\":\"" TEXT_64 "\"}", FP_ERR_LIMIT, "'name'" },
		{ "{\"name\":\"a\\u0000b\"}", FP_ERR_INPUT, "u0000" },
		{ "{\"n_cpus\":\"8\"}", FP_ERR_INPUT, "'n_cpus'" },
		{ "{\"n_cpus\":1.5}", FP_ERR_INPUT, "'n_cpus'" },
		{ "{\"n_cpus\":-2}", FP_ERR_LIMIT, "'n_cpus'" },
		{ "{\"n_cpus\":2147483648}", FP_ERR_LIMIT, "'n_cpus'" },
		{ "{\"n_cpus\":99999999999999999999}", FP_ERR_INPUT, "big" },
		{ "{\"netdevs\":{}}", FP_ERR_INPUT, "'netdevs'" },
		{ "{\"netdevs\":[1]}", FP_ERR_INPUT, "netdev 0" },
		{ "{\"netdevs\":[{},{\"up\":1}]}", FP_ERR_INPUT,
		  "netdev 1: 'up'" },
		{ "{\"netdevs\":[{\"mtu_bytes\":-9}]}", FP_ERR_LIMIT,
		  "'mtu_bytes'" },
	};

	(void)state;
	for (size_t i = 0; i < N_ROWS(rows); i++) {
		struct topo_host host;
		struct fp_err err = { 0 };

		assert_int_equal(read_host(rows[i].text, &host, &err),
		                 rows[i].status);
		assert_non_null(strstr(err.text, rows[i].why));
		assert_non_null(strstr(err.text, "host"));
	}
}

#define JOB(rest) "{\"schema\":\"" TOPO_SNAPSHOT_SCHEMA "\"," rest "}"

static void test_bad_jobs_are_refused_by_member(void **state)
{
	static const struct {
		const char *text;
		enum fp_status status;
		const char *why;
	} rows[] = {
		{ "{}", FP_ERR_INPUT, "'schema' is missing" },
		{ "[]", FP_ERR_INPUT, "'schema'" },
		{ "{\"schema\":\"fabricprobe-snapshot/2\"}", FP_ERR_INPUT,
		  "snapshot/2, not fabricprobe-snapshot/1" },
		{ "{\"schema\":1}", FP_ERR_INPUT, "'schema'" },
		{ JOB("\"hosts\":[]"), FP_ERR_LIMIT, "ranks" },
		{ JOB("\"ranks\":1"), FP_ERR_INPUT, "'ranks'" },
		{ JOB("\"ranks\":[1]"), FP_ERR_INPUT, "rank 0" },
		{ JOB("\"ranks\":[{}],\"hosts\":7"), FP_ERR_INPUT, "'hosts'" },
		{ JOB("\"ranks\":[{}],\"hosts\":[{},{\"name\":1}]"),
		  FP_ERR_INPUT, "host 1: 'name'" },
		{ JOB("\"ranks\":[{},{\"rank\":0}]"), FP_ERR_INPUT,
		  "rank 1: 'rank'" },
		{ JOB("\"ranks\":[{\"rank\":65536}]"), FP_ERR_LIMIT, "'rank'" },
		{ JOB("\"ranks\":[{\"host\":0}]"), FP_ERR_INPUT, "'host' 0" },
		{ JOB("\"ranks\":[{\"host\":1}],\"hosts\":[{}]"), FP_ERR_INPUT,
		  "'host' 1" },
		{ JOB("\"ranks\":[{\"netdev\":0}]"), FP_ERR_INPUT, "'netdev'" },
		{ JOB("\"ranks\":[{\"host\":0,\"netdev\":1}],"
		      "\"hosts\":[{\"netdevs\":[{}]}]"),
		  FP_ERR_INPUT, "'netdev' 1" },
		{ JOB("\"ranks\":[{\"local_rank\":1}]"), FP_ERR_INPUT,
		  "'local_rank'" },
		{ JOB("\"ranks\":[{\"pid\":-2}]"), FP_ERR_LIMIT, "'pid'" },
	};

	(void)state;
	for (size_t i = 0; i < N_ROWS(rows); i++) {
		struct topo_job job;
		struct fp_err err = { 0 };

		assert_int_equal(read_job(rows[i].text, &job, &err),
		                 rows[i].status);
		assert_non_null(strstr(err.text, rows[i].why));
		assert_non_null(strstr(err.text, "snapshot: "));
	}
}

static void test_limits_of_number_and_size(void **state)
{
	struct topo_host host;
	struct fp_err err = { 0 };
	char text[16 + 3 * (TOPO_MAX_NETDEVS + 1)] = "{\"netdevs\":[{}";

	(void)state;
	for (int i = 0; i < TOPO_MAX_NETDEVS - 1; i++)
		strcat(text, ",{}");
	strcat(text, "]}");
	assert_int_equal(read_host(text, &host, NULL), FP_OK);
	assert_int_equal(host.n_netdevs, TOPO_MAX_NETDEVS);
	topo_host_done(&host);
	memcpy(text + strlen(text) - 2, ",{}]}", 6);
	assert_int_equal(read_host(text, &host, &err), FP_ERR_LIMIT);
	assert_non_null(strstr(err.text, "'netdevs' has 257"));
	assert_int_equal(topo_host_from_json(text, SIZE_MAX, &host, NULL),
	                 FP_ERR_LIMIT);
}

static void test_every_cut_of_a_snapshot_is_refused(void **state)
{
	struct topo_job job, back;
	char *text;

	(void)state;
	assert_int_equal(topo_job_init(&job, 2, NULL), FP_OK);
	assert_int_equal(topo_job_place(&job, 0, &some_host, NULL), FP_OK);
	text = topo_job_to_json(&job);
	assert_non_null(text);
	for (size_t len = 0; len < strlen(text); len++)
		assert_int_equal(topo_job_from_json(text, len, &back, NULL),
		                 FP_ERR_INPUT);
	free(text);
	topo_job_done(&job);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_host_there_and_back),
		cmocka_unit_test(test_a_job_there_and_back),
		cmocka_unit_test(test_what_is_missing_is_not_known),
		cmocka_unit_test(test_texts_that_json_cannot_hold),
		cmocka_unit_test(test_bad_hosts_are_refused_by_member),
		cmocka_unit_test(test_bad_jobs_are_refused_by_member),
		cmocka_unit_test(test_limits_of_number_and_size),
		cmocka_unit_test(test_every_cut_of_a_snapshot_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
