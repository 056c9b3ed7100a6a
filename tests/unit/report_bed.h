/* SPDX-License-Identifier: Apache-2.0 */
/* Reports of sessions over the model cluster, free of real time. */
#ifndef FP_TESTS_REPORT_BED_H
#define FP_TESTS_REPORT_BED_H

#include "probes/report/report.h"
#include "tests/unit/session_bed.h"

/** struct report_case - a run, and how its report is to look. */
struct report_case {
	const char *name, *format;
	struct bed_case c;
	bool drill, cut, gbits, colour, timing;
	int columns;
};

/** report_bed_run() - run it; sweeps from 1K to 1M. session_bed_close() at the end. */
void report_bed_run(struct bed *bed, const struct report_case *g);

/** report_bed_render() - append the report to @out; must succeed. */
void report_bed_render(const struct bed *bed, const struct report_case *g,
                       struct fp_text *out);

#endif
