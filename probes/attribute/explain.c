// SPDX-License-Identifier: Apache-2.0
// What the choice means: confidence, groups of equals, what is masked.
#include <math.h>
#include <stdlib.h>

#include "probes/attribute/core.h"
#include "probes/trial/grow.h"

/* Bits of what a test said about a component. */
enum seen { SEEN = 1, SEEN_SOUND = 2, SEEN_FREE = 4, SEEN_FREE_SOUND = 8 };

struct story {
	struct attribute_core *k;
	const struct attribute_tests *tests;
	const struct attribute_opts *opts;
	struct attribute_result r;
	uint8_t *seen;  /* [n_comps] enum seen */
	uint32_t *mark; /* [candidates] turn that looked at it */
	uint32_t turn;
	size_t room;
};

static bool any_bad(const struct story *s, size_t t)
{
	size_t j;

	for (j = s->tests->first[t]; j < s->tests->first[t + 1]; j++)
		if (s->r.state[s->tests->comps[j]] == ATTRIBUTE_BAD)
			return true;
	return false;
}

static void look_at(struct story *s, size_t t)
{
	bool slow = s->tests->slow[t] != 0, hit = any_bad(s, t);
	uint8_t bits = SEEN;
	size_t j;

	s->r.n_unexplained += slow && !hit;
	bits |= slow ? 0 : SEEN_SOUND;
	bits |= hit ? 0 : SEEN_FREE;
	bits |= slow || hit ? 0 : SEEN_FREE_SOUND;
	for (j = s->tests->first[t]; j < s->tests->first[t + 1]; j++)
		s->seen[s->tests->comps[j]] |= bits;
}

static uint8_t state_of(uint8_t seen)
{
	if (!(seen & SEEN))
		return ATTRIBUTE_UNTESTED;
	if (!(seen & SEEN_FREE))
		return ATTRIBUTE_UNKNOWN;
	return seen & SEEN_FREE_SOUND ? ATTRIBUTE_CLEAR : ATTRIBUTE_OPEN;
}

static void tell_states(struct story *s)
{
	int32_t c;
	size_t t;

	for (c = 0; c < s->k->n; c++)
		if (s->k->chosen[c])
			s->r.state[s->k->comp[c]] = ATTRIBUTE_BAD;
	for (t = 0; t < s->tests->n_tests; t++)
		look_at(s, t);
	for (c = 0; c < s->tests->n_comps; c++)
		if (s->r.state[c] != ATTRIBUTE_BAD)
			s->r.state[c] = state_of(s->seen[c]);
}

/* Has every other component of @t been seen in a sound test? */
static bool is_alone(const struct story *s, size_t t, int32_t comp)
{
	size_t j;

	for (j = s->tests->first[t]; j < s->tests->first[t + 1]; j++)
		if (s->tests->comps[j] != comp &&
		    !(s->seen[s->tests->comps[j]] & SEEN_SOUND))
			return false;
	return true;
}

static void count_tests(const struct story *s, int32_t c,
                        struct attribute_culprit *out)
{
	const struct attribute_core *k = s->k;
	size_t i;

	for (i = k->in_first[c]; i < k->in_first[c + 1]; i++) {
		bool slow = k->weight[k->in[i]] > 0;

		out->n_slow += slow;
		out->n_ok += !slow;
		if (slow && !(s->seen[out->comp] & SEEN_SOUND) &&
		    is_alone(s, k->test[k->in[i]], out->comp))
			out->definite = true;
	}
}

/* struct rivals - the best of those in and out of the group; 0 is "nobody". */
struct rivals {
	double in, out;
};

static enum fp_status weigh(struct story *s, int32_t rival, double nats,
                            struct rivals *best, struct fp_err *err)
{
	double gain = s->k->gain[rival];
	enum fp_status status;

	if (s->mark[rival] == s->turn || s->k->chosen[rival])
		return FP_OK;
	s->mark[rival] = s->turn;
	if (gain < nats - s->opts->group_nats || gain <= 0) {
		best->out = fmax(best->out, gain);
		return FP_OK;
	}
	best->in = fmax(best->in, gain);
	status = grow_room(&s->r.groups, &s->room, s->r.n_groups + 1,
	                   sizeof(*s->r.groups), err);
	if (!status)
		s->r.groups[s->r.n_groups++] = s->k->comp[rival];
	return status;
}

/* All who share a slow test with @c, which is dropped meanwhile. */
static enum fp_status find_rivals(struct story *s, int32_t c,
                                  struct rivals *best, struct fp_err *err)
{
	struct attribute_core *k = s->k;
	enum fp_status status = FP_OK;
	size_t i, j;

	s->turn++;
	s->mark[c] = s->turn;
	for (i = k->in_first[c]; i < k->in_first[c + 1]; i++) {
		uint32_t t = k->in[i];

		if (k->weight[t] < 0)
			continue;
		for (j = k->of_first[t]; j < k->of_first[t + 1]; j++) {
			status = weigh(s, k->of[j], k->gain[c], best, err);
			if (status)
				return status;
		}
	}
	return FP_OK;
}

static double odds(double nats, double rival)
{
	return 1 / (1 + exp(rival - nats));
}

static enum fp_status tell_culprit(struct story *s, int32_t c,
                                   struct fp_err *err)
{
	struct attribute_culprit out = {
		.comp = s->k->comp[c],
		.group_first = s->r.n_groups,
	};
	struct rivals best = { 0 };
	enum fp_status status;

	count_tests(s, c, &out);
	attribute_core_drop(s->k, c);
	out.nats = s->k->gain[c];
	status = find_rivals(s, c, &best, err);
	attribute_core_choose(s->k, c);
	out.n_group = s->r.n_groups - out.group_first;
	out.confidence = odds(out.nats, fmax(best.in, best.out));
	out.group_confidence = odds(out.nats, best.out);
	s->r.culprits[s->r.n++] = out;
	return status;
}

static int culprit_cmp(const void *pa, const void *pb)
{
	const struct attribute_culprit *a = pa, *b = pb;

	if (a->nats != b->nats)
		return a->nats < b->nats ? 1 : -1;
	return (a->comp > b->comp) - (a->comp < b->comp);
}

static enum fp_status story_alloc(struct story *s, struct fp_err *err)
{
	size_t n = (size_t)s->tests->n_comps + 1, chosen = 1;
	int32_t c;

	for (c = 0; c < s->k->n; c++)
		chosen += s->k->chosen[c];
	s->r.state = calloc(n, sizeof(*s->r.state));
	s->seen = calloc(n, sizeof(*s->seen));
	s->mark = calloc((size_t)s->k->n + 1, sizeof(*s->mark));
	s->r.culprits = calloc(chosen, sizeof(*s->r.culprits));
	if (s->r.state && s->seen && s->mark && s->r.culprits)
		return FP_OK;
	return fp_err_set(err, FP_ERR_NOMEM, "no memory for evidence");
}

enum fp_status
attribute_explain(struct attribute_core *k, const struct attribute_tests *tests,
                  const struct attribute_opts *opts, const bool *proven,
                  struct attribute_result *ret, struct fp_err *err)
{
	struct story s = { .k = k, .tests = tests, .opts = opts };
	enum fp_status status = story_alloc(&s, err);
	int32_t c;

	if (!status)
		tell_states(&s);
	for (c = 0; !status && c < k->n; c++) {
		if (!k->chosen[c])
			continue;
		status = tell_culprit(&s, c, err);
		s.r.culprits[s.r.n - 1].proven = proven[c];
	}
	free(s.seen);
	free(s.mark);
	if (status) {
		attribute_result_done(&s.r);
		return status;
	}
	qsort(s.r.culprits, s.r.n, sizeof(*s.r.culprits), culprit_cmp);
	s.r.score = k->score;
	*ret = s.r;
	return FP_OK;
}
