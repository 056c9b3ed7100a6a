// SPDX-License-Identifier: Apache-2.0
// Readings that tests share.
#include "tests/unit/reading_bed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define WHEN READING_BED_S

const struct reading reading_bed_samples[READING_BED_ROWS] = {
	{ "", "kernel.release", READING_TEXT, READ_PROCFS, 0, 0, "6.1", WHEN },
	{ "", "limit.memlock", READING_INT, READ_PROCESS, -1, 0, "", WHEN },
	{ "0000:0f:00.0", "pcie.speed", READING_INT, READ_SYSFS, 32000, 0,
	  "32.0 GT/s PCIe", WHEN },
	{ "0000:0f:00.0", "pcie.width", READING_SKIP, READ_SYSFS, 0, 0,
	  "no such file", WHEN },
	{ "eth0", "netdev.ratio", READING_REAL, READ_NETLINK, 0, 0.25, "",
	  WHEN },
	{ "0000:0f:00.0", "kmsg.xid", READING_INT, READ_KMSG, 79, 0,
	  "NVRM: Xid: 79", WHEN - 5000 },
	{ "0000:0f:00.0", "kmsg.xid", READING_INT, READ_KMSG, 48, 0,
	  "NVRM: Xid: 48", WHEN - 4000 },
};

struct readings *reading_bed_set(void)
{
	struct readings *set = readings_new(WHEN);

	assert_non_null(set);
	for (size_t i = 0; i < READING_BED_ROWS; i++)
		assert_int_equal(
			readings_add(set, &reading_bed_samples[i], NULL),
			FP_OK);
	return set;
}

void reading_bed_check_row(const struct reading *got,
                           const struct reading *want)
{
	assert_string_equal(got->device, want->device);
	assert_string_equal(got->name, want->name);
	assert_int_equal(got->source, want->source);
	assert_int_equal(got->time_s, want->time_s);
	assert_true(reading_equal(got, want));
}

/* A second host's: the same rows with two other values, and one row more. */
struct readings *reading_bed_other(void)
{
	struct readings *set = readings_new(WHEN + 7);

	for (size_t i = 0; i < READING_BED_ROWS; i++) {
		struct reading r = reading_bed_samples[i];

		r.time_s += 7;
		if (i == 1)
			r.number = 65536;
		if (i == 3) {
			r.kind = READING_INT;
			r.number = 8;
			r.text = "";
		}
		assert_int_equal(readings_add(set, &r, NULL), FP_OK);
	}
	assert_int_equal(readings_add(set,
	                              &(struct reading){ .device = "",
	                                                 .name = "more",
	                                                 .kind = READING_INT,
	                                                 .text = "" },
	                              NULL),
	                 FP_OK);
	return set;
}

void reading_bed_check_same(const struct readings *a, const struct readings *b)
{
	assert_int_equal(readings_count(a), readings_count(b));
	for (size_t i = 0; i < readings_count(a); i++) {
		struct reading ra = readings_at(a, i), rb = readings_at(b, i);

		reading_bed_check_row(&ra, &rb);
	}
}
