/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Takes names, addresses and serial numbers out of texts. Each is replaced by
 * the same stand-in wherever it occurs, so that texts still fit together.
 */
#ifndef FP_MPI_CMD_MASK_H
#define FP_MPI_CMD_MASK_H

#include "topo/base/fmt.h"
#include "topo/model/model.h"

struct mask;

/**
 * mask_new() - masks what identifies the hosts of @job: their names and ids,
 * what its readings have of identities, and, by their form alone, addresses
 * of IPv4 and Ethernet, GUIDs and UUIDs in any text.
 *
 * Return: FP_OK with a mask for mask_free(), FP_ERR_NOMEM.
 */
enum fp_status mask_new(const struct topo_job *job, struct mask **ret,
                        struct fp_err *err);

/** mask_apply() - append @text to @out, masked. */
void mask_apply(struct mask *mask, const char *text, struct fp_text *out);

/** mask_free() - takes NULL. */
void mask_free(struct mask *mask);

#endif
