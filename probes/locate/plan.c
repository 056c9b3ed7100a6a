// SPDX-License-Identifier: Apache-2.0
// The tests of a run: copies, pairs of GPUs, loopbacks, matchings of hosts.
#include "probes/locate/plan.h"

#include <stdlib.h>

#include "probes/locate/match.h"
#include "probes/trial/grow.h"
#include "probes/trial/trial.h"

#define EXHAUSTIVE_HOSTS 16 /* up to here sampling is too blind */
#define TESTS_MAX (1u << 27)

struct planner {
	const struct fabric *f;
	struct locate_tests tests;
	struct match match;
	unsigned stage;
	struct fp_err *err;
};

struct locate_extent locate_extent_of(const struct fabric *f, unsigned mode)
{
	static const struct locate_extent extents[] = {
		[LOCATE_QUICK] = { .copies = true,
		                   .one_way = true,
		                   .matchings = 2 },
		[LOCATE_STANDARD] = { .copies = true,
		                      .loopbacks = 1,
		                      .matchings = 3,
		                      .swaps = 1,
		                      .memories = 1 },
		[LOCATE_DEEP] = { .copies = true,
		                  .loopbacks = UINT32_MAX,
		                  .matchings = UINT32_MAX,
		                  .swaps = 1,
		                  .memories = 1,
		                  .rails = 2 },
	};
	struct locate_extent e = extents[mode];

	if (f->spec.hosts <= EXHAUSTIVE_HOSTS)
		e.matchings = UINT32_MAX;
	if (f->spec.hosts == 1)
		e.loopbacks = UINT32_MAX;
	if (!f->spec.rail_optimised)
		e.rails = 0;
	return e;
}

enum fp_status locate_tests_add(struct locate_tests *t, const struct fabric *f,
                                unsigned stage,
                                const struct fabric_transfer *transfer,
                                struct fp_err *err)
{
	enum fp_status status;

	if (t->n >= TESTS_MAX)
		return fp_err_set(err, FP_ERR_LIMIT, "too many tests");
	status = grow_room(&t->t, &t->room, t->n + 1, sizeof(*t->t), err);
	if (status)
		return status;
	t->t[t->n++] = (struct locate_test){
		.t = *transfer,
		.group = t->n_groups,
		.cls = (uint8_t)locate_class_of(f, transfer),
		.stage = (uint8_t)stage,
	};
	return FP_OK;
}

static enum fp_status add(struct planner *p, struct fabric_end src,
                          struct fabric_end dst)
{
	const struct fabric_transfer t = { src, dst };

	return locate_tests_add(&p->tests, p->f, p->stage, &t, p->err);
}

static enum fp_status copies(struct planner *p)
{
	enum fp_status status = FP_OK;
	int32_t h, g, way;

	p->stage = TRIAL_S0_LOCAL;
	for (way = 0; way < 2; way++) {
		for (h = 0; h < p->f->spec.hosts; h++)
			for (g = 0; !status && g < p->f->spec.gpus; g++) {
				struct fabric_end mem = { h, -1, -1 };
				struct fabric_end gpu = { h, g, -1 };

				status = way ? add(p, gpu, mem)
				             : add(p, mem, gpu);
			}
		p->tests.n_groups++;
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
	p->tests.n_groups++;
	return status;
}

static enum fp_status inside(struct planner *p, bool one_way)
{
	uint32_t rounds = plan_rounds((uint32_t)p->f->spec.gpus), r;
	enum fp_status status = FP_OK;

	p->stage = TRIAL_S1_HOST;
	for (r = 0; !status && r < rounds; r++) {
		/* One way in turns: each GPU sends and receives. */
		status = inside_round(p, r, one_way && r % 2);
		if (!status && !one_way)
			status = inside_round(p, r, true);
	}
	return status;
}

/* How an HCA is used: by which memory, and whether by the GPU beside it. */
struct usage {
	int32_t swap; /* 1: the neighbour's HCA */
	bool memory;  /* of the host */
	int32_t rail; /* further at the other end */
};

/* The GPU that goes with an HCA, or none of them. */
static struct fabric_end end_at(const struct planner *p, int32_t host,
                                int32_t nic, const struct usage *u)
{
	int32_t nics = p->f->spec.nics, gpus = p->f->spec.gpus;
	int32_t via = (nic ^ u->swap) < nics ? nic ^ u->swap : nic;
	struct fabric_end e = { host, -1, via };

	if (!u->memory && gpus)
		e.gpu = nic * gpus / nics;
	return e;
}

/* Each HCA into the one @shift further in its host. */
static enum fp_status loopback(struct planner *p, int32_t shift,
                               const struct usage *u)
{
	enum fp_status status = FP_OK;
	int32_t nics = p->f->spec.nics, h, n;

	for (h = 0; h < p->f->spec.hosts; h++)
		for (n = 0; !status && n < nics; n++)
			status = add(p, end_at(p, h, n, u),
			             end_at(p, h, (n + shift) % nics, u));
	p->tests.n_groups++;
	return status;
}

static enum fp_status loopbacks(struct planner *p, uint32_t count)
{
	const struct usage plain = { 0 }, swapped = { .swap = 1 },
			   memory = { .memory = true };
	int32_t most = p->f->spec.nics, k;
	enum fp_status status = FP_OK;

	p->stage = TRIAL_S2_LOOPBACK;
	if (count < (uint32_t)most)
		most = (int32_t)count;
	for (k = 0; !status && k < most; k++)
		status = loopback(p, k, &plain);
	/* A single host has no other way to its HCAs. */
	for (k = 0; !status && p->f->spec.hosts == 1 && k < most; k++) {
		status = loopback(p, k, &memory);
		if (!status)
			status = loopback(p, k, &swapped);
	}
	return status;
}

/* Each HCA of each host to that of its partner, one way. */
static enum fp_status matching_way(struct planner *p, const struct usage *u,
                                   bool back)
{
	int32_t nics = p->f->spec.nics, h, n, w;
	enum fp_status status = FP_OK;

	for (h = 0; h < p->f->spec.hosts; h++) {
		w = p->match.partner[h];
		if (w < 0 || (h < w) == back)
			continue;
		for (n = 0; !status && n < nics; n++)
			status = add(p, end_at(p, h, n, u),
			             end_at(p, w, (n + u->rail) % nics, u));
	}
	p->tests.n_groups++;
	return status;
}

static enum fp_status matchings(struct planner *p, uint32_t count,
                                const struct usage *u)
{
	enum fp_status status = FP_OK;

	match_begin(&p->match, count);
	while (!status && match_next(&p->match)) {
		status = matching_way(p, u, false);
		if (!status)
			status = matching_way(p, u, true);
	}
	return status;
}

static enum fp_status cross(struct planner *p, const struct locate_extent *e)
{
	const struct usage swapped = { .swap = 1 }, memory = { .memory = true };
	struct usage rail = { 0 };
	enum fp_status status = FP_OK;
	uint32_t k;

	p->stage = TRIAL_S4_CROSS;
	if (p->f->spec.gpus)
		status = matchings(p, e->swaps, &swapped);
	if (!status && p->f->spec.gpus)
		status = matchings(p, e->memories, &memory);
	for (k = 0; !status && k < e->rails && p->f->spec.nics > 1; k++) {
		rail.rail = k ? p->f->spec.nics / 2 : 1;
		status = matchings(p, 1, &rail);
	}
	return status;
}

static enum fp_status plan_all(struct planner *p, const struct locate_extent *e)
{
	const struct usage plain = { 0 };
	enum fp_status status = FP_OK;

	if (e->copies)
		status = copies(p);
	if (!status)
		status = inside(p, e->one_way);
	if (!status && p->f->spec.nics)
		status = loopbacks(p, e->loopbacks);
	p->stage = TRIAL_S3_RAIL;
	if (!status && p->f->spec.nics)
		status = matchings(p, e->matchings, &plain);
	if (!status && p->f->spec.nics)
		status = cross(p, e);
	return status;
}

enum fp_status locate_plan(const struct fabric *f,
                           const struct locate_extent *extent, uint64_t seed,
                           struct locate_tests *ret, struct fp_err *err)
{
	struct planner p = { .f = f, .err = err };
	enum fp_status status = match_init(&p.match, f, seed, err);

	if (!status)
		status = plan_all(&p, extent);
	match_done(&p.match);
	if (status) {
		locate_tests_done(&p.tests);
		return status;
	}
	*ret = p.tests;
	return FP_OK;
}

void locate_tests_done(struct locate_tests *t)
{
	if (!t)
		return;
	free(t->t);
	*t = (struct locate_tests){ 0 };
}
