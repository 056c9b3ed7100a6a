/* SPDX-License-Identifier: Apache-2.0 */
/* Matrices as a reader sees them: one table, by rank or by host. */
#ifndef FP_PROBES_REPORT_GRID_H
#define FP_PROBES_REPORT_GRID_H

#include <stdbool.h>

#include "probes/report/report.h"

#define GRID_MATRICES 16

/** struct grid_cell - what is known from row @src to column @dst. */
struct grid_cell {
	int32_t src, dst; /* ranks, or hosts */
	uint8_t state;    /* enum cell_state, the worst */
	int8_t rail;      /* that is so; -1: there is but one */
	double value;     /* the worst; 0: none */
};

/** struct grid - one or more matrices of the same operation and size. */
struct grid {
	const struct matrix *of[GRID_MATRICES];
	size_t n_of;
	bool by_host;
	int32_t n;               /* rows and columns */
	struct grid_cell *cells; /* sorted by src, dst */
	size_t n_cells;
	size_t n_states[CELL_STATE_COUNT]; /* of pairs, not of cells */
};

/** struct grid_sum - what one matrix comes to. */
struct grid_sum {
	size_t n_states[CELL_STATE_COUNT];
	double median, worst; /* of cells that have a value; 0: none */
};

/** grid_sum() - of @m. FP_OK, FP_ERR_NOMEM. */
enum fp_status grid_sum(const struct matrix *m, struct grid_sum *ret,
                        struct fp_err *err);

/**
 * grid_make() - the table of matrix @at of the session and of those after it
 * that complete it: same operation, size and direction, other pairs or other
 * rails. Those
 * that are in @used are left out; what is taken is marked there.
 *
 * Return: FP_OK, FP_ERR_NOMEM. Undo with grid_done().
 */
enum fp_status grid_make(const struct session *s, size_t at, bool *used,
                         bool by_host, struct grid *ret, struct fp_err *err);

/** grid_by_host() - the same again, ranks of a host together. */
enum fp_status grid_by_host(const struct session *s, const struct grid *from,
                            struct grid *ret, struct fp_err *err);
void grid_done(struct grid *g); /* takes NULL */

/** grid_find() - a cell, or NULL: never tried. */
const struct grid_cell *grid_find(const struct grid *g, int32_t src,
                                  int32_t dst);

/** grid_is_trouble() - is it worth a reader's eye? */
bool grid_is_trouble(unsigned state);

/** grid_troubles() - pairs in such a state. */
size_t grid_troubles(const struct grid *g);

/** struct grid_unit - what values are divided by, and what that is called. */
struct grid_unit {
	const char *name; /* "MB/s", "us" */
	double scale;
	bool compact; /* three characters a value, if they will do */
};

/** grid_unit() - one unit that fits all values of @g. */
struct grid_unit grid_unit(const struct grid *g, bool gbits);

#define GRID_TEXT_MAX 24

/** grid_cell_text() - "119.5", "HANG", "-" and the mark of its state. */
void grid_cell_text(const struct grid_cell *c, const struct grid_unit *unit,
                    char buf[static GRID_TEXT_MAX]);

/** grid_cell_letter() - the state in one letter, '.' if it is good. */
char grid_cell_letter(const struct grid_cell *c);

#endif
