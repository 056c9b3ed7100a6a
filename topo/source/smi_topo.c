// SPDX-License-Identifier: Apache-2.0
// Reads nvidia-smi topo -m and -p2p as people paste them.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topo/source/smi_grid.h"

static bool sniff(const struct source_text *text)
{
	return source_has(text, "GPU0") || source_has(text, "GPU1") ||
	       (source_has(text, "GPU") &&
	        (source_has(text, "Affinity") || source_has(text, " X ")));
}

static bool is_p2p(const struct smi_grid *grid)
{
	bool p2p = false;

	for (size_t i = 0; i < grid->n * grid->n; i++) {
		const struct smi_cell *cell = &grid->cells[i];

		if (cell->path.type > PATH_SELF)
			return false;
		p2p |= cell->p2p > P2P_SELF;
	}
	return p2p;
}

static enum fp_status add_gpu(struct topo_map *map, const struct smi_grid *grid,
                              size_t row, struct fp_err *err)
{
	const struct tail *tail = &grid->tails[row];
	struct map_gpu *gpu;
	enum fp_status status = topo_map_add_gpu(map, &gpu, err);

	if (status != FP_OK)
		return status;
	gpu->index = grid->labels[row].index;
	if (!grid->row_lines[row])
		return FP_OK;
	gpu->cpus_known = tail->cpus_known;
	gpu->cpus = tail->cpus;
	gpu->numas = tail->numas;
	gpu->gpu_numa = tail->gpu_numa;
	if (!tail->unclear)
		return FP_OK;
	topo_map_note(map, grid->row_lines[row], 0,
	              "%s: what stands behind the matrix cannot be read",
	              grid->labels[row].name);
	map->partial = true;
	return FP_OK;
}

static enum fp_status add_hca(struct topo_map *map,
                              const struct smi_label *label, struct fp_err *err)
{
	struct map_hca *hca;
	enum fp_status status = topo_map_add_hca(map, &hca, err);

	if (status != FP_OK)
		return status;
	hca->index = label->index;
	if (label->index < 0)
		memcpy(hca->name, label->name, sizeof(hca->name));
	return FP_OK;
}

/* GPUs first, as the map has them; *@order: the grid's row of each. */
static enum fp_status add_devices(struct topo_map *map,
                                  const struct smi_grid *grid, size_t *order,
                                  struct fp_err *err)
{
	enum fp_status status = FP_OK;
	size_t n = 0;

	for (int gpus = 1; gpus >= 0; gpus--) {
		for (size_t i = 0; i < grid->n && status == FP_OK; i++) {
			if (grid->labels[i].gpu != gpus)
				continue;
			order[n++] = i;
			status = gpus ? add_gpu(map, grid, i, err)
			              : add_hca(map, &grid->labels[i], err);
		}
	}
	return status;
}

/* A row that is missing or cut is there as a column. */
static struct path cell_path(const struct smi_grid *grid, size_t a, size_t b)
{
	struct path path = grid->cells[a * grid->n + b].path;

	if (a == b && !path.type)
		path.type = PATH_SELF;
	return path.type ? path : grid->cells[b * grid->n + a].path;
}

static void note_missing_rows(struct topo_map *map, const struct smi_grid *grid)
{
	size_t missing = 0, first = 0;

	for (size_t i = grid->n; i-- > 0;) {
		if (grid->row_lines[i])
			continue;
		missing++;
		first = i;
	}
	if (missing)
		topo_map_note(map, grid->line, 0,
		              "%zu of %zu rows are missing, the first is %s; "
		              "their relations are taken from the columns",
		              missing, grid->n, grid->labels[first].name);
}

static void note_cells(struct topo_map *map, const struct smi_grid *grid)
{
	size_t unknown = 0, differ = 0;

	for (size_t a = 0; a < grid->n; a++) {
		for (size_t b = 0; b < a; b++) {
			struct path ab = cell_path(grid, a, b);
			struct path ba = cell_path(grid, b, a);
			bool same =
				ab.type == ba.type && ab.nvlinks == ba.nvlinks;

			unknown += !ab.type;
			/* How NICs reach one another nobody asks. */
			if (!ab.type &&
			    (grid->labels[a].gpu || grid->labels[b].gpu))
				map->partial = true;
			if (!same && !differ++)
				topo_map_note(map, grid->row_lines[a], 0,
				              "%s and %s: the matrix is not "
				              "symmetric",
				              grid->labels[a].name,
				              grid->labels[b].name);
		}
	}
	if (unknown)
		topo_map_note(map, grid->line, 0,
		              "the relations of %zu pairs are not there",
		              unknown);
}

static enum fp_status draw(struct topo_map *map, struct smi_grid *grid,
                           struct fp_err *err)
{
	size_t n = grid->n, *order = calloc(n, sizeof(*order));
	enum fp_status status = FP_OK;

	map->drawn = calloc(n * n, sizeof(*map->drawn));
	if (!order || !map->drawn) {
		status = fp_err_set(err, FP_ERR_NOMEM,
		                    "no memory for %zu devices", n);
		goto done_order;
	}
	tails_read(grid->tails, n, grid->columns);
	status = add_devices(map, grid, order, err);
	if (status != FP_OK)
		goto done_order;
	for (size_t a = 0; a < n; a++) {
		for (size_t b = 0; b < n; b++)
			map->drawn[a * n + b] =
				cell_path(grid, order[a], order[b]);
	}
	map->columns = grid->columns;
	note_missing_rows(map, grid);
	note_cells(map, grid);
done_order:
	free(order);
	return status;
}

/* Without a header the rows say which columns there are behind the matrix. */
static void guess_columns(struct smi_grid *grid)
{
	if (grid->columns)
		return;
	for (size_t i = 0; i < grid->n; i++) {
		const char *tail = grid->tails[i].text;

		if (tail && tail[smi_gap(tail)])
			grid->columns = MAP_COLUMN_CPUS | MAP_COLUMN_NUMAS |
			                MAP_COLUMN_GPU_NUMA;
	}
}

static enum fp_status take_p2p(struct topo_map *map,
                               const struct smi_grid *grid, struct fp_err *err)
{
	enum fp_status status = FP_OK;
	size_t n;

	for (size_t i = 0; i < grid->n && !map->drawn && status == FP_OK; i++) {
		if (grid->labels[i].gpu)
			status = add_gpu(map, grid, i, err);
	}
	if (status != FP_OK)
		return status;
	n = map->n_gpus;
	free(map->p2p);
	map->p2p = calloc(n ? n * n : 1, sizeof(*map->p2p));
	if (!map->p2p)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for %zu GPUs",
		                  n);
	for (size_t a = 0; a < grid->n; a++) {
		int32_t to = topo_map_find_gpu(map, grid->labels[a].index);

		for (size_t b = 0; to >= 0 && b < grid->n; b++) {
			int32_t from =
				topo_map_find_gpu(map, grid->labels[b].index);

			if (from >= 0)
				map->p2p[(size_t)to * n + (size_t)from] =
					grid->cells[a * grid->n + b].p2p;
		}
	}
	return FP_OK;
}

/* A whole matrix: into the map, or, if it is of -p2p, aside until the GPUs
 * are known. */
static enum fp_status finish(struct topo_map *map, struct smi_grid *grid,
                             struct smi_grid *p2p, struct fp_err *err)
{
	if (!grid->n_rows)
		return FP_OK;
	if (is_p2p(grid)) {
		smi_grid_done(p2p);
		*p2p = *grid;
		*grid = (struct smi_grid){ .row = -1 };
		return FP_OK;
	}
	if (map->drawn) {
		topo_map_note(map, grid->line, 0,
		              "a further matrix; only the first is read");
		return FP_OK;
	}
	guess_columns(grid);
	return draw(map, grid, err);
}

static enum fp_status read_lines(const struct source_text *text,
                                 struct topo_map *map,
                                 struct smi_grid *headless,
                                 struct smi_grid *p2p, struct fp_err *err)
{
	struct smi_grid grid = { .row = -1 };
	struct smi_grid *now = headless ? headless : &grid;
	struct lines lines;
	enum fp_status status = lines_open(&lines, text, err);

	if (status != FP_OK)
		return status;
	while (status == FP_OK && lines_next(&lines)) {
		struct smi_grid next = { .row = -1 };
		bool is = false;

		if (!headless)
			status = smi_grid_header(&next, &lines, &is, err);
		if (is) {
			status = finish(map, now, p2p, err);
			smi_grid_done(now);
			*now = next;
			continue;
		}
		if (status == FP_OK && !headless)
			status = smi_grid_header_more(now, &lines, &is, err);
		if (status == FP_OK && !is)
			status = smi_grid_row(now, &lines, map, err);
	}
	if (status == FP_OK)
		status = finish(map, now, p2p, err);
	smi_grid_done(&grid);
	lines_close(&lines);
	return status;
}

/* No header: the rows' own labels are those of the columns. */
static enum fp_status read_headless(const struct source_text *text,
                                    struct topo_map *map, struct smi_grid *p2p,
                                    struct fp_err *err)
{
	struct smi_grid grid = { .row = -1 };
	struct lines lines;
	enum fp_status status = lines_open(&lines, text, err);

	if (status != FP_OK)
		return status;
	while (status == FP_OK && lines_next(&lines))
		status = smi_grid_adopt(&grid, &lines, err);
	lines_close(&lines);
	if (status == FP_OK && grid.n) {
		topo_map_note(map, 0, 0, "the matrix has no header");
		status = read_lines(text, map, &grid, p2p, err);
	}
	smi_grid_done(&grid);
	return status;
}

/* "NIC0: mlx5_0" of the legend. */
static void take_legend(struct topo_map *map, const struct lines *lines)
{
	const char *line = lines->line + strspn(lines->line, " \t"), *end;
	int32_t index = line_number(line, "NIC", &end);
	char name[MAP_NAME_MAX];
	size_t len;

	if (index < 0 || *end != ':')
		return;
	end += 1 + strspn(end + 1, " \t");
	len = strcspn(end, " \t");
	if (len == 0 || len >= sizeof(name))
		return;
	(void)snprintf(name, sizeof(name), "%.*s", (int)len, end);
	for (size_t i = 0; i < map->n_hcas; i++) {
		if (map->hcas[i].index == index && !map->hcas[i].name[0])
			fp_copy(map->hcas[i].name, MAP_NAME_MAX, name);
	}
}

static enum fp_status read_legend(const struct source_text *text,
                                  struct topo_map *map, struct fp_err *err)
{
	struct lines lines;
	enum fp_status status = lines_open(&lines, text, err);

	if (status != FP_OK)
		return status;
	while (lines_next(&lines))
		take_legend(map, &lines);
	lines_close(&lines);
	return FP_OK;
}

static enum fp_status read(const struct source_text *text, struct topo_map *map,
                           struct fp_err *err)
{
	struct smi_grid p2p = { .row = -1 };
	enum fp_status status = read_lines(text, map, NULL, &p2p, err);

	if (status == FP_OK && !map->drawn && !p2p.n_rows)
		status = read_headless(text, map, &p2p, err);
	if (status == FP_OK && p2p.n_rows)
		status = take_p2p(map, &p2p, err);
	if (status == FP_OK && map->n_hcas)
		status = read_legend(text, map, err);
	smi_grid_done(&p2p);
	return status;
}

const struct source_ops source_smi_topo_ops = {
	.name = "nvidia-smi topo",
	.help = "the matrix of nvidia-smi topo -m, and of topo -p2p",
	.phase = SOURCE_DEVICES,
	.sniff = sniff,
	.read = read,
};
