// SPDX-License-Identifier: Apache-2.0
// Identities in texts: what is masked, by what, and what is left.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mpi/cmd/mask.h"
#include "tests/unit/check_bed.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const char job_lines[] =
	"h0.example.org 0000:01:00.0 gpu.serial SN1650123000001\n"
	"h0.example.org 0000:01:00.0 gpu.uuid "
	"GPU-11111111-2222-3333-4444-5555\n"
	"h0-b eth0 netdev.mac 02:00:00:00:00:17\n";

static void words(void **state)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		/* what the job has */
		{ "h0.example.org, h0-b.", "host1, host2." },
		{ "at H0-B: \"h0.example.org\"", "at host2: \"host1\"" },
		{ "serial SN1650123000001 of GPU-11111111-2222-3333-4444-5555",
		  "serial id1 of id2" },
		/* what has the form of one */
		{ "10.1.2.3 and 10.1.2.3:4791 and 10.1.2.4",
		  "address1 and address2 and address3" },
		{ "fe80::1 fe80:0000:0000:0000:0000:0000:0000:0001 2001:db8::7",
		  "address4 address5 address6" },
		{ "02:00:00:00:00:17 02:00:00:00:00:18", "mac1 mac2" },
		{ "a088:c203:00ad:eab8", "id3" },
		{ "GPU-00000000-b600-ac93-3616-000000000000", "id4" },
		/* what is none */
		{ "PCI 0000:3b:00.0, 0000:09:00 and 00000000:3B:00.0",
		  "PCI 0000:3b:00.0, 0000:09:00 and 00000000:3B:00.0" },
		{ "127.0.0.1 ::1 localhost 0.0.0.0",
		  "127.0.0.1 ::1 localhost 0.0.0.0" },
		{ "2026-12-01T04:14:12Z [12.5] 5.15.0-112-generic 28.39.1002",
		  "2026-12-01T04:14:12Z [12.5] 5.15.0-112-generic 28.39.1002" },
		{ "h0 mlx5_0/1 eth0", "h0 mlx5_0/1 eth0" },
		{ "", "" },
		{ ":::", ":::" },
	};
	struct topo_job job;
	struct mask *mask;

	(void)state;
	check_bed_job(job_lines, &job);
	assert_int_equal(mask_new(&job, &mask, NULL), FP_OK);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fp_text out = { 0 };

		mask_apply(mask, rows[i].text, &out);
		assert_false(out.failed);
		assert_string_equal(fp_text_str(&out), rows[i].want);
		fp_text_free(&out);
	}
	mask_free(mask);
	mask_free(NULL);
	topo_job_done(&job);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words),
	};

	return cmocka_run_group_tests_name("mask", tests, NULL, NULL);
}
