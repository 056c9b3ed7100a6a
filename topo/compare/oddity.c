// SPDX-License-Identifier: Apache-2.0
// What stands out in a map: the list, and the faults of NVLinks.
#include "topo/compare/oddity.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topo/path/expect.h"

#define ODDITIES_MAX 128

void oddities_add(struct oddities *to, uint32_t kind, int32_t gpu,
                  int32_t other, const char *fmt, ...)
{
	struct oddity *rows;
	va_list ap;

	if (to->failed || to->n >= ODDITIES_MAX)
		return;
	rows = reallocarray(to->rows, to->n + 1, sizeof(*rows));
	to->failed = !rows;
	if (!rows)
		return;
	to->rows = rows;
	rows[to->n] =
		(struct oddity){ .kind = kind, .gpu = gpu, .other = other };
	va_start(ap, fmt);
	(void)vsnprintf(rows[to->n].text, ODDITY_TEXT_MAX, fmt, ap);
	va_end(ap);
	to->n++;
}

void oddities_done(struct oddities *oddities)
{
	if (!oddities)
		return;
	free(oddities->rows);
	*oddities = (struct oddities){ 0 };
}

/* The NVLinks between GPUs, summed up. */
struct bonds {
	const struct path_matrix *matrix;
	size_t n;
	bool drawn;   /* by hand or tool: a cell may be missing */
	size_t told;  /* pairs of which there is a cell */
	uint8_t most; /* between any two */
	size_t pairs; /* with any */
	size_t full;  /* with the most */
};

static uint8_t bond(const struct bonds *b, size_t x, size_t y)
{
	return path_matrix_at(b->matrix, x, y).nvlinks;
}

/* Is anything known of the pair? Of a row that was cut off nothing is. */
static bool is_told(const struct bonds *b, size_t x, size_t y)
{
	return !b->drawn ||
	       path_matrix_at(b->matrix, x, y).type != PATH_UNKNOWN;
}

static void count(struct bonds *b, uint8_t links)
{
	b->pairs += links > 0;
	if (links > b->most) {
		b->most = links;
		b->full = 0;
	}
	b->full += links && links == b->most;
}

static struct bonds sum_up(const struct topo_map *map,
                           const struct path_matrix *matrix)
{
	struct bonds b = { .matrix = matrix,
		           .n = map->n_gpus,
		           .drawn = map->drawn != NULL };

	for (size_t x = 0; x < b.n; x++) {
		for (size_t y = x + 1; y < b.n; y++) {
			b.told += is_told(&b, x, y);
			count(&b, bond(&b, x, y));
		}
	}
	return b;
}

static uint8_t row_most(const struct bonds *b, size_t x)
{
	uint8_t most = 0;

	for (size_t y = 0; y < b->n; y++) {
		if (y != x && bond(b, x, y) > most)
			most = bond(b, x, y);
	}
	return most;
}

/* Boards have 4, 8 or 16 GPUs: a GPU that makes it another number may be one
 * that was never meant to be linked, such as that of a display. */
static bool board_size(size_t n)
{
	return n == 4 || n == 8 || n == 16;
}

/* GPUs all of whose bonds are narrower than those that all others have with
 * one another. */
static size_t judge_rows(const struct topo_map *map, const struct bonds *b,
                         struct oddities *to)
{
	size_t weak = 0, good, found = 0;

	for (size_t x = 0; x < b->n; x++)
		weak += row_most(b, x) < b->most;
	good = b->n - weak;
	/* The others have to be alike, more than half, and three at least. */
	if (!weak || good < 3 || 2 * good <= b->n ||
	    b->full != good * (good - 1) / 2)
		return 0;
	for (size_t x = 0; x < b->n; x++) {
		uint8_t most = row_most(b, x);
		int32_t index = map->gpus[x].index;

		if (most >= b->most || map->gpus[x].mig)
			continue;
		found++;
		if (most == 0)
			oddities_add(to, ODDITY_NVLINK_NONE, (int32_t)x, -1,
			             "GPU%d: 0 of %zu NVLink peers; the others "
			             "have NV%u with one another",
			             index, good, b->most);
		else
			oddities_add(to, ODDITY_NVLINK_FEWER, (int32_t)x, -1,
			             "GPU%d: NV%u with its peers; the others "
			             "have NV%u with one another",
			             index, most, b->most);
	}
	return found;
}

/* All pairs are alike but for a few. */
static void judge_pairs(const struct topo_map *map, const struct bonds *b,
                        struct oddities *to)
{
	size_t all = b->told;

	if (b->full == all || all - b->full > b->n / 2 || 2 * b->full <= all)
		return;
	for (size_t x = 0; x < b->n; x++) {
		for (size_t y = x + 1; y < b->n; y++) {
			if (bond(b, x, y) == b->most || !is_told(b, x, y))
				continue;
			oddities_add(to, ODDITY_NVLINK_PAIR, (int32_t)x,
			             (int32_t)y,
			             "GPU%d and GPU%d: %u NVLinks between "
			             "them; all other pairs have %u",
			             map->gpus[x].index, map->gpus[y].index,
			             bond(b, x, y), b->most);
		}
	}
}

/* Links of a GPU, by what lists them; -1: nothing does. */
struct sums {
	int32_t up, down, bonded;
};

static struct sums sum_links(const struct topo_map *map, size_t gpu)
{
	struct sums sums = { -1, 0, 0 };

	for (size_t i = 0; i < map->n_nvlinks; i++) {
		const struct map_nvlink *link = &map->nvlinks[i];

		if (link->gpu != (int32_t)gpu || link->remote == REMOTE_CPU)
			continue;
		if (sums.up < 0)
			sums.up = 0;
		sums.bonded |= link->link < 0;
		if (link->state == LINK_DOWN)
			sums.down += link->count;
		else
			sums.up += link->count;
	}
	return sums;
}

static bool comparable(const struct topo_map *map, size_t a, size_t b)
{
	const struct map_gpu *x = &map->gpus[a], *y = &map->gpus[b];

	return !x->links_cut && !y->links_cut && x->sm == y->sm &&
	       strcmp(x->name, y->name) == 0;
}

/* What others of the same model have: the most that more than half of them
 * agree on; else what the model is known to have; -1 for none. */
static int32_t links_expected(const struct topo_map *map, size_t gpu,
                              int32_t own)
{
	const struct expect_gpu *row = expect_gpu_find(map->gpus[gpu].name);
	int32_t most = -1;
	size_t peers = 0, agree = 0;

	for (size_t i = 0; i < map->n_gpus; i++) {
		int32_t up = sum_links(map, i).up;

		if (i == gpu || up < 0 || !comparable(map, gpu, i))
			continue;
		peers++;
		if (up > most) {
			most = up;
			agree = 0;
		}
		agree += up == most;
	}
	if (peers)
		return 2 * agree > peers && (peers > 1 || own < most) ? most
		                                                      : -1;
	return row ? row->nvlinks : -1;
}

static void judge_links(const struct topo_map *map, size_t gpu,
                        struct oddities *to)
{
	struct sums sums = sum_links(map, gpu);
	int32_t expected;

	if (sums.up < 0 || map->gpus[gpu].links_cut || map->gpus[gpu].mig)
		return;
	expected = links_expected(map, gpu, sums.up);
	/* Cards without a bridge have none that is up. */
	if (sums.up >= expected || (sums.up == 0 && map->n_gpus < 4))
		return;
	if (sums.up == 0)
		oddities_add(to, ODDITY_NVLINK_DOWN, (int32_t)gpu, -1,
		             "GPU%d: all NVLinks are inactive; its peers have "
		             "%d",
		             map->gpus[gpu].index, expected);
	else if (sums.down)
		oddities_add(to, ODDITY_NVLINK_DOWN, (int32_t)gpu, -1,
		             "GPU%d: %d of %d NVLinks are inactive",
		             map->gpus[gpu].index, sums.down,
		             sums.up + sums.down);
	else if (sums.bonded)
		oddities_add(to, ODDITY_NVLINK_FEWER, (int32_t)gpu, -1,
		             "GPU%d: %d NVLinks; its peers have %d",
		             map->gpus[gpu].index, sums.up, expected);
}

void oddities_nvlink(const struct topo_map *map,
                     const struct path_matrix *matrix, struct oddities *to)
{
	struct bonds b = sum_up(map, matrix);
	size_t before = to->n;

	if (board_size(b.n) && b.pairs && !judge_rows(map, &b, to))
		judge_pairs(map, &b, to);
	/* One cause, one fault. */
	if (to->n > before)
		return;
	for (size_t i = 0; i < map->n_gpus && map->n_gpus <= 64; i++)
		judge_links(map, i, to);
}

enum fp_status oddities_find(const struct topo_map *map,
                             const struct path_matrix *matrix,
                             struct oddities *ret, struct fp_err *err)
{
	struct oddities all = { 0 };

	oddities_nvlink(map, matrix, &all);
	oddities_remarks(map, matrix, &all);
	if (all.failed) {
		oddities_done(&all);
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for remarks");
	}
	*ret = all;
	return FP_OK;
}
