/* SPDX-License-Identifier: Apache-2.0 */
/* What a GPU reports of itself while it works: its Xids, as they come. */
#ifndef FP_TOPO_SOURCE_NVML_EVENT_H
#define FP_TOPO_SOURCE_NVML_EVENT_H

#include <stddef.h>

#include "topo/source/nvml_lib.h"

/** nvml_event_open() - have the Xids of @dev collected from now on.
 * Return: the set, or NULL where this driver or GPU has no such events.
 * Undo with nvml_event_close(). */
nvml_set nvml_event_open(const struct nvml *lib, nvml_dev dev);

/** nvml_event_read() - take out the Xids that have come. Waits a millisecond
 * for each at most; may hang in the driver, as all of NVML.
 * Return: how many of @ret[@room] were filled. */
size_t nvml_event_read(const struct nvml *lib, nvml_set set, int64_t *ret,
                       size_t room);

/** nvml_event_close() - takes NULL. */
void nvml_event_close(const struct nvml *lib, nvml_set set);

#endif
