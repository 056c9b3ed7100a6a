/* SPDX-License-Identifier: Apache-2.0 */
/* A matrix of nvidia-smi topo as it stands in a text, cell by cell. */
#ifndef FP_TOPO_SOURCE_SMI_GRID_H
#define FP_TOPO_SOURCE_SMI_GRID_H

#include "topo/source/lines.h"
#include "topo/source/smi_tail.h"
#include "topo/source/smi_words.h"

/** struct smi_grid - a matrix. Zero-initialise; smi_grid_done() at the end. */
struct smi_grid {
	struct smi_label *labels;
	size_t n, room;
	struct smi_cell *cells; /* n x n; of zero: not there */
	struct tail *tails;     /* of each row */
	int32_t *row_lines;     /* line of each row; 0: not there */
	uint32_t columns;       /* MAP_COLUMN_* */
	int32_t line;           /* of its header */
	int32_t last;           /* line that was taken in last */
	size_t n_rows;
	int32_t row;   /* now being read, or -1 */
	size_t column; /* of it, next */
};

/** smi_grid_done() - free; takes NULL. */
void smi_grid_done(struct smi_grid *grid);

/**
 * smi_grid_header() - if the line is a header, begin with it.
 *
 * Return: FP_OK with *@ret_is; FP_ERR_LIMIT naming line and column;
 * FP_ERR_NOMEM.
 */
enum fp_status smi_grid_header(struct smi_grid *grid, const struct lines *lines,
                               bool *ret_is, struct fp_err *err);

/**
 * smi_grid_header_more() - a terminal may have broken the header: if the line
 * goes on with it, take it in. As smi_grid_header().
 */
enum fp_status smi_grid_header_more(struct smi_grid *grid,
                                    const struct lines *lines, bool *ret_is,
                                    struct fp_err *err);

/**
 * smi_grid_row() - if the line is a row of the grid, or goes on with the row
 * before, take it in. Odd cells are left out and noted in @map.
 *
 * Return: FP_OK, FP_ERR_NOMEM.
 */
enum fp_status smi_grid_row(struct smi_grid *grid, const struct lines *lines,
                            struct topo_map *map, struct fp_err *err);

/**
 * smi_grid_adopt() - without a header: take the line's label, if it begins a row,
 * as that of the next row and column.
 *
 * Return: as smi_grid_header().
 */
enum fp_status smi_grid_adopt(struct smi_grid *grid, const struct lines *lines,
                              struct fp_err *err);

#endif
