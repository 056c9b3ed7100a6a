// SPDX-License-Identifier: Apache-2.0
// Which addresses are offered for control traffic, and in which order.
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

#include "mpi/boot/netif.h"

#define MAX 8

#define LO4                                                          \
	{                                                            \
		.name = "lo", .addr = "127.0.0.1", .loopback = true, \
		.local = true                                        \
	}
#define LO6                                                                \
	{                                                                  \
		.name = "lo", .addr = "::1", .v6 = true, .loopback = true, \
		.local = true                                              \
	}
#define ETH                                        \
	{                                          \
		.name = "eth0", .addr = "10.0.0.1" \
	}
#define ETH6                                                  \
	{                                                     \
		.name = "eth0", .addr = "fd00::1", .v6 = true \
	}
#define ETH6L                                                       \
	{                                                           \
		.name = "eth0", .addr = "fe80::1%eth0", .v6 = true, \
		.local = true                                       \
	}
#define MGMT                                                      \
	{                                                         \
		.name = "mgmt", .addr = "10.9.0.1", .route = true \
	}
#define IB                                                     \
	{                                                      \
		.name = "ib0", .addr = "10.1.0.1", .hca = true \
	}
#define DOCKER                                                           \
	{                                                                \
		.name = "docker0", .addr = "172.17.0.1", .virtual = true \
	}
#define USB                                                          \
	{                                                            \
		.name = "usb0", .addr = "169.254.0.5", .local = true \
	}

static void test_choose(void **state)
{
	static const struct {
		struct netif list[MAX];
		const char *only, *addrs;
	} cases[] = {
		{ { LO4, LO6, ETH }, "", "10.0.0.1 127.0.0.1" },
		{ { LO4, ETH6L, ETH6, ETH }, "", "10.0.0.1 fd00::1 127.0.0.1" },
		{ { LO4, ETH, MGMT }, "", "10.9.0.1 10.0.0.1 127.0.0.1" },
		{ { LO4, IB, ETH }, "", "10.0.0.1 127.0.0.1" },
		{ { LO4, IB }, "", "10.1.0.1 127.0.0.1" },
		/* a bridge leads to no other host */
		{ { LO4, DOCKER, IB }, "", "10.1.0.1 172.17.0.1 127.0.0.1" },
		{ { DOCKER, ETH6, LO4 }, "", "fd00::1 172.17.0.1 127.0.0.1" },
		{ { USB, LO4, LO6 }, "", "127.0.0.1" },
		{ { LO4, ETH, MGMT, ETH6 }, "eth0", "10.0.0.1 fd00::1" },
		{ { LO4, IB, ETH }, "ib0", "10.1.0.1" },
		{ { LO4, LO6, ETH }, "lo", "127.0.0.1 ::1" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct boot_meet meet = { 0 };
		char got[256] = "";
		size_t n = 0;

		while (n < MAX && cases[i].list[n].name[0])
			n++;
		assert_int_equal(netif_choose(cases[i].list, n, cases[i].only,
		                              &meet, NULL),
		                 FP_OK);
		for (uint32_t a = 0; a < meet.n_addrs; a++) {
			if (a)
				strcat(got, " ");
			strcat(got, meet.addrs[a]);
		}
		assert_string_equal(got, cases[i].addrs);
	}
}

static void test_names(void **state)
{
	static const struct {
		struct netif list[MAX];
		const char *names;
	} cases[] = {
		{ { LO4, ETH, ETH6 }, "eth0" },
		{ { LO4, ETH, { .name = "eth0", .addr = "10.7.0.1" } },
		  "eth0" },
		{ { LO4, { .name = "eth", .addr = "10.7.0.1" }, ETH },
		  "eth,eth0" },
		{ { LO4, ETH, MGMT, IB, DOCKER }, "mgmt" },
		{ { LO4, ETH, IB, DOCKER }, "eth0" },
		{ { LO4, IB, DOCKER }, "ib0" },
		{ { LO4, ETH6 }, "eth0" },
		{ { LO4, { .name = "e6", .addr = "fd00::9", .v6 = true }, ETH },
		  "eth0" },
		{ { LO4, LO6 }, "lo" },
		{ { USB }, "" },
	};
	char got[64], small[6];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t n = 0;

		while (n < MAX && cases[i].list[n].name[0])
			n++;
		netif_choose_names(cases[i].list, n, got, sizeof(got));
		assert_string_equal(got, cases[i].names);
	}
	netif_choose_names(cases[2].list, 3, small, sizeof(small));
	assert_string_equal(small, "");
}

static void test_choose_none(void **state)
{
	static const struct netif list[] = { LO4, ETH6L };
	struct boot_meet meet = { 0 };
	struct fp_err err = { 0 };

	(void)state;
	assert_int_equal(netif_choose(list, 2, "mgmt", &meet, &err),
	                 FP_ERR_USAGE);
	assert_non_null(strstr(err.text, "--control-if mgmt"));
	assert_non_null(strstr(err.text, "there are: lo eth0"));
	/* up, but no address that another host can use */
	assert_int_equal(netif_choose(list, 2, "eth0", &meet, NULL),
	                 FP_ERR_USAGE);
	assert_int_equal(netif_choose(list, 0, "", &meet, NULL), FP_ERR_NOTSUP);
}

static void test_choose_many(void **state)
{
	struct netif list[BOOT_ADDRS_MAX + 4] = { 0 };
	struct boot_meet meet = { 0 };

	(void)state;
	for (int i = 0; i < BOOT_ADDRS_MAX + 4; i++) {
		(void)snprintf(list[i].name, sizeof(list[i].name), "e%d", i);
		(void)snprintf(list[i].addr, sizeof(list[i].addr), "10.0.%d.1",
		               i);
	}
	assert_int_equal(
		netif_choose(list, BOOT_ADDRS_MAX + 4, "", &meet, NULL), FP_OK);
	assert_int_equal(meet.n_addrs, BOOT_ADDRS_MAX);
}

/* The kernel's routing table is asked, so this uses what every host has. */
static void test_route(void **state)
{
	static const char *const none[] = {
		NULL,
		"",
		";;//,,[][]:::",
		"1.0;tcp4://127.0.0.1:60309", /* of the same host only */
		"123.0;junk",
		"prte-host-77@0.0;tcp6://[not::an::address]:1",
	};
	struct netif list[] = { LO4, ETH, ETH6 };

	(void)state;
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		netif_mark_route(list, 3, none[i]);
		assert_false(list[0].route || list[1].route || list[2].route);
	}
}

/* An address of this host is reached from itself. */
static void test_route_of_this_host(void **state)
{
	struct netif *list;
	char uri[160];
	size_t n, i = 0;

	(void)state;
	assert_int_equal(netif_list("/", &list, &n, NULL), FP_OK);
	while (i < n && (list[i].local || list[i].loopback || list[i].v6))
		i++;
	if (i == n) {
		print_message("no address but loopback here\n");
		free(list);
		return;
	}
	(void)snprintf(uri, sizeof(uri),
	               "123.0;tcp://%s,127.0.0.1:51097;tcp6://[::1]:37123",
	               list[i].addr);
	netif_mark_route(list, n, uri);
	for (size_t k = 0; k < n; k++)
		assert_int_equal(list[k].route, k == i);
	free(list);
}

static const struct netif *find(const struct netif *list, size_t n,
                                const char *addr)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(list[i].addr, addr))
			return &list[i];
	return NULL;
}

/* A captured host's folders say what a device is. */
static void test_list(void **state)
{
	static const char *const dirs[] = {
		"sys",
		"sys/class",
		"sys/class/net",
		"sys/class/net/lo",
		"sys/class/net/lo/bridge",
		"sys/class/net/lo/device",
		"sys/class/net/lo/device/infiniband",
	};
	const size_t n_dirs = sizeof(dirs) / sizeof(dirs[0]);
	char root[] = "/tmp/fp-netif-XXXXXX", path[128];
	const struct netif *lo;
	struct netif *list;
	size_t n;

	(void)state;
	assert_non_null(mkdtemp(root));
	for (size_t i = 0; i < n_dirs; i++) {
		(void)snprintf(path, sizeof(path), "%s/%s", root, dirs[i]);
		assert_int_equal(mkdir(path, 0700), 0);
	}
	assert_int_equal(netif_list(root, &list, &n, NULL), FP_OK);
	lo = find(list, n, "127.0.0.1");
	assert_non_null(lo);
	assert_string_equal(lo->name, "lo");
	assert_true(lo->loopback && lo->local && lo->hca && lo->virtual);
	assert_false(lo->v6);
	free(list);
	for (size_t i = n_dirs; i-- > 0;) {
		(void)snprintf(path, sizeof(path), "%s/%s", root, dirs[i]);
		assert_int_equal(rmdir(path), 0);
	}
	assert_int_equal(rmdir(root), 0);
}

static void test_this_host(void **state)
{
	struct boot_meet meet = { 0 };
	struct fp_err err = { 0 };
	char name[NETIF_NAME_MAX] = "untouched";

	(void)state;
	assert_int_equal(netif_control_addrs("", &meet, NULL), FP_OK);
	assert_true(meet.n_addrs > 0);
	assert_string_equal(meet.addrs[meet.n_addrs - 1], "127.0.0.1");
	netif_control_names(name, sizeof(name));
	assert_true(name[0]);
	(void)snprintf(name, sizeof(name), "untouched");
	assert_int_equal(netif_control_addrs("nosuch0", &meet, &err),
	                 FP_ERR_USAGE);
	assert_non_null(strstr(err.text, " lo"));
	assert_int_equal(netif_control_addrs("lo", &meet, NULL), FP_OK);
	assert_string_equal(meet.addrs[0], "127.0.0.1");
	assert_false(netif_shares(&meet, "nosuch0", name, sizeof(name)));
	assert_string_equal(name, "untouched");
	assert_true(netif_shares(&meet, "lo", name, sizeof(name)));
	assert_string_equal(name, "lo");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_choose),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_choose_none),
		cmocka_unit_test(test_choose_many),
		cmocka_unit_test(test_route),
		cmocka_unit_test(test_route_of_this_host),
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_this_host),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
