// SPDX-License-Identifier: Apache-2.0
// Readings of a GPU: what it is, its link, clocks, power and temperature.
#include <string.h>

#include "topo/source/nvml_lib.h"

#define ROWS(table) (sizeof(table) / sizeof(*(table)))

static void put_texts(const struct nvml *lib, nvml_dev dev,
                      struct reading_pen *pen)
{
	static const struct {
		const char *symbol, *name;
	} rows[] = {
		{ "nvmlDeviceGetName", "gpu.name" },
		{ "nvmlDeviceGetUUID", "gpu.uuid" },
		{ "nvmlDeviceGetSerial", "gpu.serial" },
		{ "nvmlDeviceGetVbiosVersion", "gpu.vbios" },
	};

	for (size_t i = 0; i < ROWS(rows); i++) {
		int (*get)(nvml_dev, char *, unsigned);
		char text[NVML_TEXT_MAX] = "";
		int code;

		if (!nvml_symbol(lib, rows[i].symbol, &get))
			continue;
		code = get(dev, text, sizeof(text));
		text[sizeof(text) - 1] = '\0';
		if (code == NVML_OK)
			reading_put_text(pen, rows[i].name, text);
		nvml_put_code(lib, pen, rows[i].name, code);
	}
}

/* Getters of one unsigned number. */
static void put_numbers(const struct nvml *lib, nvml_dev dev,
                        struct reading_pen *pen)
{
	static const struct {
		const char *symbol, *name;
	} rows[] = {
		{ "nvmlDeviceGetMinorNumber", "gpu.minor" },
		{ "nvmlDeviceGetNumaNodeId", "gpu.numa" },
		{ "nvmlDeviceGetPersistenceMode", "gpu.persistence" },
		{ "nvmlDeviceGetComputeMode", "gpu.compute_mode" },
		{ "nvmlDeviceGetCurrPcieLinkGeneration", "gpu.pcie_gen" },
		{ "nvmlDeviceGetMaxPcieLinkGeneration", "gpu.pcie_gen_max" },
		{ "nvmlDeviceGetGpuMaxPcieLinkGeneration",
		  "gpu.pcie_gen_device_max" },
		{ "nvmlDeviceGetCurrPcieLinkWidth", "gpu.pcie_width" },
		{ "nvmlDeviceGetMaxPcieLinkWidth", "gpu.pcie_width_max" },
		{ "nvmlDeviceGetPcieReplayCounter", "gpu.pcie_replays" },
		{ "nvmlDeviceGetPowerUsage", "gpu.power" },
		{ "nvmlDeviceGetEnforcedPowerLimit", "gpu.power_limit" },
		{ "nvmlDeviceGetRetiredPagesPendingStatus",
		  "gpu.retired_pending" },
	};

	for (size_t i = 0; i < ROWS(rows); i++) {
		int (*get)(nvml_dev, unsigned *);
		unsigned value = 0;
		int code;

		if (!nvml_symbol(lib, rows[i].symbol, &get))
			continue;
		code = get(dev, &value);
		if (code == NVML_OK)
			reading_put_int(pen, rows[i].name, value);
		nvml_put_code(lib, pen, rows[i].name, code);
	}
}

/* Getters of one unsigned number, of a kind. */
static void put_kinds(const struct nvml *lib, nvml_dev dev,
                      struct reading_pen *pen)
{
	static const struct {
		const char *symbol, *name;
		int kind;
	} rows[] = {
		{ "nvmlDeviceGetClockInfo", "gpu.clock_sm", NVML_CLOCK_SM },
		{ "nvmlDeviceGetMaxClockInfo", "gpu.clock_sm_max",
		  NVML_CLOCK_SM },
		{ "nvmlDeviceGetClockInfo", "gpu.clock_memory",
		  NVML_CLOCK_MEMORY },
		{ "nvmlDeviceGetMaxClockInfo", "gpu.clock_memory_max",
		  NVML_CLOCK_MEMORY },
		{ "nvmlDeviceGetTemperature", "gpu.temperature", 0 },
		{ "nvmlDeviceGetTemperatureThreshold",
		  "gpu.temperature_slowdown", 1 },
	};

	for (size_t i = 0; i < ROWS(rows); i++) {
		int (*get)(nvml_dev, int, unsigned *);
		unsigned value = 0;
		int code;

		if (!nvml_symbol(lib, rows[i].symbol, &get))
			continue;
		code = get(dev, rows[i].kind, &value);
		if (code == NVML_OK)
			reading_put_int(pen, rows[i].name, value);
		nvml_put_code(lib, pen, rows[i].name, code);
	}
}

/* Now, and after the next restart. */
static void put_modes(const struct nvml *lib, nvml_dev dev,
                      struct reading_pen *pen)
{
	static const struct {
		const char *symbol, *now, *pending;
	} rows[] = {
		{ "nvmlDeviceGetEccMode", "gpu.ecc", "gpu.ecc_pending" },
		{ "nvmlDeviceGetMigMode", "gpu.mig", NULL },
	};

	for (size_t i = 0; i < ROWS(rows); i++) {
		int (*get)(nvml_dev, unsigned *, unsigned *);
		unsigned now = 0, pending = 0;
		int code;

		if (!nvml_symbol(lib, rows[i].symbol, &get))
			continue;
		code = get(dev, &now, &pending);
		if (code == NVML_OK)
			reading_put_int(pen, rows[i].now, now);
		if (code == NVML_OK && rows[i].pending)
			reading_put_int(pen, rows[i].pending, pending);
		nvml_put_code(lib, pen, rows[i].now, code);
	}
}

/* Older drivers have the same bits by another name. */
static void put_clock_events(const struct nvml *lib, nvml_dev dev,
                             struct reading_pen *pen)
{
	int (*get)(nvml_dev, unsigned long long *);
	unsigned long long bits = 0;
	int code;

	if (!nvml_symbol(lib, "nvmlDeviceGetCurrentClocksEventReasons", &get) &&
	    !nvml_symbol(lib, "nvmlDeviceGetCurrentClocksThrottleReasons",
	                 &get))
		return;
	code = get(dev, &bits);
	if (code == NVML_OK)
		reading_put_int(pen, "gpu.clock_events", (int64_t)bits);
	nvml_put_code(lib, pen, "gpu.clock_events", code);
}

static void put_capability(const struct nvml *lib, nvml_dev dev,
                           struct reading_pen *pen)
{
	int (*get)(nvml_dev, int *, int *);
	int major = 0, minor = 0;

	if (nvml_symbol(lib, "nvmlDeviceGetCudaComputeCapability", &get) &&
	    get(dev, &major, &minor) == NVML_OK)
		reading_put_int(pen, "gpu.sm", major * 10 + minor);
}

static void put_fields(const struct nvml *lib, nvml_dev dev,
                       struct reading_pen *pen)
{
	static const struct {
		uint32_t field;
		const char *name;
	} rows[] = {
		{ NVML_FIELD_MEMORY_TEMPERATURE, "gpu.memory_temperature" },
		{ NVML_FIELD_RECOVERY, "gpu.recovery" },
	};

	for (size_t i = 0; i < ROWS(rows); i++) {
		int64_t value;
		int code = nvml_read_field(lib, dev, rows[i].field, 0, &value);

		if (code == NVML_OK)
			reading_put_int(pen, rows[i].name, value);
		nvml_put_code(lib, pen, rows[i].name, code);
	}
}

void nvml_put_device(const struct nvml *lib, const struct nvml_gpu *gpu,
                     struct reading_pen *pen)
{
	reading_put_int(pen, "gpu.index", gpu->index);
	put_texts(lib, gpu->dev, pen);
	put_capability(lib, gpu->dev, pen);
	put_numbers(lib, gpu->dev, pen);
	put_kinds(lib, gpu->dev, pen);
	put_modes(lib, gpu->dev, pen);
	put_clock_events(lib, gpu->dev, pen);
	put_fields(lib, gpu->dev, pen);
}
