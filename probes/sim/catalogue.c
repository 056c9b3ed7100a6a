// SPDX-License-Identifier: Apache-2.0
// Whole runs with planted faults, and what was made of them.
#include "probes/sim/catalogue.h"

#include <string.h>

#define HOSTS_PER_LEAF 32
#define PODS 4

struct sim_noise sim_noise_usual(void)
{
	return (struct sim_noise){
		.sigma = .01,
		.latency_sigma = .05,
		.load = .05,
	};
}

void sim_cluster(struct fabric_spec *spec, int32_t hosts, unsigned kind)
{
	fabric_spec_defaults(spec, hosts);
	if (hosts < PODS * HOSTS_PER_LEAF)
		spec->hosts_per_leaf = hosts < PODS ? 1 : hosts / PODS;
	if (kind == SIM_NVLINK_BRIDGE)
		spec->inside = FABRIC_INSIDE_NVLINK;
}

/* struct trial_run - one trial. */
struct trial_run {
	const struct sim_cell *c;
	struct fabric f;
	struct sim_fault faults[SIM_FAULTS_MAX];
	bool found[SIM_FAULTS_MAX], grouped[SIM_FAULTS_MAX];
	uint32_t accused, innocent;
};

static bool is_planted(const struct trial_run *t, uint32_t n, int32_t comp)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		if (t->faults[i].comp == comp)
			return true;
	return false;
}

static enum fp_status plant(struct trial_run *t, struct stats_rng *rng,
                            struct fp_err *err)
{
	uint32_t i, tries = 0;

	for (i = 0; i < t->c->faults; tries++) {
		unsigned kind = t->c->kinds[stats_rng_below(
			rng, (uint32_t)t->c->n_kinds)];
		unsigned at = sim_fault_info(kind)->at;
		uint32_t n = (uint32_t)fabric_count(&t->f, at);
		int32_t comp =
			t->f.first[at] + (int32_t)stats_rng_below(rng, n);

		if (tries > 100 * SIM_FAULTS_MAX)
			return fp_err_set(err, FP_ERR_INPUT,
			                  "no place for a fault");
		if (n == 0 || is_planted(t, i, comp))
			continue;
		t->faults[i++] = sim_fault_make(kind, comp);
	}
	return FP_OK;
}

/* Where it shows: what is the same in every host is nobody's own. */
static int32_t place_of(const struct trial_run *t, const struct sim_fault *f)
{
	if (f->info.when & SIM_EVERYWHERE)
		return fabric_id(&t->f, FABRIC_SLOT,
		                 fabric_place(&t->f, f->comp).local);
	return f->comp;
}

static bool is_in_group(const struct attribute_accusations *a, size_t i,
                        int32_t comp)
{
	const struct attribute_culprit *c = &a->list[i].culprit;
	size_t j;

	for (j = 0; j < c->n_group; j++)
		if (a->groups[c->group_first + j] == comp)
			return true;
	return false;
}

static void weigh(struct trial_run *t, const struct locate *r, size_t i)
{
	const struct attribute_accused *by = &r->a.list[i];
	bool innocent = true;
	uint32_t k;

	for (k = 0; k < t->c->faults; k++) {
		int32_t place = place_of(t, &t->faults[k]);
		bool here = by->culprit.comp == place;

		if (here && strcmp(r->names[i], t->faults[k].info.name) == 0)
			t->found[k] = true;
		else if (here || is_in_group(&r->a, i, place))
			t->grouped[k] = true;
		else
			continue;
		innocent = false;
	}
	/* A note about load accuses nobody. */
	if (by->sign == SIGN_LOADED && innocent)
		return;
	t->accused++;
	t->innocent += innocent;
}

static void tally(const struct trial_run *t, const struct locate *r,
                  struct sim_tally *ret)
{
	uint32_t k, found = 0, grouped = 0;

	for (k = 0; k < t->c->faults; k++) {
		found += t->found[k];
		grouped += t->found[k] || t->grouped[k];
	}
	ret->trials++;
	ret->accused += t->accused;
	ret->innocent += t->innocent;
	ret->found += grouped;
	ret->retests += r->n_retests;
	ret->rounds += r->n_rounds;
	if (t->innocent)
		ret->wrong++;
	else if (found == t->c->faults)
		ret->exact++;
	else if (grouped == t->c->faults)
		ret->grouped++;
	else
		ret->missed++;
}

static enum fp_status one_trial(struct trial_run *t, uint64_t seed,
                                struct sim_tally *ret, struct fp_err *err)
{
	const struct locate_opts opts = {
		.extent = locate_extent_of(&t->f, LOCATE_STANDARD),
		.seed = seed,
		.partners = 2,
	};
	struct sim_model m = {
		.f = &t->f,
		.faults = t->faults,
		.n_faults = t->c->faults,
		.noise = t->c->noise,
		.seed = seed,
	};
	enum fp_status status;
	struct locate l;
	size_t i;

	status = locate_init(&l, &t->f, &opts, err);
	if (!status)
		status = sim_run(&m, &l, err);
	for (i = 0; !status && i < l.a.n; i++)
		weigh(t, &l, i);
	if (!status) {
		ret->pairs += l.tests.n;
		tally(t, &l, ret);
	}
	locate_done(&l);
	return status;
}

enum fp_status sim_cell_run(const struct sim_cell *c, struct sim_tally *ret,
                            struct fp_err *err)
{
	struct trial_run t = { .c = c };
	struct sim_tally sum = { 0 };
	struct fabric_spec spec;
	enum fp_status status;
	struct stats_rng rng;
	uint32_t i;

	if (c->faults > SIM_FAULTS_MAX || (c->faults && !c->n_kinds))
		return fp_err_set(err, FP_ERR_INPUT, "%u faults", c->faults);
	sim_cluster(&spec, c->hosts,
	            c->n_kinds ? c->kinds[0] : (unsigned)SIM_FAULT_COUNT);
	status = fabric_init(&t.f, &spec, err);
	if (status)
		return status;
	stats_rng_init(&rng, c->seed, (uint64_t)c->hosts);
	for (i = 0; !status && i < c->trials; i++) {
		memset(t.found, 0, sizeof(t.found));
		memset(t.grouped, 0, sizeof(t.grouped));
		t.accused = t.innocent = 0;
		status = plant(&t, &rng, err);
		if (!status)
			status = one_trial(&t, stats_hash(c->seed, i), &sum,
			                   err);
	}
	fabric_done(&t.f);
	if (!status)
		*ret = sum;
	return status;
}
