// SPDX-License-Identifier: Apache-2.0
// libnvidia-ml's double: NVLinks, PCIe, and how devices reach one another.
#include <stdio.h>
#include <string.h>

#include "tests/doubles/nvml_calls.h"

/* In MIG mode NVLinks are not to be asked about. */
static int link_end(nvml_dev dev, unsigned link, struct fpd_end *ret)
{
	int code = nvml_end(dev, ret);

	if (code != NVML_OK)
		return code;
	if (fpd_fault_find(FPD_MIG, ret->host, ret->gpu, NULL))
		return NVML_NOT_SUPPORTED;
	return link < fpd_world()->gpu.nvlinks ? NVML_OK
	                                       : NVML_INVALID_ARGUMENT;
}

int nvmlDeviceGetNvLinkState(nvml_dev dev, unsigned link, unsigned *active)
{
	struct fpd_end at;
	int code = link_end(dev, link, &at);

	if (code == NVML_OK)
		*active = link < fpd_nvlinks(at);
	return code;
}

int nvmlDeviceGetNvLinkVersion(nvml_dev dev, unsigned link, unsigned *version)
{
	struct fpd_end at;
	int code = link_end(dev, link, &at);

	if (code == NVML_OK)
		*version = fpd_world()->gpu.nvlink_version;
	return code;
}

int nvmlDeviceGetNvLinkCapability(nvml_dev dev, unsigned link, int cap,
                                  unsigned *value)
{
	struct fpd_end at;
	int code = link_end(dev, link, &at);

	if (code == NVML_OK)
		*value = cap != 4; /* all but SLI */
	return code;
}

int nvmlDeviceGetNvLinkRemoteDeviceType(nvml_dev dev, unsigned link,
                                        unsigned *type)
{
	struct fpd_end at;
	int code = link_end(dev, link, &at);

	if (code == NVML_OK)
		*type = NVML_REMOTE_SWITCH;
	return code;
}

int nvmlDeviceGetNvLinkRemotePciInfo_v2(nvml_dev dev, unsigned link,
                                        struct nvml_pci *ret)
{
	struct fpd_end at;
	int code = link_end(dev, link, &at);

	if (code != NVML_OK)
		return code;
	*ret = (struct nvml_pci){ .bus = 1 + link % 4,
		                  .pci_device = 0x22a310de };
	(void)snprintf(ret->bus_id, sizeof(ret->bus_id), "00000000:%02X:00.0",
	               1 + link % 4);
	return NVML_OK;
}

int nvmlDeviceGetNvLinkErrorCounter(nvml_dev dev, unsigned link, int counter,
                                    nvml_ull *value)
{
	static const char *const calls[] = { "nvlink-replay", "nvlink-recovery",
		                             "nvlink-crc" };
	struct fpd_end at;
	int code = link_end(dev, link, &at);

	if (code == NVML_OK && (counter < 0 || counter > 2))
		code = NVML_NOT_SUPPORTED;
	if (code == NVML_OK)
		*value = link == 0 ? nvml_count(at, calls[counter]) : 0;
	return code;
}

/* Two devices below a switch, four switches a socket. */
int nvmlDeviceGetTopologyCommonAncestor(nvml_dev a, nvml_dev b, unsigned *level)
{
	struct fpd_end x, y;
	int code = nvml_end(a, &x);

	if (code == NVML_OK)
		code = nvml_end(b, &y);
	if (code != NVML_OK)
		return code;
	*level = x.gpu == y.gpu           ? NVML_LEVEL_INTERNAL
	         : x.gpu / 4 == y.gpu / 4 ? NVML_LEVEL_NODE
	                                  : NVML_LEVEL_SYSTEM;
	return NVML_OK;
}

int nvmlDeviceGetP2PStatus(nvml_dev a, nvml_dev b, int caps, unsigned *status)
{
	struct fpd_end x, y;
	int code = nvml_end(a, &x);

	(void)caps;
	if (code == NVML_OK)
		code = nvml_end(b, &y);
	if (code == NVML_OK)
		*status = fpd_peer_ok(x, y) ? NVML_P2P_OK : NVML_P2P_CHIPSET;
	return code;
}

static int put(nvml_dev dev, unsigned *ret, unsigned value)
{
	struct fpd_end at;
	int code = nvml_end(dev, &at);

	if (code == NVML_OK)
		*ret = value;
	return code;
}

int nvmlDeviceGetCurrPcieLinkGeneration(nvml_dev dev, unsigned *gen)
{
	return put(dev, gen, fpd_world()->gpu.pcie_gen);
}

int nvmlDeviceGetMaxPcieLinkGeneration(nvml_dev dev, unsigned *gen)
{
	return put(dev, gen, fpd_world()->gpu.pcie_gen);
}

int nvmlDeviceGetGpuMaxPcieLinkGeneration(nvml_dev dev, unsigned *gen)
{
	return put(dev, gen, fpd_world()->gpu.pcie_gen);
}

int nvmlDeviceGetMaxPcieLinkWidth(nvml_dev dev, unsigned *width)
{
	return put(dev, width, fpd_world()->gpu.pcie_width);
}

int nvmlDeviceGetCurrPcieLinkWidth(nvml_dev dev, unsigned *width)
{
	struct fpd_end at;
	int code = nvml_end(dev, &at);

	if (code == NVML_OK)
		*width = fpd_pcie_width(at);
	return code;
}

int nvmlDeviceGetPcieReplayCounter(nvml_dev dev, unsigned *count)
{
	struct fpd_end at;
	int code = nvml_end(dev, &at);

	if (code == NVML_OK)
		*count = (unsigned)nvml_count(at, "pcie-replay");
	return code;
}

static void field_put(struct nvml_field_value *v, uint32_t value)
{
	v->type = NVML_VALUE_UINT;
	v->value.ull = 0;
	v->value.ui = value;
	v->status = NVML_OK;
}

static void field_read(struct fpd_end at, struct nvml_field_value *v)
{
	const struct fpd_gpu *g = &fpd_world()->gpu;
	bool link = v->scope < g->nvlinks &&
	            !fpd_fault_find(FPD_MIG, at.host, at.gpu, NULL);

	v->status = NVML_NOT_SUPPORTED;
	if (v->field == NVML_FIELD_LINK_SPEED && link)
		/* raw, of which 94.12 % is payload on NVLink 4 */
		field_put(v, (uint32_t)(g->nvlink_Bps / 1e6 / 0.776));
	else if (v->field == NVML_FIELD_LINK_STATE && link)
		field_put(v, v->scope < fpd_nvlinks(at));
	else if (v->field == NVML_FIELD_MEMORY_TEMPERATURE)
		field_put(v, 52);
	else if (v->field == NVML_FIELD_RECOVERY)
		field_put(v, 0);
}

int nvmlDeviceGetFieldValues(nvml_dev dev, int n,
                             struct nvml_field_value *values)
{
	struct fpd_end at;
	int code = nvml_end(dev, &at);

	for (int i = 0; i < n && code == NVML_OK; i++)
		field_read(at, &values[i]);
	return code;
}
