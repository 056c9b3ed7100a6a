// SPDX-License-Identifier: Apache-2.0
// Unit tests of what is read in NCCL's log, and of the endpoint's blobs.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "probes/xport/nccl_blob.h"
#include "probes/xport/nccl_impl.h"

#define PREFIX "h1:4711:4720 [3] NCCL INFO "

/** struct row - a line, and what it adds. */
struct row {
	const char *line;
	uint32_t p2p, shm, ib, gdr, socket;
};

static const struct row rows[] = {
	{ PREFIX "Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM/read", 1, 0, 0, 0,
	  0 },
	{ PREFIX "Channel 03 : 0[1b000] -> 1[1c000] via P2P/IPC", 1, 0, 0, 0,
	  0 },
	{ PREFIX "Channel 01 : 0[0] -> 1[1] via SHM/direct/direct", 0, 1, 0, 0,
	  0 },
	{ PREFIX "Channel 00/0 : 7[7] -> 8[0] [send] via NET/IB/3/GDRDMA", 0, 0,
	  1, 1, 0 },
	{ PREFIX "Channel 00/0 : 7[7] -> 8[0] [receive] via NET/IB/3(4)", 0, 0,
	  1, 0, 0 },
	{ PREFIX "Channel 00/0 : 7[7] -> 8[0] [send] via NET/AWS Libfabric/0"
	         "/GDRDMA/Shared",
	  0, 0, 1, 1, 0 },
	{ PREFIX "Channel 00/0 : 7[7] -> 8[0] [send] via NET/Socket/0", 0, 0, 0,
	  0, 1 },
	{ PREFIX "Channel 00/02 :    0   1   2   3", 0, 0, 0, 0, 0 },
	{ PREFIX "NET/IB : Using [0]mlx5_0:1/IB [RO]; OOB eth0", 0, 0, 0, 0,
	  0 },
	{ PREFIX "comm 0x55 rank 0 sent by hand via P2P", 0, 0, 0, 0, 0 },
	{ "", 0, 0, 0, 0, 0 },
};

static void test_channels(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct nccl_log log = { .fd = -1 };

		nccl_log_line(&log, rows[i].line);
		if (log.p2p != rows[i].p2p || log.shm != rows[i].shm ||
		    log.ib != rows[i].ib || log.gdr != rows[i].gdr ||
		    log.socket != rows[i].socket)
			fail_msg("%s", rows[i].line);
		assert_string_equal(log.warning, "");
	}
}

static void test_the_latest_warning_is_kept(void **state)
{
	struct nccl_log log = { .fd = -1 };
	char longer[400];

	(void)state;
	nccl_log_line(&log, "h1:1:2 [0] init.cc:1 NCCL WARN Duplicate GPU "
	                    "detected : rank 0 and rank 1");
	assert_string_equal(log.warning,
	                    "Duplicate GPU detected : rank 0 and rank 1");
	memset(longer, 'x', sizeof(longer));
	memcpy(longer, "NCCL WARN ", 10);
	longer[sizeof(longer) - 1] = '\0';
	nccl_log_line(&log, longer);
	assert_int_equal(strlen(log.warning), sizeof(log.warning) - 1);
}

/* NCCL opens the file by the name that it finds in its environment. */
static void test_what_nccl_writes_is_read(void **state)
{
	struct nccl_log log;
	FILE *f;

	(void)state;
	unsetenv("NCCL_DEBUG_FILE");
	nccl_log_prepare();
	nccl_log_open(&log);
	assert_string_equal(getenv("NCCL_DEBUG"), "INFO");
	f = fopen(getenv("NCCL_DEBUG_FILE"), "w");
	assert_non_null(f);
	fprintf(f, "%s\n%s", rows[0].line, rows[3].line);
	fflush(f);
	nccl_log_read(&log);
	assert_int_equal(log.p2p, 1);
	assert_int_equal(log.ib, 0); /* its line has no end yet */
	fprintf(f, "\n");
	fflush(f);
	nccl_log_read(&log);
	nccl_log_read(&log);
	assert_int_equal(log.p2p, 1);
	assert_int_equal(log.gdr, 1);
	fclose(f);
	nccl_log_close(&log);
	unsetenv("NCCL_DEBUG_FILE");
}

static void test_the_jobs_own_file_is_left_to_it(void **state)
{
	struct nccl_log log;

	(void)state;
	setenv("NCCL_DEBUG_FILE", "mine.%h.%p", 1);
	nccl_log_prepare();
	nccl_log_open(&log);
	assert_int_equal(log.fd, -1);
	assert_string_equal(getenv("NCCL_DEBUG_FILE"), "mine.%h.%p");
	nccl_log_read(&log);
	nccl_log_close(&log);
	unsetenv("NCCL_DEBUG_FILE");
}

static void test_blobs(void **state)
{
	struct nccl_blob blob = { .kept = 7 }, back;
	struct wire_endpoint ep = { .trial = 9 }, none = { .trial = 9 };

	(void)state;
	for (size_t i = 0; i < sizeof(blob.id); i++)
		blob.id[i] = (uint8_t)(i * 3 + 1);
	nccl_blob_put(&blob, &ep);
	back = nccl_blob_get(&ep);
	assert_int_equal(back.kept, 7);
	assert_memory_equal(back.id, blob.id, sizeof(blob.id));
	assert_true(nccl_blob_is(&ep, 9));
	assert_false(nccl_blob_is(&ep, 8));
	assert_false(nccl_blob_is(&none, 9));
	assert_int_equal(nccl_blob_get(&none).kept, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_channels),
		cmocka_unit_test(test_the_latest_warning_is_kept),
		cmocka_unit_test(test_what_nccl_writes_is_read),
		cmocka_unit_test(test_the_jobs_own_file_is_left_to_it),
		cmocka_unit_test(test_blobs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
