/* SPDX-License-Identifier: Apache-2.0 */
/* Builds jobs and results of tests from short descriptions. */
#ifndef FP_TESTS_BUILD_RUN_H
#define FP_TESTS_BUILD_RUN_H

#include <stddef.h>
#include <stdint.h>

#include "probes/judge/results.h"
#include "topo/model/model.h"

/** struct build_run - a job and what was measured on it. */
struct build_run {
	struct topo_job job;
	struct results results;
	uint32_t round;
};

/** enum build_devs - how ranks share the network devices of their host. */
enum build_devs {
	BUILD_ONE_DEV,  /* eth0 for all of them */
	BUILD_RAILS,    /* eth0, eth1, ... one each */
	BUILD_LOOPBACK, /* lo: hosts that are not */
};

/**
 * build_job() - hosts h0, h1, ... with as many ranks as @shape says, e.g.
 * "2 2 1"; devices of 1 Gb/s. Fails the test when it cannot.
 */
void build_job(struct build_run *b, const char *shape, enum build_devs devs);
void build_done(struct build_run *b);

/** build_gpus() - a map of @n GPUs called @name for @host of a job. */
void build_gpus(struct topo_host *host, size_t n, const char *name);

/** struct build_test - one pair trial and both its outcomes; 0: defaults. */
struct build_test {
	int32_t src, dst;
	uint16_t xport, op;           /* XPORT_TCP, OP_WRITE */
	uint8_t dir, stage;           /* DIR_UNI, TRIAL_S3_RAIL */
	uint8_t src_state, dst_state; /* OUTCOME_OK */
	uint8_t src_stage, dst_stage; /* STAGE_DONE */
	uint8_t src_flags, dst_flags;
	uint64_t bytes; /* 1 MiB; 8 for latency */
	double value;   /* src -> dst: rate, B/s; latency: min, s */
	double low; /* p5 of rates (value * 0.98); p99 of latency (value * 2) */
	double pace;           /* rate of the median message, B/s; not told */
	uint32_t messages;     /* that its receiver timed; 100 */
	int64_t idle_ns;       /* of a HANG: since data moved last; not told */
	double back;           /* DIR_BI: dst -> src */
	int64_t retrans, segs; /* the sender's; -1 segs: not known */
	double rtt_s;          /* the sender's; not told */
	uint64_t wrong, wrong_back;    /* as seen by dst, by src */
	int32_t small_rcvd, full_rcvd; /* OP_DATAGRAM: of 8 */
	int32_t full_sent;             /* 8; -1: none could be sent */
	const char *err;
};

/** build_test() - append; returns the trial's id. */
uint32_t build_test(struct build_run *b, const struct build_test *t);

/** build_event() - append. */
void build_event(struct build_run *b, unsigned kind, int32_t rank, double t_s,
                 const char *text);

/**
 * build_coll() - a collective over all ranks; member r ends in @states[r] at
 * @stages[r] (NULL: OK, DONE). Returns the trial's id.
 */
uint32_t build_coll(struct build_run *b, uint16_t op, const uint8_t *states,
                    const uint8_t *stages);

/** build_shuffle() - outcomes and events in another order, by @seed. */
void build_shuffle(struct build_run *b, uint64_t seed);

/** build_random() - next of a sequence in [0, 1); a seed to begin with. */
double build_random(uint64_t *state);

/** build_normal() - a standard normal sample. */
double build_normal(uint64_t *state);

#endif
