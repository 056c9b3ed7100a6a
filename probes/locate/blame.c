// SPDX-License-Identifier: Apache-2.0
// From signs of tests to whom they accuse, and of what.
#include <stdlib.h>

#include "probes/decide/signature.h"
#include "probes/locate/book.h"
#include "probes/trial/trial.h"

/* Static hashes make 63 % of the flows of full links share one; where there are
 * half as many links as hosts, two of three are slow however they share. */
#define CLASS_LOADED .65
/* What crosses leaves is slow wherever it goes, what does not is not. */
#define CROSSING_SLOW .9
#define OTHERS_SLOW .25

static bool has_run(const struct locate *l, size_t i)
{
	return l->looks[i].state != OUTCOME_NONE &&
	       l->looks[i].state != OUTCOME_NOTRUN;
}

static bool crosses_leaves(const struct locate *l, size_t i)
{
	return locate_class_crosses(l->tests.t[i].cls);
}

/* A transfer that ended before its first byte says nothing about links; what
 * the spines explain nothing about anybody else. */
enum fp_status book_evidence(struct locate *l, struct fp_err *err)
{
	int32_t ids[FABRIC_PATH_MAX];
	enum fp_status status = FP_OK;
	size_t i, n;

	evidence_clear(&l->e);
	for (i = 0; !status && i < l->tests.n; i++) {
		const struct fabric_transfer *t = &l->tests.t[i].t;

		n = 0;
		if (has_run(l, i) && !(l->spines_slow && crosses_leaves(l, i)))
			n = (l->signs[i] & SIGN_BIT(BROKEN) &&
			                     l->features[i] & FEATURE_INIT
			             ? fabric_cross_begun
			             : fabric_cross)(l->f, t, ids);
		status = evidence_add(&l->e, ids, n, false, err);
	}
	return status;
}

/* Tests of a group run at the same time: which of them, from @from to @to, are
 * the only ones that leave their leaf? */
static void mark_alone(const struct locate *l, size_t from, size_t to,
                       uint32_t *flows, bool *alone)
{
	size_t i;
	int pass;

	for (pass = 0; pass < 3; pass++)
		for (i = from; i < to; i++) {
			const struct locate_test *t = &l->tests.t[i];
			int32_t leaf =
				fabric_leaf(l->f, t->t.src.host, t->t.src.nic);

			if (!locate_class_crosses(t->cls) || leaf < 0)
				continue;
			if (pass == 0)
				flows[leaf]++;
			else if (pass == 1)
				alone[i] = flows[leaf] == 1;
			else
				flows[leaf] = 0;
		}
}

/* For free(3); NULL: no memory. */
static bool *find_alone(const struct locate *l)
{
	bool *alone = calloc(l->tests.n + 1, sizeof(*alone));
	uint32_t *flows = calloc((size_t)l->f->n_leaves + 1, sizeof(*flows));
	size_t i, end;

	for (i = 0; alone && flows && i < l->tests.n; i = end) {
		for (end = i; end < l->tests.n &&
		              l->tests.t[end].group == l->tests.t[i].group;
		     end++)
			;
		mark_alone(l, i, end, flows, alone);
	}
	free(flows);
	return alone;
}

/* A flow that had the uplinks of its leaf for itself tells nothing of load. */
static bool is_class_loaded(const struct locate *l, unsigned cls,
                            const bool *alone)
{
	size_t i, n = 0, loaded = 0;

	for (i = 0; i < l->tests.n; i++) {
		if (l->tests.t[i].cls != cls || (alone && alone[i]))
			continue;
		n++;
		loaded += (l->signs[i] & SIGN_BIT(LOADED)) != 0;
	}
	return n >= DECIDE_CLASS_MIN &&
	       (double)loaded >= CLASS_LOADED * (double)n;
}

void book_spare_oversubscribed(struct locate *l)
{
	bool *alone = find_alone(l);
	unsigned cls;
	size_t i;

	for (cls = 0; cls < LOCATE_CLASS_COUNT; cls++) {
		if (!locate_class_crosses(cls) ||
		    !is_class_loaded(l, cls, alone))
			continue;
		l->oversubscribed = true;
		for (i = 0; i < l->tests.n; i++)
			if (l->tests.t[i].cls == cls)
				l->signs[i] &= (uint8_t) ~(SIGN_BIT(LOADED) |
				                           LOCATE_MOVED);
	}
	free(alone);
}

/* Features that most of the tests with this sign have that cross @comp. */
static unsigned common_features(const struct locate *l, int32_t comp,
                                uint32_t sign)
{
	uint32_t with[8] = { 0 }, n = 0, bit;
	unsigned features = 0;
	size_t t, j;

	for (t = 0; t < l->e.n; t++) {
		if (!(l->signs[t] & 1u << sign))
			continue;
		for (j = l->e.first[t]; j < l->e.first[t + 1]; j++) {
			if (l->e.comps[j] != comp)
				continue;
			n++;
			for (bit = 0; bit < 8; bit++)
				with[bit] += l->features[t] >> bit & 1;
		}
	}
	for (bit = 0; bit < 8; bit++)
		if (2 * with[bit] > n)
			features |= 1u << bit;
	return features;
}

/* Between hosts: @ret_n[1] tests cross leaves, @ret_n[0] do not; how many of
 * them are slow. */
static void count_slow(const struct locate *l, size_t ret_n[static 2],
                       size_t ret_slow[static 2])
{
	size_t i;

	for (i = 0; i < l->tests.n; i++) {
		const struct fabric_transfer *t = &l->tests.t[i].t;
		bool far = crosses_leaves(l, i);

		if (!has_run(l, i) || t->src.nic < 0 ||
		    t->src.host == t->dst.host)
			continue;
		ret_n[far]++;
		ret_slow[far] += (l->signs[i] & SIGN_BIT(SLOW)) != 0;
	}
}

/* Every leaf's links would have to be bad: it is what joins the leaves, or a
 * setting of all of them. */
static bool are_spines_slow(const struct locate *l)
{
	size_t n[2] = { 0 }, slow[2] = { 0 };

	count_slow(l, n, slow);
	return n[0] && n[1] >= DECIDE_CLASS_MIN &&
	       (double)slow[1] >= CROSSING_SLOW * (double)n[1] &&
	       (double)slow[0] <= OTHERS_SLOW * (double)n[0];
}

static enum fp_status accuse_spines(struct locate *l, struct fp_err *err)
{
	size_t n[2] = { 0 }, slow[2] = { 0 };
	struct attribute_culprit all = {
		.comp = fabric_id(l->f, FABRIC_CLUSTER, 0),
		.confidence = 1,
		.group_confidence = 1,
	};

	if (!l->spines_slow || all.comp < 0)
		return FP_OK;
	count_slow(l, n, slow);
	all.n_slow = (uint32_t)slow[1];
	all.n_ok = (uint32_t)(n[1] - slow[1]);
	return attribute_accuse(&l->a, &all, SIGN_SLOW, NULL, err);
}

static enum fp_status note_oversubscribed(struct locate *l, struct fp_err *err)
{
	struct attribute_culprit all = {
		.comp = fabric_id(l->f, FABRIC_CLUSTER, 0),
		.confidence = 1,
		.group_confidence = 1,
	};

	if (!l->oversubscribed || all.comp < 0)
		return FP_OK;
	return attribute_accuse(&l->a, &all, SIGN_LOADED, NULL, err);
}

static enum fp_status layers(struct locate *l, uint32_t first, uint32_t last,
                             struct fp_err *err)
{
	const struct attribute_case k = { &l->e, l->signs, l->logit };

	return attribute_layers(&k, first, last, &l->a, err);
}

enum fp_status book_blame_hard(struct locate *l, struct fp_err *err)
{
	enum fp_status status;

	l->spines_slow = are_spines_slow(l);
	status = book_evidence(l, err);
	if (status)
		return status;
	attribute_accusations_done(&l->a);
	status = attribute_accusations_init(&l->a, fabric_size(l->f), err);
	if (!status)
		status = layers(l, SIGN_BROKEN, SIGN_SLOW, err);
	return status;
}

/* Links of sets before the rest, for they make the ports before them look
 * flaky. */
enum fp_status book_blame_rest(struct locate *l, struct fp_err *err)
{
	enum fp_status status = FP_OK;

	if (!l->oversubscribed && l->hashes.n)
		status = rehash_accuse(l, err);
	if (!status)
		status = layers(l, SIGN_MILD, SIGN_LOADED, err);
	if (!status)
		status = note_oversubscribed(l, err);
	if (!status)
		status = accuse_spines(l, err);
	return status;
}

enum fp_status book_name_all(struct locate *l, struct fp_err *err)
{
	size_t i;

	free(l->names);
	l->names = calloc(l->a.n + 1, sizeof(*l->names));
	if (!l->names)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for names");
	for (i = 0; i < l->a.n; i++) {
		int32_t comp = l->a.list[i].culprit.comp;
		uint32_t sign = l->a.list[i].sign;

		l->names[i] =
			decide_signature(sign, fabric_place(l->f, comp).kind,
		                         common_features(l, comp, sign));
		if (l->spines_slow && sign == SIGN_SLOW &&
		    fabric_place(l->f, comp).kind == FABRIC_CLUSTER)
			l->names[i] = "spines-slow";
	}
	return FP_OK;
}
