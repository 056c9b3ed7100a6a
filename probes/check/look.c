// SPDX-License-Identifier: Apache-2.0
// An index over the readings of each host.
#include "probes/check/look.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topo/base/fmt.h"

/* FNV-1a over both texts and the NUL between them. */
static uint32_t hash_text(uint32_t hash, const char *text)
{
	do
		hash = (hash ^ (unsigned char)*text) * 16777619u;
	while (*text++);
	return hash;
}

static uint32_t hash_key(const char *device, const char *name)
{
	return hash_text(hash_text(2166136261u, device), name);
}

static uint32_t kind_of(const char *name)
{
	static const struct {
		const char *prefix;
		uint32_t kind;
	} rows[] = {
		{ "pcie.", KIND_PCI },      { "gpu.", KIND_GPU },
		{ "nvlink.", KIND_NVLINK }, { "hca.", KIND_HCA },
		{ "port.", KIND_PORT },     { "netdev.", KIND_NETDEV },
		{ "kmsg.", KIND_KMSG },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (strncmp(name, rows[i].prefix, strlen(rows[i].prefix)) == 0)
			return rows[i].kind;
	}
	return 0;
}

static bool same_key(const struct reading *r, const char *device,
                     const char *name)
{
	return strcmp(r->name, name) == 0 && strcmp(r->device, device) == 0;
}

/* The slot of that key, or the free one where it would be. */
static size_t slot_find(const struct check_host *host, const char *device,
                        const char *name)
{
	uint32_t hash = hash_key(device, name);
	size_t at = hash & (host->n_slots - 1);

	for (; host->slots[at].row; at = (at + 1) & (host->n_slots - 1)) {
		struct reading r;

		if (host->slots[at].hash != hash)
			continue;
		r = readings_at(host->set, host->slots[at].row - 1);
		if (same_key(&r, device, name))
			break;
	}
	return at;
}

/* Rows of a device follow one another for the most part. */
static struct check_device *device_find(struct check_host *host,
                                        const char *name)
{
	for (size_t i = host->n_devices; i > 0; i--) {
		if (strcmp(host->devices[i - 1].name, name) == 0)
			return &host->devices[i - 1];
	}
	host->devices[host->n_devices] = (struct check_device){ .name = name };
	return &host->devices[host->n_devices++];
}

static bool host_index(struct check_host *host)
{
	size_t n = readings_count(host->set), at;

	if (!n)
		return true;
	for (host->n_slots = 16; host->n_slots < 2 * n; host->n_slots *= 2)
		;
	host->slots = calloc(host->n_slots, sizeof(*host->slots));
	host->devices = calloc(n, sizeof(*host->devices));
	if (!host->slots || !host->devices)
		return false;
	for (size_t i = 0; i < n; i++) {
		struct reading r = readings_at(host->set, i);

		at = slot_find(host, r.device, r.name);
		if (!host->slots[at].row)
			host->slots[at] = (struct check_slot){
				(uint32_t)i + 1, hash_key(r.device, r.name)
			};
		device_find(host, r.device)->kinds |= kind_of(r.name);
	}
	return true;
}

/* Sets that share their keys have the same index. */
static bool host_shares(const struct check_host *first, struct check_host *host)
{
	const struct readings *base = readings_base(host->set);

	if (!base || base != first->set ||
	    readings_count(base) != readings_count(host->set))
		return false;
	host->devices = first->devices;
	host->n_devices = first->n_devices;
	host->slots = first->slots;
	host->n_slots = first->n_slots;
	host->shares = true;
	return true;
}

struct check_host *check_hosts_make(const struct topo_job *job)
{
	struct check_host *hosts = calloc(job->n_hosts + 1, sizeof(*hosts));
	bool good = hosts;

	for (size_t i = 0; good && i < job->n_hosts; i++) {
		hosts[i].host = &job->hosts[i];
		hosts[i].set = job->hosts[i].readings;
		good = host_shares(&hosts[0], &hosts[i]) ||
		       host_index(&hosts[i]);
	}
	for (size_t i = 0; good && i < job->n_ranks; i++) {
		if (job->ranks[i].host >= 0)
			hosts[job->ranks[i].host].n_ranks++;
	}
	if (good)
		return hosts;
	check_hosts_done(hosts, job->n_hosts);
	return NULL;
}

void check_hosts_done(struct check_host *hosts, size_t n)
{
	for (size_t i = 0; hosts && i < n; i++) {
		if (hosts[i].shares)
			continue;
		free(hosts[i].slots);
		free(hosts[i].devices);
	}
	free(hosts);
}

bool look_get(const struct check_host *host, const char *device,
              const char *name, struct reading *ret)
{
	size_t at;

	*ret = (struct reading){ .kind = READING_KIND_COUNT };
	if (!host->n_slots)
		return false;
	at = slot_find(host, device, name);
	if (!host->slots[at].row)
		return false;
	*ret = readings_at(host->set, host->slots[at].row - 1);
	return ret->kind != READING_SKIP;
}

int64_t look_int(const struct check_host *host, const char *device,
                 const char *name, int64_t none)
{
	struct reading r;

	return look_get(host, device, name, &r) && r.kind == READING_INT
	               ? r.number
	               : none;
}

const char *look_text(const struct check_host *host, const char *device,
                      const char *name)
{
	struct reading r;

	return look_get(host, device, name, &r) && r.kind == READING_TEXT
	               ? r.text
	               : "";
}

bool look_was_read(const struct check_host *host)
{
	struct reading r;

	return look_get(host, "", "kernel.release", &r);
}

bool look_is_virtual(const struct check_host *host)
{
	return look_int(host, "", "cpu.hypervisor", 0) == 1;
}

static char *gpu_text(int64_t index, const char *device,
                      char buf[static LOOK_NAME_MAX])
{
	if (index < 0)
		(void)snprintf(buf, LOOK_NAME_MAX, "%.40s", device);
	else if (device[0])
		(void)snprintf(buf, LOOK_NAME_MAX, "GPU%lld (%.32s)",
		               (long long)index, device);
	else
		(void)snprintf(buf, LOOK_NAME_MAX, "GPU%lld", (long long)index);
	return buf;
}

char *look_gpu_name(const struct check_host *host, const char *device,
                    char buf[static LOOK_NAME_MAX])
{
	const struct topo_map *map = host->host->map;
	int32_t pci = map ? topo_map_find_pci(map, device) : -1;
	int64_t index = -1;

	/* Where GPUs are missing, those that are there have other numbers. */
	if (pci >= 0 && map->partial)
		pci = -1;
	for (size_t i = 0; pci >= 0 && i < map->n_gpus; i++) {
		if (map->gpus[i].pci == pci)
			index = map->gpus[i].index;
	}
	/* What the driver calls it may be so in one process only. */
	if (index < 0)
		index = look_int(host, device, "gpu.index", -1);
	return gpu_text(index, device, buf);
}

char *look_gpu_place(const struct check_host *host, size_t gpu,
                     char buf[static LOOK_NAME_MAX])
{
	const struct topo_map *map = host->host->map;
	const struct map_gpu *g = &map->gpus[gpu];

	return gpu_text(g->index, g->pci < 0 ? "" : map->pcis[g->pci].bus_id,
	                buf);
}

size_t look_count(const struct check_host *host, uint32_t kind)
{
	size_t n = 0;

	for (size_t i = 0; i < host->n_devices; i++)
		n += (host->devices[i].kinds & kind) != 0;
	return n;
}

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

size_t look_gpus(const struct check_host *host)
{
	const struct topo_map *map = host->host->map;

	return larger(map ? map->n_gpus : 0, look_count(host, KIND_GPU));
}

size_t look_hcas(const struct check_host *host)
{
	const struct topo_map *map = host->host->map;

	return larger(map ? map->n_hcas : 0, look_count(host, KIND_HCA));
}
