/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small model of a cluster that is measured as a run would do it: pairs
 * inside hosts, pairs between hosts, datagrams where it hung, and suspects
 * again. No time passes.
 */
#ifndef FP_TESTS_MODEL_RUN_H
#define FP_TESTS_MODEL_RUN_H

#include <stdbool.h>

#include "probes/judge/judge.h"
#include "tests/unit/build_run.h"

#define MODEL_ANY (-1)

enum model_kind {
	MODEL_SLOW,    /* rate times value */
	MODEL_LOSS,    /* value of the segments are sent again */
	MODEL_ROUND,   /* TCP's round trip is value seconds under load */
	MODEL_STALL,   /* p5 times value */
	MODEL_JITTER,  /* p99 of latency is value seconds */
	MODEL_LATE,    /* latency plus value seconds */
	MODEL_CORRUPT, /* value wrong bytes */
	MODEL_HOLE,    /* nothing arrives */
	MODEL_MTU,     /* full-size packets do not arrive */
	MODEL_STUCK,   /* streams hang, datagrams pass */
	MODEL_REFUSED, /* streams fail, datagrams pass */
	MODEL_RARE,    /* one round trip of two tests hangs */
};

/** struct model_fault - of data from src to dst: ranks, or hosts. */
struct model_fault {
	enum model_kind kind;
	int32_t src, dst; /* MODEL_ANY */
	double value;
	bool hosts;  /* src and dst are hosts, for pairs between hosts only */
	bool inside; /* for pairs inside hosts only */
};

/** struct model_noise - what was recorded of one test: its rate, and that of
 * its best message, as parts of what is usual. */
struct model_noise {
	double rate, pace;
};

/** struct model_tape - such noise, played in its order from some place on, as
 * often as it takes. NULL: none, the numbers of struct model make it. */
struct model_tape {
	const struct model_noise *noise;
	size_t n;
};

/** struct model - how measuring goes. Rates in B/s. */
struct model {
	double local_Bps, net_Bps;
	double local_sigma, net_sigma; /* of ln(rate) */
	double contention; /* chance that a test has to share its core */
	double stolen;     /* chance that nearly all of a local test's time goes
	                      to others; messages pass in between, mostly */
	double burst;      /* chance that a time of ten tests is bad for all */
	double spells; /* chance that a local test falls into a time in which
	                      messages pass at a third of their pace */
	bool latency, loopback; /* measure these as well */
	uint32_t matchings;
	struct model_fault faults[8];
	size_t n_faults;
	struct model_tape local_tape, net_tape;
	uint64_t seed;
};

/** model_clean() - a quiet cluster of 1 Gb/s links. */
struct model model_clean(void);

/** model_add() - one more fault. */
void model_add(struct model *m, struct model_fault fault);

/** model_run() - measure @b's job; what comes of it is in @b's results. */
void model_run(struct build_run *b, const struct model *m);

/** model_judge() - the findings of @b's results. */
void model_judge(const struct build_run *b, struct matrices *ms,
                 struct findings *list);

#endif
