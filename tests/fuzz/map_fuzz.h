/* SPDX-License-Identifier: Apache-2.0 */
/* What must hold of any map that a reader made, for the fuzz targets. */
#ifndef FP_TESTS_FUZZ_MAP_FUZZ_H
#define FP_TESTS_FUZZ_MAP_FUZZ_H

#include <stdlib.h>
#include <string.h>

#include "topo/compare/oddity.h"
#include "topo/discover/discover_text.h"
#include "topo/json/snapshot.h"
#include "topo/path/path.h"
#include "topo/path/rail.h"
#include "topo/render/render.h"

/* Not assert(3): a release build must check, too. */
#define CHECK(what)              \
	do {                     \
		if (!(what))     \
			abort(); \
	} while (0)

/* Maps of more devices than that take long, and show nothing more. */
#define FUZZ_DEVICES 64

/** fuzz_draw() - everything that can be drawn of @map. */
static inline void fuzz_draw(const struct topo_map *map, uint32_t view)
{
	struct path_matrix matrix;
	struct oddities found;
	struct rails rails;
	struct fp_text text = { 0 };

	CHECK(path_matrix_init(map, view, &matrix, NULL) == FP_OK);
	CHECK(oddities_find(map, &matrix, &found, NULL) == FP_OK);
	CHECK(rails_init(map, &matrix, &rails, NULL) == FP_OK);
	CHECK(rails.n <= map->n_hcas);
	render_smi(map, &matrix, &text);
	render_p2p(map, &text);
	render_summary(map, &matrix, &text);
	render_oddities(map, &found, &text);
	render_dot(map, &matrix, &text);
	(void)render_nccl(map, &text, NULL);
	CHECK(!text.failed);
	fp_text_free(&text);
	rails_done(&rails);
	oddities_done(&found);
	path_matrix_done(&matrix);
}

/** fuzz_keep() - @map can be saved, and read again as the same. */
static inline void fuzz_keep(struct topo_map *map)
{
	struct topo_host host = { .map = map, .n_cpus = -1 }, again;
	char *first = topo_host_to_json(&host), *second;

	CHECK(first);
	CHECK(topo_host_from_json(first, strlen(first), &again, NULL) == FP_OK);
	second = topo_host_to_json(&again);
	CHECK(second && strcmp(first, second) == 0);
	topo_host_done(&again);
	free(second);
	free(first);
}

/** fuzz_source() - let @source read these bytes, and use what it read. */
static inline void fuzz_source(const struct source_ops *source,
                               const uint8_t *data, size_t size)
{
	struct source_text text = { (const char *)data, size };
	struct topo_map map = { 0 };

	(void)source->sniff(&text);
	if (source->read(&text, &map, NULL) == FP_OK) {
		topo_map_resolve(&map);
		if (topo_map_devices(&map) <= FUZZ_DEVICES) {
			fuzz_draw(&map, PATH_VIEW_SMI);
			fuzz_draw(&map, PATH_VIEW_NCCL);
		}
		fuzz_keep(&map);
	}
	topo_map_done(&map);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
