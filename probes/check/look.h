/* SPDX-License-Identifier: Apache-2.0 */
/* A host with its readings at hand: by device and name, and by device. */
#ifndef FP_PROBES_CHECK_LOOK_H
#define FP_PROBES_CHECK_LOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "topo/model/model.h"
#include "topo/model/model_map.h"
#include "topo/reading/reading.h"

/** enum check_kind - what readings there are of a device; bits. */
enum check_kind {
	KIND_PCI = 1u << 0,
	KIND_GPU = 1u << 1,
	KIND_NVLINK = 1u << 2,
	KIND_HCA = 1u << 3,
	KIND_PORT = 1u << 4,
	KIND_NETDEV = 1u << 5,
	KIND_KMSG = 1u << 6,
};

/** struct check_device - one that readings speak of. */
struct check_device {
	const char *name;
	uint32_t kinds; /* enum check_kind */
};

/** struct check_slot - where a reading is. @row: from 1; 0: free. */
struct check_slot {
	uint32_t row, hash;
};

/** struct check_host - a host of the job, for the time of the checks. */
struct check_host {
	const struct topo_host *host;
	const struct readings *set;
	struct check_device *devices;
	size_t n_devices;
	struct check_slot *slots; /* by the hash of the key */
	size_t n_slots;           /* a power of two; 0: no readings */
	bool shares;              /* devices and slots are the first host's */
	size_t n_ranks;           /* on it */
};

/**
 * check_hosts_make() - of all hosts of @job, which is borrowed.
 *
 * Return: an array for check_hosts_done(), or NULL without memory.
 */
struct check_host *check_hosts_make(const struct topo_job *job);

/** check_hosts_done() - free; takes NULL. */
void check_hosts_done(struct check_host *hosts, size_t n);

/**
 * look_get() - the first reading of that device and name.
 *
 * Return: false if there is none, or it is a skip; a skip is given, too, and
 * then ret->kind is READING_SKIP.
 */
bool look_get(const struct check_host *host, const char *device,
              const char *name, struct reading *ret);

/** look_int() - the whole number, or @none. */
int64_t look_int(const struct check_host *host, const char *device,
                 const char *name, int64_t none);

/** look_text() - the text, or "". */
const char *look_text(const struct check_host *host, const char *device,
                      const char *name);

/** look_was_read() - was the host itself read, so that what is not among its
 * readings is not there? */
bool look_was_read(const struct check_host *host);

/** look_is_virtual() - is it known to be a virtual machine? */
bool look_is_virtual(const struct check_host *host);

#define LOOK_NAME_MAX 64

/**
 * look_gpu_name() - "GPU2 (0000:53:00.0)", as far as is known, of the GPU at
 * PCI address @device.
 *
 * Return: @buf.
 */
char *look_gpu_name(const struct check_host *host, const char *device,
                    char buf[static LOOK_NAME_MAX]);

/** look_gpu_place() - the same of GPU @gpu of the map. Return: @buf. */
char *look_gpu_place(const struct check_host *host, size_t gpu,
                     char buf[static LOOK_NAME_MAX]);

/** look_count() - devices that have readings of @kind. */
size_t look_count(const struct check_host *host, uint32_t kind);

/** look_gpus() - GPUs of the host, as map or readings know more of them. */
size_t look_gpus(const struct check_host *host);

/** look_hcas() - HCAs of the host, likewise. */
size_t look_hcas(const struct check_host *host);

#endif
