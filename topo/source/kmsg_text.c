// SPDX-License-Identifier: Apache-2.0
// Reads a saved kernel log, whatever printed it.
#include <string.h>

#include "topo/source/kmsg_event.h"
#include "topo/source/lines.h"

#define SNIFF_LINES 64

/* Words that no other text has, for logs without stamps. */
static bool has_words(const struct source_text *text)
{
	static const char *const words[] = {
		"NVRM: ",         "SXid (",
		"PCIe Bus Error", "available PCIe bandwidth",
		"Killed process", "[Hardware Error]",
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (source_has(text, words[i]))
			return true;
	}
	return false;
}

/* A stamp that counts from boot stands before no other text's lines. */
static bool has_stamps(const struct source_text *text)
{
	struct kmsg_stamp stamp;
	struct lines lines;
	bool found = false;

	if (lines_open(&lines, text, NULL) != FP_OK)
		return false;
	for (int i = 0; i < SNIFF_LINES && !found && lines_next(&lines); i++) {
		kmsg_stamp_read(lines.line, &stamp);
		found = stamp.clock == KMSG_BOOT || stamp.clock == KMSG_DELTA;
	}
	lines_close(&lines);
	return found;
}

static bool sniff(const struct source_text *text)
{
	return has_words(text) || has_stamps(text);
}

/* The line as it is, blanks at its end left out: what was logged is the
 * evidence, its stamp too. */
static enum fp_status take(struct readings *set, struct kmsg_lines *open,
                           char *line, struct fp_err *err)
{
	struct kmsg_stamp stamp;
	struct kmsg_event event;
	struct reading reading = { .kind = READING_INT, .source = READ_KMSG };

	line = line_trim(line);
	kmsg_stamp_read(line, &stamp);
	if (!kmsg_lines_read(open, stamp.message, &event))
		return FP_OK;
	reading.name = kmsg_kind_reading(event.kind);
	reading.device = event.device;
	reading.number = event.number;
	reading.text = line;
	if (stamp.clock == KMSG_UNIX)
		reading.time_s = (int64_t)stamp.time_s;
	return readings_add(set, &reading, err);
}

static enum fp_status tell(const struct source_text *text, struct readings *set,
                           struct fp_err *err)
{
	struct kmsg_lines open = { .left = 0 };
	struct lines lines;
	enum fp_status status = lines_open(&lines, text, err);

	if (status != FP_OK)
		return status;
	while (status == FP_OK && lines_next(&lines))
		status = take(set, &open, lines.line, err);
	lines_close(&lines);
	return status;
}

const struct source_ops source_kmsg_ops = {
	.name = "kernel log",
	.help = "Xid, SXid, AER and more of dmesg, /dev/kmsg or syslog",
	.phase = SOURCE_DETAILS,
	.sniff = sniff,
	.tell = tell,
};
