/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The local launcher in a test. The test is also what it launches: a child
 * writes down who it is in a folder and then does what it was told to.
 */
#ifndef FP_TESTS_UNIT_LOCAL_BED_H
#define FP_TESTS_UNIT_LOCAL_BED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "mpi/local/local.h"

#define RANKS 4
#define LOST_AFTER_S 0.5

/** local_bed_child() - what a launched process is; its exit status. */
int local_bed_child(void);

/** local_bed_set_up(), local_bed_tear_down() - of a group of tests. */
int local_bed_set_up(void **state);
int local_bed_tear_down(void **state);

/**
 * local_bed_launch() - run children that do @what: "end", "die", "stop"
 * (rank 0), "die-early", "linger" (the others), "wait".
 *
 * Return: the exit status, or -1 where nothing was started.
 */
int local_bed_launch(const struct local_opts *opts, const char *what,
                     struct fp_err *err);

/** local_bed_end() - the same, and how rank 0 ended. */
struct local_end local_bed_end(const struct local_opts *opts, const char *what);

/** local_bed_launch_apart() - a launcher of RANKS in a process of its own;
 * local_bed_join() waits for its exit status. */
pid_t local_bed_launch_apart(const char *what);
int local_bed_join(pid_t pid);

/** local_bed_read() - what @rank wrote down; false: nothing yet. */
bool local_bed_read(int rank, char *ret, size_t size);

/** local_bed_pid() - of @rank, once it has written it down. */
pid_t local_bed_pid(int rank);

/** local_bed_wait_state() - until /proc says that @pid is in @state. */
void local_bed_wait_state(pid_t pid, char state);

/** local_bed_wait_gone() - until @pid is no process, or a zombie. */
void local_bed_wait_gone(pid_t pid);

#endif
