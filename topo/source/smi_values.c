// SPDX-License-Identifier: Apache-2.0
// Values of nvidia-smi -q: a table of headings and keys.
#include "topo/source/smi_values.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "topo/base/fmt.h"
#include "topo/source/lines.h"

#define HEADING_MAX 64

/** enum take - what becomes of a value. */
enum take {
	TAKE_NUMBER, /* "16x", "33 C", "0 %" */
	TAKE_SUM,    /* added to what is there */
	TAKE_YES,    /* "Yes" is 1, "No" is 0 */
	TAKE_WORD,   /* the place in @words */
	TAKE_TEXT,
	TAKE_EVENT, /* "Active" sets the bit @bit */
	TAKE_COUNT, /* one more */
};

static const char *const fabric_states[] = { "-", "Not Started", "In Progress",
	                                     "Completed", NULL };
static const char *const fabric_status[] = { "Success", NULL };
static const char *const modes[] = { "Default", "-", "Prohibited",
	                             "Exclusive_Process", NULL };
static const char *const recovery[] = {
	"None",         "Reset", "Reboot", "Drain P2P", "Drain and Reset",
	"Recover IMEX", NULL
};
static const char *const mig[] = { "Disabled", "Enabled", NULL };

/** struct value_row - @heading NULL: below any; @key: what it begins with. */
struct value_row {
	const char *heading, *key, *name;
	enum take take;
	const char *const *words;
	int64_t bit;
};

/* @words_: of TAKE_WORD; @bit_: of TAKE_EVENT. */
#define VALUE(heading_, key_, name_, take_)                    \
	.heading = (heading_), .key = (key_), .name = (name_), \
	.take = TAKE_##take_
#define WORD(heading_, key_, name_, words_) \
	VALUE(heading_, key_, name_, WORD), .words = (words_)
#define EVENT(heading_, key_, bit_) \
	VALUE(heading_, key_, "gpu.clock_events", EVENT), .bit = (bit_)

#define REASONS "Clocks Event Reasons"
#define OLD_REASONS "Clocks Throttle Reasons"

static const struct value_row rows[] = {
	{ VALUE(NULL, "Product Name", "gpu.name", TEXT) },
	{ VALUE(NULL, "GPU UUID", "gpu.uuid", TEXT) },
	{ VALUE(NULL, "VBIOS Version", "gpu.vbios", TEXT) },
	{ WORD("MIG Mode", "Current", "gpu.mig", mig) },
	{ VALUE(NULL, "Replays Since Reset", "gpu.pcie_replays", NUMBER) },
	{ WORD(NULL, "Compute Mode", "gpu.compute_mode", modes) },
	{ WORD(NULL, "GPU Recovery Action", "gpu.recovery", recovery) },
	{ VALUE(NULL, "Reset Required", "gpu.recovery", YES) },
	{ VALUE(NULL, "Process ID", "gpu.processes", COUNT) },
	{ VALUE("PCIe Generation", "Max", "gpu.pcie_gen_max", NUMBER) },
	{ VALUE("PCIe Generation", "Current", "gpu.pcie_gen", NUMBER) },
	{ VALUE("PCIe Generation", "Device Max", "gpu.pcie_gen_device_max",
	        NUMBER) },
	{ VALUE("Link Width", "Max", "gpu.pcie_width_max", NUMBER) },
	{ VALUE("Link Width", "Current", "gpu.pcie_width", NUMBER) },
	{ VALUE("Utilization", "Gpu", "gpu.utilization", NUMBER) },
	{ VALUE("Utilization", "GPU", "gpu.utilization", NUMBER) },
	{ VALUE("Volatile", "SRAM Uncorrectable", "gpu.ecc_uncorrected", SUM) },
	{ VALUE("Volatile", "DRAM Uncorrectable", "gpu.ecc_uncorrected", SUM) },
	{ VALUE("Volatile", "SRAM Correctable", "gpu.ecc_corrected", SUM) },
	{ VALUE("Volatile", "DRAM Correctable", "gpu.ecc_corrected", SUM) },
	{ VALUE("Aggregate", "SRAM Uncorrectable", "gpu.ecc_uncorrected_all",
	        SUM) },
	{ VALUE("Aggregate", "DRAM Uncorrectable", "gpu.ecc_uncorrected_all",
	        SUM) },
	{ VALUE("Retired Pages", "Single Bit ECC", "gpu.retired_sbe", NUMBER) },
	{ VALUE("Retired Pages", "Double Bit ECC", "gpu.retired_dbe", NUMBER) },
	{ VALUE("Retired Pages", "Pending Page", "gpu.retired_pending", YES) },
	{ VALUE("Remapped Rows", "Correctable Error", "gpu.remap_corrected",
	        NUMBER) },
	{ VALUE("Remapped Rows", "Uncorrectable Error", "gpu.remap_uncorrected",
	        NUMBER) },
	{ VALUE("Remapped Rows", "Pending", "gpu.remap_pending", YES) },
	{ VALUE("Remapped Rows", "Remapping Failure", "gpu.remap_failed",
	        YES) },
	{ VALUE("Temperature", "GPU Current Temp", "gpu.temperature", NUMBER) },
	{ VALUE("Temperature", "GPU Slowdown Temp", "gpu.temperature_slowdown",
	        NUMBER) },
	{ VALUE("Temperature", "Memory Current Temp", "gpu.memory_temperature",
	        NUMBER) },
	{ WORD("Fabric", "State", "gpu.fabric_state", fabric_states) },
	{ WORD("Fabric", "Status", "gpu.fabric_status", fabric_status) },
	{ EVENT(REASONS, "Idle", 0x1) },
	{ EVENT(OLD_REASONS, "Idle", 0x1) },
	{ EVENT(REASONS, "SW Power Cap", 0x4) },
	{ EVENT(OLD_REASONS, "SW Power Cap", 0x4) },
	{ EVENT(REASONS, "HW Slowdown", 0x8) },
	{ EVENT(OLD_REASONS, "HW Slowdown", 0x8) },
	{ EVENT(REASONS, "SW Thermal Slowdown", 0x20) },
	{ EVENT(OLD_REASONS, "SW Thermal Slowdown", 0x20) },
	{ EVENT(REASONS, "HW Thermal Slowdown", 0x40) },
	{ EVENT(OLD_REASONS, "HW Thermal Slowdown", 0x40) },
	{ EVENT(REASONS, "HW Power Brake Slowdown", 0x80) },
	{ EVENT(OLD_REASONS, "HW Power Brake Slowdown", 0x80) },
};

#define N_ROWS (sizeof(rows) / sizeof(*rows))

/* The values of one GPU, by row; those of one name are in its first row. */
struct values {
	int64_t number[N_ROWS];
	char text[N_ROWS][HEADING_MAX];
	bool has[N_ROWS];
};

struct teller {
	struct readings *set;
	struct fp_err *err;
	char device[MAP_BUS_MAX];
	char heading[HEADING_MAX];
	struct values values;
};

static size_t first_of(const char *name)
{
	size_t i = 0;

	while (strcmp(rows[i].name, name) != 0)
		i++;
	return i;
}

static bool word_place(const char *const *words, const char *value,
                       int64_t *ret)
{
	for (int64_t i = 0; words[i]; i++) {
		if (strcmp(words[i], value) == 0) {
			*ret = i;
			return true;
		}
	}
	return false;
}

/* "N/A", "Unknown Error" and their like are no values. */
static bool is_value(const char *value)
{
	return value[0] && strcmp(value, "N/A") != 0 &&
	       strncmp(value, "Unknown", 7) != 0 && value[0] != '[' &&
	       strcmp(value, "Requested functionality has been deprecated") !=
	               0;
}

static bool read_value(const struct value_row *row, const char *value,
                       int64_t *number)
{
	char *end;

	switch (row->take) {
	case TAKE_NUMBER:
	case TAKE_SUM:
		*number = strtoll(value, &end, 10);
		return end != value;
	case TAKE_YES:
		*number = strcmp(value, "Yes") == 0;
		return *number || strcmp(value, "No") == 0;
	case TAKE_WORD:
		return word_place(row->words, value, number);
	case TAKE_EVENT:
		*number = strcmp(value, "Active") == 0 ? row->bit : 0;
		return true;
	default:
		*number = 1;
		return true;
	}
}

static void keep(struct values *v, size_t i, const char *value)
{
	const struct value_row *row = &rows[i];
	size_t at = first_of(row->name);
	int64_t number;

	/* Any status but success is one, whatever its word. */
	if (!read_value(row, value, &number)) {
		if (row->words != fabric_status)
			return;
		number = 1;
	}
	if (row->take == TAKE_SUM || row->take == TAKE_COUNT)
		v->number[at] += number;
	else if (row->take == TAKE_EVENT)
		v->number[at] |= number;
	else
		v->number[at] = number;
	fp_copy(v->text[at], HEADING_MAX, value);
	v->has[at] = true;
}

static void flush(struct teller *t)
{
	struct reading_pen pen = { .set = t->set,
		                   .source = READ_TOOL,
		                   .device = t->device,
		                   .err = t->err };

	for (size_t i = 0; t->device[0] && i < N_ROWS; i++) {
		if (!t->values.has[i])
			continue;
		if (rows[i].take == TAKE_TEXT)
			reading_put_text(&pen, rows[i].name, t->values.text[i]);
		else
			reading_put_int(&pen, rows[i].name,
			                t->values.number[i]);
	}
	t->values = (struct values){ .has = { false } };
	t->heading[0] = '\0';
}

static void take_host(struct teller *t, const char *key, const char *value)
{
	struct reading_pen pen = {
		.set = t->set, .source = READ_TOOL, .device = "", .err = t->err
	};

	if (strcmp(key, "Driver Version") == 0)
		reading_put_text(&pen, "driver.nvidia", value);
	if (strcmp(key, "CUDA Version") == 0)
		reading_put_text(&pen, "driver.cuda", value);
}

static void take_value(struct teller *t, const char *key, const char *value)
{
	if (!is_value(value))
		return;
	if (!t->device[0]) {
		take_host(t, key, value);
		return;
	}
	for (size_t i = 0; i < N_ROWS; i++) {
		if (rows[i].heading && strcmp(rows[i].heading, t->heading) != 0)
			continue;
		if (strncmp(key, rows[i].key, strlen(rows[i].key)) == 0) {
			keep(&t->values, i, value);
			return;
		}
	}
}

/* "key : value" cut in two: the value; NULL for a heading. */
static char *cut(char *line)
{
	char *colon = strstr(line, ": "), *end;

	if (!colon)
		return NULL;
	end = colon;
	while (end > line && isspace((unsigned char)end[-1]))
		end--;
	*end = '\0';
	return line_trim(colon + 1);
}

static void take_line(struct teller *t, char *line)
{
	char bus_id[MAP_BUS_MAX], *value;

	if (strncmp(line, "GPU ", 4) == 0 && map_bus_id(line + 4, bus_id)) {
		flush(t);
		memcpy(t->device, bus_id, sizeof(t->device));
		return;
	}
	value = cut(line);
	/* The reasons have sub-reasons below them, further to the right. */
	if (value)
		take_value(t, line, value);
	else if (line[0] && line[0] != '[')
		fp_copy(t->heading, sizeof(t->heading), line);
}

enum fp_status smi_query_tell(const struct source_text *text,
                              struct readings *set, struct fp_err *err)
{
	struct fp_err own = { FP_OK, "" };
	struct teller t = { .set = set, .err = &own };
	struct lines lines;
	enum fp_status status = lines_open(&lines, text, err);

	if (status != FP_OK)
		return status;
	while (lines_next(&lines))
		take_line(&t, line_trim(lines.line));
	flush(&t);
	lines_close(&lines);
	return own.status == FP_OK
	               ? FP_OK
	               : fp_err_set(err, own.status, "%s", own.text);
}

const char *smi_query_missing(const struct source_text *text)
{
	static const char *const sections[] = { "Performance State",
		                                "FB Memory Usage", "ECC Errors",
		                                "Temperature", "Processes" };

	/* With -d only some sections are asked for, and no name. */
	if (!source_has(text, "NVSMI LOG") || !source_has(text, "Product Name"))
		return NULL;
	for (size_t i = 0; i < sizeof(sections) / sizeof(*sections); i++) {
		if (!source_has(text, sections[i]))
			return sections[i];
	}
	return NULL;
}
