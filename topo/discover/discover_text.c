// SPDX-License-Identifier: Apache-2.0
// Finds out what a saved text is, and lets every reader add what it knows.
#include "topo/discover/discover_text.h"

#include <stdlib.h>

#include "topo/source/paste.h"

static const struct source_ops *const sources[] = {
	&source_snapshot_ops, &source_nccl_xml_ops,    &source_hwloc_xml_ops,
	&source_smi_topo_ops, &source_smi_nvlink_ops,  &source_smi_query_ops,
	&source_ibstat_ops,   &source_ibv_devinfo_ops, &source_kmsg_ops,
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

/* What one text may fill. */
struct filling {
	struct topo_map map;
	struct readings *set; /* NULL: nobody asks for values */
	struct fp_text *kinds;
};

static enum fp_status read_one(const struct source_ops *source,
                               const struct source_text *text,
                               struct filling *to, struct fp_err *err)
{
	enum fp_status status = FP_OK;

	if (source->read)
		status = source->read(text, &to->map, err);
	if (status == FP_OK && source->tell && to->set)
		status = source->tell(text, to->set, err);
	if (status == FP_OK)
		fp_text_printf(to->kinds, "%s%s", to->kinds->len ? ", " : "",
		               source->name);
	else
		fp_err_prefix(err, "%s", source->name);
	return status;
}

static enum fp_status read_clean(const struct source_text *text,
                                 struct filling *to, struct fp_err *err)
{
	size_t n = sizeof(sources) / sizeof(*sources);
	enum fp_status status = FP_OK;

	for (size_t i = 0; i < n && status == FP_OK; i++) {
		if ((!sources[i]->read && !to->set) || !sources[i]->sniff(text))
			continue;
		status = read_one(sources[i], text, to, err);
		if (sources[i]->phase == SOURCE_WHOLE)
			break;
	}
	topo_map_resolve(&to->map);
	return status;
}

static void note_others(const struct paste *paste, struct topo_map *map)
{
	if (!paste->others)
		return;
	topo_map_note(map, 0, 0,
	              "only the lines of '%.60s' are read, not those of "
	              "%zu more; give each a file of its own",
	              paste->label, paste->others);
	map->partial = true;
}

static enum fp_status read_all(const struct source_text *text,
                               struct filling *to, struct fp_err *err)
{
	struct paste paste;
	enum fp_status status;

	if (text->len > SOURCE_MAX_BYTES)
		return fp_err_set(err, FP_ERR_LIMIT, "%zu bytes, more than %u",
		                  text->len, SOURCE_MAX_BYTES);
	if (source_snapshot_ops.sniff(text))
		return read_clean(text, to, err);
	status = paste_open(text, &paste, err);
	if (status != FP_OK)
		return status;
	status = read_clean(&paste.text, to, err);
	if (status == FP_OK)
		note_others(&paste, &to->map);
	paste_close(&paste);
	return status;
}

/* A kind that tells values, but of no map; NULL: none. */
static const struct source_ops *mapless(const struct source_text *text)
{
	for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++) {
		if (!sources[i]->read && sources[i]->sniff(text))
			return sources[i];
	}
	return NULL;
}

static enum fp_status refuse(const struct source_text *text,
                             const struct fp_text *kinds, struct fp_err *err)
{
	const struct source_ops *other = mapless(text);

	if (other)
		return fp_err_set(err, FP_ERR_INPUT,
		                  "%s, which tells of no map: 'fabricprobe "
		                  "check --from FILE' judges it",
		                  other->name);
	if (kinds->len)
		return fp_err_set(err, FP_ERR_INPUT, "no device in it");
	return fp_err_set(err, FP_ERR_INPUT,
	                  "not what nvidia-smi, ibstat, ibv_devinfo, NCCL or "
	                  "hwloc write of a host; 'fabricprobe explain FILE' "
	                  "reads logs, dumps and tables");
}

enum fp_status topo_from_text(const struct source_text *text,
                              struct topo_map *ret_map, struct fp_text *kinds,
                              struct fp_err *err)
{
	struct filling to = { .kinds = kinds };
	enum fp_status status = read_all(text, &to, err);

	if (status == FP_OK && map_is_empty(&to.map))
		status = refuse(text, kinds, err);
	if (status == FP_OK)
		*ret_map = to.map;
	else
		topo_map_done(&to.map);
	return status;
}

enum fp_status topo_host_from_text(const struct source_text *text,
                                   struct topo_host *host,
                                   struct fp_text *kinds, struct fp_err *err)
{
	struct filling to = { .set = readings_new(0), .kinds = kinds };
	struct topo_map *map = calloc(1, sizeof(*map));
	enum fp_status status;

	if (!to.set || !map)
		status = fp_err_set(err, FP_ERR_NOMEM, "no memory for a host");
	else
		status = read_all(text, &to, err);
	if (status == FP_OK && !kinds->len)
		status = refuse(text, kinds, err);
	if (status == FP_OK)
		status = readings_merge(&host->readings, to.set, err);
	readings_unref(to.set);
	if (status != FP_OK || map_is_empty(&to.map) || host->map) {
		topo_map_done(&to.map);
		free(map);
		return status;
	}
	*map = to.map;
	host->map = map;
	return FP_OK;
}
