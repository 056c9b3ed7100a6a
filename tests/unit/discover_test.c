// SPDX-License-Identifier: Apache-2.0
// Unit tests of reading hosts: a made one in a folder, and the live one.
#include <fcntl.h>
#include <ftw.h>
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

#include "topo/discover/discover.h"

#define N_ROWS(table) (sizeof(table) / sizeof(*(table)))

static const struct {
	const char *path, *text; /* NULL: a link to, behind it */
	const char *link;
} made_files[] = {
	{ "proc/sys/kernel/hostname", "gpu07\n", NULL },
	{ "proc/sys/kernel/osrelease", "5.15.0-made\n", NULL },
	{ "proc/sys/kernel/random/boot_id",
	  "5f0c8a3e-7a54-4a9e-9c34-0c9ad0f5c111\n", NULL },
	{ "sys/class/net/bonding_masters", "bond0\n", NULL },
	{ "sys/class/net/eth10/mtu", "9000\n", NULL },
	{ "sys/class/net/eth10/speed", "100000\n", NULL },
	{ "sys/class/net/eth10/carrier", "1\n", NULL },
	{ "sys/class/net/eth10/type", "1\n", NULL },
	{ "sys/class/net/eth10/device/infiniband/mlx5_0/x", "\n", NULL },
	{ "sys/class/net/eth10/device/driver", NULL,
	  "../../../../bus/pci/drivers/mlx5_core" },
	{ "sys/class/net/eth2/mtu", "1500\n", NULL },
	{ "sys/class/net/eth2/speed", "-1\n", NULL },
	{ "sys/class/net/eth2/carrier", "0\n", NULL },
	{ "sys/class/net/eth3/speed", "4294967295\n", NULL },
	{ "sys/class/net/eth3/mtu", "junk\n", NULL },
	{ "sys/class/net/lo/mtu", "65536\n", NULL },
	{ "sys/class/net/lo/carrier", "1\n", NULL },
	{ "sys/class/net/lo/type", "772\n", NULL },
};

/** struct made - a made host's folder. */
struct made {
	char root[64];
};

static void make_parents(char *path)
{
	for (char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
		*at = '\0';
		(void)mkdir(path, 0700);
		*at = '/';
	}
}

static void make_file(const struct made *made, const char *name,
                      const char *text, const char *link)
{
	char path[256];
	int fd;

	(void)snprintf(path, sizeof(path), "%s/%s", made->root, name);
	make_parents(path);
	if (link) {
		assert_int_equal(symlink(link, path), 0);
		return;
	}
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static int make_root(void **state)
{
	struct made *made = calloc(1, sizeof(*made));
	const char *tmp = getenv("TMPDIR");

	if (!made)
		return -1;
	(void)snprintf(made->root, sizeof(made->root), "%.40s/fp-host-XXXXXX",
	               tmp ? tmp : P_tmpdir);
	*state = made;
	return mkdtemp(made->root) ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *st, int type,
                      struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

static int remove_root(void **state)
{
	struct made *made = *state;
	int rc = nftw(made->root, remove_one, 16, FTW_DEPTH | FTW_PHYS);

	free(made);
	return rc;
}

static void make_host(const struct made *made)
{
	for (size_t i = 0; i < N_ROWS(made_files); i++)
		make_file(made, made_files[i].path, made_files[i].text,
		          made_files[i].link);
}

static void test_a_made_host_is_read_whole(void **state)
{
	static const struct topo_netdev want[] = {
		{ .name = "eth2", .speed_bps = -1, .mtu_bytes = 1500 },
		{ .name = "eth3", .speed_bps = -1, .mtu_bytes = -1 },
		{ .name = "eth10",
		  .driver = "mlx5_core",
		  .speed_bps = 100000000000,
		  .mtu_bytes = 9000,
		  .up = true,
		  .hca = true },
		{ .name = "lo",
		  .speed_bps = -1,
		  .mtu_bytes = 65536,
		  .up = true,
		  .loopback = true },
	};
	const struct made *made = *state;
	const struct topo_env env = { .sysroot = made->root };
	struct topo_host host;

	make_host(made);
	assert_int_equal(topo_discover_host(&env, &host, NULL), FP_OK);
	assert_string_equal(host.name, "gpu07");
	assert_string_equal(host.kernel, "5.15.0-made");
	assert_string_equal(host.boot_id,
	                    "5f0c8a3e-7a54-4a9e-9c34-0c9ad0f5c111");
	assert_string_equal(host.host_id,
	                    "gpu07/5f0c8a3e-7a54-4a9e-9c34-0c9ad0f5c111");
	assert_int_equal(host.n_cpus, -1);
	assert_int_equal(host.n_netdevs, N_ROWS(want));
	for (size_t i = 0; i < N_ROWS(want); i++) {
		const struct topo_netdev *dev = &host.netdevs[i];

		assert_string_equal(dev->name, want[i].name);
		assert_string_equal(dev->addr, "");
		assert_string_equal(dev->driver, want[i].driver);
		assert_int_equal(dev->speed_bps, want[i].speed_bps);
		assert_int_equal(dev->mtu_bytes, want[i].mtu_bytes);
		assert_int_equal(dev->up, want[i].up);
		assert_int_equal(dev->loopback, want[i].loopback);
		assert_int_equal(dev->hca, want[i].hca);
	}
	topo_host_done(&host);
}

static void test_an_empty_folder_is_a_host_of_our_name(void **state)
{
	const struct made *made = *state;
	const struct topo_env env = { .sysroot = made->root };
	struct topo_host host;
	char name[256] = "";

	assert_int_equal(gethostname(name, sizeof(name) - 1), 0);
	assert_int_equal(topo_discover_host(&env, &host, NULL), FP_OK);
	assert_int_equal(host.n_netdevs, 0);
	assert_null(host.netdevs);
	assert_memory_equal(host.name, name, strnlen(name, 63));
	assert_string_equal(host.boot_id, "");
	assert_string_equal(host.kernel, "");
	assert_string_equal(host.host_id, host.name);
	topo_host_done(&host);
}

static void test_the_name_of_a_captured_host(void **state)
{
	const struct made *made = *state;
	const struct topo_env env = { .sysroot = made->root };
	struct topo_host host;

	make_file(made, "etc/hostname", "captured\n", NULL);
	assert_int_equal(topo_discover_identity(&env, &host, NULL), FP_OK);
	assert_string_equal(host.name, "captured");
}

static void test_what_is_no_small_file_is_passed_over(void **state)
{
	const struct made *made = *state;
	const struct topo_env env = { .sysroot = made->root };
	struct topo_host host;
	char path[256];

	make_file(made, "sys/class/net/eth0/mtu", "", NULL);
	make_file(made, "sys/class/net/eth0/speed/is/a/folder", "", NULL);
	make_file(made, "proc/sys/kernel/hostname", "bad\x1b[2Jname\nrest",
	          NULL);
	(void)snprintf(path, sizeof(path), "%s/sys/class/net/eth0/carrier",
	               made->root);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(topo_discover_host(&env, &host, NULL), FP_OK);
	assert_string_equal(host.name, "bad?[2Jname");
	assert_int_equal(host.n_netdevs, 1);
	assert_int_equal(host.netdevs[0].mtu_bytes, -1);
	assert_int_equal(host.netdevs[0].speed_bps, -1);
	assert_false(host.netdevs[0].up);
	topo_host_done(&host);
}

static void test_more_devices_than_there_is_room_for(void **state)
{
	const struct made *made = *state;
	const struct topo_env env = { .sysroot = made->root };
	struct topo_host host;

	for (int i = 0; i < TOPO_MAX_NETDEVS + 3; i++) {
		char path[64];

		(void)snprintf(path, sizeof(path), "sys/class/net/veth%d/mtu",
		               i);
		make_file(made, path, "1500\n", NULL);
	}
	assert_int_equal(topo_discover_host(&env, &host, NULL), FP_OK);
	assert_int_equal(host.n_netdevs, TOPO_MAX_NETDEVS);
	assert_string_equal(host.netdevs[255].name, "veth255");
	assert_int_equal(host.netdevs[255].mtu_bytes, 1500);
	topo_host_done(&host);
}

static void test_names_that_are_given_win(void **state)
{
	const struct made *made = *state;
	struct topo_env env = { .sysroot = made->root, .host_name = "local3" };
	struct topo_host host;

	make_host(made);
	assert_int_equal(topo_discover_identity(&env, &host, NULL), FP_OK);
	assert_string_equal(host.name, "local3");
	assert_string_equal(host.host_id,
	                    "local3/5f0c8a3e-7a54-4a9e-9c34-0c9ad0f5c111");
	env.host_id = "rack1";
	assert_int_equal(topo_discover_identity(&env, &host, NULL), FP_OK);
	assert_string_equal(host.host_id, "rack1");
	env.host_id = "";
	env.host_name = "";
	assert_int_equal(topo_discover_identity(&env, &host, NULL), FP_OK);
	assert_string_equal(host.name, "gpu07");
	assert_memory_equal(host.host_id, "gpu07/5f0c", 10);
}

/* Ids are compared, so a cut must not make one host of two. */
static void test_long_names_stay_different(void **state)
{
	static const char *const names[] = {
		"gpu-node-with-a-name-of-forty-characters.example.org",
		"gpu-node-with-a-name-of-forty-characters.example.net",
	};
	const struct made *made = *state;
	char ids[2][TOPO_NAME_MAX];

	make_host(made);
	for (size_t i = 0; i < 2; i++) {
		const struct topo_env env = { .sysroot = made->root,
			                      .host_name = names[i] };
		struct topo_host host, again;

		assert_int_equal(topo_discover_identity(&env, &host, NULL),
		                 FP_OK);
		assert_int_equal(topo_discover_identity(&env, &again, NULL),
		                 FP_OK);
		assert_string_equal(host.name, names[i]);
		assert_string_equal(host.host_id, again.host_id);
		assert_memory_equal(host.host_id, names[i], 40);
		assert_int_equal(strlen(host.host_id), TOPO_NAME_MAX - 1);
		memcpy(ids[i], host.host_id, sizeof(ids[i]));
	}
	assert_string_not_equal(ids[0], ids[1]);

	make_file(made, "proc/sys/kernel/random/boot_id",
	          "5f0c8a3e-7a54-4a9e-9c34-0c9ad0f5c112\n", NULL);
	const struct topo_env env = { .sysroot = made->root,
		                      .host_name = names[0] };
	struct topo_host rebooted;

	assert_int_equal(topo_discover_identity(&env, &rebooted, NULL), FP_OK);
	assert_string_not_equal(rebooted.host_id, ids[0]);
}

static void test_no_such_folder(void **state)
{
	static const struct topo_env env = { .sysroot = "/no/such/folder" };
	struct topo_host host;
	struct fp_err err = { 0 };

	(void)state;
	assert_int_equal(topo_discover_host(&env, &host, &err), FP_ERR_SYS);
	assert_non_null(strstr(err.text, "/no/such/folder"));
	assert_int_equal(topo_discover_identity(&env, &host, NULL), FP_ERR_SYS);
}

/* Whatever machine runs this: it has a name, a processor and a loopback. */
static void test_the_live_host(void **state)
{
	const struct topo_env envs[] = { { .sysroot = "/" }, { 0 } };

	(void)state;
	for (size_t i = 0; i < N_ROWS(envs); i++) {
		struct topo_host host;
		int32_t lo;

		assert_int_equal(topo_discover_host(&envs[i], &host, NULL),
		                 FP_OK);
		assert_true(host.name[0] && host.kernel[0]);
		assert_true(host.host_id[0]);
		assert_true(host.n_cpus > 0);
		lo = topo_host_find_netdev(&host, "lo");
		if (lo >= 0)
			assert_true(host.netdevs[lo].loopback);
		topo_host_done(&host);
	}
}

int main(void)
{
#define IN_FOLDER(test) \
	cmocka_unit_test_setup_teardown(test, make_root, remove_root)
	const struct CMUnitTest tests[] = {
		IN_FOLDER(test_a_made_host_is_read_whole),
		IN_FOLDER(test_an_empty_folder_is_a_host_of_our_name),
		IN_FOLDER(test_the_name_of_a_captured_host),
		IN_FOLDER(test_what_is_no_small_file_is_passed_over),
		IN_FOLDER(test_more_devices_than_there_is_room_for),
		IN_FOLDER(test_names_that_are_given_win),
		IN_FOLDER(test_long_names_stay_different),
		cmocka_unit_test(test_no_such_folder),
		cmocka_unit_test(test_the_live_host),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
