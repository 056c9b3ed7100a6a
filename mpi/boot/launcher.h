/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signs that the launcher is about to end this process. mpirun takes a second
 * from the signal that it gets to the one that it passes on, and says SIGCONT
 * meanwhile; a second ^C ends it at once, and without it the MPI library ends
 * the ranks. So rank 0 watches for both, and has its report on disk by then.
 */
#ifndef FP_MPI_BOOT_LAUNCHER_H
#define FP_MPI_BOOT_LAUNCHER_H

#include "topo/base/status.h"

struct event_base;
struct launcher;

/**
 * launcher_block() - keep SIGCONT for a launcher_watch() to come; before
 * anything makes threads. A process that is stopped is continued all the same.
 */
void launcher_block(void);

/**
 * launcher_watch() - call @gone(@arg, signum) when the parent process ended
 * (SIGHUP), or gives the sign that it is going to end this one (SIGTERM).
 *
 * Return: FP_OK; FP_ERR_SYS, FP_ERR_NOMEM. Undo with launcher_close().
 */
enum fp_status launcher_watch(struct event_base *base,
                              void (*gone)(void *arg, int signum), void *arg,
                              struct launcher **ret, struct fp_err *err);

/** launcher_close() - takes NULL. */
void launcher_close(struct launcher *w);

#endif
