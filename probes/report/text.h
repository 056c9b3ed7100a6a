/* SPDX-License-Identifier: Apache-2.0 */
/* The rooms of the text renderer. */
#ifndef FP_PROBES_REPORT_TEXT_H
#define FP_PROBES_REPORT_TEXT_H

#include "probes/report/grid.h"
#include "probes/report/parts.h"

enum text_tone { TEXT_PLAIN, TEXT_GOOD, TEXT_WARN, TEXT_BAD };

/** text_tone() - @text in a tone's colour, where the report has colours. */
void text_tone(const struct report *report, struct fp_text *out,
               enum text_tone tone, const char *text);

/** text_findings() - what, where, observed, expected, evidence, next. */
void text_findings(const struct report *report, struct fp_text *out);

/** text_matrices() - the tables, as they fit. FP_OK, FP_ERR_NOMEM. */
enum fp_status text_matrices(const struct report *report, struct fp_text *out,
                             struct fp_err *err);

/** enum text_style - how cells are written. */
enum text_style { TEXT_FULL, TEXT_COMPACT, TEXT_LETTERS };

/** text_legend() - the marks that occur in @g. @unit: NULL if no values show. */
void text_legend(const struct grid *g, const char *unit, enum text_style style,
                 int columns, struct fp_text *out);

/** text_headings() - a line for each matrix of @g: what, states, figures. */
enum fp_status text_headings(const struct report *report, const struct grid *g,
                             struct fp_text *out, struct fp_err *err);

/** text_troubles() - of a table too large to show: its bad rows or columns,
 * whichever are fewer. */
enum fp_status text_troubles(const struct report *report, const struct grid *g,
                             struct fp_text *out, struct fp_err *err);

/** text_rails() - of a table of several rails: by which one its bad cells are
 * so. Nothing without any. */
void text_rails(const struct report *report, const struct grid *g,
                struct fp_text *out);

/** text_collectives() - size, time, algbw, busbw. */
enum fp_status text_collectives(const struct report *report,
                                struct fp_text *out, struct fp_err *err);

/** text_watched() - one line of GPUs that were watched; nothing without any.
 * FP_OK, FP_ERR_NOMEM. */
enum fp_status text_watched(const struct report *report, struct fp_text *out,
                            struct fp_err *err);

/** text_coverage() - what was looked at and what was not. */
void text_coverage(const struct report *report, struct fp_text *out);

#endif
