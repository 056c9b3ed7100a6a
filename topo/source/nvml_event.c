// SPDX-License-Identifier: Apache-2.0
// NVML's events: the Xids of a GPU.
#include "topo/source/nvml_event.h"

#define WAIT_MS 1u

nvml_set nvml_event_open(const struct nvml *lib, nvml_dev dev)
{
	int (*listen)(nvml_dev, unsigned long long, nvml_set);
	int (*create)(nvml_set *);
	nvml_set set = NULL;

	if (!nvml_symbol(lib, "nvmlEventSetCreate", &create) ||
	    !nvml_symbol(lib, "nvmlDeviceRegisterEvents", &listen) ||
	    create(&set) != NVML_OK)
		return NULL;
	if (listen(dev, NVML_EVENT_XID, set) == NVML_OK)
		return set;
	nvml_event_close(lib, set);
	return NULL;
}

size_t nvml_event_read(const struct nvml *lib, nvml_set set, int64_t *ret,
                       size_t room)
{
	int (*wait)(nvml_set, struct nvml_event *, unsigned);
	struct nvml_event e = { .type = 0 };
	size_t n = 0;

	if (!set || !nvml_symbol(lib, "nvmlEventSetWait_v2", &wait))
		return 0;
	while (n < room && wait(set, &e, WAIT_MS) == NVML_OK)
		if (e.type == NVML_EVENT_XID && e.data <= INT32_MAX)
			ret[n++] = (int64_t)e.data;
	return n;
}

void nvml_event_close(const struct nvml *lib, nvml_set set)
{
	int (*end)(nvml_set);

	if (set && nvml_symbol(lib, "nvmlEventSetFree", &end))
		(void)end(set);
}
