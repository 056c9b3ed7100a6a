// SPDX-License-Identifier: Apache-2.0
// Reads ibv_devinfo.
#include <string.h>

#include "topo/model/port_words.h"
#include "topo/source/gpu_text.h"
#include "topo/source/lines.h"

static bool sniff(const struct source_text *text)
{
	return source_has(text, "hca_id:");
}

static void take_hca_value(struct map_hca *hca, char *line)
{
	const char *value = line_value(line, "fw_ver");

	if (value)
		fp_copy(hca->firmware, sizeof(hca->firmware), value);
	value = line_value(line, "node_guid");
	if (value)
		fp_copy(hca->guid, sizeof(hca->guid), value);
	value = line_value(line, "board_id");
	if (value)
		fp_copy(hca->board, sizeof(hca->board), value);
}

static enum fp_status take_port_value(struct topo_map *map, int32_t hca,
                                      int32_t number, char *line,
                                      struct fp_err *err)
{
	struct map_port *port;
	enum fp_status status = port_of(map, hca, number, &port, err);
	const char *value;

	if (status != FP_OK)
		return status;
	value = line_value(line, "state");
	if (value)
		port->state = port_state_read(value);
	value = line_value(line, "phys_state");
	if (value)
		port->phys = port_phys_read(value);
	value = line_value(line, "link_layer");
	if (value)
		port->layer = port_layer_read(value);
	return FP_OK;
}

static enum fp_status read(const struct source_text *text, struct topo_map *map,
                           struct fp_err *err)
{
	struct lines lines;
	enum fp_status status = lines_open(&lines, text, err);
	int32_t hca = -1, number = -1;

	if (status != FP_OK)
		return status;
	while (status == FP_OK && lines_next(&lines)) {
		char *line = line_trim(lines.line);
		const char *value = line_value(line, "hca_id");

		if (value) {
			status = hca_by_name(map, value, &hca, err);
			number = -1;
		}
		if (status != FP_OK || hca < 0)
			continue;
		value = line_value(line, "port");
		if (value)
			number = line_number(value, "", NULL);
		take_hca_value(&map->hcas[hca], line);
		if (number >= 0)
			status = take_port_value(map, hca, number, line, err);
	}
	lines_close(&lines);
	return status;
}

const struct source_ops source_ibv_devinfo_ops = {
	.name = "ibv_devinfo",
	.help = "HCAs and ports of ibv_devinfo",
	.phase = SOURCE_DETAILS,
	.sniff = sniff,
	.read = read,
};
