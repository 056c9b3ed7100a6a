// SPDX-License-Identifier: Apache-2.0
// Readings of a GPU's health: errors, memory, who uses it, its fabric.
#include <stdio.h>
#include <string.h>

#include "topo/source/nvml_lib.h"

#define ROWS(table) (sizeof(table) / sizeof(*(table)))
#define PROCESSES_MAX 64

static void put_ecc(const struct nvml *lib, nvml_dev dev,
                    struct reading_pen *pen)
{
	static const struct {
		const char *name;
		int type, counter;
	} rows[] = {
		{ "gpu.ecc_corrected", NVML_ECC_CORRECTED, NVML_VOLATILE },
		{ "gpu.ecc_uncorrected", NVML_ECC_UNCORRECTED, NVML_VOLATILE },
		{ "gpu.ecc_uncorrected_all", NVML_ECC_UNCORRECTED,
		  NVML_AGGREGATE },
	};
	int (*get)(nvml_dev, int, int, unsigned long long *);

	if (!nvml_symbol(lib, "nvmlDeviceGetTotalEccErrors", &get))
		return;
	for (size_t i = 0; i < ROWS(rows); i++) {
		unsigned long long value = 0;
		int code = get(dev, rows[i].type, rows[i].counter, &value);

		if (code == NVML_OK)
			reading_put_int(pen, rows[i].name, (int64_t)value);
		nvml_put_code(lib, pen, rows[i].name, code);
	}
}

static void put_remapped(const struct nvml *lib, nvml_dev dev,
                         struct reading_pen *pen)
{
	int (*get)(nvml_dev, unsigned *, unsigned *, unsigned *, unsigned *);
	unsigned corrected = 0, uncorrected = 0, pending = 0, failed = 0;
	int code;

	if (!nvml_symbol(lib, "nvmlDeviceGetRemappedRows", &get))
		return;
	code = get(dev, &corrected, &uncorrected, &pending, &failed);
	nvml_put_code(lib, pen, "gpu.remap_pending", code);
	if (code != NVML_OK)
		return;
	reading_put_int(pen, "gpu.remap_corrected", corrected);
	reading_put_int(pen, "gpu.remap_uncorrected", uncorrected);
	reading_put_int(pen, "gpu.remap_pending", pending);
	reading_put_int(pen, "gpu.remap_failed", failed);
}

/* With room for none, it says how many there are. */
static void put_retired(const struct nvml *lib, nvml_dev dev,
                        struct reading_pen *pen)
{
	static const char *const names[] = { "gpu.retired_sbe",
		                             "gpu.retired_dbe" };
	int (*get)(nvml_dev, int, unsigned *, unsigned long long *);

	if (!nvml_symbol(lib, "nvmlDeviceGetRetiredPages", &get))
		return;
	for (int cause = 0; cause < 2; cause++) {
		unsigned count = 0;
		int code = get(dev, cause, &count, NULL);

		if (code == NVML_OK || code == NVML_INSUFFICIENT_SIZE)
			reading_put_int(pen, names[cause], count);
		else
			nvml_put_code(lib, pen, names[cause], code);
	}
}

static void put_use(const struct nvml *lib, nvml_dev dev,
                    struct reading_pen *pen)
{
	int (*get_memory)(nvml_dev, struct nvml_memory *);
	int (*get_busy)(nvml_dev, struct nvml_utilization *);
	struct nvml_memory memory = { 0 };
	struct nvml_utilization busy = { 0 };

	if (nvml_symbol(lib, "nvmlDeviceGetMemoryInfo", &get_memory) &&
	    get_memory(dev, &memory) == NVML_OK) {
		reading_put_int(pen, "gpu.memory_total", (int64_t)memory.total);
		reading_put_int(pen, "gpu.memory_used", (int64_t)memory.used);
	}
	if (nvml_symbol(lib, "nvmlDeviceGetUtilizationRates", &get_busy) &&
	    get_busy(dev, &busy) == NVML_OK)
		reading_put_int(pen, "gpu.utilization", busy.gpu);
}

/* Its number is the text of its memory, which may not be told (-1). */
static void put_process(const struct nvml_process *process,
                        struct reading_pen *pen)
{
	uint64_t bytes = process->used_bytes;
	char pid[16];
	struct reading reading = {
		.device = pen->device,
		.name = "gpu.process",
		.kind = READING_INT,
		.source = pen->source,
		.number = bytes <= INT64_MAX ? (int64_t)bytes : -1,
		.text = pid,
	};
	enum fp_status status;

	(void)snprintf(pid, sizeof(pid), "%u", process->pid);
	status = readings_add(pen->set, &reading, pen->err);
	if (pen->status == FP_OK)
		pen->status = status;
}

static void put_processes(const struct nvml *lib, nvml_dev dev,
                          struct reading_pen *pen)
{
	int (*get)(nvml_dev, unsigned *, struct nvml_process *);
	struct nvml_process processes[PROCESSES_MAX];
	unsigned n = PROCESSES_MAX;
	int code;

	if (!nvml_symbol(lib, "nvmlDeviceGetComputeRunningProcesses_v3", &get))
		return;
	memset(processes, 0, sizeof(processes));
	code = get(dev, &n, processes);
	if (code != NVML_OK && code != NVML_INSUFFICIENT_SIZE) {
		nvml_put_code(lib, pen, "gpu.processes", code);
		return;
	}
	reading_put_int(pen, "gpu.processes", n);
	for (unsigned i = 0; code == NVML_OK && i < n && i < PROCESSES_MAX;
	     i++) {
		put_process(&processes[i], pen);
	}
}

static void put_fabric(const struct nvml *lib, nvml_dev dev,
                       struct reading_pen *pen)
{
	struct nvml_fabric fabric = { .version = NVML_FABRIC_V2 };
	int (*get)(nvml_dev, struct nvml_fabric *);
	char cluster[2 * sizeof(fabric.cluster) + 1];
	int code;

	if (!nvml_symbol(lib, "nvmlDeviceGetGpuFabricInfoV", &get))
		return;
	code = get(dev, &fabric);
	nvml_put_code(lib, pen, "gpu.fabric_state", code);
	if (code != NVML_OK)
		return;
	reading_put_int(pen, "gpu.fabric_state", fabric.state);
	if (fabric.state == 0)
		return;
	for (size_t i = 0; i < sizeof(fabric.cluster); i++)
		(void)snprintf(cluster + 2 * i, 3, "%02x", fabric.cluster[i]);
	reading_put_int(pen, "gpu.fabric_status", fabric.status);
	reading_put_int(pen, "gpu.fabric_health", fabric.health);
	reading_put_int(pen, "gpu.fabric_clique", fabric.clique);
	reading_put_text(pen, "gpu.fabric_cluster", cluster);
}

void nvml_put_health(const struct nvml *lib, const struct nvml_gpu *gpu,
                     struct reading_pen *pen)
{
	put_ecc(lib, gpu->dev, pen);
	put_remapped(lib, gpu->dev, pen);
	put_retired(lib, gpu->dev, pen);
	put_use(lib, gpu->dev, pen);
	put_processes(lib, gpu->dev, pen);
	put_fabric(lib, gpu->dev, pen);
}
