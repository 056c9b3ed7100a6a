// SPDX-License-Identifier: Apache-2.0
// A whole run on a model.
#include "probes/sim/run.h"

#include <stdlib.h>

#include "probes/attribute/kinds.h"
#include "probes/decide/signature.h"
#include "probes/sim/run_part.h"
#include "probes/trial/trial.h"

#define CLASS_LOADED .75

/* A transfer that ended before its first byte says nothing about links. */
static enum fp_status gather(struct sim_course *c, struct fp_err *err)
{
	const struct fabric *f = c->m->f;
	int32_t ids[FABRIC_PATH_MAX];
	enum fp_status status = FP_OK;
	size_t i, n;

	for (i = 0; !status && i < c->tests->n; i++) {
		const struct fabric_transfer *t = &c->tests->t[i].t;

		if (c->signs[i] & SIGN_BIT(BROKEN) &&
		    c->features[i] & FEATURE_INIT)
			n = fabric_cross_begun(f, t, ids);
		else
			n = fabric_cross(f, t, ids);
		status = evidence_add(&c->e, ids, n, false, err);
	}
	return status;
}

/* Ports of tests that were flaky again and again. */
static enum fp_status follow_flaky(struct sim_course *c, struct fp_err *err)
{
	const struct fabric *f = c->m->f;
	bool *ports = calloc((size_t)c->e.n_comps + 1, sizeof(*ports));
	size_t t, j;
	int32_t id;

	if (!ports)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for a run");
	for (t = 0; t < c->e.n; t++) {
		if (!(c->signs[t] & SIGN_BIT(FLAKY)))
			continue;
		for (j = c->e.first[t]; j < c->e.first[t + 1]; j++) {
			id = c->e.comps[j];
			ports[id] |= id >= f->first[FABRIC_PORT_TX] &&
			             id < f->first[FABRIC_PORT_RX + 1];
		}
	}
	sim_course_follow(c, ports);
	free(ports);
	return FP_OK;
}

static bool is_class_loaded(const struct sim_course *c, unsigned cls)
{
	size_t i, n = 0, loaded = 0;

	for (i = 0; i < c->tests->n; i++) {
		if (c->tests->t[i].cls != cls)
			continue;
		n++;
		loaded += (c->signs[i] & SIGN_BIT(LOADED)) != 0;
	}
	return n >= DECIDE_CLASS_MIN &&
	       (double)loaded >= CLASS_LOADED * (double)n;
}

/* All that crosses leaves is slow together: no single set of links is. */
static void spare_oversubscribed(struct sim_course *c)
{
	static const uint8_t cross[] = { SIM_CROSS_LEAF, SIM_SWAPPED_CROSS,
		                         SIM_MEMORY_CROSS };
	size_t i, k;

	for (k = 0; k < sizeof(cross); k++) {
		if (!is_class_loaded(c, cross[k]))
			continue;
		c->oversubscribed = true;
		for (i = 0; i < c->tests->n; i++)
			if (c->tests->t[i].cls == cross[k])
				c->signs[i] &= (uint8_t) ~(SIGN_BIT(LOADED) |
				                           SIM_MOVED);
	}
}

/* Features that most of the tests with this sign have that cross @comp. */
static unsigned common_features(const struct sim_course *c, int32_t comp,
                                uint32_t sign)
{
	uint32_t with[8] = { 0 }, n = 0, bit;
	unsigned features = 0;
	size_t t, j;

	for (t = 0; t < c->e.n; t++) {
		if (!(c->signs[t] & 1u << sign))
			continue;
		for (j = c->e.first[t]; j < c->e.first[t + 1]; j++) {
			if (c->e.comps[j] != comp)
				continue;
			n++;
			for (bit = 0; bit < 8; bit++)
				with[bit] += c->features[t] >> bit & 1;
		}
	}
	for (bit = 0; bit < 8; bit++)
		if (2 * with[bit] > n)
			features |= 1u << bit;
	return features;
}

static enum fp_status note_oversubscribed(struct sim_course *c,
                                          struct fp_err *err)
{
	struct attribute_culprit all = {
		.comp = fabric_id(c->m->f, FABRIC_CLUSTER, 0),
		.confidence = 1,
		.group_confidence = 1,
	};

	if (!c->oversubscribed || all.comp < 0)
		return FP_OK;
	return attribute_accuse(&c->a, &all, SIGN_LOADED, NULL, err);
}

/* What is broken or slow everywhere first, then links of sets, for they make
 * the ports before them look flaky. */
static enum fp_status blame(struct sim_course *c, struct fp_err *err)
{
	struct attribute_case k = { &c->e, c->signs, c->logit };
	enum fp_status status;

	status = attribute_layers(&k, SIGN_BROKEN, SIGN_SLOW, &c->a, err);
	if (!status && !c->oversubscribed)
		status = sim_course_rehash(c, err);
	if (!status)
		status = attribute_layers(&k, SIGN_MILD, SIGN_LOADED, &c->a,
		                          err);
	if (!status)
		status = note_oversubscribed(c, err);
	return status;
}

static enum fp_status name_all(struct sim_course *c, const char ***ret_names,
                               struct fp_err *err)
{
	const char **names = calloc(c->a.n + 1, sizeof(*names));
	size_t i;

	if (!names)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for a run");
	for (i = 0; i < c->a.n; i++) {
		int32_t comp = c->a.list[i].culprit.comp;
		uint32_t sign = c->a.list[i].sign;

		names[i] =
			decide_signature(sign, fabric_place(c->m->f, comp).kind,
		                         common_features(c, comp, sign));
	}
	*ret_names = names;
	return FP_OK;
}

static enum fp_status course_init(struct sim_course *c, struct fp_err *err)
{
	size_t n = c->tests->n + 1;

	decide_ladder_defaults(&c->ladder);
	evidence_init(&c->e, fabric_size(c->m->f));
	c->looks = calloc(n, sizeof(*c->looks));
	c->signs = calloc(n, sizeof(*c->signs));
	c->features = calloc(n, sizeof(*c->features));
	c->logit = attribute_logits(c->m->f);
	if (!c->looks || !c->signs || !c->features || !c->logit)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for a run");
	return attribute_accusations_init(&c->a, fabric_size(c->m->f), err);
}

static void course_done(struct sim_course *c)
{
	attribute_accusations_done(&c->a);
	evidence_done(&c->e);
	free(c->looks);
	free(c->signs);
	free(c->features);
	free(c->logit);
}

static enum fp_status run_all(struct sim_course *c, struct fp_err *err)
{
	enum fp_status status = sim_course_measure(c, err);

	if (status)
		return status;
	sim_course_decide(c);
	spare_oversubscribed(c);
	status = gather(c, err);
	if (!status)
		status = follow_flaky(c, err);
	if (!status)
		status = blame(c, err);
	return status;
}

enum fp_status sim_run(const struct sim_model *m, const struct sim_tests *tests,
                       struct sim_result *ret, struct fp_err *err)
{
	struct sim_course c = { .m = m, .tests = tests };
	enum fp_status status = course_init(&c, err);
	const char **names = NULL;

	if (!status)
		status = run_all(&c, err);
	if (!status)
		status = name_all(&c, &names, err);
	if (!status) {
		*ret = (struct sim_result){
			.a = c.a,
			.names = names,
			.n_retests = c.n_retests,
			.n_rounds = tests->n_rounds + c.n_rehash +
			            (c.n_retests ? SIM_RETESTS : 0),
			.n_rehash = c.n_rehash,
		};
		c.a = (struct attribute_accusations){ 0 };
	}
	course_done(&c);
	return status;
}

void sim_result_done(struct sim_result *r)
{
	if (!r)
		return;
	attribute_accusations_done(&r->a);
	free(r->names);
	*r = (struct sim_result){ 0 };
}
