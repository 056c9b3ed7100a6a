// SPDX-License-Identifier: Apache-2.0
// GPUs by their PCI functions, and what the driver's /proc says of them.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topo/base/fmt.h"
#include "topo/source/live.h"
#include "topo/source/pci_kind.h"
#include "topo/source/proc_text.h"
#include "topo/source/sysfs.h"

/* NVML numbers GPUs in the order of their addresses, and that is the order
 * in which the PCI tree was read. */
static enum fp_status add_gpus(struct live *live, struct fp_err *err)
{
	enum fp_status status = FP_OK;

	for (size_t i = 0; i < live->map->n_pcis && status == FP_OK; i++) {
		struct map_gpu *gpu;

		if (!pci_is_gpu(&live->map->pcis[i]))
			continue;
		status = topo_map_add_gpu(live->map, &gpu, err);
		if (status != FP_OK)
			break;
		gpu->index = (int32_t)live->map->n_gpus - 1;
		gpu->pci = (int32_t)i;
	}
	return status;
}

/* The kernel's list of a function's CPUs, else those of its NUMA node. */
static void place_gpu(const struct live *live, struct map_gpu *gpu)
{
	const struct map_pci *pci = &live->map->pcis[gpu->pci];
	struct sysfs_dir dir =
		sysfs_dir(live->root_fd, "sys/bus/pci/devices/%s", pci->bus_id);
	char cpus[READING_TEXT_MAX];

	if (pci->numa >= 0) {
		const struct map_numa *numa = &live->map->numas[pci->numa];

		topo_set_add(&gpu->numas, numa->id);
		gpu->cpus = numa->cpus;
	}
	if (sysfs_dir_read(&dir, "local_cpulist", cpus, sizeof(cpus)))
		(void)topo_set_read(cpus, strlen(cpus), &gpu->cpus);
	gpu->cpus_known = topo_set_first(&gpu->cpus) >= 0;
}

static void take_information(struct map_gpu *gpu, const struct sysfs_dir *dir,
                             struct reading_pen *pen)
{
	char text[SYSFS_TEXT_MAX], value[MAP_NAME_MAX];

	if (sysfs_dir_read_all(dir, "information", text, sizeof(text)) < 0)
		return;
	if (proc_text_value(text, "Model", gpu->name, sizeof(gpu->name)))
		reading_put_text(pen, "gpu.name", gpu->name);
	if (proc_text_value(text, "GPU UUID", gpu->uuid, sizeof(gpu->uuid)))
		reading_put_text(pen, "gpu.uuid", gpu->uuid);
	if (proc_text_value(text, "Video BIOS", value, sizeof(value)))
		reading_put_text(pen, "gpu.vbios", value);
	if (proc_text_value(text, "Device Minor", value, sizeof(value)))
		reading_put_int(pen, "gpu.minor",
		                proc_text_number_behind(value, ""));
}

/* A GPU whose memory is a NUMA node of the host. */
static void take_numa(struct map_gpu *gpu, const struct sysfs_dir *dir,
                      struct reading_pen *pen)
{
	char text[SYSFS_TEXT_MAX], value[32];

	if (sysfs_dir_read_all(dir, "numa_status", text, sizeof(text)) < 0 ||
	    !proc_text_value(text, "Node", value, sizeof(value)))
		return;
	gpu->gpu_numa = proc_text_number_behind(value, "");
	if (gpu->gpu_numa >= 0)
		reading_put_int(pen, "gpu.numa", gpu->gpu_numa);
}

static enum fp_status read(struct live *live, struct fp_err *err)
{
	enum fp_status status = add_gpus(live, err);

	for (size_t i = 0; i < live->map->n_gpus && status == FP_OK; i++) {
		struct map_gpu *gpu = &live->map->gpus[i];
		const char *bus = live->map->pcis[gpu->pci].bus_id;
		struct reading_pen pen = live_pen(live, READ_PROCFS, bus, err);
		struct sysfs_dir dir = sysfs_dir(
			live->root_fd, "proc/driver/nvidia/gpus/%s", bus);

		place_gpu(live, gpu);
		reading_put_int(&pen, "gpu.index", gpu->index);
		take_information(gpu, &dir, &pen);
		take_numa(gpu, &dir, &pen);
		status = pen.status;
	}
	return status;
}

const struct live_ops live_gpu_ops = {
	.name = "gpu",
	.help = "GPUs by PCI class, and the NVIDIA driver's /proc files",
	.where = LIVE_FILES,
	.read = read,
};
