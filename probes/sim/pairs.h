/* SPDX-License-Identifier: Apache-2.0 */
/* How often pairs and endpoints are decided rightly: the real decisions on
 * made-up samples, many times. */
#ifndef FP_PROBES_SIM_PAIRS_H
#define FP_PROBES_SIM_PAIRS_H

#include "probes/stats/rng.h"
#include "topo/base/status.h"

/** enum sim_rule - ways to decide that a pair is slow. */
enum sim_rule {
	SIM_RULE_ONE,    /* one sample, z < -3.5 */
	SIM_RULE_BEST,   /* best of 3, z < -3.5 */
	SIM_RULE_DROP,   /* best of 3, z <= -6 and 10 % missing */
	SIM_RULE_RETEST, /* and in 2 of 3 retests: the ladder */
	SIM_RULE_COUNT
};

/** struct sim_ladder - samples of base * noise, some of them under load. */
struct sim_ladder {
	uint32_t rule; /* enum sim_rule */
	double base;   /* 1: healthy */
	double sigma;  /* .01: of ln(rate) */
	double load;   /* chance that a sample is times U(.5, .95) */
	uint32_t pairs;
	uint64_t seed;
};

/** sim_ladder_run() - number of @c->pairs that the rule calls slow. */
uint32_t sim_ladder_run(const struct sim_ladder *c);

/** struct sim_endpoints - bad ones among many, found by matchings. */
struct sim_endpoints {
	uint32_t n, bad;
	uint32_t rounds;  /* screening matchings, uniform at random */
	uint32_t retests; /* of each suspect with cleared ones; 0: none */
	double alpha, beta;
	uint32_t trials;
	uint64_t seed;
};

/** struct sim_located - what came of it. */
struct sim_located {
	double exact;    /* share of trials with every endpoint right */
	double wrong;    /* healthy ones called bad, per trial */
	double suspects; /* per trial */
};

/** sim_endpoints_run() - FP_OK, FP_ERR_NOMEM, FP_ERR_INPUT for an odd n. */
enum fp_status sim_endpoints_run(const struct sim_endpoints *c,
                                 struct sim_located *ret, struct fp_err *err);

#endif
