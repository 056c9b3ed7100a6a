/* SPDX-License-Identifier: Apache-2.0 */
/* Which HCAs are near which GPUs, and which are one rail across hosts. */
#ifndef FP_TOPO_PATH_RAIL_H
#define FP_TOPO_PATH_RAIL_H

#include "topo/path/path.h"

/** struct rails - the rail of each HCA of a host. */
struct rails {
	int32_t *hcas; /* index into hcas of each rail */
	size_t n;
};

/**
 * rail_near() - is @hca among those nearest to @gpu?
 * @gpu, @hca: indices into the map's gpus and hcas.
 */
bool rail_near(const struct topo_map *map, const struct path_matrix *matrix,
               size_t gpu, size_t hca);

/** rail_local() - is there a GPU that reaches @hca without its CPU (PIX, PXB)? */
bool rail_local(const struct topo_map *map, const struct path_matrix *matrix,
                size_t hca);

/** rail_nearest() - how near the nearest HCA of @gpu is; PATH_UNKNOWN. */
uint8_t rail_nearest(const struct topo_map *map,
                     const struct path_matrix *matrix, size_t gpu);

/**
 * rails_init() - HCAs that share no CPU with some GPU, in the order of these
 * GPUs: rail 0 is that of the first GPU, whatever its number. Where no HCA
 * is as near as that, all HCAs in their order.
 *
 * Return: FP_OK, FP_ERR_NOMEM. Undo with rails_done().
 */
enum fp_status rails_init(const struct topo_map *map,
                          const struct path_matrix *matrix, struct rails *ret,
                          struct fp_err *err);

/** rails_done() - free; takes NULL. */
void rails_done(struct rails *rails);

#endif
