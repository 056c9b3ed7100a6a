// SPDX-License-Identifier: Apache-2.0
// Starts one process of a --local job.
#include "mpi/local/spawn.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

#include "mpi/local/env.h"

static int actions_fill(posix_spawn_file_actions_t *actions, int listen_fd)
{
	int keep = STDERR_FILENO + 1;
	int rc = posix_spawn_file_actions_addopen(actions, STDIN_FILENO,
	                                          "/dev/null", O_RDONLY, 0);

	if (!rc && listen_fd >= 0) {
		rc = posix_spawn_file_actions_adddup2(actions, listen_fd,
		                                      LOCAL_ENV_FD);
		keep = LOCAL_ENV_FD + 1;
	}
	if (!rc)
		rc = posix_spawn_file_actions_addclosefrom_np(actions, keep);
	return rc;
}

/* Own process groups: a terminal's ^C comes to the launcher alone. */
static int attr_fill(posix_spawnattr_t *attr)
{
	sigset_t all, none;

	sigfillset(&all);
	sigemptyset(&none);
	(void)posix_spawnattr_setsigdefault(attr, &all);
	(void)posix_spawnattr_setsigmask(attr, &none);
	return posix_spawnattr_setflags(attr, POSIX_SPAWN_SETPGROUP |
	                                              POSIX_SPAWN_SETSIGDEF |
	                                              POSIX_SPAWN_SETSIGMASK);
}

int local_spawn(int listen_fd, char *const argv[], char *const envp[],
                pid_t *ret_pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	int rc;

	rc = posix_spawn_file_actions_init(&actions);
	if (rc)
		return rc;
	rc = posix_spawnattr_init(&attr);
	if (rc)
		goto out_actions;
	rc = actions_fill(&actions, listen_fd);
	if (!rc)
		rc = attr_fill(&attr);
	if (!rc)
		rc = posix_spawn(ret_pid, "/proc/self/exe", &actions, &attr,
		                 argv, envp);
	posix_spawnattr_destroy(&attr);
out_actions:
	posix_spawn_file_actions_destroy(&actions);
	return rc;
}
