/* SPDX-License-Identifier: Apache-2.0 */
/* A GPU as NVML sees it at a moment, again and again. */
#ifndef FP_TOPO_SOURCE_NVML_SAMPLE_H
#define FP_TOPO_SOURCE_NVML_SAMPLE_H

#include "topo/model/gpu_value.h"
#include "topo/source/nvml_lib.h"

/**
 * nvml_sample_find() - the device at @bus_id ("0000:1b:00.0").
 *
 * Return: FP_OK; FP_ERR_LIB with NVML's words.
 */
enum fp_status nvml_sample_find(const struct nvml *lib, const char *bus_id,
                                nvml_dev *ret, struct fp_err *err);

/**
 * nvml_sample_read() - all that it says now. May hang in the driver: only
 * where nobody waits without a deadline.
 */
void nvml_sample_read(const struct nvml *lib, nvml_dev dev,
                      struct gpu_sample *ret);

#endif
