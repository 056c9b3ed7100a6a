// SPDX-License-Identifier: Apache-2.0
// Arrays that grow by doubling.
#include "probes/trial/grow.h"

#include <stdlib.h>
#include <string.h>

#define GROW_MIN 16

enum fp_status grow_room(void *slot, size_t *room, size_t want, size_t size,
                         struct fp_err *err)
{
	size_t more = *room > GROW_MIN ? *room : GROW_MIN;
	size_t bytes;
	void *p;

	if (want <= *room)
		return FP_OK;
	while (more < want)
		if (__builtin_mul_overflow(more, 2, &more))
			return fp_err_set(err, FP_ERR_LIMIT,
			                  "too many elements");
	if (__builtin_mul_overflow(more, size, &bytes))
		return fp_err_set(err, FP_ERR_LIMIT, "too many elements");
	/* Copied as bytes: the pointer's type is not known here. */
	memcpy(&p, slot, sizeof(p));
	p = realloc(p, bytes);
	if (!p)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for %zu bytes",
		                  bytes);
	memcpy(slot, &p, sizeof(p));
	*room = more;
	return FP_OK;
}
