/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays that grow by doubling; overflow-checked. */
#ifndef FP_PROBES_TRIAL_GROW_H
#define FP_PROBES_TRIAL_GROW_H

#include <stddef.h>

#include "topo/base/status.h"

/**
 * grow_room() - make room for at least @want elements of @size bytes.
 * @slot: address of the array's pointer (of whatever type), which may move.
 * @room: elements there is room for; 0 with a NULL array.
 *
 * Return: FP_OK; FP_ERR_NOMEM or FP_ERR_LIMIT with nothing changed.
 */
enum fp_status grow_room(void *slot, size_t *room, size_t want, size_t size,
                         struct fp_err *err);

#endif
