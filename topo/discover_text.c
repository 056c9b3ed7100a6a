// SPDX-License-Identifier: Apache-2.0
// Finds out what a saved text is, and lets every reader add what it knows.
#include "topo/discover_text.h"

static const struct source_ops *const sources[] = {
	&source_snapshot_ops, &source_nccl_xml_ops,    &source_hwloc_xml_ops,
	&source_smi_topo_ops, &source_smi_nvlink_ops,  &source_smi_query_ops,
	&source_ibstat_ops,   &source_ibv_devinfo_ops,
};

const struct source_ops *const *topo_sources(size_t *ret_n)
{
	*ret_n = sizeof(sources) / sizeof(*sources);
	return sources;
}

static bool map_is_empty(const struct topo_map *map)
{
	return !map->n_gpus && !map->n_hcas && !map->n_pcis && !map->n_numas;
}

static enum fp_status read_one(const struct source_ops *source,
                               const struct source_text *text,
                               struct topo_map *map, struct fp_text *kinds,
                               struct fp_err *err)
{
	enum fp_status status = source->read(text, map, err);

	if (status == FP_OK)
		fp_text_printf(kinds, "%s%s", kinds->len ? ", " : "",
		               source->name);
	else
		fp_err_prefix(err, "%s", source->name);
	return status;
}

enum fp_status topo_from_text(const struct source_text *text,
                              struct topo_map *ret_map, struct fp_text *kinds,
                              struct fp_err *err)
{
	struct topo_map map = { 0 };
	enum fp_status status = FP_OK;
	size_t n = sizeof(sources) / sizeof(*sources);

	if (text->len > SOURCE_MAX_BYTES)
		return fp_err_set(err, FP_ERR_LIMIT, "%zu bytes, more than %u",
		                  text->len, SOURCE_MAX_BYTES);
	for (size_t i = 0; i < n && status == FP_OK; i++) {
		if (!sources[i]->sniff(text))
			continue;
		status = read_one(sources[i], text, &map, kinds, err);
		if (sources[i]->phase == SOURCE_WHOLE)
			break;
	}
	if (status == FP_OK && map_is_empty(&map))
		status = fp_err_set(
			err, FP_ERR_INPUT,
			kinds->len
				? "no device in it"
				: "neither nvidia-smi topo, a topology file of "
				  "NCCL, nor anything else that is known");
	topo_map_resolve(&map);
	if (status == FP_OK)
		*ret_map = map;
	else
		topo_map_done(&map);
	return status;
}
