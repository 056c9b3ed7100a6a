/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A child process that leads a session of its own, and does there what this one
 * is to do. When this one is killed the child is told (SIGTERM) and cleans up;
 * when the child is killed, what it started is in an orphaned process group,
 * which the kernel continues if it was stopped. Without that it stays for ever
 * where the reaper is of the same session, as a container's shell is.
 */
#ifndef FP_MPI_LOCAL_APART_H
#define FP_MPI_LOCAL_APART_H

#include <stddef.h>

#include "topo/base/status.h"

#define APART_RESULT_MAX 1024

/** local_apart_fn - fills @ret, of the size that was given; may fail. */
typedef enum fp_status local_apart_fn(void *arg, void *ret, struct fp_err *err);

/**
 * local_apart() - call @body(@arg, @ret, @err) in such a child, and wait for
 * it. SIGINT, SIGTERM and SIGHUP are passed on to it, and stay blocked; one
 * that does not end within @stop_s after that is killed.
 * @size: of *@ret, APART_RESULT_MAX at most, which crosses the processes.
 *
 * Return: what @body returned; FP_ERR_PEER where it ended without a word;
 * FP_ERR_SYS.
 */
enum fp_status local_apart(local_apart_fn *body, void *arg, double stop_s,
                           void *ret, size_t size, struct fp_err *err);

#endif
