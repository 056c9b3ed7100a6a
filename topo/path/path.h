/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How any two devices of a host reach one another, in the words of
 * nvidia-smi or of NCCL.
 */
#ifndef FP_TOPO_PATH_PATH_H
#define FP_TOPO_PATH_PATH_H

#include "topo/model/model_map.h"

/** enum path_view - whose rules. */
enum path_view {
	PATH_VIEW_SMI,  /* the drawing's own where there is one */
	PATH_VIEW_NCCL, /* a NUMA node is one CPU: no NODE */
	PATH_VIEW_COUNT
};

/** struct path_matrix - relations of devices, GPUs first, then HCAs. */
struct path_matrix {
	struct path *cells; /* n x n */
	size_t n;
};

/**
 * path_matrix_init() - all relations of @map under the rules of @view. A
 * map with neither tree nor drawing has NVLinks at most; the rest is
 * PATH_UNKNOWN.
 *
 * Return: FP_OK, FP_ERR_NOMEM. Undo with path_matrix_done().
 */
enum fp_status path_matrix_init(const struct topo_map *map, uint32_t view,
                                struct path_matrix *ret, struct fp_err *err);

/** path_matrix_done() - free; takes NULL. */
void path_matrix_done(struct path_matrix *matrix);

/** path_matrix_at() - the relation of device @a to device @b. */
static inline struct path path_matrix_at(const struct path_matrix *matrix,
                                         size_t a, size_t b)
{
	return matrix->cells[a * matrix->n + b];
}

/** path_type_name() - "X", "NV", "PIX", ...; "?" for what is not known. */
const char *path_type_name(unsigned type);

/** path_name() - "NV18", "PIX", ... Return: @buf. */
char *path_name(struct path path, char buf[static 8]);

/** path_local() - no CPU between: what GPUDirect needs. */
static inline bool path_local(struct path path)
{
	return path.type >= PATH_SELF && path.type <= PATH_PXN;
}

/**
 * path_tree_smi() - the relation of two PCI functions by the tree, as
 * nvidia-smi has it. Symmetric: the deeper of the two counts. Two functions
 * of one card are PATH_PIX.
 * @a, @b: indices into pcis.
 */
uint8_t path_tree_smi(const struct topo_map *map, int32_t a, int32_t b);

/**
 * path_fill_nccl() - what PATH_VIEW_NCCL puts into a zeroed @matrix.
 *
 * Return: FP_OK, FP_ERR_NOMEM.
 */
enum fp_status path_fill_nccl(const struct topo_map *map,
                              struct path_matrix *matrix, struct fp_err *err);

#endif
