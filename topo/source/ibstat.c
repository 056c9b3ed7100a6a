// SPDX-License-Identifier: Apache-2.0
// Reads ibstat and ibstatus.
#include <stdlib.h>
#include <string.h>

#include "topo/model/port_words.h"
#include "topo/source/gpu_text.h"
#include "topo/source/lines.h"

struct reader {
	struct topo_map *map;
	int32_t hca;
	int32_t port; /* its number; -1: above the first */
};

static bool sniff(const struct source_text *text)
{
	return source_has(text, "CA '") ||
	       source_has(text, "Infiniband device '");
}

/* "CA 'mlx5_0'", "Infiniband device 'mlx5_0' port 1 status:". */
static enum fp_status take_device(struct reader *r, char *line,
                                  struct fp_err *err)
{
	char *name = strchr(line, '\''), *end;

	if ((strncmp(line, "CA '", 4) != 0 &&
	     strncmp(line, "Infiniband device '", 19) != 0) ||
	    !name)
		return FP_OK;
	end = strchr(++name, '\'');
	if (!end)
		return FP_OK;
	*end++ = '\0';
	r->port = line_number(end, " port ", NULL);
	return hca_by_name(r->map, name, &r->hca, err);
}

static void take_hca_value(struct reader *r, char *line)
{
	struct map_hca *hca = &r->map->hcas[r->hca];
	const char *value = line_value(line, "CA type");

	if (value)
		fp_copy(hca->board, sizeof(hca->board), value);
	value = line_value(line, "Firmware version");
	if (value)
		fp_copy(hca->firmware, sizeof(hca->firmware), value);
	value = line_value(line, "Node GUID");
	if (value)
		fp_copy(hca->guid, sizeof(hca->guid), value);
}

static const char *either(char *line, const char *a, const char *b)
{
	const char *value = line_value(line, a);

	return value ? value : line_value(line, b);
}

static enum fp_status take_port_value(struct reader *r, char *line,
                                      struct fp_err *err)
{
	struct map_port *port;
	enum fp_status status = port_of(r->map, r->hca, r->port, &port, err);
	const char *value;

	if (status != FP_OK)
		return status;
	value = either(line, "State", "state");
	if (value)
		port->state = port_state_read(value);
	value = either(line, "Physical state", "phys state");
	if (value)
		port->phys = port_phys_read(value);
	value = either(line, "Rate", "rate");
	if (value)
		port->rate_bps = port_rate_read(value);
	value = either(line, "Link layer", "link_layer");
	if (value)
		port->layer = port_layer_read(value);
	value = line_value(line, "Port GUID");
	if (value)
		fp_copy(port->guid, sizeof(port->guid), value);
	return FP_OK;
}

static enum fp_status take_line(struct reader *r, char *line,
                                struct fp_err *err)
{
	enum fp_status status = take_device(r, line, err);
	const char *end;
	int32_t number;

	if (status != FP_OK || r->hca < 0)
		return status;
	number = line_number(line, "Port ", &end);
	if (number >= 0 && *end == ':')
		r->port = number;
	take_hca_value(r, line);
	return r->port >= 0 ? take_port_value(r, line, err) : FP_OK;
}

static enum fp_status read(const struct source_text *text, struct topo_map *map,
                           struct fp_err *err)
{
	struct reader r = { .map = map, .hca = -1, .port = -1 };
	struct lines lines;
	enum fp_status status = lines_open(&lines, text, err);

	if (status != FP_OK)
		return status;
	while (status == FP_OK && lines_next(&lines))
		status = take_line(&r, line_trim(lines.line), err);
	lines_close(&lines);
	return status;
}

const struct source_ops source_ibstat_ops = {
	.name = "ibstat",
	.help = "HCAs and ports of ibstat and ibstatus",
	.phase = SOURCE_DETAILS,
	.sniff = sniff,
	.read = read,
};
