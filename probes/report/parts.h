/* SPDX-License-Identifier: Apache-2.0 */
/* What several renderers need. */
#ifndef FP_PROBES_REPORT_PARTS_H
#define FP_PROBES_REPORT_PARTS_H

#include <stdbool.h>

#include "probes/report/report.h"

#define REPORT_COLUMNS_MIN 40

/** struct report_coll - a collective trial, all its members together. */
struct report_coll {
	const struct trial *trial;
	uint8_t state;   /* enum outcome_state, the worst member's */
	uint32_t n_seen; /* members with an outcome */
	double time_s;   /* of one operation, mean over members; 0: none */
	double algbw_Bps, busbw_Bps;
	uint64_t wrong_bytes; /* sum */
	const char *err;      /* of the first member that has one; "" */
};

/**
 * report_colls_make() - the collective trials in their order.
 * @ret: for free(3); points into @results.
 *
 * Return: FP_OK, FP_ERR_NOMEM.
 */
enum fp_status report_colls_make(const struct results *results,
                                 struct report_coll **ret, size_t *ret_n,
                                 struct fp_err *err);

/**
 * report_exclude_make() - hosts to leave out of a job: where a fault lies in
 * a host or its device, lost ones included. Each once.
 * @ret: names, borrowed, in an array for free(3).
 *
 * Return: FP_OK, FP_ERR_NOMEM.
 */
enum fp_status report_exclude_make(const struct report *report,
                                   const char ***ret, size_t *ret_n,
                                   struct fp_err *err);

#define REPORT_VALUE_MAX 48

/** report_value() - @value in words by its @unit ("B/s", "s", "bytes", "%");
 * "-" for none. Return: @buf. */
char *report_value(double value, const char *unit, bool gbits,
                   char buf[static REPORT_VALUE_MAX]);

/** report_size() - a message size: "8 B", "64K". Return: @buf. */
char *report_size(uint64_t bytes, char buf[static REPORT_VALUE_MAX]);

/**
 * report_wrap() - append @text in lines of at most @columns, broken at
 * blanks, indented by @indent from the second line on; ends with a newline.
 * @at: columns that the first line has used already.
 */
void report_wrap(struct fp_text *out, int columns, int at, int indent,
                 const char *text);

/** report_columns() - the report's columns, within reason. */
int report_columns(const struct report *report);

/** report_verdict_line() - "fabricprobe: verdict=fault exit=1", no newline;
 * the word of REPORT_EXIT_ERROR is "error". */
void report_verdict_line(const struct report *report, struct fp_text *out);

#endif
