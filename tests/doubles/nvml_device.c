// SPDX-License-Identifier: Apache-2.0
// libnvidia-ml's double: the library, its devices and who they are.
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "tests/doubles/nvml_calls.h"

static struct nvml_device devices[FPD_GPUS_MAX]; /* written in nvmlInit_v2() */

const char *nvmlErrorString(int code)
{
	switch (code) {
	case NVML_OK:
		return "Success";
	case NVML_INVALID_ARGUMENT:
		return "Invalid Argument";
	case NVML_NOT_SUPPORTED:
		return "Not Supported";
	case NVML_NOT_FOUND:
		return "Not Found";
	case NVML_INSUFFICIENT_SIZE:
		return "Insufficient Size";
	case NVML_DRIVER_NOT_LOADED:
		return "Driver Not Loaded";
	case NVML_LOST:
		return "GPU is lost";
	default:
		return "Unknown Error";
	}
}

int nvmlInit_v2(void)
{
	if (fpd_fault_find(FPD_NO_DRIVER, fpd_host(), -1, NULL))
		return NVML_DRIVER_NOT_LOADED;
	for (unsigned i = 0; i < FPD_GPUS_MAX; i++)
		devices[i].at =
			(struct fpd_end){ .host = fpd_host(), .gpu = (int)i };
	return NVML_OK;
}

int nvmlShutdown(void)
{
	return NVML_OK;
}

int nvml_end(nvml_dev dev, struct fpd_end *ret)
{
	const struct fpd_fault *f = NULL;

	if (!dev)
		return NVML_INVALID_ARGUMENT;
	*ret = dev->at;
	/* A call that never comes back from the driver. */
	while ((f = fpd_fault_find(FPD_HANG, ret->host, ret->gpu, f)))
		while (strcmp(f->where, "nvml") == 0)
			(void)pause();
	/* Off the bus for CUDA is off the bus here, too. */
	while ((f = fpd_fault_find(FPD_CUDA, ret->host, ret->gpu, f)))
		if (f->code == 999 && f->after == 0)
			return NVML_LOST;
	return NVML_OK;
}

nvml_ull nvml_count(struct fpd_end at, const char *call)
{
	const struct fpd_fault *f = NULL;

	while ((f = fpd_fault_find(FPD_COUNTER, at.host, at.gpu, f)))
		if (strcmp(f->call, call) == 0)
			return f->n * (nvml_ull)(time(NULL) -
			                         fpd_world()->epoch_s + 1);
	return 0;
}

static int text_put(char *text, unsigned size, const char *value)
{
	return (unsigned)snprintf(text, size, "%s", value) < size
	               ? NVML_OK
	               : NVML_INSUFFICIENT_SIZE;
}

int nvmlSystemGetDriverVersion(char *text, unsigned size)
{
	return text_put(text, size, fpd_world()->driver);
}

int nvmlSystemGetNVMLVersion(char *text, unsigned size)
{
	char value[FPD_NAME_MAX + 8];

	(void)snprintf(value, sizeof(value), "13.%s", fpd_world()->driver);
	return text_put(text, size, value);
}

int nvmlSystemGetCudaDriverVersion_v2(int *version)
{
	*version = fpd_world()->cuda_driver;
	return NVML_OK;
}

int nvmlDeviceGetCount_v2(unsigned *count)
{
	bool none = fpd_fault_find(FPD_NO_DEVICE, fpd_host(), -1, NULL);

	*count = none ? 0 : fpd_world()->n_gpus;
	return NVML_OK;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, nvml_dev *ret)
{
	if (index >= fpd_world()->n_gpus)
		return NVML_INVALID_ARGUMENT;
	*ret = &devices[index];
	return NVML_OK;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *bus, nvml_dev *ret)
{
	size_t len = strlen(bus);
	char mine[16];

	for (unsigned i = 0; i < fpd_world()->n_gpus; i++) {
		fpd_bus_id((int)i, false, mine, sizeof(mine));
		/* A domain has four digits or eight. */
		if (len < 12 || strcasecmp(bus + len - 12, mine) != 0)
			continue;
		*ret = &devices[i];
		return NVML_OK;
	}
	return NVML_NOT_FOUND;
}

int nvmlDeviceGetIndex(nvml_dev dev, unsigned *index)
{
	struct fpd_end at;
	int code = nvml_end(dev, &at);

	if (code == NVML_OK)
		*index = (unsigned)at.gpu;
	return code;
}

int nvmlDeviceGetMinorNumber(nvml_dev dev, unsigned *minor)
{
	return nvmlDeviceGetIndex(dev, minor);
}

int nvmlDeviceGetPciInfo_v3(nvml_dev dev, struct nvml_pci *ret)
{
	char bus[16];

	if (!dev)
		return NVML_INVALID_ARGUMENT;
	fpd_bus_id(dev->at.gpu, false, bus, sizeof(bus));
	*ret = (struct nvml_pci){
		.bus = 0x10u * ((unsigned)dev->at.gpu + 1) + 1,
		.pci_device = 0x233010de,
	};
	for (char *p = bus; *p; p++)
		*p = (char)(*p >= 'a' && *p <= 'f' ? *p - 'a' + 'A' : *p);
	(void)snprintf(ret->bus_legacy, sizeof(ret->bus_legacy), "%.12s", bus);
	(void)snprintf(ret->bus_id, sizeof(ret->bus_id), "0000%.12s", bus);
	return NVML_OK;
}

int nvmlDeviceGetName(nvml_dev dev, char *text, unsigned size)
{
	struct fpd_end at;
	int code = nvml_end(dev, &at);

	return code == NVML_OK ? text_put(text, size, fpd_world()->gpu.name)
	                       : code;
}

int nvmlDeviceGetUUID(nvml_dev dev, char *text, unsigned size)
{
	struct fpd_end at;
	int code = nvml_end(dev, &at);
	char value[64];

	(void)snprintf(value, sizeof(value),
	               "GPU-00000000-0000-0000-%04x-%012x", at.host, at.gpu);
	return code == NVML_OK ? text_put(text, size, value) : code;
}

int nvmlDeviceGetSerial(nvml_dev dev, char *text, unsigned size)
{
	struct fpd_end at;
	int code = nvml_end(dev, &at);
	char value[32];

	(void)snprintf(value, sizeof(value), "16500%04d%02d", at.host, at.gpu);
	return code == NVML_OK ? text_put(text, size, value) : code;
}

int nvmlDeviceGetCudaComputeCapability(nvml_dev dev, int *major, int *minor)
{
	(void)dev;
	*major = fpd_world()->gpu.cc_major;
	*minor = fpd_world()->gpu.cc_minor;
	return NVML_OK;
}
