/* SPDX-License-Identifier: Apache-2.0 */
/* A host's map as text for people and for other programs. */
#ifndef FP_TOPO_RENDER_RENDER_H
#define FP_TOPO_RENDER_RENDER_H

#include "topo/base/fmt.h"
#include "topo/compare/oddity.h"
#include "topo/path/path.h"

/**
 * render_smi() - append the matrix as nvidia-smi topo -m draws it, with the
 * legend of its words and of the NICs.
 */
void render_smi(const struct topo_map *map, const struct path_matrix *matrix,
                struct fp_text *text);

/** render_p2p() - append the matrix of nvidia-smi topo -p2p, if it is known. */
void render_p2p(const struct topo_map *map, struct fp_text *text);

/** render_summary() - append what there is, in a few lines. */
void render_summary(const struct topo_map *map,
                    const struct path_matrix *matrix, struct fp_text *text);

/** render_rates() - append what each kind of path should carry, where that is
 * known (topo/path/expect.h). */
void render_rates(const struct topo_map *map, const struct path_matrix *matrix,
                  struct fp_text *text);

/**
 * render_oddities() - append the faults, each with what to look at next, then
 * the remarks, then the notes on what was read.
 */
void render_oddities(const struct topo_map *map, const struct oddities *found,
                     struct fp_text *text);

/**
 * render_nccl() - append a topology file as NCCL_TOPO_FILE takes it; a tree
 * of ports is written as one of switches.
 *
 * Return: FP_OK; FP_ERR_NOTSUP for a map that has no tree.
 */
enum fp_status render_nccl(const struct topo_map *map, struct fp_text *text,
                           struct fp_err *err);

/** render_dot() - append a graph for dot(1): the tree, or the near pairs. */
void render_dot(const struct topo_map *map, const struct path_matrix *matrix,
                struct fp_text *text);

#endif
