// SPDX-License-Identifier: Apache-2.0
// A host's map to JSON and back, by tables of its rows.
#include "topo/json/json_map.h"

#include <stdlib.h>
#include <string.h>

#include "topo/json/json_field.h"

#define ANY INT32_MAX

static const struct field numa_rows[] = {
	FIELD_INT_IN(map_numa, id, -1, ANY),
	FIELD_SET_OF(map_numa, cpus),
	FIELD_TEXT_OF(map_numa, arch),
	FIELD_TEXT_OF(map_numa, vendor),
	FIELD_INT_IN(map_numa, family, -1, ANY),
	FIELD_INT_IN(map_numa, model, -1, ANY),
	FIELD_TEXT_OF(map_numa, host_hash),
};
static const struct field pci_rows[] = {
	FIELD_TEXT_OF(map_pci, bus_id),
	FIELD_TEXT_OF(map_pci, root),
	FIELD_INT_IN(map_pci, parent, -1, MAP_PCIS_MAX - 1),
	FIELD_INT_IN(map_pci, numa, -1, MAP_NUMAS_MAX - 1),
	FIELD_INT_IN(map_pci, class_code, -1, PCI_CLASS_MAX),
	FIELD_INT_IN(map_pci, vendor, -1, PCI_ID_MAX),
	FIELD_INT_IN(map_pci, device, -1, PCI_ID_MAX),
	FIELD_INT_IN(map_pci, subsystem_vendor, -1, PCI_ID_MAX),
	FIELD_INT_IN(map_pci, subsystem_device, -1, PCI_ID_MAX),
	FIELD_INT_IN(map_pci, speed_mtps, -1, ANY),
	FIELD_INT_IN(map_pci, width, -1, ANY),
};
static const struct field gpu_rows[] = {
	FIELD_TEXT_OF(map_gpu, name),
	FIELD_TEXT_OF(map_gpu, uuid),
	FIELD_INT_IN(map_gpu, index, -1, ANY),
	FIELD_INT_IN(map_gpu, pci, -1, MAP_PCIS_MAX - 1),
	FIELD_SET_OF(map_gpu, cpus),
	FIELD_SET_OF(map_gpu, numas),
	FIELD_BOOL_OF(map_gpu, cpus_known),
	FIELD_BOOL_OF(map_gpu, mig),
	FIELD_BOOL_OF(map_gpu, links_cut),
	FIELD_INT_IN(map_gpu, gpu_numa, -1, ANY),
	FIELD_INT_IN(map_gpu, sm, -1, ANY),
	FIELD_INT_IN(map_gpu, rank, -1, ANY),
	FIELD_INT_IN(map_gpu, gdr, -1, ANY),
};
static const struct field hca_rows[] = {
	FIELD_TEXT_OF(map_hca, name),
	FIELD_INT_IN(map_hca, index, -1, ANY),
	FIELD_INT_IN(map_hca, pci, -1, MAP_PCIS_MAX - 1),
	FIELD_INT_IN(map_hca, numa, -1, MAP_NUMAS_MAX - 1),
	FIELD_TEXT_OF(map_hca, board),
	FIELD_TEXT_OF(map_hca, firmware),
	FIELD_TEXT_OF(map_hca, guid),
};
static const struct field port_rows[] = {
	FIELD_INT_IN(map_port, hca, -1, MAP_DEVICES_MAX - 1),
	FIELD_INT_IN(map_port, port, -1, ANY),
	FIELD_INT_IN(map_port, state, 0, PORT_STATE_COUNT - 1),
	FIELD_INT_IN(map_port, phys, 0, PHYS_COUNT - 1),
	FIELD_INT_IN(map_port, layer, 0, PORT_LAYER_COUNT - 1),
	FIELD_INT_IN(map_port, rate_bps, -1, INT64_MAX),
	FIELD_TEXT_OF(map_port, guid),
	FIELD_TEXT_OF(map_port, netdev),
	FIELD_INT_IN(map_port, dev, -1, ANY),
	FIELD_INT_IN(map_port, gdr, -1, ANY),
	FIELD_INT_IN(map_port, maxconn, -1, ANY),
	FIELD_INT_IN(map_port, latency_ns, -1, INT64_MAX),
};
static const struct field nvlink_rows[] = {
	FIELD_INT_IN(map_nvlink, gpu, -1, MAP_DEVICES_MAX - 1),
	FIELD_INT_IN(map_nvlink, link, -1, ANY),
	FIELD_INT_IN(map_nvlink, count, 0, 4096),
	FIELD_INT_IN(map_nvlink, state, 0, LINK_STATE_COUNT - 1),
	FIELD_INT_IN(map_nvlink, speed_MBps, -1, ANY),
	FIELD_INT_IN(map_nvlink, remote, 0, REMOTE_COUNT - 1),
	FIELD_INT_IN(map_nvlink, remote_gpu, -1, MAP_DEVICES_MAX - 1),
	FIELD_TEXT_OF(map_nvlink, remote_bus),
};
static const struct field note_rows[] = {
	FIELD_INT_IN(map_note, line, 0, ANY),
	FIELD_INT_IN(map_note, column, 0, ANY),
	FIELD_TEXT_OF(map_note, text),
};
static const struct field map_rows[] = {
	FIELD_INT_IN(topo_map, columns, 0, 7),
	FIELD_INT_IN(topo_map, tree, 0, TREE_COUNT - 1),
	FIELD_BOOL_OF(topo_map, partial),
};

static const struct fields numa_fields = FIELDS(numa_rows);
static const struct fields pci_fields = FIELDS(pci_rows);
static const struct fields gpu_fields = FIELDS(gpu_rows);
static const struct fields hca_fields = FIELDS(hca_rows);
static const struct fields port_fields = FIELDS(port_rows);
static const struct fields nvlink_fields = FIELDS(nvlink_rows);
static const struct fields note_fields = FIELDS(note_rows);
static const struct fields map_fields = FIELDS(map_rows);

/* One more row of each kind, as a place to read into. */
#define ADDER(kind)                                                         \
	static void *add_##kind(struct topo_map *map, struct fp_err *err)   \
	{                                                                   \
		struct map_##kind *row;                                     \
                                                                            \
		return topo_map_add_##kind(map, &row, err) == FP_OK ? row   \
		                                                    : NULL; \
	}
ADDER(numa)
ADDER(pci)
ADDER(gpu)
ADDER(hca)
ADDER(port)
ADDER(nvlink)
#undef ADDER

static void *add_note(struct topo_map *map, struct fp_err *err)
{
	topo_map_note(map, 0, 0, " ");
	if (map->n_notes)
		return &map->notes[map->n_notes - 1];
	(void)fp_err_set(err, FP_ERR_NOMEM, "no memory for notes");
	return NULL;
}

#define LIST(member, kind, limit)                                             \
	{                                                                     \
		.name = #member, .fields = &kind##_fields, .add = add_##kind, \
		.max = (limit), .rows = offsetof(struct topo_map, member),    \
		.count = offsetof(struct topo_map, n_##member),               \
		.size = sizeof(struct map_##kind)                             \
	}

static const struct list {
	const char *name;
	const struct fields *fields;
	void *(*add)(struct topo_map *map, struct fp_err *err);
	size_t max, rows, count, size;
} lists[] = {
	LIST(numas, numa, MAP_NUMAS_MAX),
	LIST(pcis, pci, MAP_PCIS_MAX),
	LIST(gpus, gpu, MAP_DEVICES_MAX),
	LIST(hcas, hca, MAP_DEVICES_MAX),
	LIST(ports, port, 4 * (size_t)MAP_DEVICES_MAX),
	LIST(nvlinks, nvlink, MAP_NVLINKS_MAX),
	LIST(notes, note, MAP_NOTES_MAX),
};

#define N_LISTS (sizeof(lists) / sizeof(*lists))

static json_t *list_to_json(const struct topo_map *map, const struct list *list)
{
	json_t *json = json_array();
	const char *rows;
	size_t n;

	memcpy(&rows, (const char *)map + list->rows, sizeof(rows));
	memcpy(&n, (const char *)map + list->count, sizeof(n));
	for (size_t i = 0; i < n; i++) {
		if (json_array_append_new(
			    json, fields_to_json(list->fields,
		                                 rows + i * list->size)) == 0)
			continue;
		json_decref(json);
		return NULL;
	}
	return json;
}

/* Two numbers of each cell: type and NVLinks. */
static json_t *drawn_to_json(const struct topo_map *map)
{
	size_t n = topo_map_devices(map);
	json_t *json = json_array();

	for (size_t i = 0; i < n * n; i++) {
		if (json_array_append_new(
			    json, json_integer(map->drawn[i].type * 256 +
		                               map->drawn[i].nvlinks)) == 0)
			continue;
		json_decref(json);
		return NULL;
	}
	return json;
}

static json_t *p2p_to_json(const struct topo_map *map)
{
	json_t *json = json_array();

	for (size_t i = 0; i < map->n_gpus * map->n_gpus; i++) {
		if (json_array_append_new(json, json_integer(map->p2p[i])) == 0)
			continue;
		json_decref(json);
		return NULL;
	}
	return json;
}

json_t *map_to_json(const struct topo_map *map)
{
	json_t *json = fields_to_json(&map_fields, map);
	bool ok = json;

	for (size_t i = 0; i < N_LISTS && ok; i++)
		ok = json_object_set_new(json, lists[i].name,
		                         list_to_json(map, &lists[i])) == 0;
	if (ok && map->drawn)
		ok = json_object_set_new(json, "drawn", drawn_to_json(map)) ==
		     0;
	if (ok && map->p2p)
		ok = json_object_set_new(json, "p2p", p2p_to_json(map)) == 0;
	if (ok)
		return json;
	json_decref(json);
	return NULL;
}

static enum fp_status list_from_json(const json_t *json, struct topo_map *map,
                                     const struct list *list,
                                     struct fp_err *err)
{
	json_t *rows = NULL;
	enum fp_status status =
		field_list(json, list->name, list->max, &rows, err);

	for (size_t i = 0; i < json_array_size(rows) && status == FP_OK; i++) {
		struct fp_err cause = { 0 };
		void *row = list->add(map, &cause);

		if (!row)
			return fp_err_set(err, cause.status, "%s", cause.text);
		status = fields_from_json(list->fields, json_array_get(rows, i),
		                          row, err);
		if (status != FP_OK)
			fp_err_prefix(err, "%s %zu", list->name, i);
	}
	return status;
}

/* A matrix of n x n whole numbers of which each is at most @max. */
static enum fp_status matrix_from_json(const json_t *json, const char *name,
                                       size_t n, json_int_t max,
                                       json_t **ret_rows, struct fp_err *err)
{
	json_t *rows = json_object_get(json, name);

	*ret_rows = NULL;
	if (!rows)
		return FP_OK;
	if (!json_is_array(rows) || json_array_size(rows) != n * n)
		return fp_err_set(err, FP_ERR_INPUT,
		                  "'%s' is no list of %zu numbers", name,
		                  n * n);
	for (size_t i = 0; i < n * n; i++) {
		const json_t *cell = json_array_get(rows, i);

		if (!json_is_integer(cell) || json_integer_value(cell) < 0 ||
		    json_integer_value(cell) > max)
			return fp_err_set(err, FP_ERR_INPUT,
			                  "'%s' %zu is out of range", name, i);
	}
	*ret_rows = rows;
	return FP_OK;
}

static enum fp_status drawn_from_json(const json_t *json, struct topo_map *map,
                                      struct fp_err *err)
{
	size_t n = topo_map_devices(map);
	json_t *rows;
	enum fp_status status = matrix_from_json(
		json, "drawn", n, PATH_TYPE_COUNT * 256 - 1, &rows, err);

	if (status != FP_OK || !rows)
		return status;
	map->drawn = calloc(n ? n * n : 1, sizeof(*map->drawn));
	if (!map->drawn)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for paths");
	for (size_t i = 0; i < n * n; i++) {
		json_int_t cell = json_integer_value(json_array_get(rows, i));

		map->drawn[i] = (struct path){ (uint8_t)(cell / 256),
			                       (uint8_t)(cell % 256) };
	}
	return FP_OK;
}

static enum fp_status p2p_from_json(const json_t *json, struct topo_map *map,
                                    struct fp_err *err)
{
	size_t n = map->n_gpus;
	json_t *rows;
	enum fp_status status = matrix_from_json(
		json, "p2p", n, P2P_STATUS_COUNT - 1, &rows, err);

	if (status != FP_OK || !rows)
		return status;
	map->p2p = calloc(n ? n * n : 1, sizeof(*map->p2p));
	if (!map->p2p)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for pairs");
	for (size_t i = 0; i < n * n; i++)
		map->p2p[i] =
			(uint8_t)json_integer_value(json_array_get(rows, i));
	return FP_OK;
}

static bool points(int32_t index, size_t n)
{
	return index < 0 || (size_t)index < n;
}

/* Do all indices point at rows, and parents at rows before their own? */
static bool indices_hold(const struct topo_map *map)
{
	bool ok = true;

	for (size_t i = 0; i < map->n_pcis; i++)
		ok &= points(map->pcis[i].parent, i) &&
		      points(map->pcis[i].numa, map->n_numas);
	for (size_t i = 0; i < map->n_gpus; i++)
		ok &= points(map->gpus[i].pci, map->n_pcis);
	for (size_t i = 0; i < map->n_hcas; i++)
		ok &= points(map->hcas[i].pci, map->n_pcis) &&
		      points(map->hcas[i].numa, map->n_numas);
	for (size_t i = 0; i < map->n_ports; i++)
		ok &= points(map->ports[i].hca, map->n_hcas);
	for (size_t i = 0; i < map->n_nvlinks; i++)
		ok &= points(map->nvlinks[i].gpu, map->n_gpus) &&
		      points(map->nvlinks[i].remote_gpu, map->n_gpus);
	return ok;
}

enum fp_status map_from_json(const json_t *json, struct topo_map *ret_map,
                             struct fp_err *err)
{
	enum fp_status status =
		fields_from_json(&map_fields, json, ret_map, err);

	for (size_t i = 0; i < N_LISTS && status == FP_OK; i++)
		status = list_from_json(json, ret_map, &lists[i], err);
	if (status == FP_OK)
		status = drawn_from_json(json, ret_map, err);
	if (status == FP_OK)
		status = p2p_from_json(json, ret_map, err);
	if (status == FP_OK && !indices_hold(ret_map))
		status = fp_err_set(err, FP_ERR_INPUT,
		                    "an index points at no row");
	return status;
}
