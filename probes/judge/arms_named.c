// SPDX-License-Identifier: Apache-2.0
// Ranks that fail by themselves: control arms are not for them.
#include "probes/judge/arms.h"

bool judge_arms_named(const struct findings *list, int32_t rank)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct finding *f = &list->f[i];

		if (f->severity != SEVERITY_FAULT || f->locus.rank != rank ||
		    f->locus.peer_rank >= 0)
			continue;
		switch (f->code) {
		case FINDING_RANK_HANG:
		case FINDING_GPU_HANG:
		case FINDING_RANK_ERROR:
		case FINDING_GPU_ERROR:
		case FINDING_WORKER_START:
		case FINDING_WORKER_DIED:
		case FINDING_WORKER_HUNG:
		case FINDING_WORKER_WEDGED:
		case FINDING_WORKER_GARBAGE:
			return true;
		default:
			break;
		}
	}
	return false;
}

bool judge_arms_any_named(const struct results *r, const struct trial *t,
                          const struct findings *list)
{
	const int32_t *m;

	if (trial_is_pair(t))
		return judge_arms_named(list, t->src) ||
		       judge_arms_named(list, t->dst);
	m = r->members + t->member_first;
	for (uint32_t i = 0; i < t->member_count; i++)
		if (judge_arms_named(list, m[i]))
			return true;
	return false;
}
