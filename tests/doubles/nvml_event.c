// SPDX-License-Identifier: Apache-2.0
// libnvidia-ml's double: events, which are Xids of faults that are due.
#include <stdlib.h>
#include <time.h>

#include "tests/doubles/nvml_calls.h"

struct nvml_events {
	nvml_dev devs[FPD_GPUS_MAX];
	unsigned n;
	bool told[FPD_FAULTS_MAX];
};

int nvmlEventSetCreate(nvml_set *ret)
{
	*ret = calloc(1, sizeof(**ret));
	return *ret ? NVML_OK : NVML_INSUFFICIENT_SIZE;
}

int nvmlEventSetFree(nvml_set set)
{
	free(set);
	return NVML_OK;
}

int nvmlDeviceRegisterEvents(nvml_dev dev, nvml_ull types, nvml_set set)
{
	struct fpd_end at;
	int code = nvml_end(dev, &at);

	if (code != NVML_OK)
		return code;
	if (types & ~(nvml_ull)NVML_EVENT_XID || set->n == FPD_GPUS_MAX)
		return NVML_NOT_SUPPORTED;
	set->devs[set->n++] = dev;
	return NVML_OK;
}

static bool take(nvml_set set, nvml_dev dev, struct nvml_event *ret)
{
	const struct fpd_world *w = fpd_world();
	const struct fpd_fault *f = NULL;
	struct fpd_end at = dev->at;

	while ((f = fpd_fault_find(FPD_XID, at.host, at.gpu, f))) {
		if (set->told[f - w->faults] || fpd_operations(at) <= f->after)
			continue;
		set->told[f - w->faults] = true;
		*ret = (struct nvml_event){ .dev = dev,
			                    .type = NVML_EVENT_XID,
			                    .data = (nvml_ull)f->code };
		return true;
	}
	return false;
}

int nvmlEventSetWait_v2(nvml_set set, struct nvml_event *ret, unsigned ms)
{
	const struct timespec ts = { .tv_nsec = 1000000L };

	for (unsigned waited = 0; waited <= ms; waited++) {
		for (unsigned i = 0; i < set->n; i++)
			if (take(set, set->devs[i], ret))
				return NVML_OK;
		if (waited < ms)
			nanosleep(&ts, NULL);
	}
	return NVML_TIMEOUT;
}
