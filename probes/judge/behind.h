/* SPDX-License-Identifier: Apache-2.0 */
/* Who is furthest behind in a collective that did not end well. */
#ifndef FP_PROBES_JUDGE_BEHIND_H
#define FP_PROBES_JUDGE_BEHIND_H

#include <stdbool.h>

#include "probes/finding/finding.h"
#include "probes/trial/trial.h"

/** struct coll - one collective that did not end well. */
struct coll {
	const struct trial *trial;
	const struct outcome **o; /* its members', by rank */
	size_t n;
	uint32_t state; /* enum outcome_state, worst; NOTRUN does not count */
	bool moved;     /* ran out of time, but not because it stood still */
	uint64_t wrong;
};

/** coll_say_stages() - how far each member came, and who got the least data,
 * as evidence of @f. */
void coll_say_stages(const struct coll *c, struct finding *f);

/** coll_furthest_behind() - the one rank that came less far than all others, by
 * stage, then by data; -1: there is none. */
int32_t coll_furthest_behind(const struct coll *c);

#endif
