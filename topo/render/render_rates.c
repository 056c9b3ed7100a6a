// SPDX-License-Identifier: Apache-2.0
// What the paths of a map should carry, in a few lines.
#include <stdio.h>

#include "topo/path/expect.h"
#include "topo/render/render.h"

/* The range of one kind of path. */
struct range {
	double low, high;
	size_t n;
	uint8_t links_low, links_high;
};

static void widen(struct range *range, struct path path, double Bps)
{
	if (range->n == 0 || Bps < range->low)
		range->low = Bps;
	if (range->n == 0 || Bps > range->high)
		range->high = Bps;
	if (range->n == 0 || path.nvlinks < range->links_low)
		range->links_low = path.nvlinks;
	if (path.nvlinks > range->links_high)
		range->links_high = path.nvlinks;
	range->n++;
}

static void write_range(const struct range *range, unsigned type,
                        struct fp_text *text)
{
	char low[FP_FMT_MAX], high[FP_FMT_MAX], name[16];

	if (type != PATH_NVLINK)
		(void)snprintf(name, sizeof(name), "%s", path_type_name(type));
	else if (range->links_low == range->links_high)
		(void)snprintf(name, sizeof(name), "NV%u", range->links_high);
	else
		(void)snprintf(name, sizeof(name), "NV%u-%u", range->links_low,
		               range->links_high);
	fp_text_printf(text, "  %-7s %s", name,
	               fp_fmt_rate(range->low, 0, low));
	if (range->high > range->low)
		fp_text_printf(text, " to %s",
		               fp_fmt_rate(range->high, 0, high));
	fp_text_printf(text, "\n");
}

static void write_kind(const struct topo_map *map,
                       const struct path_matrix *matrix, bool to_nics,
                       struct fp_text *text)
{
	struct range ranges[PATH_TYPE_COUNT] = { 0 };
	bool any = false;

	for (size_t a = 0; a < map->n_gpus; a++) {
		size_t first = to_nics ? map->n_gpus : a + 1;
		size_t end = to_nics ? matrix->n : map->n_gpus;

		for (size_t b = first; b < end; b++) {
			struct path path = path_matrix_at(matrix, a, b);
			double Bps = expect_pair_Bps(map, a, b, path);

			if (Bps > 0)
				widen(&ranges[path.type], path, Bps);
			any |= Bps > 0;
		}
	}
	if (any)
		fp_text_printf(text, "Expected of a %s, one direction:\n",
		               to_nics ? "GPU and a NIC" : "pair of GPUs");
	for (unsigned type = 0; type < PATH_TYPE_COUNT; type++) {
		if (ranges[type].n)
			write_range(&ranges[type], type, text);
	}
}

void render_rates(const struct topo_map *map, const struct path_matrix *matrix,
                  struct fp_text *text)
{
	write_kind(map, matrix, false, text);
	write_kind(map, matrix, true, text);
}
