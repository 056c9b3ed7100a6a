// SPDX-License-Identifier: Apache-2.0
// The map of a host: its arrays, and looking things up in them.
#include "topo/model/model_map.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void topo_map_done(struct topo_map *map)
{
	if (!map)
		return;
	free(map->numas);
	free(map->pcis);
	free(map->gpus);
	free(map->hcas);
	free(map->ports);
	free(map->nvlinks);
	free(map->notes);
	free(map->drawn);
	free(map->p2p);
	*map = (struct topo_map){ 0 };
}

/* The copy of @n rows; NULL for none, and @failed if there is no memory. */
static void *copy_rows(const void *rows, size_t n, size_t size, bool *failed)
{
	void *copy;

	if (!rows || n == 0)
		return NULL;
	copy = reallocarray(NULL, n, size);
	if (copy)
		memcpy(copy, rows, n * size);
	else
		*failed = true;
	return copy;
}

#define COPY(member, n) copy_rows(src->member, n, sizeof(*src->member), &failed)

enum fp_status topo_map_copy(struct topo_map *dst, const struct topo_map *src,
                             struct fp_err *err)
{
	size_t devices = topo_map_devices(src);
	bool failed = false;

	*dst = *src;
	dst->numas = COPY(numas, src->n_numas);
	dst->pcis = COPY(pcis, src->n_pcis);
	dst->gpus = COPY(gpus, src->n_gpus);
	dst->hcas = COPY(hcas, src->n_hcas);
	dst->ports = COPY(ports, src->n_ports);
	dst->nvlinks = COPY(nvlinks, src->n_nvlinks);
	dst->notes = COPY(notes, src->n_notes);
	dst->drawn = COPY(drawn, devices * devices);
	dst->p2p = COPY(p2p, src->n_gpus * src->n_gpus);
	if (!failed)
		return FP_OK;
	topo_map_done(dst);
	return fp_err_set(err, FP_ERR_NOMEM, "no memory for a host's map");
}

#undef COPY

/* Room doubles: it has to be made only where the count is a power of two. */
static enum fp_status add_row(void **rows, size_t n, size_t size, size_t max,
                              struct fp_err *err)
{
	void *grown;

	if (n >= max)
		return fp_err_set(err, FP_ERR_LIMIT,
		                  "more than %zu rows in a host's map", max);
	if (n & (n - 1))
		return FP_OK;
	grown = reallocarray(*rows, n ? 2 * n : 1, size);
	if (!grown)
		return fp_err_set(err, FP_ERR_NOMEM,
		                  "no memory for a host's map");
	*rows = grown;
	return FP_OK;
}

/* A row of arrays with their own type cannot be added by one function. */
#define ADD(member, count, limit, ...)                                    \
	do {                                                              \
		void *rows_ = map->member;                                \
		enum fp_status status_ =                                  \
			add_row(&rows_, map->count, sizeof(*map->member), \
		                (limit), err);                            \
                                                                          \
		if (status_ != FP_OK)                                     \
			return status_;                                   \
		map->member = rows_;                                      \
		*ret = &map->member[map->count++];                        \
		**ret = (__typeof__(**ret)){ __VA_ARGS__ };               \
		return FP_OK;                                             \
	} while (0)

enum fp_status topo_map_add_numa(struct topo_map *map, struct map_numa **ret,
                                 struct fp_err *err)
{
	ADD(numas, n_numas, MAP_NUMAS_MAX, .id = -1, .family = -1, .model = -1);
}

enum fp_status topo_map_add_pci(struct topo_map *map, struct map_pci **ret,
                                struct fp_err *err)
{
	ADD(pcis, n_pcis, MAP_PCIS_MAX, .parent = -1, .numa = -1,
	    .class_code = -1, .vendor = -1, .device = -1,
	    .subsystem_vendor = -1, .subsystem_device = -1, .speed_mtps = -1,
	    .width = -1);
}

enum fp_status topo_map_add_gpu(struct topo_map *map, struct map_gpu **ret,
                                struct fp_err *err)
{
	ADD(gpus, n_gpus, MAP_DEVICES_MAX - map->n_hcas, .index = -1, .pci = -1,
	    .gpu_numa = -1, .sm = -1, .rank = -1, .gdr = -1);
}

enum fp_status topo_map_add_hca(struct topo_map *map, struct map_hca **ret,
                                struct fp_err *err)
{
	ADD(hcas, n_hcas, MAP_DEVICES_MAX - map->n_gpus, .index = -1, .pci = -1,
	    .numa = -1);
}

enum fp_status topo_map_add_port(struct topo_map *map, struct map_port **ret,
                                 struct fp_err *err)
{
	ADD(ports, n_ports, 4 * (size_t)MAP_DEVICES_MAX, .hca = -1, .port = -1,
	    .rate_bps = -1, .dev = -1, .gdr = -1, .maxconn = -1,
	    .latency_ns = -1);
}

enum fp_status topo_map_add_nvlink(struct topo_map *map,
                                   struct map_nvlink **ret, struct fp_err *err)
{
	ADD(nvlinks, n_nvlinks, MAP_NVLINKS_MAX, .gpu = -1, .link = -1,
	    .count = 1, .speed_MBps = -1, .remote_gpu = -1);
}

#undef ADD

void topo_map_note(struct topo_map *map, int32_t line, int32_t column,
                   const char *fmt, ...)
{
	void *rows = map->notes;
	char text[MAP_NOTE_MAX];
	struct map_note *note;
	va_list ap;

	if (add_row(&rows, map->n_notes, sizeof(*note), MAP_NOTES_MAX, NULL) !=
	    FP_OK)
		return;
	map->notes = rows;
	note = &map->notes[map->n_notes++];
	*note = (struct map_note){ .line = line, .column = column };
	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	fp_copy(note->text, sizeof(note->text), text);
}

size_t topo_map_devices(const struct topo_map *map)
{
	return map->n_gpus + map->n_hcas;
}

int32_t topo_map_find_gpu(const struct topo_map *map, int32_t index)
{
	for (size_t i = 0; i < map->n_gpus; i++) {
		if (map->gpus[i].index == index)
			return (int32_t)i;
	}
	return -1;
}

int32_t topo_map_find_hca(const struct topo_map *map, const char *name)
{
	for (size_t i = 0; i < map->n_hcas; i++) {
		if (strcmp(map->hcas[i].name, name) == 0)
			return (int32_t)i;
	}
	return -1;
}

int32_t topo_map_find_pci(const struct topo_map *map, const char *bus_id)
{
	for (size_t i = 0; i < map->n_pcis; i++) {
		if (strcmp(map->pcis[i].bus_id, bus_id) == 0)
			return (int32_t)i;
	}
	return -1;
}

int32_t topo_map_find_numa(const struct topo_map *map, int32_t id)
{
	for (size_t i = 0; i < map->n_numas; i++) {
		if (map->numas[i].id == id)
			return (int32_t)i;
	}
	return -1;
}

int32_t topo_map_find_port(const struct topo_map *map, int32_t hca,
                           int32_t port)
{
	for (size_t i = 0; i < map->n_ports; i++) {
		if (map->ports[i].hca == hca && map->ports[i].port == port)
			return (int32_t)i;
	}
	return -1;
}

static int32_t find_gpu_at(const struct topo_map *map, const char *bus_id)
{
	for (size_t i = 0; i < map->n_gpus; i++) {
		int32_t pci = map->gpus[i].pci;

		if (pci >= 0 && strcmp(map->pcis[pci].bus_id, bus_id) == 0)
			return (int32_t)i;
	}
	return -1;
}

void topo_map_resolve(struct topo_map *map)
{
	for (size_t i = 0; i < map->n_nvlinks; i++) {
		struct map_nvlink *link = &map->nvlinks[i];

		/* What says that it leads to itself is an artefact of virtual
		 * machines: then the other end is not known. */
		link->remote_gpu = -1;
		if (link->remote_bus[0] && link->remote != REMOTE_NVSWITCH)
			link->remote_gpu = find_gpu_at(map, link->remote_bus);
		if (link->remote_gpu == link->gpu)
			link->remote_gpu = -1;
		if (link->remote_gpu >= 0)
			link->remote = REMOTE_GPU;
	}
}

char *topo_map_device_name(const struct topo_map *map, size_t i,
                           char buf[static MAP_NAME_MAX])
{
	const struct map_hca *hca;

	if (i < map->n_gpus) {
		(void)snprintf(buf, MAP_NAME_MAX, "GPU%d", map->gpus[i].index);
		return buf;
	}
	hca = &map->hcas[i - map->n_gpus];
	if (hca->index >= 0)
		(void)snprintf(buf, MAP_NAME_MAX, "NIC%d", hca->index);
	else
		(void)snprintf(buf, MAP_NAME_MAX, "%s", hca->name);
	return buf;
}

/* Hexadecimal digits at *@at, which must be @least to @most. */
static bool take_hex(const char **at, size_t least, size_t most,
                     unsigned long *ret)
{
	size_t n = 0;

	*ret = 0;
	for (; isxdigit((unsigned char)(*at)[n]) && n < most; n++) {
		char c = (char)tolower((unsigned char)(*at)[n]);

		*ret = *ret * 16 +
		       (unsigned long)(c <= '9' ? c - '0' : c - 'a' + 10);
	}
	*at += n;
	return n >= least;
}

bool map_bus_id(const char *text, char ret[static MAP_BUS_MAX])
{
	unsigned long domain = 0, bus, device, function = 0;
	const char *at = text;

	if (!take_hex(&at, 2, 8, &bus) || *at++ != ':' ||
	    !take_hex(&at, 2, 2, &device))
		return false;
	if (*at == ':') {
		domain = bus;
		bus = device;
		at++;
		if (!take_hex(&at, 2, 2, &device))
			return false;
	}
	if (*at == '.') {
		at++;
		if (!take_hex(&at, 1, 1, &function))
			return false;
	}
	if (*at || bus > 0xff)
		return false;
	(void)snprintf(ret, MAP_BUS_MAX, "%04lx:%02lx:%02lx.%lx", domain, bus,
	               device, function);
	return true;
}
