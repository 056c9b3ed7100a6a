// SPDX-License-Identifier: Apache-2.0
// What NVML says of a GPU at a moment: gauges, and counters of errors.
#include "topo/source/nvml_sample.h"

#include <string.h>

#define ROWS(table) (sizeof(table) / sizeof((table)[0]))

enum fp_status nvml_sample_find(const struct nvml *lib, const char *bus_id,
                                nvml_dev *ret, struct fp_err *err)
{
	int (*get)(const char *, nvml_dev *);
	int code;

	if (!nvml_symbol(lib, "nvmlDeviceGetHandleByPciBusId_v2", &get))
		return fp_err_set(err, FP_ERR_LIB,
		                  "NVML finds no device by its address");
	code = get(bus_id, ret);
	return code == NVML_OK
	               ? FP_OK
	               : fp_err_set(err, FP_ERR_LIB, "NVML: %s: %s (%d)",
	                            bus_id, nvml_error(lib, code), code);
}

/* Getters of one unsigned number, and those of a kind. */
static void read_numbers(const struct nvml *lib, nvml_dev dev,
                         struct gpu_sample *s)
{
	static const struct {
		const char *symbol;
		unsigned id;
	} rows[] = {
		{ "nvmlDeviceGetPowerUsage", GPU_POWER },
		{ "nvmlDeviceGetPcieReplayCounter", GPU_PCIE_REPLAYS },
	};
	static const struct {
		const char *symbol;
		unsigned id;
		int kind;
	} kinds[] = {
		{ "nvmlDeviceGetTemperature", GPU_TEMPERATURE, 0 },
		{ "nvmlDeviceGetClockInfo", GPU_CLOCK_SM, NVML_CLOCK_SM },
		{ "nvmlDeviceGetClockInfo", GPU_CLOCK_MEMORY,
		  NVML_CLOCK_MEMORY },
	};
	int (*get_kind)(nvml_dev, int, unsigned *);
	int (*get)(nvml_dev, unsigned *);
	unsigned value = 0;

	for (size_t i = 0; i < ROWS(rows); i++)
		if (nvml_symbol(lib, rows[i].symbol, &get) &&
		    get(dev, &value) == NVML_OK)
			s->value[rows[i].id] = value;
	for (size_t i = 0; i < ROWS(kinds); i++)
		if (nvml_symbol(lib, kinds[i].symbol, &get_kind) &&
		    get_kind(dev, kinds[i].kind, &value) == NVML_OK)
			s->value[kinds[i].id] = value;
}

/* Older drivers have the same bits by another name. */
static void read_events(const struct nvml *lib, nvml_dev dev,
                        struct gpu_sample *s)
{
	int (*get)(nvml_dev, unsigned long long *);
	unsigned long long bits = 0;

	if (!nvml_symbol(lib, "nvmlDeviceGetCurrentClocksEventReasons", &get) &&
	    !nvml_symbol(lib, "nvmlDeviceGetCurrentClocksThrottleReasons",
	                 &get))
		return;
	if (get(dev, &bits) == NVML_OK && bits <= INT64_MAX)
		s->value[GPU_CLOCK_EVENTS] = (int64_t)bits;
}

static void read_memory(const struct nvml *lib, nvml_dev dev,
                        struct gpu_sample *s)
{
	static const unsigned ids[] = {
		[NVML_ECC_CORRECTED] = GPU_ECC_CORRECTED,
		[NVML_ECC_UNCORRECTED] = GPU_ECC_UNCORRECTED,
	};
	int (*get_rows)(nvml_dev, unsigned *, unsigned *, unsigned *,
	                unsigned *);
	int (*get)(nvml_dev, int, int, unsigned long long *);
	unsigned corrected, uncorrected, pending, failed;
	unsigned long long value = 0;

	for (int i = 0; i < (int)ROWS(ids); i++)
		if (nvml_symbol(lib, "nvmlDeviceGetTotalEccErrors", &get) &&
		    get(dev, i, NVML_VOLATILE, &value) == NVML_OK &&
		    value <= INT64_MAX)
			s->value[ids[i]] = (int64_t)value;
	if (nvml_symbol(lib, "nvmlDeviceGetRemappedRows", &get_rows) &&
	    get_rows(dev, &corrected, &uncorrected, &pending, &failed) ==
	            NVML_OK)
		s->value[GPU_REMAPPED] = (int64_t)corrected + uncorrected;
}

static void read_fields(const struct nvml *lib, nvml_dev dev,
                        struct gpu_sample *s)
{
	static const struct {
		uint32_t field;
		unsigned id;
	} rows[] = {
		{ NVML_FIELD_MEMORY_TEMPERATURE, GPU_MEMORY_TEMPERATURE },
		{ NVML_FIELD_PCIE_TX, GPU_PCIE_TX },
		{ NVML_FIELD_PCIE_RX, GPU_PCIE_RX },
	};

	for (size_t i = 0; i < ROWS(rows); i++)
		(void)nvml_read_field(lib, dev, rows[i].field, 0,
		                      &s->value[rows[i].id]);
}

/* A generation has its counters by a call, the next by one set of fields, and
 * from NVLink 5 on by another. */
static void read_link(const struct nvml *lib, nvml_dev dev, unsigned link,
                      struct gpu_sample *s)
{
	static const struct {
		int counter;
		uint32_t fields[2]; /* 0: none */
	} rows[GPU_LINK_VALUES] = {
		{ NVML_LINK_REPLAY, { NVML_FIELD_LINK_REPLAYS, 0 } },
		{ NVML_LINK_RECOVERY,
		  { NVML_FIELD_LINK_RECOVERIES, NVML_FIELD_LINK5_RECOVERIES } },
		{ NVML_LINK_CRC,
		  { NVML_FIELD_LINK_CRC, NVML_FIELD_LINK5_ERRORS } },
	};
	int (*get)(nvml_dev, unsigned, int, unsigned long long *);
	bool call = nvml_symbol(lib, "nvmlDeviceGetNvLinkErrorCounter", &get);

	for (size_t i = 0; i < ROWS(rows); i++) {
		unsigned long long value = 0;

		if (call && get(dev, link, rows[i].counter, &value) == NVML_OK)
			s->link[i][link] = (int64_t)(value & INT64_MAX);
		for (size_t k = 0; k < 2 && s->link[i][link] < 0; k++)
			if (rows[i].fields[k])
				(void)nvml_read_field(lib, dev,
				                      rows[i].fields[k], link,
				                      &s->link[i][link]);
	}
}

static bool has_link(const struct nvml *lib, nvml_dev dev, unsigned link)
{
	int (*get)(nvml_dev, unsigned, unsigned *);
	unsigned active = 0;

	return nvml_symbol(lib, "nvmlDeviceGetNvLinkState", &get) &&
	       get(dev, link, &active) == NVML_OK;
}

void nvml_sample_read(const struct nvml *lib, nvml_dev dev,
                      struct gpu_sample *ret)
{
	memset(ret, 0xff, sizeof(*ret)); /* -1 */
	read_numbers(lib, dev, ret);
	read_events(lib, dev, ret);
	read_memory(lib, dev, ret);
	read_fields(lib, dev, ret);
	for (unsigned i = 0; i < NVML_LINKS_MAX && has_link(lib, dev, i); i++)
		read_link(lib, dev, i, ret);
}
