// SPDX-License-Identifier: Apache-2.0
// Sets of links of which one is bad: a flow is slow by one hash and not by
// the next, so many hashes are tried where some were slow.
#include <stdlib.h>

#include "probes/sim/run_part.h"

#define LOOKS_MAX 64
#define LOOKS_MIN 16
#define WANTED 12 /* slow ones that should be seen */
#define SLOW_MIN 4
#define SHARE .3 /* of what one bad link would show, at least */

struct rehash {
	struct sim_course *c;
	uint32_t *moved, *crossed; /* [components] flows */
	struct evidence e;
	uint32_t looks;
};

static bool is_set(const struct sim_course *c, int32_t comp)
{
	const struct fabric *f = c->m->f;

	return (comp >= f->first[FABRIC_UPLINK] &&
	        comp < f->first[FABRIC_DOWNLINK + 1]);
}

static void count(struct rehash *r)
{
	const struct evidence *e = &r->c->e;
	unsigned marks = SIM_MOVED | SIGN_BIT(SLOW);
	size_t t, j;

	for (t = 0; t < e->n; t++)
		for (j = e->first[t]; j < e->first[t + 1]; j++) {
			r->crossed[e->comps[j]]++;
			r->moved[e->comps[j]] += (r->c->signs[t] & marks) != 0;
		}
}

/* A lossy port looks the same, but to its own flows only. */
static bool is_rival(const struct sim_course *c, int32_t comp)
{
	const struct fabric *f = c->m->f;

	return comp >= f->first[FABRIC_PORT_TX] &&
	       comp < f->first[FABRIC_PORT_RX + 1];
}

/* Two flows of a set moved: one freak of load does not start a search. */
static bool is_suspect(const struct rehash *r, int32_t comp)
{
	return is_set(r->c, comp) && r->moved[comp] >= 2 &&
	       r->c->a.state[comp] != ATTRIBUTE_BAD;
}

/* Only the sets that a test crosses, and its ports; none if none is suspected, or if a
 * culprit would be in the way. */
static size_t sets_of(const struct rehash *r, size_t t, int32_t *ids)
{
	const struct evidence *e = &r->c->e;
	bool wanted = false;
	size_t j, n = 0;

	for (j = e->first[t]; j < e->first[t + 1]; j++) {
		if (r->c->a.state[e->comps[j]] == ATTRIBUTE_BAD)
			return 0;
		wanted |= is_suspect(r, e->comps[j]);
		if (is_set(r->c, e->comps[j]) || is_rival(r->c, e->comps[j]))
			ids[n++] = e->comps[j];
	}
	return wanted ? n : 0;
}

static enum fp_status look_again(struct rehash *r, size_t t, struct fp_err *err)
{
	const struct sim_test *test = &r->c->tests->t[t];
	int32_t ids[FABRIC_PATH_MAX];
	size_t n = sets_of(r, t, ids);
	enum fp_status status = FP_OK;
	struct sim_look seen;
	uint32_t look;

	for (look = 0; !status && n && look < r->looks; look++) {
		seen = sim_look(r->c->m, test, t, 1 + SIM_RETESTS + look, true);
		status = evidence_add(&r->e, ids, n,
		                      sim_is_slow(r->c, test->cls, &seen), err);
	}
	return status;
}

static uint32_t looks_wanted(const struct rehash *r)
{
	uint32_t u = (uint32_t)fabric_uplinks(r->c->m->f), few = UINT32_MAX, n;
	int32_t comp;

	for (comp = 0; comp < r->c->e.n_comps; comp++)
		if (is_suspect(r, comp) && r->crossed[comp] < few)
			few = r->crossed[comp];
	if (few == UINT32_MAX)
		return 0;
	n = WANTED * u / few + 1;
	if (n < LOOKS_MIN)
		return LOOKS_MIN;
	return n < LOOKS_MAX ? n : LOOKS_MAX;
}

static enum fp_status accuse(struct rehash *r,
                             const struct attribute_result *found,
                             struct fp_err *err)
{
	double u = (double)fabric_uplinks(r->c->m->f);
	const struct attribute_culprit *c;
	enum fp_status status = FP_OK;
	size_t i;

	for (i = 0; !status && i < found->n; i++) {
		c = &found->culprits[i];
		if (is_set(r->c, c->comp) && c->n_slow >= SLOW_MIN &&
		    c->n_slow * u >= SHARE * (c->n_slow + c->n_ok))
			status = attribute_accuse(&r->c->a, c, SIGN_FLAKY,
			                          found->groups, err);
	}
	return status;
}

static enum fp_status attribute_sets(struct rehash *r, struct fp_err *err)
{
	struct attribute_tests tests = evidence_tests(&r->e);
	struct attribute_opts opts;
	struct attribute_result found;
	enum fp_status status;

	attribute_defaults(&opts, r->c->logit);
	opts.alpha = 2e-3;
	opts.beta = 1 - .7 / (double)fabric_uplinks(r->c->m->f);
	status = attribute(&tests, &opts, &found, err);
	if (status)
		return status;
	status = accuse(r, &found, err);
	attribute_result_done(&found);
	return status;
}

enum fp_status sim_course_rehash(struct sim_course *c, struct fp_err *err)
{
	size_t n = (size_t)c->e.n_comps + 1, t;
	struct rehash r = {
		.c = c,
		.moved = calloc(n, sizeof(*r.moved)),
		.crossed = calloc(n, sizeof(*r.crossed)),
	};
	enum fp_status status = FP_OK;

	evidence_init(&r.e, c->e.n_comps);
	if (r.moved && r.crossed) {
		count(&r);
		r.looks = looks_wanted(&r);
	} else {
		(void)fp_err_set(err, FP_ERR_NOMEM, "no memory for looks");
		status = FP_ERR_NOMEM;
	}
	for (t = 0; !status && r.looks && t < c->tests->n; t++)
		status = look_again(&r, t, err);
	c->n_rehash = r.looks;
	if (!status && r.e.n)
		status = attribute_sets(&r, err);
	evidence_done(&r.e);
	free(r.moved);
	free(r.crossed);
	return status;
}
