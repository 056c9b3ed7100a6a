// SPDX-License-Identifier: Apache-2.0
// Counters of nvidia-smi nvlink -e.
#include <stdio.h>
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
		int32_t value;

		if (!word)
			continue;
		word += strlen(rows[i].word);
		value = *word == ':'
		                ? line_number(word + 1 + strspn(word + 1, " "),
		                              "", NULL)
		                : -1;
		to.device = device;
		if (value >= 0)
			reading_put_int(&to, rows[i].name, value);
		return;
	}
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
	int32_t gpu = -1;

	if (status != FP_OK)
		return status;
	while (lines_next(&lines)) {
		const char *end = NULL, *line = line_trim(lines.line);
		int32_t index = line_number(line, "GPU ", &end);

		if (index >= 0 && *end == ':')
			gpu = index;
		take_counter(pen, line, gpu);
	}
	lines_close(&lines);
	return own.status == FP_OK
	               ? FP_OK
	               : fp_err_set(err, own.status, "%s", own.text);
}
