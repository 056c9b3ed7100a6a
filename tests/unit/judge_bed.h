/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of faults: what is wrong with a model, and what must be found. */
#ifndef FP_TESTS_JUDGE_BED_H
#define FP_TESTS_JUDGE_BED_H

#include "probes/judge/judge.h"
#include "tests/unit/model_run.h"

#define ANY MODEL_ANY

/** struct want - one finding; ranks -1 and NULLs are "none". */
struct want {
	unsigned code, kind, direction;
	const char *host, *peer_host;
	int32_t rank, peer;
};

/* Faults between hosts 0, 1, ..., and on ranks. */
#define TO_HOST(h, what, v)                  \
	{                                    \
		what, ANY, h, v, true, false \
	}
#define FROM_HOST(h, what, v)                \
	{                                    \
		what, h, ANY, v, true, false \
	}
#define HOSTS(a, b, what, v)               \
	{                                  \
		what, a, b, v, true, false \
	}
#define RANKS(a, b, what, v)                \
	{                                   \
		what, a, b, v, false, false \
	}
#define INSIDE(a, b, what, v)              \
	{                                  \
		what, a, b, v, false, true \
	}

#define NETDEV(c, h, d)                                         \
	{                                                       \
		c, LOCUS_NETDEV, DIRECTION_##d, h, NULL, -1, -1 \
	}
#define RANK(c, r, h, d)                                     \
	{                                                    \
		c, LOCUS_RANK, DIRECTION_##d, h, NULL, r, -1 \
	}
#define HOST(c, h)                                             \
	{                                                      \
		c, LOCUS_HOST, DIRECTION_NONE, h, NULL, -1, -1 \
	}
#define PAIR(c, a, b, h, i, d)                           \
	{                                                \
		c, LOCUS_PAIR, DIRECTION_##d, h, i, a, b \
	}

/** struct fault_case - a name of NULL ends a table. */
struct fault_case {
	const char *name, *shape;
	struct model_fault faults[5];
	struct want wants[3];
};

/** judge_bed_model() - the model of @c (NULL: clean) with @seed. */
struct model judge_bed_model(const struct fault_case *c, uint64_t seed);

/** judge_bed_print() - what was found, for a test that fails. */
void judge_bed_print(const char *name, const struct findings *list);

/**
 * judge_bed_cases() - each of @cases is named, at its place, and nothing else
 * is; a cluster of its shape without the fault is clean; and the order of
 * outcomes makes no difference.
 */
void judge_bed_cases(const struct fault_case *cases);

#endif
