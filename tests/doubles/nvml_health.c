// SPDX-License-Identifier: Apache-2.0
// libnvidia-ml's double: clocks, power, errors, modes.
#include <string.h>

#include "tests/doubles/nvml_calls.h"
#include "topo/model/gpu_value.h"

#define FABRIC_NOT_STARTED 1
#define FABRIC_COMPLETED 3
#define HEALTH_GOOD 0x1aa /* nothing degraded, nothing misconfigured */

static int put(nvml_dev dev, unsigned *ret, unsigned value)
{
	struct fpd_end at;
	int code = nvml_end(dev, &at);

	if (code == NVML_OK)
		*ret = value;
	return code;
}

/* Has it been busy for so long that a fault of @kind has come? */
static bool is_heated(enum fpd_fault_kind kind, struct fpd_end at)
{
	const struct fpd_fault *f = fpd_fault_find(kind, at.host, at.gpu, NULL);

	return f && f->busy_s > 0 && fpd_fault_seen(f);
}

static bool is_hot(struct fpd_end at)
{
	return is_heated(FPD_SLOW_GPU, at) || is_heated(FPD_SLOW, at) ||
	       is_heated(FPD_CORRUPT, at);
}

int nvmlDeviceGetTemperature(nvml_dev dev, int sensor, unsigned *celsius)
{
	struct fpd_end at;

	if (sensor)
		return NVML_INVALID_ARGUMENT;
	return put(dev, celsius,
	           nvml_end(dev, &at) == NVML_OK && is_hot(at) ? 88 : 41);
}

int nvmlDeviceGetPowerUsage(nvml_dev dev, unsigned *mw)
{
	return put(dev, mw, 118000);
}

int nvmlDeviceGetEnforcedPowerLimit(nvml_dev dev, unsigned *mw)
{
	return put(dev, mw, 700000);
}

int nvmlDeviceGetMaxClockInfo(nvml_dev dev, int type, unsigned *mhz)
{
	return put(dev, mhz, type == NVML_CLOCK_MEMORY ? 2619 : 1980);
}

int nvmlDeviceGetClockInfo(nvml_dev dev, int type, unsigned *mhz)
{
	struct fpd_end at;
	int code = nvml_end(dev, &at);
	double slower = code == NVML_OK ? fpd_gpu_factor(at) : 1;

	if (code == NVML_OK)
		*mhz = type == NVML_CLOCK_MEMORY ? 2619
		                                 : (unsigned)(1980 / slower);
	return code;
}

int nvmlDeviceGetCurrentClocksEventReasons(nvml_dev dev, nvml_ull *bits)
{
	const struct fpd_fault *f;
	struct fpd_end at;
	int code = nvml_end(dev, &at);

	if (code != NVML_OK)
		return code;
	f = fpd_fault_find(FPD_THROTTLE, at.host, at.gpu, NULL);
	*bits = f ? (nvml_ull)f->code : 0;
	if (is_heated(FPD_SLOW_GPU, at))
		*bits |= GPU_EVENT_HEAT_HW;
	return NVML_OK;
}

int nvmlDeviceGetEccMode(nvml_dev dev, int *now, int *pending)
{
	struct fpd_end at;

	*now = *pending = 1;
	return nvml_end(dev, &at);
}

int nvmlDeviceGetTotalEccErrors(nvml_dev dev, int type, int counter,
                                nvml_ull *count)
{
	struct fpd_end at;
	int code = nvml_end(dev, &at);

	if (code == NVML_OK)
		*count = nvml_count(at, type == NVML_ECC_UNCORRECTED
		                                ? "ecc-uncorrected"
		                                : "ecc-corrected");
	(void)counter;
	return code;
}

int nvmlDeviceGetRemappedRows(nvml_dev dev, unsigned *corrected,
                              unsigned *uncorrected, unsigned *pending,
                              unsigned *failed)
{
	struct fpd_end at;
	int code = nvml_end(dev, &at);

	if (code != NVML_OK)
		return code;
	*corrected = 0;
	*uncorrected = (unsigned)nvml_count(at, "remapped");
	*pending = nvml_count(at, "remap-pending") > 0;
	*failed = nvml_count(at, "remap-failed") > 0;
	return NVML_OK;
}

int nvmlDeviceGetGpuFabricInfoV(nvml_dev dev, struct nvml_fabric *ret)
{
	struct fpd_end at;
	int code = nvml_end(dev, &at);
	bool off;

	if (code != NVML_OK)
		return code;
	if (ret->version != NVML_FABRIC_V2)
		return NVML_VERSION_MISMATCH;
	off = fpd_fault_find(FPD_NO_FABRIC, at.host, at.gpu, NULL) ||
	      fpd_fault_find(FPD_OFF_FABRIC, at.host, at.gpu, NULL);
	ret->status = 0;
	ret->clique = 0;
	ret->state = off ? FABRIC_NOT_STARTED : FABRIC_COMPLETED;
	ret->health = HEALTH_GOOD;
	memset(ret->cluster, 0, sizeof(ret->cluster));
	return NVML_OK;
}

int nvmlDeviceGetMigMode(nvml_dev dev, unsigned *now, unsigned *pending)
{
	struct fpd_end at;
	int code = nvml_end(dev, &at);

	if (code == NVML_OK)
		*now = *pending =
			fpd_fault_find(FPD_MIG, at.host, at.gpu, NULL) != NULL;
	return code;
}

int nvmlDeviceGetPersistenceMode(nvml_dev dev, int *on)
{
	struct fpd_end at;

	*on = 1;
	return nvml_end(dev, &at);
}

int nvmlDeviceGetComputeMode(nvml_dev dev, int *mode)
{
	struct fpd_end at;

	*mode = 0;
	return nvml_end(dev, &at);
}

int nvmlDeviceGetUtilizationRates(nvml_dev dev, struct nvml_utilization *ret)
{
	struct fpd_end at;

	*ret = (struct nvml_utilization){ 0 };
	return nvml_end(dev, &at);
}

int nvmlDeviceGetMemoryInfo(nvml_dev dev, struct nvml_memory *ret)
{
	uint64_t total = fpd_world()->gpu.memory_bytes;
	struct fpd_end at;

	*ret = (struct nvml_memory){ .total = total,
		                     .free = total - (600u << 20),
		                     .used = 600u << 20 };
	return nvml_end(dev, &at);
}

int nvmlDeviceGetComputeRunningProcesses_v3(nvml_dev dev, unsigned *n,
                                            struct nvml_process *processes)
{
	struct fpd_end at;

	(void)processes;
	*n = 0;
	return nvml_end(dev, &at);
}
