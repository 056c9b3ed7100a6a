/* SPDX-License-Identifier: Apache-2.0 */
/* What libnvidia-ml's double exports; each is NVML's own prototype, with int
 * for nvmlReturn_t. */
#ifndef FP_TESTS_DOUBLES_NVML_CALLS_H
#define FP_TESTS_DOUBLES_NVML_CALLS_H

#include "tests/doubles/path.h"
#include "topo/source/nvml_abi.h"

#define NVML_LOST 15
#define NVML_NOT_FOUND 6
#define NVML_DRIVER_NOT_LOADED 9

typedef unsigned long long nvml_ull;

struct nvml_device {
	struct fpd_end at;
};

/** nvml_end() - where a device is; its code if it cannot be asked. */
int nvml_end(nvml_dev dev, struct fpd_end *ret);

/** nvml_count() - a counter that a fault moves: @call names it. */
nvml_ull nvml_count(struct fpd_end at, const char *call);

const char *nvmlErrorString(int code);
int nvmlInit_v2(void);
int nvmlShutdown(void);
int nvmlSystemGetDriverVersion(char *text, unsigned size);
int nvmlSystemGetNVMLVersion(char *text, unsigned size);
int nvmlSystemGetCudaDriverVersion_v2(int *version);
int nvmlDeviceGetCount_v2(unsigned *count);
int nvmlDeviceGetHandleByIndex_v2(unsigned index, nvml_dev *ret);
int nvmlDeviceGetHandleByPciBusId_v2(const char *bus, nvml_dev *ret);
int nvmlDeviceGetIndex(nvml_dev dev, unsigned *index);
int nvmlDeviceGetMinorNumber(nvml_dev dev, unsigned *minor);
int nvmlDeviceGetPciInfo_v3(nvml_dev dev, struct nvml_pci *ret);
int nvmlDeviceGetName(nvml_dev dev, char *text, unsigned size);
int nvmlDeviceGetUUID(nvml_dev dev, char *text, unsigned size);
int nvmlDeviceGetSerial(nvml_dev dev, char *text, unsigned size);
int nvmlDeviceGetCudaComputeCapability(nvml_dev dev, int *major, int *minor);
int nvmlDeviceGetTopologyCommonAncestor(nvml_dev a, nvml_dev b,
                                        unsigned *level);
int nvmlDeviceGetP2PStatus(nvml_dev a, nvml_dev b, int caps, unsigned *status);
int nvmlDeviceGetNvLinkState(nvml_dev dev, unsigned link, unsigned *active);
int nvmlDeviceGetNvLinkVersion(nvml_dev dev, unsigned link, unsigned *version);
int nvmlDeviceGetNvLinkCapability(nvml_dev dev, unsigned link, int cap,
                                  unsigned *value);
int nvmlDeviceGetNvLinkRemoteDeviceType(nvml_dev dev, unsigned link,
                                        unsigned *type);
int nvmlDeviceGetNvLinkRemotePciInfo_v2(nvml_dev dev, unsigned link,
                                        struct nvml_pci *ret);
int nvmlDeviceGetNvLinkErrorCounter(nvml_dev dev, unsigned link, int counter,
                                    nvml_ull *value);
int nvmlDeviceGetFieldValues(nvml_dev dev, int n,
                             struct nvml_field_value *values);
int nvmlDeviceGetCurrPcieLinkGeneration(nvml_dev dev, unsigned *gen);
int nvmlDeviceGetCurrPcieLinkWidth(nvml_dev dev, unsigned *width);
int nvmlDeviceGetMaxPcieLinkGeneration(nvml_dev dev, unsigned *gen);
int nvmlDeviceGetMaxPcieLinkWidth(nvml_dev dev, unsigned *width);
int nvmlDeviceGetGpuMaxPcieLinkGeneration(nvml_dev dev, unsigned *gen);
int nvmlDeviceGetPcieReplayCounter(nvml_dev dev, unsigned *count);
int nvmlDeviceGetCurrentClocksEventReasons(nvml_dev dev, nvml_ull *bits);
int nvmlDeviceGetEccMode(nvml_dev dev, int *now, int *pending);
int nvmlDeviceGetTotalEccErrors(nvml_dev dev, int type, int counter,
                                nvml_ull *count);
int nvmlDeviceGetRemappedRows(nvml_dev dev, unsigned *corrected,
                              unsigned *uncorrected, unsigned *pending,
                              unsigned *failed);
int nvmlDeviceGetGpuFabricInfoV(nvml_dev dev, struct nvml_fabric *ret);
int nvmlDeviceGetMigMode(nvml_dev dev, unsigned *now, unsigned *pending);
int nvmlDeviceGetPersistenceMode(nvml_dev dev, int *on);
int nvmlDeviceGetComputeMode(nvml_dev dev, int *mode);
int nvmlDeviceGetTemperature(nvml_dev dev, int sensor, unsigned *celsius);
int nvmlDeviceGetPowerUsage(nvml_dev dev, unsigned *mw);
int nvmlDeviceGetEnforcedPowerLimit(nvml_dev dev, unsigned *mw);
int nvmlDeviceGetClockInfo(nvml_dev dev, int type, unsigned *mhz);
int nvmlDeviceGetMaxClockInfo(nvml_dev dev, int type, unsigned *mhz);
int nvmlEventSetCreate(nvml_set *ret);
int nvmlEventSetFree(nvml_set set);
int nvmlEventSetWait_v2(nvml_set set, struct nvml_event *ret, unsigned ms);
int nvmlDeviceRegisterEvents(nvml_dev dev, nvml_ull types, nvml_set set);
int nvmlDeviceGetUtilizationRates(nvml_dev dev, struct nvml_utilization *ret);
int nvmlDeviceGetMemoryInfo(nvml_dev dev, struct nvml_memory *ret);
int nvmlDeviceGetComputeRunningProcesses_v3(nvml_dev dev, unsigned *n,
                                            struct nvml_process *processes);

#endif
