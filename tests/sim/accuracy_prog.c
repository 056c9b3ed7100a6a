// SPDX-License-Identifier: Apache-2.0
// Prints all accuracy tables: the published figures made again, every kind of
// fault on clusters of three sizes, healthy pairs, and what size costs.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "probes/sim/catalogue.h"
#include "tests/sim/sheet.h"

#define HEALTHY_TRIALS 150
#define HEALTHY_PAIRS 1e6

static const int32_t sizes[] = { 1, 8, 64 };

static double seconds(void)
{
	return (double)clock() / CLOCKS_PER_SEC;
}

static uint64_t print_sheet(double scale)
{
	static const char *const titles[SHEET_COUNT] = {
		"Endpoints located by matchings (share of exact trials)",
		"Pairs called slow (share of pairs)",
		"Components blamed (share of exact trials)",
	};
	struct sheet_figure f;
	uint64_t outside = 0;
	unsigned t;
	size_t i;

	for (t = 0; t < SHEET_COUNT; t++) {
		printf("\n%s\n%-52s %10s %10s %10s\n", titles[t], "",
		       "published", "here", "allowed");
		for (i = 0; i < sheet_count(t); i++) {
			if (sheet_run(t, i, scale, &f, NULL))
				return 1;
			bool out = fabs(f.got - f.want) > sheet_error(&f);

			printf("%-52s %10.6f %10.6f %10.6f%s\n", f.name, f.want,
			       f.got, sheet_error(&f), out ? "  OUTSIDE" : "");
			outside += out;
		}
	}
	return outside;
}

static uint64_t print_unmasking(double scale)
{
	struct sim_blame c = {
		.hosts = 8,
		.matchings = 3,
		.swaps = 1,
		.memories = 1,
		.faults = 4,
		.alpha = 1e-3,
		.beta = .02,
		.trials = (uint32_t)(3000 * scale) + 1,
		.seed = 401,
	};
	struct sim_score s;
	int way;

	printf("\nFour faults among 64 GPUs, 17 rounds\n");
	for (way = 0; way < 3; way++) {
		static const char *const names[] = { "greedy", "searched",
			                             "searched, unmasked" };

		c.refined = way > 0;
		c.unmask = way > 1;
		if (!sim_blame_run(&c, &s, NULL))
			printf("%-20s exact %.4f precision %.4f recall %.4f "
			       "screenings %.2f\n",
			       names[way], s.exact, s.precision, s.recall,
			       s.repeats);
	}
	return 0;
}

/* How many trials did not name all that was planted, and nothing else. */
static uint64_t print_cell(const struct sim_cell *c, const char *name)
{
	double start = seconds(), n = c->trials;
	struct sim_tally t;

	if (sim_cell_run(c, &t, NULL))
		return 1;
	printf("%-18s %6d %6u %6u %6u %6u %6u %9.4f %9.4f %7.1f %8.2f\n", name,
	       (int)c->hosts * 8, t.trials, t.exact, t.grouped, t.missed,
	       t.wrong,
	       t.accused ? 1 - (double)t.innocent / (double)t.accused : 1,
	       c->faults ? (double)t.found / (n * c->faults) : 1,
	       (double)t.rounds / n, 1e3 * (seconds() - start) / n);
	/* One host has nobody to be compared with: a group is all there is. */
	return t.trials - t.exact - (c->hosts == 1 ? t.grouped : 0);
}

static uint64_t print_catalogue(double scale)
{
	struct sim_cell c = { .n_kinds = 1, .faults = 1, .seed = 17 };
	uint64_t inexact = 0;
	uint8_t kind;
	size_t i;

	printf("\n%-18s %6s %6s %6s %6s %6s %6s %9s %9s %7s %8s\n", "fault",
	       "GPUs", "trials", "exact", "group", "missed", "wrong",
	       "precision", "recall", "rounds", "ms");
	c.noise = sim_noise_usual();
	c.kinds = &kind;
	c.trials = (uint32_t)(300 * scale) + 1;
	for (kind = 0; kind < SIM_FAULT_COUNT; kind++)
		for (i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
			c.hosts = sizes[i];
			inexact += print_cell(&c, sim_fault_info(kind)->name);
		}
	return inexact;
}

/* How many components of healthy clusters are accused, or, where fewer pairs
 * were tried than promised, 1. */
static uint64_t spare_healthy(const char *name, double scale, bool collide)
{
	struct sim_cell c = { .hosts = 64, .seed = 23 };
	double start = seconds();
	struct sim_tally t;

	c.trials = (uint32_t)(HEALTHY_TRIALS * scale) + 1;
	c.noise = sim_noise_usual();
	c.noise.collide = collide;
	if (sim_cell_run(&c, &t, NULL))
		return 1;
	printf("%-18s %u runs, %llu pairs: %llu accused (%.1f s)\n", name,
	       t.trials, (unsigned long long)t.pairs,
	       (unsigned long long)t.accused, seconds() - start);
	return t.accused ? t.accused : (double)t.pairs < HEALTHY_PAIRS * scale;
}

static uint64_t print_healthy(double scale)
{
	printf("\nHealthy clusters of 512 GPUs, 5 %% of samples under load\n");
	return spare_healthy("any load", scale, false) +
	       spare_healthy("and collisions", scale, true);
}

static uint64_t print_sizes(double scale)
{
	static const uint8_t kinds[] = { SIM_LEAF_SLOW, SIM_CABLE_TX,
		                         SIM_GPU_PCIE, SIM_HOST_SLOW };
	struct sim_cell c = {
		.kinds = kinds,
		.n_kinds = sizeof(kinds),
		.faults = 4,
		.trials = 1,
		.noise = sim_noise_usual(),
		.seed = 29,
	};
	uint64_t inexact = 0;
	int32_t hosts;

	(void)scale;
	for (hosts = 64; hosts <= 8192; hosts *= 2) {
		c.hosts = hosts;
		inexact += print_cell(&c, "four faults");
	}
	return inexact;
}

/* struct part - a table that can be asked for alone. */
struct part {
	const char *name;
	uint64_t (*print)(double scale); /* how much is wrong */
};

static const struct part parts[] = {
	{ "sheet", print_sheet },         { "unmasking", print_unmasking },
	{ "catalogue", print_catalogue }, { "healthy", print_healthy },
	{ "sizes", print_sizes },
};
#define PARTS (sizeof(parts) / sizeof(*parts))

static int usage(void)
{
	fprintf(stderr, "usage: accuracy_prog [part of the trials [sheet | "
	                "unmasking | catalogue | healthy | sizes]]\n");
	return 2;
}

int main(int argc, char **argv)
{
	double scale = argc > 1 ? strtod(argv[1], NULL) : 1;
	const char *only = argc > 2 ? argv[2] : "";
	size_t i, n = 0;
	uint64_t wrong = 0;

	if (!(scale > 0 && scale <= 100))
		return usage();
	for (i = 0; i < PARTS; i++) {
		if (*only && strcmp(only, parts[i].name) != 0)
			continue;
		wrong += parts[i].print(scale);
		n++;
	}
	if (!n)
		return usage();
	printf("\n%llu figures outside of three standard errors, trials that "
	       "were not exact, or accused who are healthy\n",
	       (unsigned long long)wrong);
	return wrong != 0;
}
