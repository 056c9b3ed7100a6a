// SPDX-License-Identifier: Apache-2.0
// Readings as readers write them and jobs gather them.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "topo/reading/reading.h"

static const char *const source_names[READ_SOURCE_COUNT] = {
	[READ_UNKNOWN] = "?",       [READ_SYSFS] = "sysfs",
	[READ_PROCFS] = "procfs",   [READ_CONFIG] = "pci config",
	[READ_PROCESS] = "process", [READ_ENV] = "environment",
	[READ_FILES] = "files",     [READ_KMSG] = "kernel log",
	[READ_NETLINK] = "netlink", [READ_HWLOC] = "hwloc",
	[READ_NVML] = "nvml",       [READ_VERBS] = "verbs",
	[READ_MAD] = "mad",         [READ_TOOL] = "tool",
};

const char *reading_source_name(unsigned source)
{
	return source < READ_SOURCE_COUNT ? source_names[source] : "?";
}

static void put(struct reading_pen *pen, struct reading reading)
{
	enum fp_status status;

	reading.device = pen->device ? pen->device : "";
	reading.source = pen->source;
	status = readings_add(pen->set, &reading, pen->err);
	if (pen->status == FP_OK)
		pen->status = status;
}

void reading_put_int(struct reading_pen *pen, const char *name, int64_t value)
{
	put(pen, (struct reading){
			 .name = name, .kind = READING_INT, .number = value });
}

void reading_put_real(struct reading_pen *pen, const char *name, double value)
{
	put(pen, (struct reading){
			 .name = name, .kind = READING_REAL, .real = value });
}

void reading_put_text(struct reading_pen *pen, const char *name,
                      const char *value)
{
	put(pen, (struct reading){
			 .name = name, .kind = READING_TEXT, .text = value });
}

void reading_put_skip(struct reading_pen *pen, const char *name,
                      const char *fmt, ...)
{
	char why[READING_TEXT_MAX];
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(why, sizeof(why), fmt, args);
	va_end(args);
	put(pen, (struct reading){
			 .name = name, .kind = READING_SKIP, .text = why });
}

static enum fp_status add_all(struct readings *to, const struct readings *from,
                              struct fp_err *err)
{
	size_t n = readings_count(from);
	enum fp_status status = FP_OK;

	for (size_t i = 0; i < n && status == FP_OK; i++) {
		struct reading reading = readings_at(from, i);

		status = readings_add(to, &reading, err);
	}
	return status;
}

/* Does @set say what @reading says, by the same source? */
static bool known(const struct readings *set, const struct reading *reading,
                  size_t hint)
{
	size_t i = readings_find(set, reading->device, reading->name, hint);

	for (; i < readings_count(set); i++) {
		struct reading has = readings_at(set, i);

		if (has.source == reading->source &&
		    strcmp(has.name, reading->name) == 0 &&
		    strcmp(has.device, reading->device) == 0)
			return true;
	}
	return false;
}

/* Is there anything in @more that @set does not have? */
static bool has_news(const struct readings *set, const struct readings *more)
{
	for (size_t i = 0; i < readings_count(more); i++) {
		struct reading reading = readings_at(more, i);

		if (!known(set, &reading, i))
			return true;
	}
	return false;
}

static enum fp_status add_news(struct readings *to,
                               const struct readings *known_before,
                               const struct readings *more, struct fp_err *err)
{
	size_t n = readings_count(more);
	enum fp_status status = FP_OK;

	for (size_t i = 0; i < n && status == FP_OK; i++) {
		struct reading reading = readings_at(more, i);

		if (!known(known_before, &reading, i))
			status = readings_add(to, &reading, err);
	}
	return status;
}

enum fp_status readings_merge(struct readings **set,
                              const struct readings *more, struct fp_err *err)
{
	struct readings *made;
	enum fp_status status;

	if (!has_news(*set, more))
		return FP_OK;
	made = readings_new(readings_time_s(*set ? *set : more));
	if (!made)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for readings");
	status = add_all(made, *set, err);
	if (status == FP_OK)
		status = add_news(made, *set, more, err);
	if (status != FP_OK) {
		readings_unref(made);
		return status;
	}
	readings_unref(*set);
	*set = made;
	return FP_OK;
}
