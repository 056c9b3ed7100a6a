// SPDX-License-Identifier: Apache-2.0
// What a transfer of a modelled cluster shows.
#include "probes/sim/model.h"

#include <math.h>

#include "probes/decide/ladder.h"
#include "probes/trial/trial.h"

#define LOAD_MIN .5
#define LOAD_MAX .95

static bool is_network(const struct fabric_transfer *t)
{
	return t->src.nic >= 0;
}

static bool is_cross(const struct fabric *f, const struct fabric_transfer *t)
{
	return is_network(t) && fabric_leaf(f, t->src.host, t->src.nic) !=
	                                fabric_leaf(f, t->dst.host, t->dst.nic);
}

/* struct sight - one repetition, while it is looked at. */
struct sight {
	const struct sim_model *m;
	const struct locate_test *test;
	int32_t ids[FABRIC_PATH_MAX];
	size_t n;
	uint64_t hash;  /* of this repetition: which links its flow takes */
	uint64_t flows; /* that its bytes are spread over */
	bool solo, small;
	uint16_t share; /* flows on its uplink; 1: alone */
	struct stats_rng rng;
};

static bool touches(const struct sight *s, const struct sim_fault *fault)
{
	struct fabric_place want = fabric_place(s->m->f, fault->comp), at;
	int32_t begun[FABRIC_PATH_MAX];
	const int32_t *ids = s->ids;
	size_t n = s->n, i;

	if (fault->info.when & SIM_BEGIN) {
		n = fabric_cross_begun(s->m->f, &s->test->t, begun);
		ids = begun;
	}
	for (i = 0; i < n; i++) {
		if (ids[i] == fault->comp)
			return true;
		at = fabric_place(s->m->f, ids[i]);
		if (fault->info.when & SIM_EVERYWHERE && at.kind == want.kind &&
		    at.local == want.local)
			return true;
	}
	return false;
}

/* Each flow is on one of a set's links, by its hash. */
static bool by_bad_member(const struct sight *s, const struct sim_fault *fault)
{
	uint64_t u = (uint64_t)fabric_uplinks(s->m->f);

	uint64_t i;

	for (i = 0; i < s->flows; i++)
		if (stats_hash(s->hash + i, (uint64_t)fault->comp) % u == 0)
			return true;
	return false;
}

static bool shows(const struct sight *s, const struct sim_fault *fault)
{
	uint32_t when = fault->info.when;

	if (when & SIM_COLLECTIVE || (when & SIM_LARGE && s->small) ||
	    (when & SIM_CONCURRENT && s->solo) ||
	    (when & SIM_NETWORK && !is_network(&s->test->t)) ||
	    (when & SIM_CROSS && !is_cross(s->m->f, &s->test->t)))
		return false;
	if (!touches(s, fault))
		return false;
	return !(when & SIM_MEMBER) || by_bad_member(s, fault);
}

/* struct burden - what faults do to this repetition. */
struct burden {
	double ratio, latency;
	double sometimes, duty; /* a ratio that some samples have */
	uint32_t state, stage;
};

static void burden_add(struct burden *b, const struct sim_fault_info *i,
                       struct stats_rng *rng)
{
	if (i->when & SIM_SAMPLES) {
		b->sometimes = fmin(b->sometimes, i->ratio);
		b->duty = fmax(b->duty, i->duty);
		return;
	}
	if (i->duty < 1 && !stats_rng_chance(rng, i->duty))
		return;
	if (i->state > b->state) {
		b->state = i->state;
		b->stage = i->stage;
	}
	b->ratio = fmin(b->ratio, i->ratio);
	b->latency = fmax(b->latency, i->latency);
}

static struct burden burden_of(struct sight *s)
{
	struct burden b = {
		.ratio = 1,
		.latency = 1,
		.sometimes = 1,
		.state = OUTCOME_OK,
		.stage = STAGE_DONE,
	};
	size_t i;

	for (i = 0; i < s->m->n_faults; i++)
		if (shows(s, &s->m->faults[i]))
			burden_add(&b, &s->m->faults[i].info, &s->rng);
	if (s->m->noise.collide && !s->solo && !s->small && s->share > 1)
		b.ratio = fmin(b.ratio, 1.0 / s->share);
	return b;
}

static double sample(struct sight *s, const struct burden *b)
{
	const struct sim_noise *noise = &s->m->noise;
	double x = log(b->ratio) + noise->sigma * stats_rng_normal(&s->rng);

	if (stats_rng_chance(&s->rng, noise->load))
		x += log(LOAD_MIN +
		         (LOAD_MAX - LOAD_MIN) * stats_rng_unit(&s->rng));
	if (b->duty > 0 && stats_rng_chance(&s->rng, b->duty))
		x += log(b->sometimes);
	return x;
}

static void measure(struct sight *s, const struct burden *b,
                    struct locate_look *ret)
{
	int i, n = s->m->streams ? SIM_INTERVALS : SIM_REPEATS;
	double x[SIM_INTERVALS];
	struct decide_sample got;

	for (i = 0; i < n; i++)
		x[i] = sample(s, b);
	got = decide_sample(x, (size_t)n);
	ret->capability = s->m->streams ? got.typical : got.capability;
	ret->floor = got.floor;
	ret->latency = log(b->latency) +
	               s->m->noise.latency_sigma * stats_rng_normal(&s->rng);
}

struct locate_look sim_look(const struct sim_model *m,
                            const struct locate_test *test, size_t index,
                            uint32_t look, bool solo)
{
	struct sight s = { .m = m, .test = test, .solo = solo, .share = 1 };
	struct locate_look ret = { 0 };
	struct burden b;

	if (index < m->n_share)
		s.share = m->share[index];
	/* Several flows find a bad link sooner, one tells how many are bad. */
	s.flows = look == 0 ? SIM_FLOWS : 1;
	s.hash = stats_hash(stats_hash(m->seed, index), look);
	stats_rng_init(&s.rng, s.hash, 1);
	if (m->n_faults)
		s.n = fabric_cross(m->f, &test->t, s.ids);
	b = burden_of(&s);
	ret.state = (uint8_t)b.state;
	ret.stage = (uint8_t)b.stage;
	measure(&s, &b, &ret);
	s.small = true;
	b = burden_of(&s);
	ret.small_ok = b.state == OUTCOME_OK && b.ratio > .9;
	return ret;
}
