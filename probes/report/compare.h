/* SPDX-License-Identifier: Apache-2.0 */
/* Two runs side by side, for people and for scripts. */
#ifndef FP_PROBES_REPORT_COMPARE_H
#define FP_PROBES_REPORT_COMPARE_H

#include "probes/judge/since.h"
#include "probes/report/report.h"

#define REPORT_COMPARE_SCHEMA "fabricprobe-compare/1"

/** struct report_compared - what is shown; all borrowed. */
struct report_compared {
	const struct report *report; /* findings and how to show them */
	const struct since *since;
	const char *before, *now; /* what the runs are called */
	const char *before_utc, *now_utc;
};

/** report_compare_text(), report_compare_json() - append to @out. The text has
 * no last line for scripts. FP_OK, FP_ERR_NOMEM. */
enum fp_status report_compare_text(const struct report_compared *c,
                                   struct fp_text *out, struct fp_err *err);
enum fp_status report_compare_json(const struct report_compared *c,
                                   struct fp_text *out, struct fp_err *err);

#endif
