/* SPDX-License-Identifier: Apache-2.0 */
/* A host's map to JSON and back. */
#ifndef FP_TOPO_JSON_JSON_MAP_H
#define FP_TOPO_JSON_JSON_MAP_H

#include <jansson.h>

#include "topo/model/model_map.h"

/** map_to_json() - Return: a new reference, or NULL without memory. */
json_t *map_to_json(const struct topo_map *map);

/**
 * map_from_json() - what map_to_json() wrote, from bytes that may be hostile.
 * @ret_map: zeroed; topo_map_done() afterwards, whatever is returned.
 *
 * Return: FP_OK; FP_ERR_INPUT, FP_ERR_LIMIT naming the member; FP_ERR_NOMEM.
 */
enum fp_status map_from_json(const json_t *json, struct topo_map *ret_map,
                             struct fp_err *err);

#endif
