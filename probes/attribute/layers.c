// SPDX-License-Identifier: Apache-2.0
// Layers of attribution, from broken to merely loaded.
#include "probes/attribute/layers.h"

#include <stdlib.h>

#include "probes/trial/grow.h"

/* @marks: signs that count against a component in this layer: what no earlier
 * layer explained still does. A culprit needs @min of them, and @share of all
 * its tests: one test proves nothing where healthy ones show the same sign
 * now and then. */
static const struct layer {
	uint32_t marks;
	double alpha, beta;
	uint32_t min;
	double share;
} layers[SIGN_COUNT] = {
	[SIGN_BROKEN] = { SIGN_BIT(BROKEN), 1e-3, .02, 2, 0 },
	[SIGN_SLOW] = { SIGN_BIT(BROKEN) | SIGN_BIT(SLOW), 1e-3, .02, 2, .7 },
	[SIGN_MILD] = { SIGN_BIT(BROKEN) | SIGN_BIT(SLOW) | SIGN_BIT(MILD),
	                1e-3, .05, 4, .75 },
	[SIGN_FLAKY] = { SIGN_BIT(FLAKY) | SIGN_BIT(SLOW), 1e-2, .02, 4, .5 },
	[SIGN_LATE] = { SIGN_BIT(LATE), 1e-3, .05, 4, .75 },
	[SIGN_LOADED] = { SIGN_BIT(LOADED), 1e-2, .05, 8, .75 },
};

struct layering {
	const struct attribute_case *k;
	struct evidence e; /* of one layer */
	struct attribute_accusations *a;
};

static bool is_explained(const struct layering *l, size_t t)
{
	size_t j;

	for (j = l->k->e->first[t]; j < l->k->e->first[t + 1]; j++)
		if (l->a->state[l->k->e->comps[j]] == ATTRIBUTE_BAD)
			return true;
	return false;
}

/* Tests that nobody accused explains. */
static enum fp_status gather(struct layering *l, uint32_t marks,
                             size_t *ret_marked, struct fp_err *err)
{
	const struct evidence *all = l->k->e;
	enum fp_status status = FP_OK;
	size_t t, marked = 0;

	evidence_clear(&l->e);
	for (t = 0; !status && t < all->n; t++) {
		if (is_explained(l, t))
			continue;
		marked += (l->k->signs[t] & marks) != 0;
		status = evidence_add(&l->e, all->comps + all->first[t],
		                      all->first[t + 1] - all->first[t],
		                      (l->k->signs[t] & marks) != 0, err);
	}
	*ret_marked = marked;
	return status;
}

static bool is_enough(const struct layer *layer,
                      const struct attribute_culprit *c)
{
	return c->n_slow >= layer->min &&
	       c->n_slow >= layer->share * (double)(c->n_slow + c->n_ok);
}

enum fp_status attribute_accuse(struct attribute_accusations *a,
                                const struct attribute_culprit *culprit,
                                uint32_t sign, const int32_t *groups,
                                struct fp_err *err)
{
	struct attribute_culprit c = *culprit;
	enum fp_status status;
	size_t j;

	status = grow_room(&a->list, &a->room, a->n + 1, sizeof(*a->list), err);
	if (!status)
		status = grow_room(&a->groups, &a->room_groups,
		                   a->n_groups + c.n_group + 1,
		                   sizeof(*a->groups), err);
	if (status)
		return status;
	for (j = 0; j < c.n_group; j++)
		a->groups[a->n_groups + j] = groups[c.group_first + j];
	c.group_first = a->n_groups;
	a->n_groups += c.n_group;
	a->list[a->n++] = (struct attribute_accused){ c, sign };
	/* Load is nobody's fault. */
	if (sign != SIGN_LOADED)
		a->state[c.comp] = ATTRIBUTE_BAD;
	return FP_OK;
}

static enum fp_status one_layer(struct layering *l, uint32_t sign,
                                struct fp_err *err)
{
	const struct layer *layer = &layers[sign];
	struct attribute_tests tests;
	struct attribute_opts opts;
	struct attribute_result r;
	enum fp_status status;
	size_t i, marked;

	status = gather(l, layer->marks, &marked, err);
	if (status || marked == 0)
		return status;
	attribute_defaults(&opts, l->k->logit);
	opts.alpha = layer->alpha;
	opts.beta = layer->beta;
	tests = evidence_tests(&l->e);
	status = attribute(&tests, &opts, &r, err);
	if (status)
		return status;
	for (i = 0; !status && i < r.n; i++)
		if (is_enough(layer, &r.culprits[i]))
			status = attribute_accuse(l->a, &r.culprits[i], sign,
			                          r.groups, err);
	attribute_result_done(&r);
	return status;
}

/* What only tests with a culprit reach is masked, not healthy. */
static uint8_t said_of_others(const struct layering *l, size_t t)
{
	if (is_explained(l, t))
		return ATTRIBUTE_UNKNOWN;
	return l->k->signs[t] & (SIGN_BIT(BROKEN) | SIGN_BIT(SLOW))
	               ? ATTRIBUTE_OPEN
	               : ATTRIBUTE_CLEAR;
}

/* The best that any test says: clear before open before unknown. */
static void tell_states(struct layering *l)
{
	static const uint8_t rank[ATTRIBUTE_STATE_COUNT] = {
		[ATTRIBUTE_UNTESTED] = 0, [ATTRIBUTE_UNKNOWN] = 1,
		[ATTRIBUTE_OPEN] = 2,     [ATTRIBUTE_CLEAR] = 3,
		[ATTRIBUTE_BAD] = 4,
	};
	const struct evidence *e = l->k->e;
	uint8_t *state = l->a->state, said;
	size_t t, j;
	int32_t c;

	for (c = 0; c < e->n_comps; c++)
		if (state[c] != ATTRIBUTE_BAD)
			state[c] = ATTRIBUTE_UNTESTED;
	for (t = 0; t < e->n; t++) {
		said = said_of_others(l, t);
		for (j = e->first[t]; j < e->first[t + 1]; j++)
			if (rank[state[e->comps[j]]] < rank[said])
				state[e->comps[j]] = said;
	}
}

enum fp_status attribute_layers(const struct attribute_case *k, uint32_t first,
                                uint32_t last, struct attribute_accusations *a,
                                struct fp_err *err)
{
	struct layering l = { .k = k, .a = a };
	enum fp_status status = FP_OK;
	uint32_t sign;

	evidence_init(&l.e, k->e->n_comps);
	for (sign = first; !status && sign <= last; sign++)
		status = one_layer(&l, sign, err);
	if (!status)
		tell_states(&l);
	evidence_done(&l.e);
	return status;
}

enum fp_status attribute_accusations_init(struct attribute_accusations *a,
                                          int32_t n_comps, struct fp_err *err)
{
	*a = (struct attribute_accusations){
		.state = calloc((size_t)n_comps + 1, sizeof(*a->state)),
	};
	if (a->state)
		return FP_OK;
	return fp_err_set(err, FP_ERR_NOMEM, "no memory for evidence");
}

void attribute_accusations_done(struct attribute_accusations *a)
{
	if (!a)
		return;
	free(a->list);
	free(a->groups);
	free(a->state);
	*a = (struct attribute_accusations){ 0 };
}
