/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --inject: faults on purpose, to drill people and to test the tool.
 * Grammar: KIND key=value ...
 *   slow    src= dst= factor=            the receiver's rate divided by factor
 *   corrupt src= dst= [p=] [bytes=]      bytes flipped in what is received
 *   hang    src= dst=                    data stops moving
 *   drop    src= dst=                    the connection is closed
 *   jitter  src= dst= ms= [p=]           messages held back at random
 *   die | stop | stubborn | flood | garbage | half    rank=
 *           the worker: ends at once; stops itself (SIGSTOP); ignores SIGTERM
 *           and hangs; floods its agent; writes nonsense; dies in mid-frame
 * Everywhere: src= dst= rank= take a rank or *, absent = *; xport=, op=,
 * min= (message size and up), from= until= (seconds since the worker's
 * start), after= (trials of that worker), p= (per message), seed=.
 */
#ifndef FP_PROBES_XPORT_INJECT_H
#define FP_PROBES_XPORT_INJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probes/trial/trial.h"
#include "topo/base/status.h"

enum inject_kind {
	INJECT_SLOW,
	INJECT_CORRUPT,
	INJECT_HANG,
	INJECT_DROP,
	INJECT_JITTER,
	INJECT_DIE,
	INJECT_STOP,
	INJECT_STUBBORN,
	INJECT_FLOOD,
	INJECT_GARBAGE,
	INJECT_HALF,
	INJECT_KIND_COUNT
};

/** struct inject_rule - one parsed --inject. -1 or 0: any. */
struct inject_rule {
	uint32_t kind;
	int32_t src, dst, rank;
	int32_t xport, op;
	uint64_t min_bytes, bytes;
	double factor, ms, p, from_s, until_s;
	uint32_t after;
	uint64_t seed;
};

/**
 * inject_parse() - one rule.
 *
 * Return: FP_OK; FP_ERR_USAGE naming the word and the accepted ones.
 */
enum fp_status inject_parse(const char *text, struct inject_rule *ret,
                            struct fp_err *err);

/** struct inject_now - the moment a rule is asked about. */
struct inject_now {
	const struct trial *trial;
	int32_t rank;         /* this worker's */
	int32_t from, to;     /* ranks of the moving data; -1, -1: none */
	double age_s;         /* since the worker's start */
	uint32_t trials_done; /* by this worker */
};

/** inject_applies() - does @rule act now? p is not looked at. */
bool inject_applies(const struct inject_rule *rule,
                    const struct inject_now *now);

#endif
