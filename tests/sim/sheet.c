// SPDX-License-Identifier: Apache-2.0
// The published figures, and runs of the same models.
#include "tests/sim/sheet.h"

#include <math.h>
#include <stdio.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct {
	uint32_t n, bad, rounds, retests;
	uint32_t trials;
	double exact;
} endpoints[] = {
	{ 8, 1, 4, 0, 4000, .931 },     { 8, 1, 6, 0, 4000, .970 },
	{ 8, 1, 8, 0, 4000, .983 },     { 8, 1, 3, 5, 4000, 1 },
	{ 8, 2, 4, 0, 1000, .590 },     { 8, 2, 6, 0, 1000, .680 },
	{ 8, 2, 8, 0, 1000, .713 },     { 8, 2, 3, 5, 4000, .993 },
	{ 64, 1, 4, 0, 4000, .996 },    { 64, 2, 4, 0, 4000, .988 },
	{ 64, 3, 4, 0, 4000, .967 },    { 64, 2, 6, 0, 4000, .999 },
	{ 64, 3, 6, 0, 4000, .996 },    { 64, 3, 8, 0, 4000, .999 },
	{ 64, 1, 3, 5, 4000, 1 },       { 64, 2, 3, 5, 4000, .9998 },
	{ 64, 3, 3, 5, 4000, .9995 },   { 512, 1, 4, 0, 4000, .998 },
	{ 512, 5, 4, 0, 4000, .986 },   { 512, 25, 4, 0, 4000, .755 },
	{ 512, 5, 6, 0, 4000, .999 },   { 512, 25, 6, 0, 4000, .961 },
	{ 512, 25, 8, 0, 4000, .992 },  { 512, 1, 3, 5, 4000, .9998 },
	{ 512, 5, 3, 5, 4000, .9990 },  { 512, 25, 3, 5, 4000, .998 },
	{ 8192, 1, 4, 0, 500, .996 },   { 8192, 81, 4, 0, 500, .808 },
	{ 8192, 409, 4, 0, 500, .004 }, { 8192, 81, 6, 0, 500, .984 },
	{ 8192, 409, 6, 0, 500, .464 }, { 8192, 81, 8, 0, 500, .998 },
	{ 8192, 409, 8, 0, 500, .890 }, { 8192, 1, 3, 5, 500, 1 },
	{ 8192, 81, 3, 5, 500, .994 },  { 8192, 409, 3, 5, 500, .970 },
	{ 8, 1, 2, 3, 4000, .999 },     { 64, 2, 2, 3, 4000, .997 },
	{ 512, 5, 2, 3, 4000, .991 },   { 512, 25, 2, 3, 4000, .966 },
	{ 8192, 81, 2, 3, 500, .880 },  { 8192, 409, 2, 3, 500, .496 },
};

static const struct {
	uint32_t rule;
	double base, load;
	uint32_t pairs;
	double flagged; /* of the pairs */
} ladder[] = {
	{ SIM_RULE_ONE, 1, .01, 1000000, 10402e-6 },
	{ SIM_RULE_ONE, 1, .05, 1000000, 50131e-6 },
	{ SIM_RULE_ONE, 1, .15, 1000000, 150725e-6 },
	{ SIM_RULE_BEST, 1, .01, 1000000, 1e-6 },
	{ SIM_RULE_BEST, 1, .05, 1000000, 120e-6 },
	{ SIM_RULE_BEST, 1, .15, 1000000, 3371e-6 },
	{ SIM_RULE_DROP, 1, .01, 1000000, 1e-6 },
	{ SIM_RULE_DROP, 1, .05, 1000000, 82e-6 },
	{ SIM_RULE_DROP, 1, .15, 1000000, 2364e-6 },
	{ SIM_RULE_RETEST, 1, .01, 1000000, 0 },
	{ SIM_RULE_RETEST, 1, .05, 1000000, 0 },
	{ SIM_RULE_RETEST, 1, .15, 1000000, 1e-6 },
	{ SIM_RULE_ONE, .88, .05, 100000, 1 },
	{ SIM_RULE_BEST, .88, .05, 100000, 1 },
	{ SIM_RULE_DROP, .88, .01, 100000, .964 },
	{ SIM_RULE_DROP, .88, .05, 100000, .966 },
	{ SIM_RULE_DROP, .88, .15, 100000, .970 },
	{ SIM_RULE_RETEST, .88, .01, 100000, .960 },
	{ SIM_RULE_RETEST, .88, .05, 100000, .963 },
	{ SIM_RULE_RETEST, .88, .15, 100000, .967 },
	{ SIM_RULE_DROP, .85, .05, 100000, 1 },
	{ SIM_RULE_RETEST, .85, .01, 100000, 1 },
	{ SIM_RULE_RETEST, .85, .05, 100000, 1 },
	{ SIM_RULE_RETEST, .85, .15, 100000, 1 },
	{ SIM_RULE_RETEST, .95, .01, 100000, 0 },
	{ SIM_RULE_RETEST, .95, .05, 100000, 0 },
	{ SIM_RULE_RETEST, .95, .15, 100000, 0 },
};

/* Exact sets at 1, 2 and 4 faults. */
static const struct {
	int32_t hosts, matchings, swaps, memories;
	double alpha, beta;
	uint32_t trials;
	double exact[3];
} blame[] = {
	{ 8, 2, 0, 0, 1e-3, .02, 1000, { .982, .904, .641 } },
	{ 8, 4, 2, 0, 1e-3, .02, 1000, { 1, .951, .719 } },
	{ 64, 3, 0, 0, 1e-3, .02, 1000, { .993, .964, .882 } },
	{ 64, 4, 2, 0, 1e-3, .02, 1000, { 1, .986, .912 } },
	{ 512, 3, 0, 0, 1e-3, .02, 125, { 1, .960, .968 } },
	{ 512, 4, 2, 0, 1e-3, .02, 125, { 1, 1, .992 } },
	{ 8, 4, 2, 0, .01, .10, 400, { .995, .932, .708 } },
	{ 64, 4, 2, 0, .01, .10, 400, { .983, .975, .885 } },
	{ 512, 4, 2, 0, .01, .10, 50, { .72, .78, .90 } },
	{ 8, 3, 1, 1, 1e-3, .02, 800, { 1, .958, .733 } },
	{ 64, 3, 1, 1, 1e-3, .02, 800, { 1, .983, .899 } },
	{ 512, 3, 1, 1, 1e-3, .02, 100, { 1, 1, 1 } },
	{ 8, 3, 1, 1, .01, .10, 800, { .996, .940, .708 } },
	{ 64, 3, 1, 1, .01, .10, 800, { .954, .917, .755 } },
	{ 512, 3, 1, 1, .01, .10, 100, { .90, .86, .81 } },
	{ 8, 3, 1, 1, 3e-6, .125, 800, { .999, .943, .714 } },
	{ 64, 3, 1, 1, 3e-6, .125, 800, { .991, .974, .892 } },
	{ 512, 3, 1, 1, 3e-6, .125, 100, { 1, .97, .95 } },
};

size_t sheet_count(unsigned table)
{
	static const size_t counts[SHEET_COUNT] = {
		[SHEET_ENDPOINTS] = COUNT(endpoints),
		[SHEET_LADDER] = COUNT(ladder),
		[SHEET_BLAME] = 3 * COUNT(blame),
	};

	return counts[table];
}

static uint32_t scaled(uint32_t trials, double scale)
{
	double n = ceil((double)trials * scale);

	return n < 1 ? 1 : (uint32_t)n;
}

static enum fp_status run_endpoints(size_t i, double scale,
                                    struct sheet_figure *f, struct fp_err *err)
{
	struct sim_endpoints c = {
		.n = endpoints[i].n,
		.bad = endpoints[i].bad,
		.rounds = endpoints[i].rounds,
		.retests = endpoints[i].retests,
		.alpha = 1e-3,
		.beta = .02,
		.trials = scaled(endpoints[i].trials, scale),
		.seed = 101 + i,
	};
	struct sim_located got;
	enum fp_status status = sim_endpoints_run(&c, &got, err);

	if (status)
		return status;
	*f = (struct sheet_figure){
		.want = endpoints[i].exact,
		.got = got.exact,
		.n_want = endpoints[i].trials,
		.n_got = c.trials,
	};
	(void)snprintf(f->name, sizeof(f->name),
	               "%u endpoints, %u bad, %u rounds + %u retests", c.n,
	               c.bad, c.rounds, c.retests);
	return FP_OK;
}

static enum fp_status run_ladder(size_t i, double scale, struct sheet_figure *f)
{
	static const char *const rules[SIM_RULE_COUNT] = {
		"one sample", "best of 3", "best of 3, 10 %", "and retested"
	};
	struct sim_ladder c = {
		.rule = ladder[i].rule,
		.base = ladder[i].base,
		.sigma = .01,
		.load = ladder[i].load,
		.pairs = scaled(ladder[i].pairs, scale),
		.seed = 211 + i,
	};

	*f = (struct sheet_figure){
		.want = ladder[i].flagged,
		.got = (double)sim_ladder_run(&c) / c.pairs,
		.n_want = ladder[i].pairs,
		.n_got = c.pairs,
		.count = c.base >= 1,
	};
	(void)snprintf(f->name, sizeof(f->name), "%s, true %.2f, load %.0f %%",
	               rules[c.rule], c.base, 100 * c.load);
	return FP_OK;
}

static enum fp_status run_blame(size_t i, double scale, struct sheet_figure *f,
                                struct fp_err *err)
{
	size_t row = i / 3;
	struct sim_blame c = {
		.hosts = blame[row].hosts,
		.matchings = blame[row].matchings,
		.swaps = blame[row].swaps,
		.memories = blame[row].memories,
		.faults = 1 << i % 3,
		.alpha = blame[row].alpha,
		.beta = blame[row].beta,
		.trials = scaled(blame[row].trials, scale),
		.seed = 307 + i,
	};
	struct sim_score got;
	enum fp_status status = sim_blame_run(&c, &got, err);

	if (status)
		return status;
	*f = (struct sheet_figure){
		.want = blame[row].exact[i % 3],
		.got = got.exact,
		.n_want = blame[row].trials,
		.n_got = c.trials,
	};
	(void)snprintf(f->name, sizeof(f->name),
	               "%d GPUs, %u rounds, %d faults, flags %g/%g",
	               (int)c.hosts * 8, got.rounds, (int)c.faults, c.alpha,
	               c.beta);
	return FP_OK;
}

enum fp_status sheet_run(unsigned table, size_t i, double scale,
                         struct sheet_figure *ret, struct fp_err *err)
{
	switch (table) {
	case SHEET_ENDPOINTS:
		return run_endpoints(i, scale, ret, err);
	case SHEET_LADDER:
		return run_ladder(i, scale, ret);
	default:
		return run_blame(i, scale, ret, err);
	}
}

/* Both sides are estimates: a share of 0 or 1 among n is no closer to it than
 * one in n. */
double sheet_error(const struct sheet_figure *f)
{
	double n = f->n_want + f->n_got;
	double p = (f->want * f->n_want + f->got * f->n_got + 1) / (n + 2);
	double se = sqrt(p * (1 - p) * (1 / f->n_want + 1 / f->n_got));

	return fmax(3 * se, .02 * (f->count ? f->want : 1));
}
