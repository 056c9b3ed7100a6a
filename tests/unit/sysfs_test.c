// SPDX-License-Identifier: Apache-2.0
// Unit tests of reading below a root: links while others rename, addresses.
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "topo/discover/discover.h"
#include "topo/reading/reading.h"
#include "topo/source/sysfs.h"

#define N_ROWS(table) (sizeof(table) / sizeof(*(table)))
#define READS 20000
#define CHANNELS "dev/nvidia-caps-imex-channels"
#define CHANNEL(name) CHANNELS "/" #name

struct made {
	char root[64];
	int fd;
};

static void put_file(const struct made *made, const char *name,
                     const char *text)
{
	int fd = openat(made->fd, name, O_CREAT | O_WRONLY | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static int make_root(void **state)
{
	static const char *const folders[] = {
		"a",
		"sys",
		"sys/class",
		"sys/class/net",
		"sys/class/net/ens1",
		"fabricprobe",
		"fabricprobe/addr",
		"proc",
		"dev",
	};
	struct made *made = calloc(1, sizeof(*made));

	assert_non_null(made);
	memcpy(made->root, "/tmp/fp-sysfs-XXXXXX", 21);
	assert_non_null(mkdtemp(made->root));
	made->fd = open(made->root, O_DIRECTORY | O_CLOEXEC);
	assert_true(made->fd >= 0);
	for (size_t i = 0; i < N_ROWS(folders); i++)
		assert_int_equal(mkdirat(made->fd, folders[i], 0700), 0);
	*state = made;
	return 0;
}

static int remove_root(void **state)
{
	static const char *const paths[] = {
		"a/link",
		"file",
		"x",
		"y",
		"fabricprobe/addr/ens1",
		"fabricprobe/addr",
		"fabricprobe",
		"proc/devices",
		"proc",
		"dev/nvidia-caps-imex-channels/channel0",
		"dev/nvidia-caps-imex-channels/channel12",
		"dev/nvidia-caps-imex-channels/other",
		CHANNELS,
		"dev",
		"sys/class/net/ens1/mtu",
		"sys/class/net/ens1",
		"sys/class/net",
		"sys/class",
		"sys",
		"a",
	};
	struct made *made = *state;

	for (size_t i = 0; i < N_ROWS(paths); i++) {
		if (unlinkat(made->fd, paths[i], 0) < 0)
			(void)unlinkat(made->fd, paths[i], AT_REMOVEDIR);
	}
	close(made->fd);
	assert_int_equal(rmdir(made->root), 0);
	free(made);
	return 0;
}

/* Renames something else until it is killed. */
static pid_t start_renaming(const struct made *made)
{
	pid_t parent = getpid(), pid = fork();

	assert_true(pid >= 0);
	while (pid == 0 && getppid() == parent) {
		(void)renameat(made->fd, "x", made->fd, "y");
		(void)renameat(made->fd, "y", made->fd, "x");
	}
	if (pid == 0)
		_exit(0);
	return pid;
}

/* Links of sysfs lead up; the kernel refuses these while names change. */
static void test_a_link_is_read_while_others_rename(void **state)
{
	const struct made *made = *state;
	char text[32];
	size_t good = 0;
	pid_t pid;

	put_file(made, "file", "32.0 GT/s\n");
	put_file(made, "x", "\n");
	assert_int_equal(symlinkat("../file", made->fd, "a/link"), 0);
	pid = start_renaming(made);
	for (size_t i = 0; i < READS; i++)
		good += sysfs_read(made->fd, "a/link", text, sizeof(text)) &&
		        strcmp(text, "32.0 GT/s") == 0;
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(good, READS);
}

/* The address that is read of a captured host, "" for none. */
static void read_addr(const struct made *made, char *ret, size_t size)
{
	const struct topo_env env = { .sysroot = made->root,
		                      .reads = TOPO_READ_HOST };
	struct topo_host host;
	struct fp_err err = { 0 };

	ret[0] = '\0';
	assert_int_equal(topo_discover_host(&env, &host, &err), FP_OK);
	for (size_t i = 0; i < readings_count(host.readings); i++) {
		struct reading r = readings_at(host.readings, i);

		if (strcmp(r.name, "netdev.addr") == 0) {
			assert_string_equal(r.device, "ens1");
			(void)snprintf(ret, size, "%s", r.text);
		}
	}
	topo_host_done(&host);
}

static void test_addresses_of_a_captured_host(void **state)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{ "10.1.0.7/16\n", "10.1.0.7/16" },
		{ "10.1.0.6/31", "10.1.0.6/31" },
		{ "2001:db8:1::7/64\n", "2001:db8:1::7/64" },
		{ "10.1.0.7\n", "" },
		{ "10.1.0.7/33\n", "" },
		{ "10.1.0.7/\n", "" },
		{ "10.1.0.7/-1\n", "" },
		{ "10.1.0.7/16 eth1\n", "" },
		{ "2001:db8::1/129\n", "" },
		{ "address1/24\n", "" },
		{ "\n", "" },
	};
	const struct made *made = *state;
	char addr[64];

	put_file(made, "sys/class/net/ens1/mtu", "9000\n");
	read_addr(made, addr, sizeof(addr));
	assert_string_equal(addr, "");
	for (size_t i = 0; i < N_ROWS(rows); i++) {
		put_file(made, "fabricprobe/addr/ens1", rows[i].text);
		read_addr(made, addr, sizeof(addr));
		assert_string_equal(addr, rows[i].want);
	}
}

/* IMEX channels that are read of the host; -1: it says nothing of them. */
static int64_t read_channels(const struct made *made)
{
	const struct topo_env env = { .sysroot = made->root,
		                      .reads = TOPO_READ_HOST };
	struct topo_host host;
	struct fp_err err = { 0 };
	int64_t n = -1;

	assert_int_equal(topo_discover_host(&env, &host, &err), FP_OK);
	for (size_t i = 0; i < readings_count(host.readings); i++) {
		struct reading r = readings_at(host.readings, i);

		if (strcmp(r.name, "imex.channels") == 0)
			n = r.number;
	}
	topo_host_done(&host);
	return n;
}

static void test_channels_between_hosts(void **state)
{
	const struct made *made = *state;

	put_file(made, "proc/devices",
	         "Character devices:\n  1 mem\n195 nvidia\n");
	assert_int_equal(read_channels(made), -1);
	put_file(made, "proc/devices",
	         "Character devices:\n195 nvidia\n"
	         "234 nvidia-caps-imex-channels\n\nBlock devices:\n");
	assert_int_equal(read_channels(made), 0);
	assert_int_equal(mkdirat(made->fd, CHANNELS, 0700), 0);
	assert_int_equal(read_channels(made), 0);
	put_file(made, CHANNEL(other), "");
	put_file(made, CHANNEL(channel0), "");
	put_file(made, CHANNEL(channel12), "");
	assert_int_equal(read_channels(made), 2);
}

int main(void)
{
#define IN_FOLDER(test) \
	cmocka_unit_test_setup_teardown(test, make_root, remove_root)
	const struct CMUnitTest tests[] = {
		IN_FOLDER(test_a_link_is_read_while_others_rename),
		IN_FOLDER(test_addresses_of_a_captured_host),
		IN_FOLDER(test_channels_between_hosts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
