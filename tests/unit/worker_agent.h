/* SPDX-License-Identifier: Apache-2.0 */
/* A test that plays the agent of real workers, in forked processes. */
#ifndef FP_TESTS_UNIT_WORKER_AGENT_H
#define FP_TESTS_UNIT_WORKER_AGENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "probes/trial/board.h"
#include "probes/trial/wire.h"

/** struct test_worker - a worker and the agent's ends of what they share. */
struct test_worker {
	pid_t pid;
	int fd;
	struct board *board;
	struct wire_reader reader;
};

/** test_worker_start() - fork a process that runs worker_main(). */
void test_worker_start(struct test_worker *w);

/** test_worker_start_late() - the same, but worker_main() is not called before
 * this process has ended. */
void test_worker_start_late(struct test_worker *w);

/** test_worker_close() - close the agent's ends; the worker may still run. */
void test_worker_close(struct test_worker *w);

/** test_worker_wait() - its wait status; the test fails after some time. */
int test_worker_wait(struct test_worker *w);

/** test_worker_kill() - end it by its pid, and wait. */
void test_worker_kill(struct test_worker *w);

/** test_worker_stop() - close, and expect exit status 0. */
void test_worker_stop(struct test_worker *w);

/** test_worker_send() - a frame with a payload of two parts. */
void test_worker_send(struct test_worker *w, enum wire_type type, const void *a,
                      size_t a_len, const void *b, size_t b_len);
void test_worker_write(struct test_worker *w, const void *data, size_t len);

/**
 * test_worker_next() - the worker's next frame.
 *
 * Return: false when it closed or spoke nonsense first. @ret: until the next
 * call.
 */
bool test_worker_next(struct test_worker *w, struct wire_frame *ret);

/** test_worker_expect() - the next frame, which must be of @type. */
struct wire_frame test_worker_expect(struct test_worker *w,
                                     enum wire_type type);

/** test_worker_setup() - what a usual agent says; loopback, no faults. */
struct wire_setup test_worker_setup(int32_t rank, int32_t size);

/** test_worker_ready() - start, set up, and take READY and FACTS. */
void test_worker_ready(struct test_worker *w, const struct wire_setup *setup);

/** test_prepare() - PREPARE for member @me of @n. */
void test_prepare(struct test_worker *w, const struct trial *t,
                  const int32_t *members, uint32_t n, uint32_t me);

/** test_outcome() - the outcome that comes next, checked. */
struct outcome test_outcome(struct test_worker *w);

/**
 * test_trial_run() - a whole trial over @n ready workers, member i is w[i]
 * and rank i: PREPARE, ENDPOINT, GO with all endpoints, outcomes.
 */
void test_trial_run(struct test_worker *w, uint32_t n, const struct trial *t,
                    struct outcome *outcomes);

/** test_trial_start() - the same up to GO. */
void test_trial_start(struct test_worker *w, uint32_t n, const struct trial *t);

/** test_trial() - a short one from rank 0 to rank 1. */
struct trial test_trial(uint32_t id, uint16_t xport, uint16_t op,
                        uint64_t bytes);

/** test_workers_ready() - @n ready workers, all with the same faults. */
void test_workers_ready(struct test_worker *w, uint32_t n, const char *inject);
void test_workers_stop(struct test_worker *w, uint32_t n);

#endif
