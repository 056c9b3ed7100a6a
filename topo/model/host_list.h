/* SPDX-License-Identifier: Apache-2.0 */
/* Names of many hosts in few letters: "node[01-03,07],login". */
#ifndef FP_TOPO_MODEL_HOST_LIST_H
#define FP_TOPO_MODEL_HOST_LIST_H

#include <stddef.h>

#include "topo/base/fmt.h"

/**
 * host_list_write() - append the @n names: those that differ only in their
 * last number together, in the order of the numbers, with zeros in front kept
 * ("01" and "1" are two). What Slurm's tools and pdsh read.
 *
 * Return: FP_OK, FP_ERR_NOMEM.
 */
enum fp_status host_list_write(const char *const *names, size_t n,
                               struct fp_text *text, struct fp_err *err);

#endif
