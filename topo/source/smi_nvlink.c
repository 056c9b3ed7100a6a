// SPDX-License-Identifier: Apache-2.0
// Reads nvidia-smi nvlink -s, nvidia-smi c2c -s and nvidia-smi -L.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "topo/source/gpu_text.h"
#include "topo/source/lines.h"
#include "topo/source/smi_values.h"

static bool sniff(const struct source_text *text)
{
	return source_has(text, "GPU ") && source_has(text, "(UUID: ");
}

/* "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-...)": the GPU, or -1. */
static enum fp_status take_gpu(struct topo_map *map, char *line,
                               int32_t *ret_gpu, struct fp_err *err)
{
	const char *end = NULL;
	int32_t index = line_number(line, "GPU ", &end), gpu;
	char *name, *uuid;
	enum fp_status status;

	uuid = strstr(line, " (UUID: ");
	if (index < 0 || strncmp(end, ": ", 2) != 0 || !uuid)
		return FP_OK;
	status = gpu_by_index(map, index, &gpu, err);
	*ret_gpu = gpu;
	if (status != FP_OK || gpu < 0)
		return status;
	name = line + (end - line) + 2;
	*uuid = '\0';
	uuid += strlen(" (UUID: ");
	uuid[strcspn(uuid, ")")] = '\0';
	fp_copy(map->gpus[gpu].name, MAP_NAME_MAX, name);
	fp_copy(map->gpus[gpu].uuid, MAP_NAME_MAX, uuid);
	return FP_OK;
}

/* "Link 3: 25.781 GB/s", "Link 3: <inactive>"; "C2C Link 3: ..." is one to the
 * GPU's own CPU. */
static enum fp_status take_link(struct topo_map *map, const char *line,
                                int32_t gpu, struct fp_err *err)
{
	bool c2c = strncmp(line, "C2C ", 4) == 0;
	const char *end = NULL;
	int32_t number = line_number(c2c ? line + 4 : line, "Link ", &end);
	struct map_nvlink *link;
	enum fp_status status;
	double GBps;

	if (number < 0 || *end++ != ':' || gpu < 0)
		return FP_OK;
	end += strspn(end, " \t");
	GBps = strtod(end, NULL);
	if (strncmp(end, "<inactive>", 10) != 0 && !(GBps > 0 && GBps < 1e6))
		return FP_OK;
	status = topo_map_add_nvlink(map, &link, err);
	if (status != FP_OK)
		return status;
	link->gpu = gpu;
	link->link = number;
	link->remote = c2c ? REMOTE_CPU : REMOTE_UNKNOWN;
	link->state = *end == '<' ? LINK_DOWN : LINK_UP;
	if (*end != '<')
		link->speed_MBps = (int32_t)(GBps * 1000 + 0.5);
	return FP_OK;
}

/* What is said instead of the list where no link is up. */
static enum fp_status take_none(struct topo_map *map, const char *line,
                                int32_t gpu, struct fp_err *err)
{
	struct map_nvlink *link;
	enum fp_status status;

	if (gpu < 0 || !strcasestr(line, "all links are inactive"))
		return FP_OK;
	status = topo_map_add_nvlink(map, &link, err);
	if (status != FP_OK)
		return status;
	link->gpu = gpu;
	link->state = LINK_DOWN;
	return FP_OK;
}

static void take_remark(struct topo_map *map, const char *line, int32_t gpu)
{
	if (gpu < 0)
		return;
	if (strncmp(line, "...", 3) == 0 || strncmp(line, "[...]", 5) == 0)
		map->gpus[gpu].links_cut = true;
	if (strncmp(line, "MIG ", 4) == 0 || strstr(line, "in MIG mode"))
		map->gpus[gpu].mig = true;
}

/* The last GPU's list may go on where the text ends: it does if others have
 * links of higher numbers. */
static void mark_cut(struct topo_map *map, int32_t gpu)
{
	int32_t own = -1, most = -1;

	for (size_t i = 0; i < map->n_nvlinks; i++) {
		const struct map_nvlink *link = &map->nvlinks[i];

		if (link->remote == REMOTE_CPU)
			continue;
		if (link->gpu == gpu && link->link > own)
			own = link->link;
		if (link->link > most)
			most = link->link;
	}
	if (own >= 0 && own < most)
		map->gpus[gpu].links_cut = true;
}

static enum fp_status read(const struct source_text *text, struct topo_map *map,
                           struct fp_err *err)
{
	struct lines lines;
	enum fp_status status = lines_open(&lines, text, err);
	int32_t gpu = -1;

	if (status != FP_OK)
		return status;
	while (status == FP_OK && lines_next(&lines)) {
		char *line = line_trim(lines.line);

		take_remark(map, line, gpu);
		status = take_link(map, line, gpu, err);
		if (status == FP_OK)
			status = take_none(map, line, gpu, err);
		if (status == FP_OK)
			status = take_gpu(map, line, &gpu, err);
	}
	if (lines.cut && gpu >= 0)
		mark_cut(map, gpu);
	lines_close(&lines);
	return status;
}

const struct source_ops source_smi_nvlink_ops = {
	.name = "nvidia-smi nvlink",
	.help = "the lists of nvidia-smi nvlink -s, c2c -s and -L",
	.phase = SOURCE_DETAILS,
	.sniff = sniff,
	.read = read,
	.tell = smi_nvlink_tell,
};
