/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is looked at of a GPU while it works: how warm and fast it is, and how
 * many errors its links and memory have counted.
 */
#ifndef FP_TOPO_MODEL_GPU_VALUE_H
#define FP_TOPO_MODEL_GPU_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GPU_LINKS_MAX 36 /* NVLinks of a GPU, as NVML counts them */

/** enum gpu_value - its unit is in its name; see gpu_value_name(). */
enum gpu_value {
	GPU_VALUE_NONE,
	/* as it is at a moment */
	GPU_TEMPERATURE,
	GPU_MEMORY_TEMPERATURE,
	GPU_POWER,
	GPU_CLOCK_SM,
	GPU_CLOCK_MEMORY,
	GPU_CLOCK_EVENTS, /* enum gpu_clock_event: why clocks are not higher */
	/* counters: what matters is by how much they rise */
	GPU_PCIE_REPLAYS,
	GPU_PCIE_TX,
	GPU_PCIE_RX,
	GPU_ECC_CORRECTED,
	GPU_ECC_UNCORRECTED,
	GPU_REMAPPED, /* rows of memory that were replaced */
	/* of one NVLink */
	GPU_LINK_REPLAYS,
	GPU_LINK_RECOVERIES,
	GPU_LINK_CRC,
	GPU_XIDS, /* events of one Xid number, in the place of a link */
	GPU_VALUE_COUNT
};
#define GPU_LINK_FIRST GPU_LINK_REPLAYS
#define GPU_LINK_VALUES (GPU_XIDS - GPU_LINK_FIRST)
#define GPU_XID_MAX 1023

/** enum gpu_clock_event - bits of NVML's clocks event reasons (nvml.h, API 13)
 * that are not a GPU's ordinary life. */
enum gpu_clock_event {
	GPU_EVENT_POWER_CAP = 0x4,
	GPU_EVENT_SLOWDOWN = 0x8, /* by the hardware */
	GPU_EVENT_HEAT = 0x20,    /* by the driver */
	GPU_EVENT_HEAT_HW = 0x40, /* by the hardware */
	GPU_EVENT_BRAKE = 0x80    /* of power, from outside */
};
#define GPU_EVENTS_HEAT (GPU_EVENT_HEAT | GPU_EVENT_HEAT_HW)
#define GPU_EVENTS_HARDWARE (GPU_EVENT_SLOWDOWN | GPU_EVENT_BRAKE)

/** gpu_value_name() - "temperature_C"; "?" for none. */
const char *gpu_value_name(unsigned id);

/** gpu_value_is_count() - does it only ever rise? */
bool gpu_value_is_count(unsigned id);

/** gpu_value_is_error() - a counter that does not move in a healthy GPU? */
bool gpu_value_is_error(unsigned id);

/** gpu_value_of_link() - is it of one NVLink? */
bool gpu_value_of_link(unsigned id);

/** gpu_events_words() - "heat, by the hardware, power brake"; "" for none.
 * Return: @buf, cut to @size. */
char *gpu_events_words(int64_t events, char *buf, size_t size);

/** struct gpu_sample - a GPU at a moment; -1: not known. */
struct gpu_sample {
	int64_t value[GPU_VALUE_COUNT];
	int64_t link[GPU_LINK_VALUES][GPU_LINKS_MAX];
};

#endif
