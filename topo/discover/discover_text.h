/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a host's map from saved text, whatever kind of text it is. */
#ifndef FP_TOPO_DISCOVER_DISCOVER_TEXT_H
#define FP_TOPO_DISCOVER_DISCOVER_TEXT_H

#include "topo/source/source.h"

/**
 * topo_sources() - the readers, in the order in which they read; *@ret_n of
 * them.
 */
const struct source_ops *const *topo_sources(size_t *ret_n);

/**
 * topo_from_text() - the map of the host that @text tells of. The kind is
 * found by content, and several kinds may stand in one text: a matrix and
 * the NVLinks' states, say.
 * @kinds: what was found, such as "nvidia-smi topo, nvidia-smi nvlink".
 *
 * Return: FP_OK; FP_ERR_INPUT if it is none of them, names no device, or
 * is broken (line and column); FP_ERR_LIMIT; FP_ERR_NOMEM. Undo with
 * topo_map_done().
 */
enum fp_status topo_from_text(const struct source_text *text,
                              struct topo_map *ret_map, struct fp_text *kinds,
                              struct fp_err *err);

/**
 * topo_host_from_text() - the same with the values that @text tells, for
 * checks; a kernel log will do, which tells of no device.
 * @host: what it has already stays: its readings grow, its map is taken only
 *        if it has none.
 *
 * Return: as topo_from_text().
 */
enum fp_status topo_host_from_text(const struct source_text *text,
                                   struct topo_host *host,
                                   struct fp_text *kinds, struct fp_err *err);

#endif
