// SPDX-License-Identifier: Apache-2.0
// Reads CPUs, NUMA nodes and memory.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topo/base/fmt.h"
#include "topo/source/live.h"
#include "topo/source/proc_text.h"
#include "topo/source/sysfs.h"

#define NODES "sys/devices/system/node"
#define CPUINFO_MAX 8192 /* the first CPU of it */
#define GIB (1ll << 30)

/* What /proc/cpuinfo calls it, by the names of an x86 and of an ARM. */
struct cpu {
	char arch[MAP_ID_MAX], vendor[MAP_ID_MAX], name[MAP_NAME_MAX];
	int32_t family, model;
	bool known, hypervisor;
};

static int32_t number(const char *text, const char *key)
{
	char value[32], *end;
	long n;

	if (!proc_text_value(text, key, value, sizeof(value)))
		return -1;
	n = strtol(value, &end, 0);
	return end != value && !*end && n >= 0 && n <= INT32_MAX ? (int32_t)n
	                                                         : -1;
}

static void cpu_parse(const char *text, struct cpu *cpu)
{
	char flags[SYSFS_TEXT_MAX];

	*cpu = (struct cpu){ .family = -1, .model = -1 };
	if (proc_text_value(text, "vendor_id", cpu->vendor,
	                    sizeof(cpu->vendor))) {
		fp_copy(cpu->arch, sizeof(cpu->arch), "x86_64");
		cpu->family = number(text, "cpu family");
		cpu->model = number(text, "model");
	} else if (proc_text_value(text, "CPU implementer", cpu->vendor,
	                           sizeof(cpu->vendor))) {
		fp_copy(cpu->arch, sizeof(cpu->arch), "arm64");
		fp_copy(cpu->vendor, sizeof(cpu->vendor), "ARM");
		cpu->family = number(text, "CPU implementer");
		cpu->model = number(text, "CPU part");
	} else {
		return;
	}
	cpu->known = true;
	(void)proc_text_value(text, "model name", cpu->name, sizeof(cpu->name));
	cpu->hypervisor =
		proc_text_value(text, "flags", flags, sizeof(flags)) &&
		proc_text_has_word(flags, "hypervisor");
}

static void put_cpu(struct live *live, const struct cpu *cpu,
                    struct reading_pen *pen)
{
	char online[READING_TEXT_MAX];

	if (cpu->known) {
		reading_put_text(pen, "cpu.vendor", cpu->vendor);
		reading_put_int(pen, "cpu.family", cpu->family);
		reading_put_int(pen, "cpu.model", cpu->model);
		reading_put_text(pen, "cpu.name", cpu->name);
		reading_put_int(pen, "cpu.hypervisor", cpu->hypervisor);
	}
	if (sysfs_read(live->root_fd, "sys/devices/system/cpu/online", online,
	               sizeof(online)))
		reading_put_text(pen, "cpu.online", online);
	if (live->host->n_cpus > 0)
		reading_put_int(pen, "cpu.usable", live->host->n_cpus);
}

static int64_t meminfo(const char *text, const char *key)
{
	char value[64], *end;
	long long kb;

	if (!proc_text_value(text, key, value, sizeof(value)))
		return -1;
	errno = 0;
	kb = strtoll(value, &end, 10);
	return end == value || errno || kb < 0 || kb > INT64_MAX / 1024 ? -1
	                                                                : kb;
}

/* Hosts with the same memory differ in what their kernels keep of it. */
static int64_t next_gib(int64_t kb)
{
	return (kb * 1024 + GIB - 1) / GIB * GIB;
}

static void put_memory(struct live *live, struct reading_pen *pen)
{
	char text[SYSFS_TEXT_MAX];
	int64_t total, available, pages;

	if (sysfs_read_all(live->root_fd, "proc/meminfo", text, sizeof(text)) <
	    0)
		return;
	total = meminfo(text, "MemTotal");
	available = meminfo(text, "MemAvailable");
	pages = meminfo(text, "HugePages_Total");
	if (total >= 0)
		reading_put_int(pen, "mem.total", next_gib(total));
	if (available >= 0)
		reading_put_int(pen, "mem.available", available * 1024);
	if (pages >= 0)
		reading_put_int(pen, "mem.hugepages", pages);
}

static void fill_numa(struct map_numa *numa, const struct cpu *cpu,
                      const char *cpus)
{
	(void)topo_set_read(cpus, strlen(cpus), &numa->cpus);
	memcpy(numa->arch, cpu->arch, sizeof(numa->arch));
	memcpy(numa->vendor, cpu->vendor, sizeof(numa->vendor));
	numa->family = cpu->family;
	numa->model = cpu->model;
}

/* "Node 0 MemTotal:  1056270284 kB". */
static void put_node_memory(const struct sysfs_dir *dir, int32_t id,
                            struct reading_pen *pen)
{
	char text[SYSFS_TEXT_MAX], key[48];
	int64_t total;

	if (sysfs_dir_read_all(dir, "meminfo", text, sizeof(text)) < 0)
		return;
	(void)snprintf(key, sizeof(key), "Node %d MemTotal", id);
	total = meminfo(text, key);
	if (total >= 0)
		reading_put_int(pen, "numa.mem_total", next_gib(total));
}

static enum fp_status read_node(struct live *live, const char *name,
                                const struct cpu *cpu, struct fp_err *err)
{
	struct sysfs_dir dir = sysfs_dir(live->root_fd, NODES "/%s", name);
	struct reading_pen pen = live_pen(live, READ_SYSFS, name, err);
	char cpus[READING_TEXT_MAX], distance[READING_TEXT_MAX];
	struct map_numa *numa;
	int32_t id = proc_text_number_behind(name, "node");
	enum fp_status status;

	if (id < 0)
		return FP_OK;
	status = topo_map_add_numa(live->map, &numa, err);
	if (status != FP_OK)
		return status;
	(void)sysfs_dir_read(&dir, "cpulist", cpus, sizeof(cpus));
	numa->id = id;
	fill_numa(numa, cpu, cpus);
	reading_put_text(&pen, "numa.cpus", cpus);
	if (sysfs_dir_read(&dir, "distance", distance, sizeof(distance)))
		reading_put_text(&pen, "numa.distance", distance);
	put_node_memory(&dir, id, &pen);
	return pen.status;
}

/* A kernel without NUMA has one node, and no file that says so. */
static enum fp_status only_node(struct live *live, const struct cpu *cpu,
                                struct fp_err *err)
{
	char cpus[READING_TEXT_MAX];
	struct map_numa *numa;
	enum fp_status status = topo_map_add_numa(live->map, &numa, err);

	if (status != FP_OK)
		return status;
	(void)sysfs_read(live->root_fd, "sys/devices/system/cpu/online", cpus,
	                 sizeof(cpus));
	numa->id = 0;
	fill_numa(numa, cpu, cpus);
	return FP_OK;
}

static enum fp_status read_nodes(struct live *live, const struct cpu *cpu,
                                 struct fp_err *err)
{
	enum fp_status status;
	char **names;
	size_t n;

	status = sysfs_list(live->root_fd, NODES, MAP_NUMAS_MAX, &names, &n,
	                    err);
	for (size_t i = 0; status == FP_OK && i < n; i++)
		status = read_node(live, names[i], cpu, err);
	sysfs_list_free(names, n);
	if (status == FP_OK && live->map->n_numas == 0)
		status = only_node(live, cpu, err);
	return status;
}

static enum fp_status read(struct live *live, struct fp_err *err)
{
	struct reading_pen pen = live_pen(live, READ_PROCFS, "", err);
	char text[CPUINFO_MAX];
	enum fp_status status;
	struct cpu cpu;

	(void)sysfs_read_all(live->root_fd, "proc/cpuinfo", text, sizeof(text));
	cpu_parse(text, &cpu);
	put_cpu(live, &cpu, &pen);
	put_memory(live, &pen);
	status = read_nodes(live, &cpu, err);
	return status == FP_OK ? pen.status : status;
}

const struct live_ops live_cpu_ops = {
	.name = "cpu",
	.help = "CPUs, NUMA nodes and memory, from /proc and sysfs",
	.where = LIVE_FILES,
	.read = read,
};
