// SPDX-License-Identifier: Apache-2.0
// Reads what nvidia-smi -q says of which GPUs there are and where.
#include <string.h>

#include "topo/source/gpu_text.h"
#include "topo/source/lines.h"
#include "topo/source/smi_values.h"

struct reader {
	struct topo_map *map;
	int32_t gpu;
	bool mig; /* below "MIG Mode" */
};

static bool sniff(const struct source_text *text)
{
	return source_has(text, "Attached GPUs") ||
	       source_has(text, "Product Name  ");
}

static enum fp_status take_gpu(struct reader *r, const char *line,
                               struct fp_err *err)
{
	char bus_id[MAP_BUS_MAX];

	if (strncmp(line, "GPU ", 4) != 0 || !map_bus_id(line + 4, bus_id))
		return FP_OK;
	r->mig = false;
	return gpu_by_bus(r->map, bus_id, &r->gpu, err);
}

static void take_value(struct reader *r, char *line)
{
	struct map_gpu *gpu = &r->map->gpus[r->gpu];
	const char *value = line_value(line, "Product Name");

	if (value)
		fp_copy(gpu->name, sizeof(gpu->name), value);
	value = line_value(line, "GPU UUID");
	if (value)
		fp_copy(gpu->uuid, sizeof(gpu->uuid), value);
	if (strcmp(line, "MIG Mode") == 0)
		r->mig = true;
	value = r->mig ? line_value(line, "Current") : NULL;
	if (value) {
		gpu->mig = strcmp(value, "Enabled") == 0;
		r->mig = false;
	}
}

static enum fp_status read(const struct source_text *text, struct topo_map *map,
                           struct fp_err *err)
{
	struct reader r = { .map = map, .gpu = -1 };
	struct lines lines;
	enum fp_status status = lines_open(&lines, text, err);
	const char *missing;
	int32_t attached = -1;

	if (status != FP_OK)
		return status;
	while (status == FP_OK && lines_next(&lines)) {
		char *line = line_trim(lines.line);
		const char *value = line_value(line, "Attached GPUs");

		if (value)
			attached = line_number(value, "", NULL);
		status = take_gpu(&r, line, err);
		if (status == FP_OK && r.gpu >= 0)
			take_value(&r, line);
	}
	if (status == FP_OK && attached > (int32_t)map->n_gpus) {
		topo_map_note(map, 0, 0,
		              "%d GPUs are attached, the text tells of %zu",
		              attached, map->n_gpus);
		map->excerpt = !map->partial;
		map->partial = true;
	}
	missing = smi_query_missing(text);
	if (status == FP_OK && missing) {
		topo_map_note(map, 0, 0, "the text is cut: it has no \"%s\"",
		              missing);
		map->partial = true;
		map->excerpt = false;
	}
	lines_close(&lines);
	return status;
}

const struct source_ops source_smi_query_ops = {
	.name = "nvidia-smi -q",
	.help = "names, UUIDs and PCI addresses of nvidia-smi -q",
	.phase = SOURCE_DETAILS,
	.sniff = sniff,
	.read = read,
	.tell = smi_query_tell,
};
