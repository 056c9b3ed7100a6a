// SPDX-License-Identifier: Apache-2.0
// What tests of maps share.
#include "tests/unit/map_bed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "topo/json/snapshot.h"

void map_read(const char *text, struct topo_map *ret)
{
	struct source_text source = { text, strlen(text) };
	struct fp_text kinds = { 0 };
	struct fp_err err = { 0 };

	if (topo_from_text(&source, ret, &kinds, &err) != FP_OK)
		fail_msg("%s, in:\n%s", err.text, text);
	fp_text_free(&kinds);
}

void map_read_fails(const char *text, size_t len, enum fp_status status,
                    const char *word)
{
	struct source_text source = { text, len };
	struct fp_text kinds = { 0 };
	struct fp_err err = { 0 };
	struct topo_map map;

	assert_int_equal(topo_from_text(&source, &map, &kinds, &err), status);
	if (!strstr(err.text, word))
		fail_msg("'%s' is not in '%s'", word, err.text);
	fp_text_free(&kinds);
}

char *map_text(const struct topo_map *map)
{
	struct topo_map plain = *map;
	struct topo_host host = { .map = &plain };
	char *text;

	plain.notes = NULL;
	plain.n_notes = 0;
	text = topo_host_to_json(&host);
	assert_non_null(text);
	return text;
}

void map_check_equal(const struct topo_map *a, const struct topo_map *b)
{
	char *text_a = map_text(a), *text_b = map_text(b);

	assert_string_equal(text_a, text_b);
	free(text_a);
	free(text_b);
}

void map_check_path(const struct topo_map *map, uint32_t view, size_t a,
                    size_t b, const char *name)
{
	struct path_matrix matrix;
	char got[8];

	assert_int_equal(path_matrix_init(map, view, &matrix, NULL), FP_OK);
	assert_string_equal(path_name(path_matrix_at(&matrix, a, b), got),
	                    name);
	assert_string_equal(path_name(path_matrix_at(&matrix, b, a), got),
	                    name);
	path_matrix_done(&matrix);
}

static void check_set(const struct topo_set *set, bool known, const char *want)
{
	struct fp_text text = { 0 };

	topo_set_write(set, &text);
	assert_string_equal(known ? fp_text_str(&text) : "N/A", want);
	fp_text_free(&text);
}

void map_check_tail(const struct topo_map *map, size_t gpu, const char *cpus,
                    const char *numas, int32_t gpu_numa)
{
	const struct map_gpu *g = &map->gpus[gpu];

	check_set(&g->cpus, g->cpus_known, cpus);
	check_set(&g->numas, topo_set_first(&g->numas) >= 0, numas);
	assert_int_equal(g->gpu_numa, gpu_numa);
}

int32_t map_add_numa(struct topo_map *map, int32_t id)
{
	struct map_numa *numa;

	assert_int_equal(topo_map_add_numa(map, &numa, NULL), FP_OK);
	numa->id = id;
	return (int32_t)map->n_numas - 1;
}

int32_t map_add_pci(struct topo_map *map, int32_t parent, int32_t numa,
                    const char *bus_id, const char *root)
{
	struct map_pci *pci;

	assert_int_equal(topo_map_add_pci(map, &pci, NULL), FP_OK);
	pci->parent = parent;
	pci->numa = numa;
	(void)snprintf(pci->bus_id, sizeof(pci->bus_id), "%s", bus_id);
	(void)snprintf(pci->root, sizeof(pci->root), "%s", root);
	return (int32_t)map->n_pcis - 1;
}

void map_add_gpu(struct topo_map *map, int32_t pci)
{
	struct map_gpu *gpu;

	assert_int_equal(topo_map_add_gpu(map, &gpu, NULL), FP_OK);
	gpu->index = (int32_t)map->n_gpus - 1;
	gpu->pci = pci;
}

void map_add_hca(struct topo_map *map, int32_t pci)
{
	struct map_hca *hca;

	assert_int_equal(topo_map_add_hca(map, &hca, NULL), FP_OK);
	hca->index = (int32_t)map->n_hcas - 1;
	hca->pci = pci;
}

void map_add_nvlink(struct topo_map *map, int32_t gpu, int32_t remote_gpu,
                    int32_t count)
{
	struct map_nvlink *link;

	assert_int_equal(topo_map_add_nvlink(map, &link, NULL), FP_OK);
	link->gpu = gpu;
	link->remote_gpu = remote_gpu;
	link->remote = remote_gpu < 0 ? REMOTE_NVSWITCH : REMOTE_GPU;
	link->count = count;
	link->state = LINK_UP;
}
