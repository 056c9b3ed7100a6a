/* SPDX-License-Identifier: Apache-2.0 */
/* What tests of maps share: reading, comparing, building trees. */
#ifndef FP_TESTS_UNIT_MAP_BED_H
#define FP_TESTS_UNIT_MAP_BED_H

#include "topo/discover/discover_text.h"
#include "topo/path/path.h"
#include "topo/render/render.h"

#define N_ROWS(table) (sizeof(table) / sizeof(*(table)))

/** map_read() - the map of @text; the test fails if there is none. */
void map_read(const char *text, struct topo_map *ret);

/** map_read_fails() - with which status, and @word in the error's text. */
void map_read_fails(const char *text, size_t len, enum fp_status status,
                    const char *word);

/** map_text() - all of a map as text for free(3), notes left out. */
char *map_text(const struct topo_map *map);

/** map_check_equal() - the test fails with both texts if they differ. */
void map_check_equal(const struct topo_map *a, const struct topo_map *b);

/** map_check_path() - the relation of devices @a and @b has that name. */
void map_check_path(const struct topo_map *map, uint32_t view, size_t a,
                    size_t b, const char *name);

/** map_check_tail() - CPUs, NUMA nodes and GPU NUMA ID of a GPU; "N/A". */
void map_check_tail(const struct topo_map *map, size_t gpu, const char *cpus,
                    const char *numas, int32_t gpu_numa);

/** map_add_*() - rows of a tree; @parent, @numa, @pci: -1 for none. */
int32_t map_add_numa(struct topo_map *map, int32_t id);
int32_t map_add_pci(struct topo_map *map, int32_t parent, int32_t numa,
                    const char *bus_id, const char *root);
void map_add_gpu(struct topo_map *map, int32_t pci);
void map_add_hca(struct topo_map *map, int32_t pci);
void map_add_nvlink(struct topo_map *map, int32_t gpu, int32_t remote_gpu,
                    int32_t count);

#endif
