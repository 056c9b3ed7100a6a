/* SPDX-License-Identifier: Apache-2.0 */
/* One process of a --local job. */
#ifndef FP_MPI_LOCAL_SPAWN_H
#define FP_MPI_LOCAL_SPAWN_H

#include <sys/types.h>

/**
 * local_spawn() - run this program again, in a process group of its own, with
 * /dev/null to read from, no signal blocked or ignored, and no descriptor above
 * standard error but @listen_fd, which it finds as LOCAL_ENV_FD. -1: none.
 *
 * Return: 0 and its pid, or an errno.
 */
int local_spawn(int listen_fd, char *const argv[], char *const envp[],
                pid_t *ret_pid);

#endif
