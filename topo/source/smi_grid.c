// SPDX-License-Identifier: Apache-2.0
// Finds headers and rows of nvidia-smi topo among other lines.
#include "topo/source/smi_grid.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX_WORDS 6 /* before a row's label: host names, stamps, prompts */

void smi_grid_done(struct smi_grid *grid)
{
	if (!grid)
		return;
	free(grid->labels);
	free(grid->cells);
	free(grid->tails);
	free(grid->row_lines);
	*grid = (struct smi_grid){ .row = -1 };
}

static enum fp_status add_label(struct smi_grid *grid,
                                const struct smi_label *label,
                                const struct lines *lines, const char *at,
                                struct fp_err *err)
{
	size_t room = grid->room ? 2 * grid->room : 16;
	struct smi_label *grown;

	if (grid->n >= MAP_DEVICES_MAX)
		return fp_err_set(err, FP_ERR_LIMIT,
		                  "line %d, column %zu: more than %d devices",
		                  lines->number, (size_t)(at - lines->line) + 1,
		                  MAP_DEVICES_MAX);
	if (grid->n == grid->room) {
		grown = reallocarray(grid->labels, room, sizeof(*grown));
		if (!grown)
			return fp_err_set(err, FP_ERR_NOMEM,
			                  "no memory for %zu devices", room);
		grid->labels = grown;
		grid->room = room;
	}
	grid->labels[grid->n++] = *label;
	return FP_OK;
}

static enum fp_status make_room(struct smi_grid *grid, struct fp_err *err)
{
	size_t n = grid->n;

	if (grid->cells)
		return FP_OK;
	grid->cells = calloc(n * n, sizeof(*grid->cells));
	grid->tails = calloc(n, sizeof(*grid->tails));
	grid->row_lines = calloc(n, sizeof(*grid->row_lines));
	if (!grid->cells || !grid->tails || !grid->row_lines)
		return fp_err_set(err, FP_ERR_NOMEM,
		                  "no memory for %zu devices", n);
	for (size_t i = 0; i < n; i++)
		grid->tails[i].gpu_numa = -1;
	return FP_OK;
}

/* The first "GPU<n>" that begins a word; NULL if there is none. */
static const char *first_gpu(const char *line)
{
	const char *at = line;

	while ((at = strstr(at, "GPU"))) {
		if ((at == line || !isalnum((unsigned char)at[-1])) &&
		    isdigit((unsigned char)at[3]))
			return at;
		at += 3;
	}
	return NULL;
}

static enum fp_status take_labels(struct smi_grid *grid,
                                  const struct lines *lines, const char *at,
                                  const char *end, const char **ret_at,
                                  struct fp_err *err)
{
	enum fp_status status = FP_OK;
	struct smi_label label;

	*ret_at = at;
	while (status == FP_OK && at < end && smi_label_take(&at, &label) &&
	       at <= end) {
		status = add_label(grid, &label, lines, at, err);
		at += smi_gap(at);
		*ret_at = at;
	}
	return status;
}

enum fp_status smi_grid_header(struct smi_grid *grid, const struct lines *lines,
                               bool *ret_is, struct fp_err *err)
{
	const char *at = first_gpu(lines->line), *end, *behind;
	struct smi_grid found = { .line = lines->number,
		                  .last = lines->number,
		                  .row = -1 };
	enum fp_status status;

	*ret_is = false;
	if (!at)
		return FP_OK;
	end = smi_tail_find(at, &found.columns);
	status = take_labels(&found, lines, at, end, &behind, err);
	/* All of it has to be labels and headings, and one GPU alone is a
	 * word in a sentence. */
	*ret_is = status == FP_OK && behind >= end &&
	          (found.columns || found.n > 1);
	if (!*ret_is) {
		smi_grid_done(&found);
		return status;
	}
	smi_grid_done(grid);
	*grid = found;
	return FP_OK;
}

static int32_t find_label(const struct smi_grid *grid, const char *name)
{
	for (size_t i = 0; i < grid->n; i++) {
		if (strcmp(grid->labels[i].name, name) == 0)
			return (int32_t)i;
	}
	return -1;
}

/* A label with a cell behind it: that is where a row begins. */
static bool row_begins(const char **at, struct smi_label *ret)
{
	const char *s = *at, *cell;
	struct smi_cell ignored;

	if (!smi_label_take(&s, ret))
		return false;
	cell = s + smi_gap(s);
	if (!smi_cell_take(&cell, &ignored))
		return false;
	*at = s;
	return true;
}

/* Where a line's row begins: behind a prefix, if there is one, which ends at
 * a blank or, as those of launchers, with a colon or an angle bracket. */
static bool find_row(const char *line, const char **ret_at,
                     struct smi_label *ret)
{
	const char *at = line + smi_gap(line);

	for (int i = 0; i < PREFIX_WORDS && *at; i++) {
		size_t len = strcspn(at, " \t|"), tag = len;

		*ret_at = at;
		if (row_begins(ret_at, ret))
			return true;
		while (tag && at[tag - 1] != ':' && at[tag - 1] != '>')
			tag--;
		*ret_at = at + tag;
		if (tag && tag < len && row_begins(ret_at, ret))
			return true;
		at += len;
		at += smi_gap(at);
	}
	return false;
}

enum fp_status smi_grid_header_more(struct smi_grid *grid,
                                    const struct lines *lines, bool *ret_is,
                                    struct fp_err *err)
{
	const char *at = lines->line + smi_gap(lines->line), *end, *behind;
	size_t n = grid->n;
	enum fp_status status;
	struct smi_label label;
	uint32_t columns;

	*ret_is = false;
	if (!n || grid->n_rows || grid->last + 1 != lines->number || !*at ||
	    find_row(lines->line, &behind, &label))
		return FP_OK;
	end = smi_tail_find(at, &columns);
	status = take_labels(grid, lines, at, end, &behind, err);
	*ret_is = status == FP_OK && behind >= end;
	if (!*ret_is) {
		grid->n = n;
		return status;
	}
	grid->columns |= columns;
	grid->last = lines->number;
	return FP_OK;
}

static size_t rules_in(const char *s, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += s[i] == '|';
	return n;
}

/* What is no cell where one should be: skip it, and the cell is not known. */
static const char *skip_odd(const struct lines *lines, const char *at,
                            struct topo_map *map)
{
	size_t len = strcspn(at, " \t|");
	char shown[24];

	(void)snprintf(shown, sizeof(shown), "%.*s", (int)(len < 20 ? len : 20),
	               at);
	topo_map_note(map, lines->number, (int32_t)(at - lines->line) + 1,
	              "'%s' is no relation", shown);
	map->partial = true;
	return at + len;
}

/* A word that the end of the file may have cut: "NV1" of "NV18". */
static bool maybe_cut(const struct lines *lines, const char *at,
                      const struct smi_cell *cell)
{
	return lines->cut && !*at && cell->path.type == PATH_NVLINK;
}

static void take_cells(struct smi_grid *grid, const struct lines *lines,
                       const char *at, struct topo_map *map)
{
	struct smi_cell *cells = grid->cells + (size_t)grid->row * grid->n;
	struct tail *tail = &grid->tails[grid->row];

	while (grid->column < grid->n && *at) {
		size_t gap = smi_gap(at), rules = rules_in(at, gap);
		struct smi_cell cell;

		/* Two rules with nothing between them: an empty cell. */
		if (rules > 1)
			grid->column += rules - 1;
		at += gap;
		if (grid->column >= grid->n || !*at ||
		    isdigit((unsigned char)*at))
			break;
		if (!smi_cell_take(&at, &cell))
			at = skip_odd(lines, at, map);
		else if (!maybe_cut(lines, at, &cell))
			cells[grid->column] = cell;
		grid->column++;
	}
	tail->text = at + strspn(at, "*`");
	tail->cut = lines->cut;
	grid->last = lines->number;
}

/* A terminal may have broken the row before in two. */
static bool row_goes_on(const struct smi_grid *grid, const char *at)
{
	struct smi_cell cell;

	return grid->row >= 0 && grid->column < grid->n && grid->column > 0 &&
	       smi_cell_take(&at, &cell) && !strchr(at, '=');
}

static size_t words_in(const char *s)
{
	size_t n = 0;

	for (s += smi_gap(s); *s; s += smi_gap(s)) {
		s += strcspn(s, " \t|");
		n++;
	}
	return n;
}

/* Or it broke what stands behind the cells. */
static bool tail_goes_on(const struct smi_grid *grid, const struct lines *lines)
{
	const char *at = lines->line + smi_gap(lines->line);
	size_t columns = 0;

	for (uint32_t bits = grid->columns; bits; bits >>= 1)
		columns += bits & 1;
	return grid->row >= 0 && grid->column >= grid->n &&
	       grid->last + 1 == lines->number && *at &&
	       !at[strspn(at, "0123456789,-/NA \t|")] &&
	       words_in(grid->tails[grid->row].text) < columns;
}

/* The line's end before, which is a NUL now, becomes the gap between words; in
 * the midst of a word there is none, and what is before moves up. */
static void tail_join(struct smi_grid *grid, const struct lines *lines)
{
	struct tail *tail = &grid->tails[grid->row];
	char *end = lines->line - 1;
	char *text = lines->text + (tail->text - lines->text);
	size_t len = (size_t)(end - text);

	if (!len || smi_gap(end - 1) || smi_gap(lines->line)) {
		*end = ' ';
	} else {
		memmove(text + 1, text, len);
		tail->text = text + 1;
	}
	tail->cut = lines->cut;
	grid->last = lines->number;
}

enum fp_status smi_grid_row(struct smi_grid *grid, const struct lines *lines,
                            struct topo_map *map, struct fp_err *err)
{
	const char *at = lines->line + smi_gap(lines->line);
	struct smi_label label;
	enum fp_status status;
	int32_t row;

	if (row_goes_on(grid, at)) {
		take_cells(grid, lines, at, map);
		return FP_OK;
	}
	if (tail_goes_on(grid, lines)) {
		tail_join(grid, lines);
		return FP_OK;
	}
	if (!find_row(lines->line, &at, &label) || strchr(at, '='))
		return FP_OK;
	row = find_label(grid, label.name);
	if (row < 0)
		return FP_OK;
	status = make_room(grid, err);
	if (status != FP_OK || grid->row_lines[row])
		return status;
	grid->row = row;
	grid->column = 0;
	grid->row_lines[row] = lines->number;
	grid->n_rows++;
	take_cells(grid, lines, at, map);
	return FP_OK;
}

enum fp_status smi_grid_adopt(struct smi_grid *grid, const struct lines *lines,
                              struct fp_err *err)
{
	struct smi_label label;
	const char *at;

	if (!find_row(lines->line, &at, &label) || strchr(at, '=') ||
	    (label.index < 0 && grid->n == 0) ||
	    find_label(grid, label.name) >= 0)
		return FP_OK;
	return add_label(grid, &label, lines, at, err);
}
