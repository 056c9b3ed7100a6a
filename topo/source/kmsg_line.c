// SPDX-License-Identifier: Apache-2.0
// Sorts lines of the kernel log.
#include "topo/source/kmsg_line.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "topo/base/fmt.h"
#include "topo/model_map.h"

/*
 * All words of a row must be in the line, in this order; the first row that
 * fits is taken. @number: it stands behind the word "): ".
 */
static const struct {
	const char *name, *words[3];
	bool number;
} rows[] = {
	{ "kmsg.sxid", { "SXid (PCI:" }, true },
	{ "kmsg.xid", { "Xid (PCI:" }, true },
	{ "kmsg.bus_lost", { "fallen off the bus" }, false },
	{ "kmsg.aer", { "PCIe Bus Error:", "severity=" }, false },
	{ "kmsg.aer", { "AER: ", "rror" }, false },
	{ "kmsg.link_down", { "mlx5_core ", "Link DOWN" }, false },
	{ "kmsg.link_down", { "mlx5_core ", "Link down" }, false },
	{ "kmsg.link_down", { "mlx4_", "ink Down" }, false },
	{ "kmsg.link_down", { "NIC Link is Down" }, false },
	{ "kmsg.oom", { "Out of memory: Kill" }, false },
	{ "kmsg.oom", { "oom-kill:" }, false },
	{ "kmsg.mce", { "[Hardware Error]: ", "Machine Check" }, false },
};

static bool has_words(const char *message, const char *const words[3])
{
	for (size_t i = 0; i < 3 && words[i]; i++) {
		message = strstr(message, words[i]);
		if (!message)
			return false;
		message += strlen(words[i]);
	}
	return true;
}

/* A PCI address that begins at @at, whatever follows it. */
static bool take_bus(const char *at, char device[static READING_NAME_MAX])
{
	size_t len = strspn(at, "0123456789abcdefABCDEF:.");
	char text[MAP_BUS_MAX], bus[MAP_BUS_MAX];

	while (len > 0 && (at[len - 1] == ':' || at[len - 1] == '.'))
		len--;
	if (len < 7 || len >= sizeof(text))
		return false;
	memcpy(text, at, len);
	text[len] = '\0';
	if (!map_bus_id(text, bus))
		return false;
	fp_copy(device, READING_NAME_MAX, bus);
	return true;
}

/* The first PCI address of the line; none is "". */
static void find_device(const char *message,
                        char device[static READING_NAME_MAX])
{
	fp_copy(device, READING_NAME_MAX, "");
	for (const char *at = message; *at; at++) {
		bool begins = at == message || !isalnum((unsigned char)at[-1]);

		if (begins && isxdigit((unsigned char)*at) &&
		    take_bus(at, device))
			return;
	}
}

/* "Xid (PCI:0000:0f:00): 79, pid=..." */
static int64_t number_behind(const char *message)
{
	const char *at = strstr(message, "): ");

	return at ? strtol(at + 3, NULL, 10) : 0;
}

bool kmsg_line_classify(const char *message, struct kmsg_event *ret)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (!has_words(message, rows[i].words))
			continue;
		ret->name = rows[i].name;
		ret->number = rows[i].number ? number_behind(message) : 1;
		find_device(message, ret->device);
		return true;
	}
	return false;
}

const char *kmsg_line_record(char *record, int64_t *ret_since_boot_us)
{
	char *message = strchr(record, ';'), *at = record;

	if (!message)
		return NULL;
	*message++ = '\0';
	message[strcspn(message, "\n")] = '\0';
	for (int commas = 0; commas < 2; commas++) {
		at = strchr(at, ',');
		if (!at)
			return NULL;
		at++;
	}
	if (!isdigit((unsigned char)*at))
		return NULL;
	*ret_since_boot_us = strtoll(at, NULL, 10);
	return message;
}

/* "[   12.345678] ": true with the stamp and what follows. */
static bool take_seconds(const char **line, int64_t *ret_us)
{
	const char *at = *line + 1;
	char *end;
	double s;

	at += strspn(at, " ");
	if (!isdigit((unsigned char)*at))
		return false;
	s = strtod(at, &end);
	if (*end != ']' || !(s >= 0) || s > 1e12)
		return false;
	*ret_us = (int64_t)(s * 1e6);
	*line = end + 1;
	return true;
}

const char *kmsg_line_text(const char *line, int64_t *ret_since_boot_us)
{
	const char *end;

	*ret_since_boot_us = -1;
	if (*line == '<' && (end = strchr(line, '>')))
		line = end + 1;
	if (strncmp(line, "kern", 4) == 0 && (end = strchr(line, ':')) &&
	    (end = strchr(end + 1, ':')))
		line = end + 1;
	line += strspn(line, " ");
	if (*line == '[' && !take_seconds(&line, ret_since_boot_us) &&
	    (end = strchr(line, ']')))
		line = end + 1;
	return line + strspn(line, " ");
}
