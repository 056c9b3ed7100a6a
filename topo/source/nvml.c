// SPDX-License-Identifier: Apache-2.0
// Reads GPUs by NVML. In workers only: its driver may hang.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topo/base/fmt.h"
#include "topo/source/nvml_lib.h"
#include "topo/source/pci_kind.h"
#include "topo/source/sysfs.h"

#define VENDOR_NVIDIA 0x10de

/* All that answer. */
struct gpus {
	struct nvml_gpu *rows;
	size_t n;
	bool part; /* the bus has more */
};

static void put_versions(const struct nvml *lib, struct reading_pen *pen)
{
	static const struct {
		const char *symbol, *name;
	} rows[] = {
		{ "nvmlSystemGetDriverVersion", "driver.nvidia" },
		{ "nvmlSystemGetNVMLVersion", "driver.nvml" },
	};
	int (*get_cuda)(int *);
	char text[NVML_TEXT_MAX];
	int cuda = 0;

	for (size_t i = 0; i < 2; i++) {
		int (*get)(char *, unsigned);

		memset(text, 0, sizeof(text));
		if (nvml_symbol(lib, rows[i].symbol, &get) &&
		    get(text, sizeof(text) - 1) == NVML_OK)
			reading_put_text(pen, rows[i].name, text);
	}
	if (nvml_symbol(lib, "nvmlSystemGetCudaDriverVersion_v2", &get_cuda) &&
	    get_cuda(&cuda) == NVML_OK && cuda > 0) {
		(void)snprintf(text, sizeof(text), "%d.%d", cuda / 1000,
		               cuda % 1000 / 10);
		reading_put_text(pen, "driver.cuda", text);
	}
}

static int find_bus(const struct nvml *lib, nvml_dev dev,
                    char bus_id[static MAP_BUS_MAX])
{
	int (*get)(nvml_dev, struct nvml_pci *);
	struct nvml_pci pci = { .domain = 0 };
	int code;

	if (!nvml_symbol(lib, "nvmlDeviceGetPciInfo_v3", &get))
		return NVML_FUNCTION_NOT_FOUND;
	code = get(dev, &pci);
	pci.bus_id[sizeof(pci.bus_id) - 1] = '\0';
	if (code == NVML_OK && !map_bus_id(pci.bus_id, bus_id))
		code = NVML_INVALID_ARGUMENT;
	return code;
}

/* One that is not in the PCI tree, or of a host without one, has a function
 * of its own. */
static enum fp_status add_gpu(struct topo_map *map, const struct nvml_gpu *gpu,
                              int32_t *ret, struct fp_err *err)
{
	struct map_pci *pci;
	struct map_gpu *row;
	enum fp_status status = topo_map_add_pci(map, &pci, err);

	if (status != FP_OK)
		return status;
	memcpy(pci->bus_id, gpu->bus_id, sizeof(pci->bus_id));
	status = topo_map_add_gpu(map, &row, err);
	if (status != FP_OK)
		return status;
	row->pci = (int32_t)map->n_pcis - 1;
	*ret = (int32_t)map->n_gpus - 1;
	return FP_OK;
}

static int32_t find_gpu(const struct topo_map *map, const char *bus_id)
{
	int32_t pci = topo_map_find_pci(map, bus_id);

	for (size_t i = 0; pci >= 0 && i < map->n_gpus; i++) {
		if (map->gpus[i].pci == pci)
			return (int32_t)i;
	}
	return -1;
}

/* What the readings say, for the drawing. */
static void fill_gpu(struct map_gpu *row, const struct nvml_gpu *gpu,
                     const struct readings *readings)
{
	const char *bus = gpu->bus_id;

	if (!gpu->part)
		row->index = gpu->index;
	fp_copy(row->name, sizeof(row->name),
	        readings_get_text(readings, bus, "gpu.name"));
	fp_copy(row->uuid, sizeof(row->uuid),
	        readings_get_text(readings, bus, "gpu.uuid"));
	row->mig = readings_get_int(readings, bus, "gpu.mig", 0) == 1;
	row->sm = (int32_t)readings_get_int(readings, bus, "gpu.sm", -1);
}

static enum fp_status take_gpu(const struct nvml *lib, struct live *live,
                               struct nvml_gpu *gpu, bool mapped,
                               struct fp_err *err)
{
	struct reading_pen pen = live_pen(live, READ_NVML, gpu->bus_id, err);
	enum fp_status status = FP_OK;

	gpu->gpu = find_gpu(live->map, gpu->bus_id);
	if (gpu->gpu < 0 && mapped)
		status = add_gpu(live->map, gpu, &gpu->gpu, err);
	if (status != FP_OK)
		return status;
	nvml_put_device(lib, gpu, &pen);
	nvml_put_health(lib, gpu, &pen);
	if (gpu->gpu >= 0)
		fill_gpu(&live->map->gpus[gpu->gpu], gpu, live->readings);
	status = nvml_links(lib, gpu, live, err);
	return status == FP_OK ? pen.status : status;
}

static unsigned count_gpus(const struct nvml *lib)
{
	int (*get)(unsigned *);
	unsigned n = 0;

	return nvml_symbol(lib, "nvmlDeviceGetCount_v2", &get) &&
	                       get(&n) == NVML_OK && n < MAP_DEVICES_MAX
	               ? n
	               : 0;
}

/* A GPU that is lost has no address that could be asked for. */
static void put_lost(const struct nvml *lib, struct live *live, unsigned i,
                     int code)
{
	char device[READING_NAME_MAX];
	struct reading_pen pen;

	(void)snprintf(device, sizeof(device), "gpu%u", i);
	pen = live_pen(live, READ_NVML, device, NULL);
	reading_put_skip(&pen, "gpu.name", "NVML: %s (%d)",
	                 nvml_error(lib, code), code);
}

static bool is_on_bus(int root_fd, const char *name)
{
	struct sysfs_dir dir =
		sysfs_dir(root_fd, "sys/bus/pci/devices/%s", name);
	const struct map_pci pci = {
		.class_code = sysfs_dir_hex(&dir, "class", PCI_CLASS_MAX),
		.vendor = sysfs_dir_hex(&dir, "vendor", PCI_ID_MAX),
	};

	return pci.vendor == VENDOR_NVIDIA && pci_is_gpu(&pci);
}

/* GPUs that the bus has, whoever may use them; 0: nothing is told. */
static size_t count_on_bus(int root_fd)
{
	size_t n = 0, found = 0;
	struct fp_err err = { 0 };
	char **names;

	if (sysfs_list(root_fd, "sys/bus/pci/devices", MAP_PCIS_MAX, &names, &n,
	               &err) != FP_OK)
		return 0;
	for (size_t i = 0; i < n; i++)
		found += is_on_bus(root_fd, names[i]);
	sysfs_list_free(names, n);
	return found;
}

/* Which GPUs this process sees: tasks may have only their own. */
static void put_view(const struct gpus *gpus, struct live *live)
{
	struct reading_pen pen = live_pen(live, READ_NVML, "", NULL);
	struct fp_text text = { 0 };

	for (size_t i = 0; i < gpus->n; i++)
		fp_text_printf(&text, "%s%s", i ? " " : "",
		               gpus->rows[i].bus_id);
	if (gpus->n)
		reading_put_text(&pen, "nvml.gpus", fp_text_str(&text));
	fp_text_free(&text);
}

static enum fp_status take_all(const struct nvml *lib, struct live *live,
                               struct gpus *gpus, struct fp_err *err)
{
	bool mapped = live->map->n_numas > 0; /* this process reads the host */
	int (*get)(unsigned, nvml_dev *);
	enum fp_status status = FP_OK;
	unsigned n = count_gpus(lib);
	size_t on_bus = count_on_bus(live->root_fd);

	/* One that sees all of them has nothing to add. */
	mapped |= n < on_bus || !on_bus;
	gpus->part = n < on_bus;

	gpus->rows = calloc(n + 1, sizeof(*gpus->rows));
	if (!gpus->rows)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for %u GPUs",
		                  n);
	if (!nvml_symbol(lib, "nvmlDeviceGetHandleByIndex_v2", &get))
		return FP_OK;
	for (unsigned i = 0; i < n && status == FP_OK; i++) {
		struct nvml_gpu *gpu = &gpus->rows[gpus->n];
		int code = get(i, &gpu->dev);

		gpu->index = (int32_t)i;
		gpu->part = gpus->part;
		if (code == NVML_OK)
			code = find_bus(lib, gpu->dev, gpu->bus_id);
		if (code != NVML_OK) {
			put_lost(lib, live, i, code);
			continue;
		}
		gpus->n++;
		status = take_gpu(lib, live, gpu, mapped, err);
	}
	return status;
}

static enum fp_status read_nvml(struct live *live, struct fp_err *err)
{
	struct reading_pen pen = live_pen(live, READ_NVML, "", err);
	struct nvml lib = { .handle = NULL };
	struct gpus gpus = { .n = 0 };
	struct fp_err why = { 0 };
	enum fp_status status;

	if (nvml_open(NVML_LIBRARY, &lib, &why) != FP_OK) {
		reading_put_skip(&pen, "driver.nvml", "%s", why.text);
		return pen.status;
	}
	put_versions(&lib, &pen);
	status = take_all(&lib, live, &gpus, err);
	if (status == FP_OK)
		status = nvml_pairs(&lib, gpus.rows, gpus.n, live->map, err);
	put_view(&gpus, live);
	free(gpus.rows);
	nvml_close(&lib);
	return status == FP_OK ? pen.status : status;
}

const struct live_ops live_nvml_ops = {
	.name = "nvml",
	.help = "GPUs, NVLinks, peer access, clocks and errors, by NVML",
	.where = LIVE_DRIVER,
	.read = read_nvml,
};
