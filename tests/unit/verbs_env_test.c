// SPDX-License-Identifier: Apache-2.0
// What the verbs transport is asked for, and what it counts.
#include "probes/xport/verbs_env.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* getenv(3) of a job that sets all there is. */
static char *full_env(const char *name)
{
	static const char *const rows[][2] = {
		{ "NCCL_IB_HCA", "=mlx5_1:1" },
		{ "NCCL_IB_GID_INDEX", "3" },
		{ "NCCL_IB_ADDR_FAMILY", "AF_INET6" },
		{ "NCCL_IB_ADDR_RANGE", "fd00::/8" },
		{ "NCCL_IB_ROCE_VERSION_NUM", "1" },
		{ "NCCL_IB_SL", "5" },
		{ "NCCL_IB_TC", "106" },
		{ "NCCL_IB_PKEY", "0x2" },
		{ "NCCL_IB_QPS_PER_CONNECTION", "4" },
		{ "NCCL_IB_PCI_RELAXED_ORDERING", "0" },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		if (strcmp(rows[i][0], name) == 0)
			return (char *)rows[i][1];
	return NULL;
}

static char *no_env(const char *name)
{
	(void)name;
	return NULL;
}

static struct wire_setup setup_unset(void)
{
	struct wire_setup setup = { .local_rank = 2 };

	setup.rdma = (struct wire_rdma){ .gid_index = WIRE_RDMA_UNSET,
		                         .sl = WIRE_RDMA_UNSET,
		                         .tc = WIRE_RDMA_UNSET };
	return setup;
}

static void test_environment(void **state)
{
	struct wire_setup setup = setup_unset();
	struct verbs_env env;

	(void)state;
	assert_int_equal(verbs_env_read(&setup, full_env, &env, NULL), FP_OK);
	assert_true(hca_list_takes(&env.hcas, "mlx5_1", 1));
	assert_false(hca_list_takes(&env.hcas, "mlx5_1", 2));
	assert_int_equal(env.gid.index, 3);
	assert_int_equal(env.gid.family, GID_IPV6);
	assert_int_equal(env.gid.type, GID_ROCE_V1);
	assert_int_equal(env.gid.net_bits, 8);
	assert_int_equal(env.sl, 5);
	assert_int_equal(env.tc, 106);
	assert_int_equal(env.pkey_index, 2);
	assert_int_equal(env.qps, 4);
	assert_int_equal(env.relaxed, 0);
	assert_int_equal(env.local_rank, 2);
}

static void test_options_win(void **state)
{
	struct wire_setup setup = setup_unset();
	struct verbs_env env;

	(void)state;
	strcpy(setup.rdma.hca, "rxe");
	setup.rdma.gid_index = 0;
	setup.rdma.sl = 0;
	setup.rdma.tc = 7;
	setup.rdma.qps = 2;
	setup.rdma.mtu_bytes = 1024;
	assert_int_equal(verbs_env_read(&setup, full_env, &env, NULL), FP_OK);
	assert_true(hca_list_takes(&env.hcas, "rxe0", 1));
	assert_int_equal(env.gid.index, 0);
	assert_int_equal(env.sl, 0);
	assert_int_equal(env.tc, 7);
	assert_int_equal(env.qps, 2);
	assert_int_equal(env.mtu_bytes, 1024);
}

static void test_nothing_said(void **state)
{
	struct wire_setup setup = setup_unset();
	struct verbs_env env;

	(void)state;
	assert_int_equal(verbs_env_read(&setup, no_env, &env, NULL), FP_OK);
	assert_int_equal(env.hcas.n, 0);
	assert_int_equal(env.gid.index, -1);
	assert_int_equal(env.qps, 1);
	assert_int_equal(env.relaxed, 1);
	assert_int_equal(env.sl, 0);
	assert_int_equal(env.tc, 0);
	assert_int_equal(env.mtu_bytes, 0);
}

static const char *wrong_name, *wrong_value;

static char *wrong_env(const char *name)
{
	return strcmp(name, wrong_name) == 0 ? (char *)wrong_value : NULL;
}

static void test_environment_that_makes_no_sense(void **state)
{
	static const char *const rows[][2] = {
		{ "NCCL_IB_HCA", ":" },
		{ "NCCL_IB_GID_INDEX", "three" },
		{ "NCCL_IB_GID_INDEX", "256" },
		{ "NCCL_IB_ADDR_FAMILY", "AF_IB" },
		{ "NCCL_IB_SL", "16" },
		{ "NCCL_IB_TC", "-1" },
		{ "NCCL_IB_QPS_PER_CONNECTION", "9" },
	};
	struct wire_setup setup = setup_unset();
	struct verbs_env env;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fp_err err = { 0 };

		wrong_name = rows[i][0];
		wrong_value = rows[i][1];
		assert_int_equal(verbs_env_read(&setup, wrong_env, &env, &err),
		                 FP_ERR_USAGE);
		if (!strstr(err.text, wrong_name))
			fail_msg("row %zu: %s", i, err.text);
	}
}

static void test_deltas(void **state)
{
	static const struct {
		uint64_t before, now, want;
	} rows[] = {
		{ 0, 0, 0 },
		{ 5, 9, 4 },
		{ UINT32_MAX, 0, 1 }, /* went around */
		{ UINT32_MAX - 1, 3, 5 },
		{ 1ULL << 40, (1ULL << 40) + 7, 7 },
		{ 1ULL << 40, 12, 12 }, /* was reset */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_int_equal(
			verbs_counter_delta(rows[i].before, rows[i].now),
			rows[i].want);
}

static void file_make(const char *folder, const char *name, const char *text)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	for (char *p = path + 1; *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		(void)mkdir(path, 0700);
		*p = '/';
	}
	fd = open(path, O_WRONLY | O_CREAT, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

/* Drivers have other names for the same, and not all of them. */
static void test_counters(void **state)
{
#define PORT "sys/class/infiniband/mlx5_0/ports/1/"
#define NET "sys/class/net/eth7/statistics/"
	static const char *const files[][2] = {
		{ PORT "counters/port_xmit_packets", "1000\n" },
		{ PORT "counters/link_downed", "2\n" },
		{ PORT "hw_counters/local_ack_timeout_err", "3\n" },
		{ PORT "hw_counters/packet_seq_err", "4\n" },
		{ PORT "hw_counters/out_of_sequence", "5\n" },
		{ PORT "counters/port_xmit_data", "70\n" },
		{ PORT "counters/port_rcv_data", "80\n" },
		{ PORT "gid_attrs/ndevs/0", "eth7\n" },
		{ NET "tx_bytes", "9000\n" },
		{ NET "rx_bytes", "10000\n" },
	};
	static const char *const inner[] = {
		PORT "counters",      PORT "gid_attrs/ndevs",
		PORT "gid_attrs",     "sys/class/net/eth7/statistics",
		"sys/class/net/eth7", "sys/class/net",
	};
	char folder[] = "/tmp/fabricprobe-test.XXXXXX", path[256];
	uint64_t got[VERBS_COUNTERS];

	(void)state;
	assert_non_null(mkdtemp(folder));
	for (size_t i = 0; i < COUNT(files); i++)
		file_make(folder, files[i][0], files[i][1]);
	verbs_counters_read(folder, "mlx5_0", 1, got);
	assert_int_equal(got[VERBS_SENT], 1000);
	assert_int_equal(got[VERBS_RETRIED], 7);
	assert_int_equal(got[VERBS_HOLES], 5);
	assert_int_equal(got[VERBS_DOWNS], 2);
	assert_int_equal(got[VERBS_TX_WORDS], 70);
	assert_int_equal(got[VERBS_RX_WORDS], 80);
	assert_int_equal(got[VERBS_NET_TX_BYTES], 9000);
	assert_int_equal(got[VERBS_NET_RX_BYTES], 10000);
	verbs_counters_read(folder, "mlx5_1", 1, got);
	assert_int_equal(got[VERBS_SENT], 0);
	for (size_t i = 0; i < COUNT(files); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, files[i][0]);
		assert_int_equal(unlink(path), 0);
	}
	/* the folders, innermost first */
	for (size_t i = 0; i < COUNT(inner); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, inner[i]);
		assert_int_equal(rmdir(path), 0);
	}
	snprintf(path, sizeof(path), "%s/" PORT "hw_counters", folder);
	for (char *slash = path; slash; slash = strrchr(path, '/')) {
		if (slash != path)
			*slash = '\0';
		if (strlen(path) < strlen(folder))
			break;
		assert_int_equal(rmdir(path), 0);
	}
}

/* RDMA is counted by the HCA, by its network device, or by both. */
static void test_moved(void **state)
{
	static const struct {
		uint64_t words, bytes, net, own, want;
	} rows[] = {
		/* InfiniBand */
		{ 250, 0, 0, 990, 1000 },
		{ 0, 0, 0, 990, 0 },
		/* RoCE, whose device does not see RDMA; and others on it */
		{ 250, 0, 10, 990, 1010 },
		{ 0, 1000, 980, 990, 1980 },
		/* soft-RoCE: the device sees it all */
		{ 0, 0, 1000, 990, 1000 },
		/* others on it moved more than RDMA did: all in one */
		{ 250, 0, 5000, 990, 5000 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		for (int back = 0; back < 2; back++) {
			uint64_t delta[VERBS_COUNTERS] = { 0 };
			struct verbs_moved m;

			delta[VERBS_TX_WORDS + back] = rows[i].words;
			delta[VERBS_TX_BYTES + back] = rows[i].bytes;
			delta[VERBS_NET_TX_BYTES + back] = rows[i].net;
			m = verbs_port_moved(delta, rows[i].own);
			if ((back ? m.rx : m.tx) != rows[i].want)
				fail_msg("row %zu, %d", i, back);
			assert_int_equal(back ? m.tx : m.rx, 0);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_environment),
		cmocka_unit_test(test_options_win),
		cmocka_unit_test(test_nothing_said),
		cmocka_unit_test(test_environment_that_makes_no_sense),
		cmocka_unit_test(test_deltas),
		cmocka_unit_test(test_counters),
		cmocka_unit_test(test_moved),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
