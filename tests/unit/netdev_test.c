// SPDX-License-Identifier: Apache-2.0
// Unit tests of live network devices, in a network namespace of their own.
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "topo/base/clock.h"
#include "topo/discover/discover.h"

#define CARRIER_S 10

#define EXIT_SKIP 77

/* ip(8) with the words of @line. */
static int ip(const char *line)
{
	char copy[256], *words[32] = { (char *)"ip" }, *save = NULL;
	size_t n = 1;
	pid_t pid;
	int status;

	(void)snprintf(copy, sizeof(copy), "%s", line);
	for (char *word = strtok_r(copy, " ", &save); word && n < 31;
	     word = strtok_r(NULL, " ", &save))
		words[n++] = word;
	if (posix_spawnp(&pid, "ip", NULL, NULL, words, environ) != 0 ||
	    waitpid(pid, &status, 0) != pid)
		return -1;
	return status;
}

static struct topo_host read_host(void)
{
	static const struct topo_env env = { .sysroot = "/" };
	struct topo_host host;

	assert_int_equal(topo_discover_host(&env, &host, NULL), FP_OK);
	return host;
}

/* The address that is taken of @name after "ip @line". */
static void check_addr(const char *line, const char *name, const char *addr)
{
	struct topo_host host;
	int32_t i;

	assert_int_equal(ip(line), 0);
	host = read_host();
	i = topo_host_find_netdev(&host, name);
	assert_true(i >= 0);
	assert_string_equal(host.netdevs[i].addr, addr);
	topo_host_done(&host);
}

static void test_the_best_address_is_taken(void **state)
{
	(void)state;
	check_addr("link set lo up", "lo", "127.0.0.1");
	check_addr("link set fpa up", "fpa", "");
	check_addr("addr add fe80::1/64 dev fpa nodad", "fpa", "fe80::1%fpa");
	check_addr("addr add 169.254.7.7/16 dev fpa", "fpa", "169.254.7.7");
	check_addr("addr add 2001:db8::7/64 dev fpa nodad", "fpa",
	           "2001:db8::7");
	check_addr("addr add 192.0.2.7/24 dev fpa label fpa:1", "fpa",
	           "192.0.2.7");
	check_addr("addr add 198.51.100.7/24 dev fpa", "fpa", "192.0.2.7");
}

/* The kernel tells of a carrier a moment after the link's other end came or
 * went: read until it does, or the deadline is there. */
static bool fpa_becomes(bool up)
{
	int64_t deadline_ns = fp_after_ns(CARRIER_S);
	bool is = !up;

	while (is != up && fp_left_ms(deadline_ns) > 0) {
		struct topo_host host = read_host();
		int32_t a = topo_host_find_netdev(&host, "fpa");

		assert_true(a >= 0);
		assert_false(host.netdevs[a].loopback);
		is = host.netdevs[a].up;
		topo_host_done(&host);
	}
	return is == up;
}

static void test_up_means_carrier(void **state)
{
	(void)state;
	assert_int_equal(ip("link set fpa up"), 0);
	assert_int_equal(ip("link set fpb down"), 0);
	assert_true(fpa_becomes(false));
	assert_int_equal(ip("link set fpb up"), 0);
	assert_true(fpa_becomes(true));
}

/* /sys is still of the namespace that we came from, which has no such device
 * or another one: what it says must not be believed. */
static void test_files_of_another_namespace_are_not_ours(void **state)
{
	struct topo_host host = read_host();
	int32_t a = topo_host_find_netdev(&host, "fpa");

	(void)state;
	assert_true(a >= 0);
	assert_int_equal(host.netdevs[a].mtu_bytes, -1);
	assert_int_equal(topo_host_find_netdev(&host, "fpa:1"), -1);
	a = topo_host_find_netdev(&host, "eth0");
	assert_true(a >= 0);
	assert_int_equal(host.netdevs[a].mtu_bytes, -1);
	assert_int_equal(host.netdevs[a].speed_bps, -1);
	topo_host_done(&host);
}

/* What the tests need; some kernels lack a kind of device, or IPv6. */
static bool make_devices(void)
{
	static const char *const lines[] = {
		"link add fpa index 90001 type veth peer name fpb",
		"link set fpa addrgenmode none",
		"link add eth0 index 90002 type bridge",
		"addr add 2001:db8::1/128 dev eth0 nodad",
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		if (ip(lines[i]) != 0)
			return false;
	}
	return true;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_best_address_is_taken),
		cmocka_unit_test(test_up_means_carrier),
		cmocka_unit_test(test_files_of_another_namespace_are_not_ours),
	};

	if (unshare(CLONE_NEWNET) != 0) {
		printf("skipped: no network namespace: %s\n", strerror(errno));
		return EXIT_SKIP;
	}
	if (!make_devices()) {
		printf("skipped: ip(8) cannot make network devices\n");
		return EXIT_SKIP;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
