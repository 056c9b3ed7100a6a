// SPDX-License-Identifier: Apache-2.0
// Names of what is looked at of a GPU while it works.
#include "topo/model/gpu_value.h"

#include <stdio.h>

#define MOMENT 0u
#define COUNT 1u
#define ERROR 3u /* a count, too */

static const struct {
	const char *name;
	unsigned kind;
} values[GPU_VALUE_COUNT] = {
	[GPU_TEMPERATURE] = { "temperature_C", MOMENT },
	[GPU_MEMORY_TEMPERATURE] = { "memory_temperature_C", MOMENT },
	[GPU_POWER] = { "power_mW", MOMENT },
	[GPU_CLOCK_SM] = { "clock_sm_MHz", MOMENT },
	[GPU_CLOCK_MEMORY] = { "clock_memory_MHz", MOMENT },
	[GPU_CLOCK_EVENTS] = { "clock_events", MOMENT },
	[GPU_PCIE_REPLAYS] = { "pcie_replays", ERROR },
	[GPU_PCIE_TX] = { "pcie_tx_bytes", COUNT },
	[GPU_PCIE_RX] = { "pcie_rx_bytes", COUNT },
	[GPU_ECC_CORRECTED] = { "ecc_corrected", ERROR },
	[GPU_ECC_UNCORRECTED] = { "ecc_uncorrected", ERROR },
	[GPU_REMAPPED] = { "remapped_rows", ERROR },
	[GPU_LINK_REPLAYS] = { "nvlink_replays", ERROR },
	[GPU_LINK_RECOVERIES] = { "nvlink_recoveries", ERROR },
	[GPU_LINK_CRC] = { "nvlink_crc_errors", ERROR },
	[GPU_XIDS] = { "xids", ERROR },
};

static bool is_value(unsigned id)
{
	return id > GPU_VALUE_NONE && id < GPU_VALUE_COUNT;
}

const char *gpu_value_name(unsigned id)
{
	return is_value(id) ? values[id].name : "?";
}

bool gpu_value_is_count(unsigned id)
{
	return is_value(id) && values[id].kind & COUNT;
}

bool gpu_value_is_error(unsigned id)
{
	return is_value(id) && values[id].kind == ERROR;
}

bool gpu_value_of_link(unsigned id)
{
	return id >= GPU_LINK_FIRST && id < GPU_LINK_FIRST + GPU_LINK_VALUES;
}

char *gpu_events_words(int64_t events, char *buf, size_t size)
{
	static const struct {
		int64_t bit;
		const char *word;
	} reasons[] = {
		{ GPU_EVENT_POWER_CAP, "power cap" },
		{ GPU_EVENT_SLOWDOWN, "hardware slowdown" },
		{ GPU_EVENT_HEAT, "heat, by the driver" },
		{ GPU_EVENT_HEAT_HW, "heat, by the hardware" },
		{ GPU_EVENT_BRAKE, "power brake" },
	};
	size_t used = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < sizeof(reasons) / sizeof(*reasons); i++) {
		if (events & reasons[i].bit && used < size)
			used += (size_t)snprintf(buf + used, size - used,
			                         "%s%s", used ? ", " : "",
			                         reasons[i].word);
	}
	return buf;
}
