/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NVML, loaded when it is there. A symbol that its version does not have is
 * as one that the GPU does not support.
 */
#ifndef FP_TOPO_SOURCE_NVML_LIB_H
#define FP_TOPO_SOURCE_NVML_LIB_H

#include "topo/base/status.h"
#include "topo/source/live.h"
#include "topo/source/nvml_abi.h"

/** struct nvml - the library. */
struct nvml {
	void *handle;
	const char *(*error_string)(int code); /* NULL: it has none */
};

/**
 * nvml_open() - load @file and initialise it. May hang in the driver: for
 * workers.
 *
 * Return: FP_OK; FP_ERR_NOTSUP with the loader's message if it is not there;
 * FP_ERR_LIB with NVML's if it refuses. Undo with nvml_close().
 */
enum fp_status nvml_open(const char *file, struct nvml *ret,
                         struct fp_err *err);

/** nvml_close() - takes one that was never opened. */
void nvml_close(struct nvml *lib);

/** nvml_error() - the library's words for @code. */
const char *nvml_error(const struct nvml *lib, int code);

/**
 * nvml_symbol() - the function @name, through *@fn, a pointer to a pointer to
 * a function.
 *
 * Return: false, and *@fn NULL, if there is none.
 */
bool nvml_symbol(const struct nvml *lib, const char *name, void *fn);

/** struct nvml_gpu - a device that answers. */
struct nvml_gpu {
	nvml_dev dev;
	int32_t index;            /* in NVML */
	int32_t gpu;              /* in the map; -1 */
	char bus_id[MAP_BUS_MAX]; /* as sysfs has it */
	bool part;                /* of a view in which GPUs are missing */
};

/** nvml_put_device() - the readings of one GPU. */
void nvml_put_device(const struct nvml *lib, const struct nvml_gpu *gpu,
                     struct reading_pen *pen);

/** nvml_put_health() - its errors, memory, processes and fabric. */
void nvml_put_health(const struct nvml *lib, const struct nvml_gpu *gpu,
                     struct reading_pen *pen);

/**
 * nvml_links() - its NVLinks into the map, and what is wrong with them into
 * readings: a GPU that is not in the map has readings only.
 */
enum fp_status nvml_links(const struct nvml *lib, const struct nvml_gpu *gpu,
                          struct live *live, struct fp_err *err);

/** nvml_pairs() - peer access of all pairs, and where no tree says how they
 * reach one another, that. */
enum fp_status nvml_pairs(const struct nvml *lib, const struct nvml_gpu *gpus,
                          size_t n, struct topo_map *map, struct fp_err *err);

/** nvml_put_code() - @name could not be read for the reason @code; nothing if
 * it is only that this GPU does not have it. */
void nvml_put_code(const struct nvml *lib, struct reading_pen *pen,
                   const char *name, int code);

/** nvml_read_field() - a field as a whole number. Return: enum nvml_return. */
int nvml_read_field(const struct nvml *lib, nvml_dev dev, uint32_t field,
                    uint32_t scope, int64_t *ret);

#endif
