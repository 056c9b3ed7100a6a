// SPDX-License-Identifier: Apache-2.0
// Rounds of tests for a modelled cluster, from the real schedule.
#include "probes/sim/tests.h"

#include <stdlib.h>

#include "probes/plan/plan.h"
#include "probes/trial/grow.h"

#define EXHAUSTIVE_HOSTS 16

struct planner {
	const struct fabric *f;
	struct sim_tests tests;
	struct sim_rng rng;
	struct fp_err *err;
	uint16_t *load; /* [leaves * uplinks] flows of this round */
	size_t n_load;
};

struct sim_extent sim_extent_standard(int32_t hosts)
{
	return (struct sim_extent){
		.matchings = hosts <= EXHAUSTIVE_HOSTS ? 0 : 3,
		.swaps = 1,
		.memories = 1,
	};
}

static enum fp_status add(struct planner *p, struct fabric_end src,
                          struct fabric_end dst)
{
	struct sim_tests *t = &p->tests;
	struct sim_test test = {
		.t = { src, dst },
		.round = t->n_rounds,
		.share = 1,
	};
	enum fp_status status;

	status = grow_room(&t->t, &t->room, t->n + 1, sizeof(*t->t), p->err);
	if (status)
		return status;
	test.cls = (uint16_t)sim_class_of(p->f, &test.t);
	t->t[t->n++] = test;
	return FP_OK;
}

static enum fp_status copies(struct planner *p)
{
	enum fp_status status = FP_OK;
	int32_t h, g, way;

	for (way = 0; way < 2; way++) {
		for (h = 0; h < p->f->spec.hosts; h++)
			for (g = 0; !status && g < p->f->spec.gpus; g++) {
				struct fabric_end mem = { h, -1, -1 };
				struct fabric_end gpu = { h, g, -1 };

				status = way ? add(p, gpu, mem)
				             : add(p, mem, gpu);
			}
		p->tests.n_rounds++;
	}
	return status;
}

/* One matching of the GPUs of every host, one way. */
static enum fp_status inside_round(struct planner *p, uint32_t round, bool back)
{
	uint32_t n = (uint32_t)p->f->spec.gpus, v;
	enum fp_status status = FP_OK;
	int32_t h, w;

	for (h = 0; h < p->f->spec.hosts; h++)
		for (v = 0; !status && v < n; v++) {
			w = plan_partner(n, v, round);
			if (w < 0 || ((int32_t)v < w) == back)
				continue;
			status =
				add(p, (struct fabric_end){ h, (int32_t)v, -1 },
			            (struct fabric_end){ h, w, -1 });
		}
	p->tests.n_rounds++;
	return status;
}

static enum fp_status inside(struct planner *p)
{
	uint32_t rounds = plan_rounds((uint32_t)p->f->spec.gpus), r;
	enum fp_status status = FP_OK;

	for (r = 0; !status && r < 2 * rounds; r++)
		status = inside_round(p, r / 2, r % 2);
	return status;
}

/* The GPU that goes with an HCA, or none of them. */
static struct fabric_end end_at(const struct planner *p, int32_t host,
                                int32_t nic, int32_t swap, bool memory)
{
	int32_t nics = p->f->spec.nics, gpus = p->f->spec.gpus;
	int32_t via = (nic ^ swap) < nics ? nic ^ swap : nic;
	struct fabric_end e = { host, -1, via };

	if (!memory && gpus)
		e.gpu = nic * gpus / nics;
	return e;
}

/* Each HCA into the one @shift further in its host. */
static enum fp_status loopback(struct planner *p, int32_t shift, int32_t swap,
                               bool memory)
{
	enum fp_status status = FP_OK;
	int32_t nics = p->f->spec.nics, h, n;

	for (h = 0; h < p->f->spec.hosts; h++)
		for (n = 0; !status && n < nics; n++)
			status = add(
				p, end_at(p, h, n, swap, memory),
				end_at(p, h, (n + shift) % nics, swap, memory));
	p->tests.n_rounds++;
	return status;
}

static enum fp_status loopbacks(struct planner *p)
{
	int32_t k, most = p->f->spec.hosts == 1 ? p->f->spec.nics : 1;
	enum fp_status status = FP_OK;

	for (k = 0; !status && k < most; k++)
		status = loopback(p, k, 0, false);
	/* A single host has no other way to its HCAs. */
	for (k = 0; !status && most > 1 && k < most; k++) {
		status = loopback(p, k, 0, true);
		if (!status)
			status = loopback(p, k, 1, false);
	}
	return status;
}

/* Flows across leaves that fall on the same uplink of a leaf in a round. */
static void share_uplinks(struct planner *p, size_t from)
{
	uint64_t u = (uint64_t)fabric_uplinks(p->f);
	int pass;
	size_t i;

	for (i = 0; i < p->n_load; i++)
		p->load[i] = 0;
	for (pass = 0; pass < 2; pass++)
		for (i = from; i < p->tests.n; i++) {
			struct sim_test *t = &p->tests.t[i];
			int32_t leaf =
				fabric_leaf(p->f, t->t.src.host, t->t.src.nic);
			uint64_t key = sim_hash((uint64_t)t->t.src.host * 64 +
			                                (uint64_t)t->t.src.nic,
			                        (uint64_t)t->t.dst.host);
			uint16_t *load;

			if (leaf < 0 || leaf == fabric_leaf(p->f, t->t.dst.host,
			                                    t->t.dst.nic))
				continue;
			load = &p->load[(uint64_t)leaf * u + key % u];
			if (pass == 0)
				(*load)++;
			else
				t->share = *load;
		}
}

/* Each HCA of each host to that of its partner: both ways at once are n
 * tests, of which a round runs one way. */
static enum fp_status matching(struct planner *p, uint32_t round, int32_t swap,
                               bool memory, bool back)
{
	uint32_t hosts = (uint32_t)p->f->spec.hosts, h;
	enum fp_status status = FP_OK;
	size_t from = p->tests.n;
	int32_t n, w;

	for (h = 0; h < hosts; h++) {
		w = plan_partner(hosts, h, round);
		if (w < 0 || ((int32_t)h < w) == back)
			continue;
		for (n = 0; !status && n < p->f->spec.nics; n++)
			status = add(p, end_at(p, (int32_t)h, n, swap, memory),
			             end_at(p, w, n, swap, memory));
	}
	p->tests.n_rounds++;
	share_uplinks(p, from);
	return status;
}

static enum fp_status matchings(struct planner *p, uint32_t count, int32_t swap,
                                bool memory)
{
	uint32_t rounds = plan_rounds((uint32_t)p->f->spec.hosts), q, at;
	enum fp_status status = FP_OK;

	if (rounds == 0)
		return FP_OK;
	if (count == 0 || count > rounds)
		count = rounds;
	at = sim_rng_below(&p->rng, rounds);
	for (q = 0; !status && q < count; q++) {
		status = matching(p, at, swap, memory, false);
		if (!status)
			status = matching(p, at, swap, memory, true);
		at = (at + (count == rounds ? 1 : rounds / count + 1)) % rounds;
	}
	return status;
}

static enum fp_status plan_all(struct planner *p, const struct sim_extent *e)
{
	enum fp_status status = copies(p);

	if (!status)
		status = inside(p);
	if (!status && p->f->spec.nics)
		status = loopbacks(p);
	if (!status)
		status = matchings(p, e->matchings, 0, false);
	if (!status && e->swaps)
		status = matchings(p, e->swaps, 1, false);
	if (!status && e->memories)
		status = matchings(p, e->memories, 0, true);
	return status;
}

enum fp_status sim_tests_make(const struct fabric *f,
                              const struct sim_extent *extent, uint64_t seed,
                              struct sim_tests *ret, struct fp_err *err)
{
	struct planner p = { .f = f, .err = err };
	enum fp_status status;

	p.n_load = (size_t)f->n_leaves * (size_t)fabric_uplinks(f);
	p.load = calloc(p.n_load + 1, sizeof(*p.load));
	if (!p.load)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for a plan");
	sim_rng_init(&p.rng, seed, 2);
	status = plan_all(&p, extent);
	free(p.load);
	if (status) {
		sim_tests_done(&p.tests);
		return status;
	}
	*ret = p.tests;
	return FP_OK;
}

void sim_tests_done(struct sim_tests *t)
{
	if (!t)
		return;
	free(t->t);
	*t = (struct sim_tests){ 0 };
}
