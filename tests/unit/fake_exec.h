/* SPDX-License-Identifier: Apache-2.0 */
/* An executor over a small model of a cluster, in virtual time. */
#ifndef FP_TESTS_FAKE_EXEC_H
#define FP_TESTS_FAKE_EXEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probes/session/exec.h"
#include "topo/model/model.h"

/** enum fake_kind - what is wrong with data that flows from src to dst. */
enum fake_kind {
	FAKE_SLOW,    /* rate divided by factor */
	FAKE_LATE,    /* latency times factor */
	FAKE_HANG,    /* streams stop; datagrams pass */
	FAKE_HOLE,    /* nothing at all arrives */
	FAKE_MTU,     /* full-size packets do not arrive */
	FAKE_CORRUPT, /* wrong bytes */
	FAKE_ERROR,   /* connections are refused */
	FAKE_ONCE,    /* as FAKE_HANG, but in one trial only */
	FAKE_STUCK,   /* the worker of rank src must be killed, each time */
	FAKE_DIES,    /* the worker of rank src ends by itself, each time */
	FAKE_LOST,    /* rank src is gone */
	FAKE_BUSY,    /* collectives move on, but need factor seconds */
	FAKE_STALL,   /* every round takes factor seconds longer */
	FAKE_FOREIGN, /* for factor rounds others take half of what the port
	                 of rank src has; verbs */
};

#define FAKE_ANY (-1)

/** struct fake_rule - src and dst are hosts if by_host, else ranks. */
struct fake_rule {
	enum fake_kind kind;
	int32_t src, dst; /* FAKE_ANY */
	bool by_host;
	bool inside;   /* within hosts as well (by_host: between only) */
	uint32_t from; /* round, counted by the executor */
	double factor;
	bool spent; /* FAKE_ONCE, FAKE_LOST: it happened */
	int32_t port; /* only by this port of src, or of dst if src is any, from 1; 0: any */
};

#define FAKE_RULES 8

struct fake_exec {
	const struct topo_job *job;
	struct fake_rule rules[FAKE_RULES];
	size_t n_rules;
	double noise; /* relative, of every rate */
	uint64_t rng;
	uint32_t stop_round; /* told to stop in this round; 0: never */

	/* what was seen */
	uint32_t n_rounds, n_hung_rounds, n_datagrams;
	uint32_t most_in_round;
	size_t n_trials;
	double wall_s, hung_s;
	bool contended; /* a rank or device had two flows one way */
};

extern const struct exec_ops fake_exec_ops;

/** fake_exec_init() - a healthy cluster. */
void fake_exec_init(struct fake_exec *f, const struct topo_job *job);

/** fake_exec_rule() - add a rule. */
void fake_exec_rule(struct fake_exec *f, struct fake_rule rule);

#endif
