// SPDX-License-Identifier: Apache-2.0
// Sets of links of which one is bad: a flow is slow by one hash and not by
// the next, so many hashes are tried where some were slow.
#include <stdlib.h>

#include "probes/locate/book.h"

#define MOVED_MIN 2 /* flows of a set */
#define LOOKS_MAX 64
#define LOOKS_MIN 4
#define LOOKS_FEW 16 /* where sets are small: each of a flow may be slow */
#define STEPS_MAX 4
#define SURE 12 /* slow looks by a set; fewer than OPEN_MIN clear it */
#define OPEN_MIN 2
#define WANTED 12 /* slow ones that should be seen */
#define SLOW_MIN 4
#define SHARE .3 /* of what one bad link would show, at least */
#define FAST .2  /* of a flow's looks: then it is not slow by every hash */

struct rehash {
	const struct locate *l;
	uint32_t *moved, *crossed; /* [components] flows */
	uint32_t *slow;            /* [components] looks of the steps so far */
	uint32_t *within; /* [components] of leaves: moved, and below spines */
	/* [components] tests that cross no set, and how many of them are slow */
	uint32_t *near, *near_slow;
};

static bool is_set(const struct fabric *f, int32_t comp)
{
	return comp >= f->first[FABRIC_UPLINK] &&
	       comp < f->first[FABRIC_DOWNLINK + 1];
}

/* A lossy port looks the same, but to its own flows only. */
static bool is_rival(const struct fabric *f, int32_t comp)
{
	return comp >= f->first[FABRIC_PORT_TX] &&
	       comp < f->first[FABRIC_PORT_RX + 1];
}

/* All that is slow by a port crosses sets, and what does not is fine: it may be
 * by chance that each of its hashes was slow. */
static bool is_doubtful(const struct rehash *r, int32_t comp)
{
	return is_rival(r->l->f, comp) && r->near[comp] && !r->near_slow[comp];
}

/* Does a culprit cross test @t already? */
static bool is_explained(const struct rehash *r, size_t t)
{
	const struct evidence *e = &r->l->e;
	size_t j;

	for (j = e->first[t]; j < e->first[t + 1]; j++)
		if (r->l->a.state[e->comps[j]] == ATTRIBUTE_BAD &&
		    !is_doubtful(r, e->comps[j]))
			return true;
	return false;
}

static bool has_moved(const struct rehash *r, size_t t)
{
	return r->l->signs[t] & (LOCATE_MOVED | SIGN_BIT(SLOW));
}

/* Flows that stay below a leaf moved as well: it is the leaf's own load. */
static bool is_by_loaded_leaf(const struct rehash *r, size_t t)
{
	const struct evidence *e = &r->l->e;
	size_t j;

	for (j = e->first[t]; j < e->first[t + 1]; j++)
		if (r->within[e->comps[j]] >= MOVED_MIN)
			return true;
	return false;
}

static void count_within(struct rehash *r)
{
	const struct fabric *f = r->l->f;
	const struct evidence *e = &r->l->e;
	bool moved, slow;
	size_t t, j;

	for (t = 0; t < e->n; t++) {
		if (locate_class_crosses(r->l->tests.t[t].cls))
			continue;
		moved = has_moved(r, t);
		slow = r->l->signs[t] & (SIGN_BIT(SLOW) | SIGN_BIT(BROKEN));
		for (j = e->first[t]; j < e->first[t + 1]; j++) {
			r->near[e->comps[j]]++;
			r->near_slow[e->comps[j]] += slow;
			r->within[e->comps[j]] +=
				moved && fabric_place(f, e->comps[j]).kind ==
						 FABRIC_LEAF;
		}
	}
}

static void count(struct rehash *r)
{
	const struct evidence *e = &r->l->e;
	size_t t, j;

	count_within(r);
	for (t = 0; t < e->n; t++) {
		if (is_explained(r, t) || is_by_loaded_leaf(r, t))
			continue;
		for (j = e->first[t]; j < e->first[t + 1]; j++) {
			r->crossed[e->comps[j]]++;
			r->moved[e->comps[j]] += has_moved(r, t);
		}
	}
}

/* One freak of load does not start a search. */
static bool is_suspect(const struct rehash *r, int32_t comp)
{
	if (!is_set(r->l->f, comp) || r->moved[comp] < MOVED_MIN ||
	    r->l->a.state[comp] == ATTRIBUTE_BAD)
		return false;
	return r->l->step == 0 ||
	       (r->slow[comp] >= OPEN_MIN && r->slow[comp] < SURE);
}

/* Is a suspect set on the way of test @t, and no culprit? */
static bool is_wanted(const struct rehash *r, size_t t)
{
	const struct evidence *e = &r->l->e;
	size_t j;

	if (is_explained(r, t))
		return false;
	for (j = e->first[t]; j < e->first[t + 1]; j++)
		if (is_suspect(r, e->comps[j]))
			return true;
	return false;
}

/* Only the sets that a test crosses, and its ports. */
static size_t sets_of(const struct locate *l, size_t t, int32_t *ids)
{
	const struct evidence *e = &l->e;
	size_t j, n = 0;

	for (j = e->first[t]; j < e->first[t + 1]; j++)
		if (is_set(l->f, e->comps[j]) || is_rival(l->f, e->comps[j]))
			ids[n++] = e->comps[j];
	return n;
}

static uint32_t looks_wanted(const struct rehash *r)
{
	uint32_t u = (uint32_t)fabric_uplinks(r->l->f), few = UINT32_MAX;
	uint32_t n, least;
	int32_t comp;

	for (comp = 0; comp < r->l->e.n_comps; comp++)
		if (is_suspect(r, comp) && r->crossed[comp] < few)
			few = r->crossed[comp];
	if (few == UINT32_MAX)
		return 0;
	n = WANTED * u / few + 1;
	least = LOOKS_MAX / u;
	if (least > LOOKS_FEW)
		least = LOOKS_FEW;
	if (least < LOOKS_MIN)
		least = LOOKS_MIN;
	if (n < least)
		return least;
	return n < LOOKS_MAX ? n : LOOKS_MAX;
}

static enum fp_status ask_all(struct locate *l, const struct rehash *r,
                              struct fp_err *err)
{
	enum fp_status status = FP_OK;
	uint32_t look, first;
	size_t t;

	if (l->step == 0)
		l->n_rehash = looks_wanted(r);
	first = 1 + LOCATE_RETESTS + l->step * l->n_rehash;
	for (t = 0; l->n_rehash && t < l->e.n; t++) {
		if (!is_wanted(r, t))
			continue;
		for (look = 0; !status && look < l->n_rehash; look++)
			status = book_ask(l, t, first + look, true, err);
	}
	return status;
}

/* Does look @t cross a set that has enough slow ones? */
static bool is_sure(const struct locate *l, size_t t, const uint32_t *slow)
{
	const struct evidence *e = &l->hashes;
	size_t j;

	for (j = e->first[t]; j < e->first[t + 1]; j++)
		if (is_set(l->f, e->comps[j]) && slow[e->comps[j]] >= SURE)
			return true;
	return false;
}

/* Slow looks, and of sets that are not sure those that no sure one explains. */
static void count_slow(const struct locate *l, uint32_t *slow)
{
	const struct evidence *e = &l->hashes;
	size_t t, j;

	for (t = 0; t < e->n; t++)
		for (j = e->first[t]; j < e->first[t + 1]; j++)
			slow[e->comps[j]] += e->slow[t];
	for (t = 0; t < e->n; t++) {
		if (!e->slow[t] || !is_sure(l, t, slow))
			continue;
		for (j = e->first[t]; j < e->first[t + 1]; j++)
			if (slow[e->comps[j]] < SURE)
				slow[e->comps[j]]--;
	}
}

#define COUNTS 6 /* arrays of struct rehash */

enum fp_status rehash_ask(struct locate *l, struct fp_err *err)
{
	size_t n = (size_t)l->e.n_comps + 1;
	uint32_t *counts = calloc(n, COUNTS * sizeof(*counts));
	enum fp_status status = FP_OK;
	struct rehash r = { .l = l };

	if (!counts)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for looks");
	r.moved = counts;
	r.crossed = counts + n;
	r.slow = counts + 2 * n;
	r.within = counts + 3 * n;
	r.near = counts + 4 * n;
	r.near_slow = counts + 5 * n;
	if (!l->oversubscribed && l->step < STEPS_MAX) {
		count(&r);
		count_slow(l, r.slow);
		status = ask_all(l, &r, err);
	}
	free(counts);
	return status;
}

/* Across leaves every hash must be slow, and now there are many. */
static void settle(struct locate *l, size_t t, size_t looks, size_t slow)
{
	if (!(l->signs[t] & SIGN_BIT(SLOW)) ||
	    (double)(looks - slow) < FAST * (double)looks)
		return;
	l->signs[t] &= (uint8_t) ~(SIGN_BIT(SLOW) | SIGN_BIT(MILD));
	l->signs[t] |= LOCATE_MOVED;
}

enum fp_status rehash_eat(struct locate *l, const struct locate_look *looks,
                          struct fp_err *err)
{
	const struct locate_ask *asks = l->batch.asks;
	int32_t ids[FABRIC_PATH_MAX];
	enum fp_status status = FP_OK;
	size_t i, from = 0, slow = 0, n, t;
	bool is_slow;

	for (i = 0; !status && i < l->batch.n; i++) {
		t = asks[i].test;
		n = sets_of(l, t, ids);
		is_slow = book_is_slow(l, l->tests.t[t].cls, &looks[i]);
		slow += is_slow;
		status = evidence_add(&l->hashes, ids, n, is_slow, err);
		if (i + 1 < l->batch.n && asks[i + 1].test == t)
			continue;
		settle(l, t, i + 1 - from, slow);
		from = i + 1;
		slow = 0;
	}
	return status;
}

static enum fp_status accuse(struct locate *l,
                             const struct attribute_result *found,
                             struct fp_err *err)
{
	double u = (double)fabric_uplinks(l->f);
	const struct attribute_culprit *c;
	enum fp_status status = FP_OK;
	size_t i;

	for (i = 0; !status && i < found->n; i++) {
		c = &found->culprits[i];
		if (is_set(l->f, c->comp) && c->n_slow >= SLOW_MIN &&
		    c->n_slow * u >= SHARE * (c->n_slow + c->n_ok))
			status = attribute_accuse(&l->a, c, SIGN_FLAKY,
			                          found->groups, err);
	}
	return status;
}

enum fp_status rehash_accuse(struct locate *l, struct fp_err *err)
{
	struct attribute_tests tests = evidence_tests(&l->hashes);
	struct attribute_opts opts;
	struct attribute_result found;
	enum fp_status status;

	attribute_defaults(&opts, l->logit);
	opts.alpha = 2e-3;
	opts.beta = 1 - .7 / (double)fabric_uplinks(l->f);
	status = attribute(&tests, &opts, &found, err);
	if (status)
		return status;
	status = accuse(l, &found, err);
	attribute_result_done(&found);
	return status;
}
