/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranks of a host share its readings but for their environment and the GPUs
 * that they see, which are each one's own. Where a rank's differ from those
 * of the host's first, device "rank5" has them.
 */
#ifndef FP_TOPO_READING_READING_RANK_H
#define FP_TOPO_READING_READING_RANK_H

#include "topo/reading/reading.h"

/**
 * readings_of_rank() - what rank @rank read of its host, as rows of that host:
 * variables of its environment, and GPUs it sees, only where @host has them
 * otherwise, as those of the rank; everything else as it is.
 * @host: of the host's first rank; NULL: not read, nothing is compared.
 *
 * Return: FP_OK with a set for readings_unref(); FP_ERR_LIMIT, FP_ERR_NOMEM.
 */
enum fp_status readings_of_rank(const struct readings *host,
                                const struct readings *own, int32_t rank,
                                struct readings **ret, struct fp_err *err);

/**
 * reading_rank() - the rank that @device stands for.
 *
 * Return: -1 for any other device.
 */
int32_t reading_rank(const char *device);

#endif
