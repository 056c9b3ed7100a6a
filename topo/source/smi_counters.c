// SPDX-License-Identifier: Apache-2.0
// Counters of nvidia-smi nvlink -e, and how many links nvidia-smi c2c -s lists.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topo/source/lines.h"
#include "topo/source/smi_values.h"

/* Drivers have changed the words more than once. */
static const struct {
	const char *word, *name;
} rows[] = {
	{ "Replay Errors", "nvlink.replays" },
	{ "Recovery Errors", "nvlink.recoveries" },
	{ "Link recovery successful events", "nvlink.recoveries" },
	{ "CRC FLIT Error", "nvlink.crc_errors" },
	{ "CRC Errors", "nvlink.crc_errors" },
};

/* What stands behind a word's colon; -1: no count. One of a sick link may be
 * beyond 32 bits. */
static int64_t count_behind(const char *text)
{
	if (*text++ != ':')
		return -1;
	text += strspn(text, " ");
	return isdigit((unsigned char)*text) ? strtoll(text, NULL, 10) : -1;
}

/* "Link 14: Link recovery successful events: 505" */
static void take_counter(struct reading_pen to, const char *line, int32_t gpu)
{
	const char *end = NULL;
	int32_t link = line_number(line, "Link ", &end);
	char device[MAP_NAME_MAX];

	if (link < 0 || gpu < 0 || *end != ':')
		return;
	(void)snprintf(device, sizeof(device), "GPU%d/nvlink%d", gpu, link);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *word = strstr(end, rows[i].word);
		int64_t value;

		if (!word)
			continue;
		value = count_behind(word + strlen(rows[i].word));
		to.device = device;
		if (value >= 0)
			reading_put_int(&to, rows[i].name, value);
		return;
	}
}

/** struct c2c - links of a GPU to its CPU, so far. */
struct c2c {
	int32_t gpu;
	int64_t all, up;
};

/* "C2C Link 3: 44.712 GB/s", "C2C Link 3: <inactive>" */
static void take_c2c(struct c2c *c2c, const char *line)
{
	const char *end = NULL;

	if (line_number(line, "C2C Link ", &end) < 0 || *end != ':')
		return;
	c2c->all++;
	c2c->up += !strstr(end, "inactive");
}

static void put_c2c(struct c2c *c2c, struct reading_pen to)
{
	char device[MAP_NAME_MAX];

	(void)snprintf(device, sizeof(device), "GPU%d", c2c->gpu);
	to.device = device;
	if (c2c->all && c2c->gpu >= 0) {
		reading_put_int(&to, "gpu.c2c", c2c->all);
		reading_put_int(&to, "gpu.c2c_up", c2c->up);
	}
	c2c->all = c2c->up = 0;
}

enum fp_status smi_nvlink_tell(const struct source_text *text,
                               struct readings *set, struct fp_err *err)
{
	struct fp_err own = { FP_OK, "" };
	struct reading_pen pen = { .set = set,
		                   .source = READ_TOOL,
		                   .err = &own };
	struct lines lines;
	enum fp_status status = lines_open(&lines, text, err);
	struct c2c c2c = { .gpu = -1 };

	if (status != FP_OK)
		return status;
	while (lines_next(&lines)) {
		const char *end = NULL, *line = line_trim(lines.line);
		int32_t index = line_number(line, "GPU ", &end);

		if (index >= 0 && *end == ':') {
			put_c2c(&c2c, pen);
			c2c.gpu = index;
		}
		take_counter(pen, line, c2c.gpu);
		take_c2c(&c2c, line);
	}
	put_c2c(&c2c, pen);
	lines_close(&lines);
	return own.status == FP_OK
	               ? FP_OK
	               : fp_err_set(err, own.status, "%s", own.text);
}
