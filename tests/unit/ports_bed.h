/* SPDX-License-Identifier: Apache-2.0 */
/* A host's RDMA ports, to be asked through a library that may be a fake. */
#ifndef FP_TESTS_UNIT_PORTS_BED_H
#define FP_TESTS_UNIT_PORTS_BED_H

#include "topo/source/live.h"

/** ports_bed_init() - a map of @n ports, two of each HCA: mlx5_0/1, mlx5_0/2,
 * ..., and no readings yet. ports_bed_done(). */
void ports_bed_init(struct live *live, int32_t n);
void ports_bed_done(struct live *live);

/** ports_bed_skip() - fails unless reading @name of @device is a skip whose
 * reason has @why in it. */
void ports_bed_skip(const struct live *live, const char *device,
                    const char *name, const char *why);

/** ports_bed_library() - the path of fake @name of tests/fake into @path.
 * Return: is it built? */
bool ports_bed_library(const char *name, char path[static 4096]);

#endif
