// SPDX-License-Identifier: Apache-2.0
// Start-up from environment variables, all of which may be nonsense.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "mpi/boot/boot.h"
#include "mpi/mailbox/sock.h"
#include "tests/unit/env_bed.h"
#include "topo/base/status.h"

#define TOKEN "00112233445566778899AABBCCDDeeff"

#define RANK_1_OF_4 " FABRICPROBE_RANK=1 FABRICPROBE_SIZE=4"
#define GOOD_TOKEN " FABRICPROBE_TOKEN=" TOKEN
#define GOOD_MEET "FABRICPROBE_MEET=127.0.0.1:4000"

/* The innermost launcher counts, and ours most of all. */
static void test_env_rank(void **state)
{
	static const struct {
		const char *vars;
		int32_t rank, size;
	} cases[] = {
		{ RANK_1_OF_4, 1, 4 },
		{ " SLURM_PROCID=5 SLURM_STEP_NUM_TASKS=8", 5, 8 },
		{ " SLURM_PROCID=5 SLURM_NTASKS=6", 5, 6 },
		{ " PMI_RANK=2 PMI_SIZE=3", 2, 3 },
		{ " SLURM_PROCID=1 SLURM_STEP_NUM_TASKS=2"
		  " OMPI_COMM_WORLD_RANK=9 OMPI_COMM_WORLD_SIZE=16",
		  9, 16 },
		{ " OMPI_COMM_WORLD_RANK=9 OMPI_COMM_WORLD_SIZE=16" RANK_1_OF_4,
		  1, 4 },
	};
	const struct boot_opts opts = { .init_s = 5 };
	char vars[512];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct boot_meet meet = { 0 };
		struct fp_err err = { 0 };
		struct boot *b = NULL;

		(void)snprintf(vars, sizeof(vars), "%s%s%s", GOOD_MEET,
		               GOOD_TOKEN, cases[i].vars);
		env_bed_set(vars);
		(void)boot_env_ops.open(&opts, &b, &err);
		assert_string_equal(err.text, "");
		assert_int_equal(boot_env_ops.rank(b), cases[i].rank);
		assert_int_equal(boot_env_ops.size(b), cases[i].size);
		assert_int_equal(boot_env_ops.exchange(b, &meet, NULL), FP_OK);
		assert_int_equal(meet.port, 4000);
		assert_int_equal(meet.n_addrs, 1);
		assert_string_equal(meet.addrs[0], "127.0.0.1");
		assert_int_equal(meet.token[0], 0x00);
		assert_int_equal(meet.token[10], 0xaa);
		assert_int_equal(meet.token[15], 0xff);
		boot_env_ops.finish(b, true, 0);
	}
}

static void test_env_meet(void **state)
{
	static const struct {
		const char *meet, *addrs[3];
	} cases[] = {
		{ "10.0.0.1:4000", { "10.0.0.1" } },
		{ "10.0.0.1:4000,10.1.0.1:4000", { "10.0.0.1", "10.1.0.1" } },
		{ "[fd00::2]:4000", { "fd00::2" } },
		{ "[FD00:0::2]:4000,10.0.0.1:4000", { "fd00::2", "10.0.0.1" } },
	};
	const struct boot_opts opts = { .init_s = 5 };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct boot_meet meet = { 0 };
		struct fp_err err = { 0 };
		struct boot *b = NULL;
		uint32_t n = 0;

		env_bed_set(GOOD_TOKEN RANK_1_OF_4);
		(void)setenv("FABRICPROBE_MEET", cases[i].meet, 1);
		(void)boot_env_ops.open(&opts, &b, &err);
		assert_string_equal(err.text, "");
		(void)boot_env_ops.exchange(b, &meet, NULL);
		for (; n < 3 && cases[i].addrs[n]; n++)
			assert_string_equal(meet.addrs[n], cases[i].addrs[n]);
		assert_int_equal(meet.n_addrs, n);
		boot_env_ops.finish(b, true, 0);
	}
}

/* One thing wrong each; the text names the variable. */
static void test_env_refuses(void **state)
{
	static const struct {
		const char *name, *value, *text;
	} cases[] = {
		{ "FABRICPROBE_TOKEN", "", "FABRICPROBE_TOKEN: malformed" },
		{ "FABRICPROBE_TOKEN", "12", "FABRICPROBE_TOKEN: malformed" },
		{ "FABRICPROBE_TOKEN", TOKEN "0", "FABRICPROBE_TOKEN" },
		{ "FABRICPROBE_TOKEN", "0x112233445566778899AABBCCDDeeff",
		  "FABRICPROBE_TOKEN" },
		{ "FABRICPROBE_MEET", "", "FABRICPROBE_MEET: not set" },
		{ "FABRICPROBE_MEET", "10.0.0.1", "FABRICPROBE_MEET" },
		{ "FABRICPROBE_MEET", ":4000", "FABRICPROBE_MEET" },
		{ "FABRICPROBE_MEET", "10.0.0.1:", "FABRICPROBE_MEET" },
		{ "FABRICPROBE_MEET", "10.0.0.1:0", "FABRICPROBE_MEET" },
		{ "FABRICPROBE_MEET", "10.0.0.1:65536", "FABRICPROBE_MEET" },
		{ "FABRICPROBE_MEET", "10.0.0.1:-1", "FABRICPROBE_MEET" },
		{ "FABRICPROBE_MEET", "fd00::2:4000", "[address]:port" },
		{ "FABRICPROBE_MEET", "[fd00::2:4000", "[address]:port" },
		{ "FABRICPROBE_MEET", "[fd00::2]4000", "[address]:port" },
		{ "FABRICPROBE_MEET", "10.0.0.1:1,10.0.0.2:2", "one port" },
		{ "FABRICPROBE_MEET", "10.0.0.1:1,", "FABRICPROBE_MEET" },
		{ "FABRICPROBE_MEET",
		  "1.0.0.1:1,1.0.0.2:1,1.0.0.3:1,1.0.0.4:1,1.0.0.5:1,"
		  "1.0.0.6:1,1.0.0.7:1,1.0.0.8:1,1.0.0.9:1,1.0.0.10:1,"
		  "1.0.0.11:1,1.0.0.12:1,1.0.0.13:1,1.0.0.14:1,1.0.0.15:1,"
		  "1.0.0.16:1,1.0.0.17:1",
		  "more than 16" },
		{ "FABRICPROBE_RANK", "4", "FABRICPROBE_RANK: 4" },
		{ "FABRICPROBE_RANK", "-1", "FABRICPROBE_RANK: -1" },
		{ "FABRICPROBE_RANK", "one", "FABRICPROBE_RANK: one" },
		{ "FABRICPROBE_SIZE", "0", "FABRICPROBE_RANK" },
		{ "FABRICPROBE_SIZE", "4 ", "FABRICPROBE_SIZE" },
		{ "FABRICPROBE_SIZE", "65537", "FABRICPROBE_SIZE" },
	};
	const struct boot_opts opts = { .init_s = 5 };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fp_err err = { 0 };
		struct boot *b = NULL;

		env_bed_set(GOOD_MEET GOOD_TOKEN RANK_1_OF_4);
		(void)setenv(cases[i].name, cases[i].value, 1);
		assert_int_not_equal(boot_env_ops.open(&opts, &b, &err), FP_OK);
		assert_null(b);
		if (!strstr(err.text, cases[i].text))
			fail_msg("%s=%s: %s", cases[i].name, cases[i].value,
			         err.text);
	}
}

static void test_env_unset(void **state)
{
	static const struct {
		const char *name, *text;
	} cases[] = {
		{ "FABRICPROBE_TOKEN", "openssl rand -hex 16" },
		{ "FABRICPROBE_MEET", "FABRICPROBE_MEET: not set" },
		{ "FABRICPROBE_RANK", "set FABRICPROBE_RANK" },
		{ "FABRICPROBE_SIZE", "set FABRICPROBE_RANK" },
	};
	const struct boot_opts opts = { .init_s = 5 };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fp_err err = { 0 };
		struct boot *b = NULL;

		env_bed_set(GOOD_MEET GOOD_TOKEN RANK_1_OF_4);
		(void)unsetenv(cases[i].name);
		assert_int_equal(boot_env_ops.open(&opts, &b, &err),
		                 FP_ERR_USAGE);
		assert_non_null(strstr(err.text, cases[i].text));
	}
}

static void test_env_name(void **state)
{
	const struct boot_opts opts = { .init_s = 30 };
	struct boot_meet meet = { 0 };
	struct boot *b = NULL;

	(void)state;
	env_bed_set("FABRICPROBE_MEET=localhost:4000" GOOD_TOKEN RANK_1_OF_4);
	assert_int_equal(boot_env_ops.open(&opts, &b, NULL), FP_OK);
	(void)boot_env_ops.exchange(b, &meet, NULL);
	assert_true(meet.n_addrs >= 1);
	assert_true(!strcmp(meet.addrs[0], "127.0.0.1") ||
	            !strcmp(meet.addrs[0], "::1"));
	boot_env_ops.finish(b, true, 0);
}

static bool listens(int fd)
{
	socklen_t len = sizeof(int);
	int yes = 0;

	return !getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &yes, &len) && yes;
}

/* Rank 0 with @meet and perhaps a socket; returns the socket it uses. */
static int open_rank0(const char *meet_text, const char *fd_text,
                      struct fp_err *err)
{
	const struct boot_opts opts = { .init_s = 5 };
	struct boot_meet meet = { 0 };
	struct boot *b = NULL;
	bool fixed = false;
	int fd;

	env_bed_set("FABRICPROBE_RANK=0 FABRICPROBE_SIZE=4" GOOD_TOKEN);
	(void)setenv("FABRICPROBE_MEET", meet_text, 1);
	if (fd_text)
		(void)setenv("FABRICPROBE_MEET_FD", fd_text, 1);
	if (boot_env_ops.open(&opts, &b, err) != FP_OK)
		return -1;
	fd = boot_env_ops.listen_fd(b, &meet, &fixed);
	assert_true(fixed);
	assert_int_equal(meet.token[15], 0xff);
	boot_env_ops.finish(b, true, 0);
	return fd;
}

static void test_env_rank0_listens(void **state)
{
	struct fp_err err = { 0 };
	char text[32], port[64];
	int fd = -1, fd2;

	(void)state;
	/* an inherited socket */
	assert_int_equal(mailbox_sock_listen("127.0.0.1", 0, &fd, NULL), FP_OK);
	(void)snprintf(text, sizeof(text), "%d", fd);
	(void)snprintf(port, sizeof(port), "127.0.0.1:%u",
	               mailbox_sock_port(fd));
	assert_int_equal(open_rank0(port, text, &err), fd);
	/* the port is taken: no second rank 0 */
	assert_int_equal(open_rank0(port, NULL, &err), -1);
	assert_non_null(strstr(err.text, "cannot listen on"));
	/* and free again */
	close(fd);
	err = (struct fp_err){ 0 };
	fd2 = open_rank0(port, NULL, &err);
	assert_string_equal(err.text, "");
	assert_true(listens(fd2));
	close(fd2);
	/* a translated address, which is not this host's */
	(void)snprintf(text, sizeof(text), "192.0.2.77:%s",
	               strchr(port, ':') + 1);
	fd2 = open_rank0(text, NULL, &err);
	assert_string_equal(err.text, "");
	assert_true(listens(fd2));
	close(fd2);
}

static void test_env_bad_fd(void **state)
{
	static const char *const texts[] = { "-1", "x", "99999", "0" };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct fp_err err = { 0 };

		assert_int_equal(open_rank0("127.0.0.1:4000", texts[i], &err),
		                 -1);
		assert_int_equal(err.status, FP_ERR_USAGE);
		assert_non_null(strstr(err.text, "FABRICPROBE_MEET_FD"));
	}
}

static void test_env_fd_of_another_kind(void **state)
{
	struct fp_err err = { 0 };
	char text[32];
	int fds[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	(void)snprintf(text, sizeof(text), "%d", fds[0]);
	assert_int_equal(open_rank0("127.0.0.1:4000", text, &err), -1);
	assert_non_null(strstr(err.text, "not a listening socket"));
	close(fds[0]);
	close(fds[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_env_rank),
		cmocka_unit_test(test_env_meet),
		cmocka_unit_test(test_env_refuses),
		cmocka_unit_test(test_env_unset),
		cmocka_unit_test(test_env_name),
		cmocka_unit_test(test_env_rank0_listens),
		cmocka_unit_test(test_env_bad_fd),
		cmocka_unit_test(test_env_fd_of_another_kind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
