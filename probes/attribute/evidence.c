// SPDX-License-Identifier: Apache-2.0
// Tests as they come.
#include "probes/attribute/evidence.h"

#include <stdlib.h>
#include <string.h>

#include "probes/trial/grow.h"

static const size_t no_tests[1];

void evidence_init(struct evidence *e, int32_t n_comps)
{
	*e = (struct evidence){ .n_comps = n_comps };
}

void evidence_done(struct evidence *e)
{
	if (!e)
		return;
	free(e->first);
	free(e->comps);
	free(e->slow);
	*e = (struct evidence){ 0 };
}

void evidence_clear(struct evidence *e)
{
	e->n = 0;
}

enum fp_status evidence_add(struct evidence *e, const int32_t *ids, size_t n,
                            bool slow, struct fp_err *err)
{
	size_t at = e->n ? e->first[e->n] : 0;
	enum fp_status status;

	status = grow_room(&e->first, &e->room_first, e->n + 2,
	                   sizeof(*e->first), err);
	if (!status)
		status = grow_room(&e->slow, &e->room_tests, e->n + 1,
		                   sizeof(*e->slow), err);
	if (!status)
		status = grow_room(&e->comps, &e->room_comps, at + n + 1,
		                   sizeof(*e->comps), err);
	if (status)
		return status;
	if (n)
		memcpy(e->comps + at, ids, n * sizeof(*ids));
	e->slow[e->n] = slow;
	e->first[e->n++] = at;
	e->first[e->n] = at + n;
	return FP_OK;
}

struct attribute_tests evidence_tests(const struct evidence *e)
{
	return (struct attribute_tests){
		.n_comps = e->n_comps,
		.n_tests = e->n,
		.first = e->n ? e->first : no_tests,
		.comps = e->comps,
		.slow = e->slow,
	};
}
