// SPDX-License-Identifier: Apache-2.0
// A small libnvidia-ml.so.1: four GPUs with two NVLinks each to a switch.
// FAKE_NVML is a list of words: "hang" (nvmlInit does not return), "refuse"
// (it fails), "lost" (GPU 3 is), "down" (link 1 of GPU 1 is), "c2c" (GPU 0 has
// two links to its CPU), "only2" (the process sees GPU 2 alone).
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "topo/source/nvml_abi.h"

#define GPUS 4u
#define LINKS 2u
#define GPU_IS_LOST 15
#define UNKNOWN 999

struct nvml_device {
	unsigned index;
};

static struct nvml_device devices[GPUS] = { { 0 }, { 1 }, { 2 }, { 3 } };

const char *nvmlErrorString(int code);
int nvmlInit_v2(void);
int nvmlShutdown(void);
int nvmlSystemGetDriverVersion(char *text, unsigned size);
int nvmlSystemGetCudaDriverVersion_v2(int *version);
int nvmlDeviceGetCount_v2(unsigned *count);
int nvmlDeviceGetHandleByIndex_v2(unsigned index, nvml_dev *ret);
int nvmlDeviceGetPciInfo_v3(nvml_dev dev, struct nvml_pci *ret);
int nvmlDeviceGetName(nvml_dev dev, char *text, unsigned size);
int nvmlDeviceGetUUID(nvml_dev dev, char *text, unsigned size);
int nvmlDeviceGetCudaComputeCapability(nvml_dev dev, int *major, int *minor);
int nvmlDeviceGetNvLinkState(nvml_dev dev, unsigned link, unsigned *active);
int nvmlDeviceGetNvLinkRemoteDeviceType(nvml_dev dev, unsigned link,
                                        unsigned *type);
int nvmlDeviceGetP2PStatus(nvml_dev a, nvml_dev b, int caps, unsigned *status);
int nvmlDeviceGetTopologyCommonAncestor(nvml_dev a, nvml_dev b,
                                        unsigned *level);
int nvmlDeviceGetMigMode(nvml_dev dev, unsigned *now, unsigned *pending);
int nvmlDeviceGetTotalEccErrors(nvml_dev dev, int type, int counter,
                                unsigned long long *count);
int nvmlDeviceGetRemappedRows(nvml_dev dev, unsigned *a, unsigned *b,
                              unsigned *pending, unsigned *failed);
int nvmlDeviceGetFieldValues(nvml_dev dev, int n,
                             struct nvml_field_value *values);
int nvmlDeviceGetComputeRunningProcesses_v3(nvml_dev dev, unsigned *n,
                                            struct nvml_process *processes);

static bool told(const char *word)
{
	const char *words = getenv("FAKE_NVML");

	return words && strstr(words, word);
}

/* The first GPU that is seen, and how many. */
static unsigned view(unsigned *first)
{
	const char *words = getenv("FAKE_NVML");
	const char *only = words ? strstr(words, "only") : NULL;

	*first = only ? (unsigned)strtoul(only + 4, NULL, 10) : 0;
	return only ? 1 : GPUS;
}

const char *nvmlErrorString(int code)
{
	return code == GPU_IS_LOST ? "GPU is lost" : "Unknown Error";
}

int nvmlInit_v2(void)
{
	while (told("hang"))
		pause();
	return told("refuse") ? UNKNOWN : NVML_OK;
}

int nvmlShutdown(void)
{
	return NVML_OK;
}

int nvmlSystemGetDriverVersion(char *text, unsigned size)
{
	(void)snprintf(text, size, "550.54.15");
	return NVML_OK;
}

int nvmlSystemGetCudaDriverVersion_v2(int *version)
{
	*version = 12040;
	return NVML_OK;
}

int nvmlDeviceGetCount_v2(unsigned *count)
{
	unsigned first;

	*count = view(&first);
	return NVML_OK;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, nvml_dev *ret)
{
	unsigned first;

	if (index >= view(&first))
		return NVML_INVALID_ARGUMENT;
	index += first;
	if (index == 3 && told("lost"))
		return GPU_IS_LOST;
	*ret = &devices[index];
	return NVML_OK;
}

int nvmlDeviceGetPciInfo_v3(nvml_dev dev, struct nvml_pci *ret)
{
	(void)snprintf(ret->bus_id, sizeof(ret->bus_id), "00000000:%02X:00.0",
	               0x1a + dev->index);
	return NVML_OK;
}

int nvmlDeviceGetName(nvml_dev dev, char *text, unsigned size)
{
	(void)dev;
	(void)snprintf(text, size, "NVIDIA H100 80GB HBM3");
	return NVML_OK;
}

int nvmlDeviceGetUUID(nvml_dev dev, char *text, unsigned size)
{
	(void)snprintf(text, size, "GPU-%u", dev->index);
	return NVML_OK;
}

int nvmlDeviceGetCudaComputeCapability(nvml_dev dev, int *major, int *minor)
{
	(void)dev;
	*major = 8;
	*minor = 0;
	return NVML_OK;
}

int nvmlDeviceGetNvLinkState(nvml_dev dev, unsigned link, unsigned *active)
{
	if (link >= LINKS)
		return NVML_INVALID_ARGUMENT;
	*active = !(dev->index == 1 && link == 1 && told("down"));
	return NVML_OK;
}

int nvmlDeviceGetNvLinkRemoteDeviceType(nvml_dev dev, unsigned link,
                                        unsigned *type)
{
	(void)dev;
	(void)link;
	*type = NVML_REMOTE_SWITCH;
	return NVML_OK;
}

int nvmlDeviceGetP2PStatus(nvml_dev a, nvml_dev b, int caps, unsigned *status)
{
	(void)caps;
	*status = a->index + b->index == 5 ? NVML_P2P_CHIPSET : NVML_P2P_OK;
	return NVML_OK;
}

int nvmlDeviceGetTopologyCommonAncestor(nvml_dev a, nvml_dev b, unsigned *level)
{
	*level = a->index / 2 == b->index / 2 ? NVML_LEVEL_SINGLE
	                                      : NVML_LEVEL_SYSTEM;
	return NVML_OK;
}

int nvmlDeviceGetMigMode(nvml_dev dev, unsigned *now, unsigned *pending)
{
	(void)dev;
	(void)now;
	(void)pending;
	return NVML_NOT_SUPPORTED;
}

int nvmlDeviceGetTotalEccErrors(nvml_dev dev, int type, int counter,
                                unsigned long long *count)
{
	(void)counter;
	*count = dev->index == 2 && type == NVML_ECC_UNCORRECTED ? 7 : 0;
	return NVML_OK;
}

int nvmlDeviceGetRemappedRows(nvml_dev dev, unsigned *a, unsigned *b,
                              unsigned *pending, unsigned *failed)
{
	*a = 1;
	*b = 2;
	*pending = dev->index == 2;
	*failed = 0;
	return NVML_OK;
}

int nvmlDeviceGetFieldValues(nvml_dev dev, int n,
                             struct nvml_field_value *values)
{
	static const struct {
		uint32_t field, value;
		bool c2c;
	} rows[] = {
		{ NVML_FIELD_LINK_SPEED, 25000, false },
		{ NVML_FIELD_C2C_COUNT, 2, true },
		{ NVML_FIELD_C2C_STATE, 1, true },
		{ NVML_FIELD_C2C_SPEED, 44712, true },
	};

	for (int i = 0; i < n; i++) {
		values[i].status = NVML_NOT_SUPPORTED;
		for (size_t r = 0; r < sizeof(rows) / sizeof(*rows); r++) {
			if (rows[r].field != values[i].field ||
			    (rows[r].c2c && (dev->index || !told("c2c"))))
				continue;
			values[i].status = NVML_OK;
			values[i].type = NVML_VALUE_UINT;
			values[i].value.ui = rows[r].value;
		}
	}
	return NVML_OK;
}

int nvmlDeviceGetComputeRunningProcesses_v3(nvml_dev dev, unsigned *n,
                                            struct nvml_process *processes)
{
	*n = dev->index == 0;
	if (*n)
		processes[0] = (struct nvml_process){ .pid = 4711,
			                              .used_bytes = 1 << 20 };
	return NVML_OK;
}
