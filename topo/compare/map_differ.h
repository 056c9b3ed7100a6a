/* SPDX-License-Identifier: Apache-2.0 */
/* What one map has that another has not, in lines for people. Pure. */
#ifndef FP_TOPO_COMPARE_MAP_DIFFER_H
#define FP_TOPO_COMPARE_MAP_DIFFER_H

#include "topo/base/fmt.h"
#include "topo/model/model_map.h"

/**
 * map_differ_write() - append what sets @map apart from @usual, a line each,
 * indented by two: devices that are more or fewer, other models, other
 * relations of pairs, other states and rates of ports. Of many lines of one
 * kind the first few, and how many there are.
 *
 * Return: FP_OK, FP_ERR_NOMEM.
 */
enum fp_status map_differ_write(const struct topo_map *usual,
                                const struct topo_map *map,
                                struct fp_text *text, struct fp_err *err);

#endif
