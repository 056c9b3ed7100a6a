/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts for checks, written as lines; what a check says of them, as text. */
#ifndef FP_TESTS_UNIT_CHECK_BED_H
#define FP_TESTS_UNIT_CHECK_BED_H

#include <stddef.h>

#include "topo/model/model.h"

#define CHECK_BED_ROWS(rows) (sizeof(rows) / sizeof(*(rows)))

/*
 * A job as text: what was saved of host h0, or lines, each ending in a newline:
 *
 *   HOST DEVICE NAME VALUE   a reading; DEVICE "-" is the host; VALUE a number,
 *                            "skip WHY", or a text
 *   HOST DEVICE !netdev MTU  a network device that is up and has an HCA
 *   HOST BUS !bridge PARENT  a PCI bridge; PARENT "-": at the CPU
 *   HOST BUS !gpu PARENT
 *   HOST NAME !hca BUS       BUS "-": none
 *   HOST N !numa CPUS        NUMA node N, of the GPUs that follow
 *   HOST - !rank N           one more rank
 *
 * Names of hosts begin with "h0"; hosts are in the order in which they are
 * named first, each with one rank.
 */

/**
 * struct check_bed_row - a check's finding, and its clean twin: a job that is
 * as like as can be and of which it says nothing.
 * @want: "fault FP-X at place", each with a newline
 */
struct check_bed_row {
	const char *bad, *clean, *want;
};

/** check_bed_rows() - the test fails at the row where @check says another. */
void check_bed_rows(const char *check, const struct check_bed_row *rows,
                    size_t n);

/** check_bed_job() - the job of @text, for topo_job_done(). */
void check_bed_job(const char *text, struct topo_job *ret);

/** check_bed_says() - what @check says of @job; for free(3). */
char *check_bed_says(const char *check, const struct topo_job *job);

#endif
