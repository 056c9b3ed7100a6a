// SPDX-License-Identifier: Apache-2.0
// Reads kernel logs: Xids, PCIe errors, network links, killed processes; and
// what fabric manager and IMEX say.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "probes/explain/reader.h"
#include "topo/source/kmsg_event.h"

/* Lines that kmsg_lines_read() does not know; the first row that fits. */
static const struct row {
	const char *word, *also;
	uint32_t kind;
} rows[] = {
	{ "nv_get_p2p_free_callback", NULL, KIND_PEERMEM },
	{ "insufficient power on the PCIe slot", NULL, KIND_NIC_POWER },
	{ "Port module event", "Cable error", KIND_NIC_CABLE },
	{ "Port module event", "High Temperature", KIND_NIC_CABLE },
	{ "Port module event", "Cable unplugged", KIND_NONE },
	{ "mlx5_core", "device's health compromised", KIND_NIC_FATAL },
	{ "mlx5_core", "Fatal error", KIND_NIC_FATAL },
	{ "mlx5_core", "assert_exit_ptr", KIND_NIC_FATAL },
	{ "mlx5_core", "synd 0x", KIND_NIC_FATAL },
	{ "mlx5_core", "PCI reads still not working", KIND_NIC_FATAL },
	{ "mlx5_core", "health recovery failed", KIND_NIC_FATAL },
	{ "nvidia ", "[IO_PAGE_FAULT ", KIND_IOMMU_FAULT },
	{ "mlx5_core ", "[IO_PAGE_FAULT ", KIND_IOMMU_FAULT },
	{ ": segfault at ", " in libnccl", KIND_SEGFAULT },
	{ "mlx5_core", "timeout. Will cause a leak of a command resource",
	  KIND_NIC_FATAL },
	{ "mlx5_core", "firmware internal error", KIND_NIC_FATAL },
	{ "NETDEV WATCHDOG", "timed out", KIND_NIC_FATAL },
	{ "blocked for more than", "seconds", KIND_KERNEL_HUNG },
	{ "soft lockup - CPU", NULL, KIND_KERNEL_HUNG },
	{ "rcu_sched self-detected stall", NULL, KIND_KERNEL_HUNG },
	/* it named the port above; this is the GPU that was reset for it */
	{ "AER: can't recover", "nvidia ", KIND_GPU_LOST },
	{ "has no AER-aware driver", "nvidia ", KIND_GPU_LOST },
	{ "RmInitAdapter failed", NULL, KIND_GPU_INIT },
	{ "rm_init_adapter failed", NULL, KIND_GPU_INIT },
	{ "temperature above threshold", NULL, KIND_THERMAL },
	{ "NV_WARN_NOTHING_TO_DO", NULL, KIND_FM_IDLE },
	{ "configured all the available", "NVSwitch", KIND_FM_OK },
	{ "fabricmanager", "rror", KIND_FM_ERROR },
	{ "fabricmanager", "ailed", KIND_FM_ERROR },
	{ "fabricmanager", "fatal", KIND_FM_ERROR },
	{ "nv-fabricmanager", "not running", KIND_FM_ERROR },
	{ "in the multicast team request", "failed to find", KIND_FM_ERROR },
	{ "detected NVSwitch fatal error", NULL, KIND_FM_ERROR },
	{ "detected NVLink fatal error", NULL, KIND_FM_ERROR },
	{ "failed to configure all the available NVLinks", NULL,
	  KIND_FM_ERROR },
	{ "failed to initialize NVLinks", NULL, KIND_FM_ERROR },
	{ "NV_ERR_FABRIC", NULL, KIND_FM_ERROR },
	{ "nvidia-imex", "rror", KIND_IMEX_ERROR },
	{ "nvidia-imex", "ailed", KIND_IMEX_ERROR },
};

#define N_ROWS (sizeof(rows) / sizeof(rows[0]))

static const char *const words[] = {
	"NVRM: Xid (",
	"NVRM: The NVIDIA GPU ",
	"SXid (",
	"fallen off the bus",
	"Unable to determine the device handle",
	"PCIe Bus Error: severity=",
	"available PCIe bandwidth",
	": Link down",
	": Link up",
	"NIC Link is",
	"Killed process ",
	"Machine Check",
};

#define N_WORDS (sizeof(words) / sizeof(words[0]))

static const char *needle(size_t i)
{
	if (i < N_WORDS)
		return words[i];
	return i - N_WORDS < N_ROWS ? rows[i - N_WORDS].word : NULL;
}

static uint32_t kind_of(const struct kmsg_event *k)
{
	switch (k->kind) {
	case KMSG_XID:
		return KIND_XID;
	case KMSG_SXID:
		return KIND_SXID;
	case KMSG_AER:
		return k->number ? KIND_AER_FATAL : KIND_AER_CORRECTED;
	case KMSG_BUS_LOST:
		return KIND_GPU_LOST;
	case KMSG_LINK_DOWN:
		return KIND_NIC_DOWN;
	case KMSG_LINK_UP:
		return KIND_NIC_UP;
	case KMSG_PCIE_BANDWIDTH:
		return KIND_PCIE_LINK;
	case KMSG_OOM:
		return KIND_OOM;
	default:
		return KIND_NONE;
	}
}

static bool about_netdev(const struct kmsg_event *k)
{
	return k->kind == KMSG_LINK_DOWN || k->kind == KMSG_LINK_UP;
}

/* "63.008 Gb/s available PCIe bandwidth (8.0 GT/s PCIe x8 link)" */
static void take_pcie(const char *text, struct event *e)
{
	const char *open = strstr(text, "bandwidth (");
	const char *width = strstr(text, " x");

	if (open)
		e->x[0] = strtod(open + strlen("bandwidth ("), NULL);
	if (open && width)
		e->n[1] = strtol(width + 2, NULL, 10);
}

#define HOST_BEFORE_MAX 64 /* bytes between a line's start and "kernel:" */

/* "Jun 26 10:00:00 node7 kernel: ...", with or without the time. */
static void take_host(struct intake *r, const char *text, struct event *e)
{
	const char *end = strstr(text, " kernel: "), *at = end;

	if (!end || end - text > HOST_BEFORE_MAX || e->host)
		return;
	while (at > text && (isalnum((unsigned char)at[-1]) || at[-1] == '-' ||
	                     at[-1] == '.' || at[-1] == '_'))
		at--;
	if (at < end && (at == text || at[-1] == ' '))
		e->host = event_name(r->events, at, (size_t)(end - at));
}

/* What the line's own stamp tells, where nothing before it did. */
static struct event kernel_event(struct intake *r, const struct logline *line,
                                 const struct kmsg_stamp *stamp, uint32_t kind)
{
	struct event e = intake_event(r, line, kind);

	take_host(r, line->text, &e);
	if (e.stamp != STAMP_NONE || stamp->clock != KMSG_UNIX ||
	    !(stamp->time_s > 0) || stamp->time_s > (double)STAMP_S_MAX)
		return e;
	e.stamp = STAMP_UTC;
	e.time_ns = (int64_t)(stamp->time_s * 1e9);
	e.last_ns = e.time_ns;
	return e;
}

static void take_event(struct intake *r, const struct logline *line,
                       const struct kmsg_stamp *stamp,
                       const struct kmsg_event *k)
{
	struct event e = kernel_event(r, line, stamp, kind_of(k));

	if (!e.kind)
		return;
	if (about_netdev(k))
		e.device = intake_name(r, k->device);
	else
		e.bus = intake_name(r, k->device);
	e.n[0] = k->number;
	if (k->kind == KMSG_XID || k->kind == KMSG_SXID)
		e.n[1] = k->link;
	if (k->kind == KMSG_SXID)
		e.n[2] = strstr(line->text, "Fatal") != NULL;
	if (k->kind == KMSG_PCIE_BANDWIDTH)
		take_pcie(line->text, &e);
	if (k->pid > 0 && k->pid <= INT32_MAX)
		e.pid = (int32_t)k->pid;
	intake_add(r, line, &e);
}

/* "NETDEV WATCHDOG: eth1 (mlx4_core): transmit queue 0 timed out"; newer ones
 * have the device's name before it. */
static void take_watched(struct intake *r, const char *text, struct event *e)
{
	const char *at = strstr(text, "NETDEV WATCHDOG: ");
	size_t len = at ? strcspn(at + 17, " :") : 0;

	if (len && !strncmp(at + 17 + len, " (", 2))
		e->device = event_name(r->events, at + 17, len);
}

/* "python[4711]: segfault at ...": the process that died. */
static void take_process(const char *text, struct event *e)
{
	const char *end = strstr(text, "]: segfault at "), *at = end;
	long pid;

	while (at && at > text && isdigit((unsigned char)at[-1]))
		at--;
	pid = at ? strtol(at, NULL, 10) : 0;
	if (pid > 0 && pid <= INT32_MAX)
		e->pid = (int32_t)pid;
}

/* "0000:3b:00.0", whatever stands before it. */
static bool is_function(const char *at)
{
	static const char form[] = "xxxx:xx:xx.x";

	for (size_t i = 0; form[i]; i++)
		if (form[i] == 'x' ? !isxdigit((unsigned char)at[i])
		                   : at[i] != form[i])
			return false;
	return true;
}

/* "mlx5_core 0000:3b:00.0: ...", "NVRM: GPU 0000:09:00.0: ...": the function
 * that it speaks of. */
static void take_function(struct intake *r, const char *text, struct event *e)
{
	for (const char *at = text; *at; at++)
		if (is_function(at)) {
			e->bus = event_name(r->events, at, 12);
			return;
		}
}

/* "nvidia 0000:b1:00.0: PCIe Bus Error: ..." behind what a logger put before
 * it; NULL: it is not there. */
static const char *find_bus_error(const char *text)
{
	const char *at = strstr(text, ": PCIe Bus Error");

	for (int word = 0; at && word < 2; word++) {
		while (at > text && at[-1] != ' ')
			at--;
		if (word == 0 && at > text)
			at--;
	}
	return at;
}

/* "NVRM: Xid (PCI:0000:4c:00): 11": the file ends within the number. */
static bool is_cut(const struct logline *line, const struct kmsg_event *k)
{
	const char *number = strrchr(line->text, ')');

	return (k->kind == KMSG_XID || k->kind == KMSG_SXID) && number &&
	       !strncmp(number, "): ", 3) && intake_is_cut(line, number + 3);
}

static enum reader_want kernel_line(struct intake *r,
                                    const struct logline *line)
{
	struct kmsg_stamp stamp;
	struct kmsg_event k;
	const char *late = find_bus_error(line->text);
	struct kmsg_lines *open = r->state;

	kmsg_stamp_read(line->text, &stamp);
	if (kmsg_lines_read(open, stamp.message, &k) ||
	    (late && kmsg_event_read(late, &k))) {
		if (is_cut(line, &k))
			intake_cut(r, line, "a line of the kernel");
		else
			take_event(r, line, &stamp, &k);
		return LINE_DONE;
	}
	if (open->left)
		return LINE_MORE;
	for (size_t i = 0; i < N_ROWS; i++) {
		struct event e;

		if (!strstr(line->text, rows[i].word) ||
		    (rows[i].also && !strstr(line->text, rows[i].also)))
			continue;
		e = kernel_event(r, line, &stamp, rows[i].kind);
		take_function(r, line->text, &e);
		take_watched(r, line->text, &e);
		take_process(line->text, &e);
		if (e.kind)
			intake_add(r, line, &e);
		break;
	}
	return LINE_DONE;
}

const struct explain_reader reader_kernel = {
	.name = "kernel log",
	.help = "Xid, SXid, AER, mlx5, OOM; fabric manager, IMEX",
	.needle = needle,
	.state_size = sizeof(struct kmsg_lines),
	.line = kernel_line,
};
