// SPDX-License-Identifier: Apache-2.0
// What a line of the kernel log reports: a table of beginnings, one parser each.
#include "topo/source/kmsg_event.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topo/base/fmt.h"
#include "topo/model/model_map.h"

/* The PCI address that @text begins with, in its usual form. */
static bool take_bus(const char *text, char ret[static KMSG_DEVICE_MAX])
{
	char word[KMSG_DEVICE_MAX], bus_id[MAP_BUS_MAX];
	size_t len = strspn(text, "0123456789abcdefABCDEF:.");

	while (len && (text[len - 1] == ':' || text[len - 1] == '.'))
		len--;
	if (!len || len >= sizeof(word))
		return false;
	memcpy(word, text, len);
	word[len] = '\0';
	if (!map_bus_id(word, bus_id))
		return false;
	fp_copy(ret, KMSG_DEVICE_MAX, bus_id);
	return true;
}

static const char *behind(const char *text, const char *word)
{
	const char *at = strstr(text, word);

	return at ? at + strlen(word) : NULL;
}

/* "pid=2024380, name=nvidia-smi,"; "pid='<unknown>', name=<unknown>". */
static void take_process(const char *text, struct kmsg_event *e)
{
	const char *pid = behind(text, "pid="), *name = behind(text, "name=");
	char word[KMSG_WORD_MAX];
	size_t len;

	if (pid && isdigit((unsigned char)*pid))
		e->pid = strtoll(pid, NULL, 10);
	if (!name || *name == '<' || *name == '\'')
		return;
	len = strcspn(name, ",");
	if (len >= sizeof(word))
		len = sizeof(word) - 1;
	memcpy(word, name, len);
	word[len] = '\0';
	fp_copy(e->process, sizeof(e->process), word);
}

/* " Link 14 (0x..."; "Link -1" is none. */
static void take_nvlink(const char *text, struct kmsg_event *e)
{
	const char *link = behind(text, " Link ");

	if (link && isdigit((unsigned char)*link))
		e->link = (int32_t)strtol(link, NULL, 10);
}

/* "..., Ch 00000001 caused by previous Xid 149": that one is what happened. */
static void take_previous(const char *text, struct kmsg_event *e)
{
	const char *previous = behind(text, "caused by previous Xid ");
	int64_t number = previous ? strtol(previous, NULL, 10) : 0;

	if (number > 0)
		e->number = number;
}

/* "NVRM: Xid (PCI:0000:9b:00): 119, pid=..., what"; old ones have no pid. */
static bool read_xid(const char *text, struct kmsg_event *e)
{
	const char *close = strchr(text, ')');
	char *end;

	if (strncmp(text, "PCI:", 4) == 0)
		text += 4;
	if (!close || !take_bus(text, e->device) ||
	    strncmp(close, "): ", 3) != 0)
		return false;
	e->number = strtol(close + 3, &end, 10);
	if (end == close + 3 || e->number <= 0)
		return false;
	take_process(end, e);
	take_nvlink(end, e);
	take_previous(end, e);
	return true;
}

/* "nvidia-nvswitch0: SXid (PCI:0000:c1:00.0): 20034, Fatal, Link 30 ..." */
static bool read_sxid(const char *text, struct kmsg_event *e)
{
	return read_xid(text, e);
}

/* "NVRM: GPU 0000:09:00.0: GPU has fallen off the bus." */
static bool read_fallen(const char *text, struct kmsg_event *e)
{
	return strstr(text, "fallen off the bus") && take_bus(text, e->device);
}

/* "Unable to determine the device handle for GPU0000:03:00.0: ..." */
static bool read_handle(const char *text, struct kmsg_event *e)
{
	text += strspn(text, " ");
	if (strncmp(text, "GPU", 3) == 0)
		text += 3;
	return take_bus(text + strspn(text, " "), e->device);
}

static int64_t aer_severity(const char *text)
{
	/* "Correctable" since Linux 6 */
	if (strncasecmp(text, "Correct", 7) == 0)
		return 0;
	return strstr(text, "(Fatal)") || strncmp(text, "Fatal", 5) == 0 ? 2
	                                                                 : 1;
}

/* "pcieport 0000:00:03.0: PCIe Bus Error: severity=Corrected, type=..." */
static bool read_aer(const char *text, struct kmsg_event *e)
{
	const char *severity = behind(text, "PCIe Bus Error: severity=");
	const char *blank = strchr(text, ' ');

	if (!severity || !blank || !take_bus(blank + 1, e->device))
		return false;
	e->number = aer_severity(severity);
	return true;
}

/* Name of the device that a driver's line begins with, less its ':'. */
static bool take_netdev(const char *text, const char *event,
                        struct kmsg_event *e)
{
	const char *end = event, *name;

	while (end > text && (end[-1] == ' ' || end[-1] == ':'))
		end--;
	for (name = end; name > text && name[-1] != ' '; name--)
		;
	if (end == name || (size_t)(end - name) >= sizeof(e->device))
		return false;
	memcpy(e->device, name, (size_t)(end - name));
	e->device[end - name] = '\0';
	return true;
}

/* "mlx5_core 0000:41:00.0 enp65s0f0np0: Link down"; "eth0: NIC Link is Down" */
static bool read_link(const char *text, struct kmsg_event *e)
{
	static const struct {
		const char *words;
		uint32_t kind;
	} words[] = {
		{ ": link down", KMSG_LINK_DOWN },
		{ ": link up", KMSG_LINK_UP },
		{ ": nic link is down", KMSG_LINK_DOWN },
		{ ": nic link is up", KMSG_LINK_UP },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		const char *at = strcasestr(text, words[i].words);

		if (at && take_netdev(text, at, e)) {
			e->kind = words[i].kind;
			return true;
		}
	}
	return false;
}

/* "mlx5_core 0000:41:00.1: 63.008 Gb/s available PCIe bandwidth (...)" */
static bool read_bandwidth(const char *text, struct kmsg_event *e)
{
	const char *blank = strchr(text, ' ');
	const char *number = blank ? strstr(blank, ": ") : NULL;
	double gbps;
	char *end;

	if (!number || !take_bus(blank + 1, e->device))
		return false;
	gbps = strtod(number + 2, &end);
	if (strncmp(end, " Gb/s available", 15) != 0 || !(gbps >= 0) ||
	    gbps > 1e6)
		return false;
	e->number = (int64_t)(gbps * 1000 + 0.5);
	return true;
}

/* "Out of memory: Killed process 123 (python3) ..."; of a cgroup likewise. */
static bool read_oom(const char *text, struct kmsg_event *e)
{
	const char *name;
	char *end;
	size_t len;

	e->number = e->pid = strtoll(text, &end, 10);
	if (end == text || strncmp(end, " (", 2) != 0)
		return false;
	name = end + 2;
	len = strcspn(name, ")");
	if (len < sizeof(e->process))
		memcpy(e->process, name, len);
	return true;
}

static bool read_mce(const char *text, struct kmsg_event *e)
{
	(void)e;
	return strcasestr(text, "machine check") != NULL;
}

/* @words has to be in the message; @read gets what is behind it, or all. */
static const struct {
	const char *words;
	bool whole;
	uint32_t kind;
	bool (*read)(const char *text, struct kmsg_event *e);
} rows[] = {
	{ "NVRM: Xid (", false, KMSG_XID, read_xid },
	{ "SXid (", false, KMSG_SXID, read_sxid },
	{ "NVRM: GPU ", false, KMSG_BUS_LOST, read_fallen },
	{ "Unable to determine the device handle for", false, KMSG_BUS_LOST,
	  read_handle },
	{ "PCIe Bus Error: severity=", true, KMSG_AER, read_aer },
	{ "available PCIe bandwidth", true, KMSG_PCIE_BANDWIDTH,
	  read_bandwidth },
	{ "ink ", true, KMSG_LINK_DOWN, read_link },
	{ "Killed process ", false, KMSG_OOM, read_oom },
	{ "[Hardware Error]: ", true, KMSG_MCE, read_mce },
	{ "mce: ", true, KMSG_MCE, read_mce },
};

bool kmsg_event_read(const char *message, struct kmsg_event *ret)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *at = strstr(message, rows[i].words);
		const char *text;

		if (!at)
			continue;
		text = rows[i].whole ? message : at + strlen(rows[i].words);
		*ret = (struct kmsg_event){ .kind = rows[i].kind,
			                    .pid = -1,
			                    .link = -1 };
		if (rows[i].read(text, ret))
			return true;
	}
	*ret = (struct kmsg_event){ .pid = -1, .link = -1 };
	return false;
}

bool kmsg_lines_read(struct kmsg_lines *l, const char *message,
                     struct kmsg_event *ret)
{
	static const char first[] = "NVRM: The NVIDIA GPU ";
	const char *at = strstr(message, first);

	if (at && take_bus(at + sizeof(first) - 1, l->device))
		l->left = KMSG_LINES_MAX;
	else if (l->left)
		l->left--;
	if (!l->left || !strstr(message, "fallen off the bus and is not"))
		return kmsg_event_read(message, ret);
	*ret = (struct kmsg_event){ .kind = KMSG_BUS_LOST,
		                    .pid = -1,
		                    .link = -1 };
	fp_copy(ret->device, sizeof(ret->device), l->device);
	l->left = 0;
	return true;
}

const char *kmsg_kind_reading(unsigned kind)
{
	static const char *const names[KMSG_KIND_COUNT] = {
		[KMSG_XID] = "kmsg.xid",
		[KMSG_SXID] = "kmsg.sxid",
		[KMSG_AER] = "kmsg.aer",
		[KMSG_BUS_LOST] = "kmsg.bus_lost",
		[KMSG_LINK_DOWN] = "kmsg.link_down",
		[KMSG_LINK_UP] = "kmsg.link_up",
		[KMSG_PCIE_BANDWIDTH] = "kmsg.pcie_bandwidth",
		[KMSG_OOM] = "kmsg.oom",
		[KMSG_MCE] = "kmsg.mce",
	};

	return kind < KMSG_KIND_COUNT ? names[kind] : NULL;
}
