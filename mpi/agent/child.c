// SPDX-License-Identifier: Apache-2.0
// Starts and ends worker processes.
#include "mpi/agent/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probes/worker/worker.h"

#define CHILD_FD_FLOOR 16 /* above every descriptor that the child dups to */

/* The child's ends of what parent and child share. */
struct child_ends {
	int control, board, output;
};

void child_init(struct child *c)
{
	*c = (struct child){
		.pidfd = -1,
		.control_fd = -1,
		.output_fd = -1,
	};
}

static void fd_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* Moves @fd above the floor, so that no dup2 in the child overwrites it. */
static int fd_lift(int fd)
{
	int high = fcntl(fd, F_DUPFD_CLOEXEC, CHILD_FD_FLOOR);

	close(fd);
	return high;
}

static void ends_close(struct child_ends *ends)
{
	fd_close(&ends->control);
	fd_close(&ends->board);
	fd_close(&ends->output);
}

static enum fp_status board_make(struct child *c, struct child_ends *ends,
                                 struct fp_err *err)
{
	int fd = memfd_create("fabricprobe-board", MFD_CLOEXEC);
	void *map;

	if (fd < 0)
		return fp_err_sys(err, errno, "make the stage board");
	ends->board = fd_lift(fd);
	if (ends->board < 0 || ftruncate(ends->board, sizeof(struct board)) < 0)
		return fp_err_sys(err, errno, "size the stage board");
	map = mmap(NULL, sizeof(struct board), PROT_READ | PROT_WRITE,
	           MAP_SHARED, ends->board, 0);
	if (map == MAP_FAILED)
		return fp_err_sys(err, errno, "map the stage board");
	c->board = map;
	return FP_OK;
}

static enum fp_status ends_make(struct child *c, struct child_ends *ends,
                                struct fp_err *err)
{
	int pair[2], out[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return fp_err_sys(err, errno, "make a socketpair");
	c->control_fd = pair[0];
	ends->control = fd_lift(pair[1]);
	if (pipe2(out, O_CLOEXEC) < 0)
		return fp_err_sys(err, errno, "make a pipe");
	c->output_fd = out[0];
	ends->output = fd_lift(out[1]);
	if (ends->control < 0 || ends->output < 0)
		return fp_err_sys(err, errno, "duplicate a descriptor");
	if (fcntl(c->control_fd, F_SETFL, O_NONBLOCK) < 0 ||
	    fcntl(c->output_fd, F_SETFL, O_NONBLOCK) < 0)
		return fp_err_sys(err, errno, "set O_NONBLOCK");
	return board_make(c, ends, err);
}

static bool env_is_launchers(const char *entry)
{
	static const char *const prefixes[] = { "OMPI_", "PMIX_", "PMI_",
		                                "FABRICPROBE_" };
	static const char kept[] = "FABRICPROBE_HCA=";
	size_t i;

	/* a choice of the rank's own, for its worker */
	if (strncmp(entry, kept, strlen(kept)) == 0)
		return false;
	for (i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (strncmp(entry, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	return false;
}

/* Does @more say something else of the variable of @entry, or that there is
 * none? */
static bool env_is_replaced(const char *entry, const struct child_env *more)
{
	size_t i, name = strcspn(entry, "=") + 1;

	if (more->bare && strncmp(entry, "NCCL_", 5) == 0)
		return true;
	for (i = 0; i < more->n_set; i++)
		if (strncmp(entry, more->set[i], name) == 0)
			return true;
	for (i = 0; i < more->n_without; i++)
		if (strncmp(entry, more->without[i], name) == 0)
			return true;
	return false;
}

/* A copy of the environment's pointers, the launcher's variables left out. */
static char **env_make(const struct child_env *more)
{
	size_t n = 0, kept = 0, i;
	char **env;

	while (environ[n])
		n++;
	env = calloc(n + more->n_set + 1, sizeof(*env));
	if (!env)
		return NULL;
	for (i = 0; i < n; i++)
		if (!env_is_launchers(environ[i]) &&
		    !env_is_replaced(environ[i], more))
			env[kept++] = environ[i];
	for (i = 0; i < more->n_set; i++)
		env[kept++] = more->set[i];
	return env;
}

static int actions_fill(posix_spawn_file_actions_t *fa,
                        const struct child_ends *ends)
{
	int rc = posix_spawn_file_actions_addopen(fa, STDIN_FILENO, "/dev/null",
	                                          O_RDONLY, 0);

	if (!rc)
		rc = posix_spawn_file_actions_adddup2(fa, ends->output,
		                                      STDOUT_FILENO);
	if (!rc)
		rc = posix_spawn_file_actions_adddup2(fa, ends->output,
		                                      STDERR_FILENO);
	if (!rc)
		rc = posix_spawn_file_actions_adddup2(fa, ends->control,
		                                      WORKER_CONTROL_FD);
	if (!rc)
		rc = posix_spawn_file_actions_adddup2(fa, ends->board,
		                                      WORKER_BOARD_FD);
	/* A worker that inherits mpirun's descriptors holds mpirun for its
	 * lifetime. */
	if (!rc)
		rc = posix_spawn_file_actions_addclosefrom_np(
			fa, WORKER_BOARD_FD + 1);
	return rc;
}

static int attr_fill(posix_spawnattr_t *attr)
{
	sigset_t none, all;
	int rc;

	sigemptyset(&none);
	sigfillset(&all);
	rc = posix_spawnattr_setflags(attr, POSIX_SPAWN_SETPGROUP |
	                                            POSIX_SPAWN_SETSIGMASK |
	                                            POSIX_SPAWN_SETSIGDEF);
	if (!rc)
		rc = posix_spawnattr_setpgroup(attr, 0);
	if (!rc)
		rc = posix_spawnattr_setsigmask(attr, &none);
	if (!rc)
		rc = posix_spawnattr_setsigdefault(attr, &all);
	return rc;
}

static enum fp_status spawn(struct child *c, const char *path,
                            const struct child_ends *ends, char **env,
                            struct fp_err *err)
{
	char *argv[] = { (char *)"fabricprobe-worker", NULL };
	posix_spawn_file_actions_t fa;
	posix_spawnattr_t attr;
	int rc;

	posix_spawn_file_actions_init(&fa);
	posix_spawnattr_init(&attr);
	rc = actions_fill(&fa, ends);
	if (!rc)
		rc = attr_fill(&attr);
	if (!rc)
		rc = posix_spawn(&c->pid, path, &fa, &attr, argv, env);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&fa);
	if (rc) {
		c->pid = 0;
		return fp_err_sys(err, rc,
		                  "cannot start the worker (reinstall, or name "
		                  "it with --worker): %s",
		                  path);
	}
	c->pidfd = pidfd_open(c->pid, 0);
	if (c->pidfd < 0)
		return fp_err_sys(err, errno, "watch the worker %s", path);
	return FP_OK;
}

enum fp_status child_spawn(struct child *c, const char *path,
                           const struct child_env *env, struct fp_err *err)
{
	const struct child_env none = { .n_set = 0 };
	struct child_ends ends = { -1, -1, -1 };
	char **vars = env_make(env ? env : &none);
	enum fp_status status;

	child_init(c);
	status = vars ? ends_make(c, &ends, err)
	              : fp_err_set(err, FP_ERR_NOMEM, "no memory to start %s",
	                           path);
	if (!status)
		status = spawn(c, path, &ends, vars, err);
	ends_close(&ends);
	free(vars);
	if (!status)
		return FP_OK;
	child_kill(c);
	child_close(c);
	return status;
}

void child_kill(const struct child *c)
{
	if (c->pid > 0)
		kill(-c->pid, SIGKILL);
}

bool child_reap(struct child *c, char *ret_what, size_t size)
{
	siginfo_t info = { 0 };

	if (c->pid <= 0)
		return false;
	if (waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOHANG) < 0 ||
	    info.si_pid == 0)
		return false;
	if (info.si_code == CLD_EXITED)
		(void)snprintf(ret_what, size, "exit status %d",
		               info.si_status);
	else
		(void)snprintf(ret_what, size, "signal %d (%s)", info.si_status,
		               sigdescr_np(info.si_status)
		                       ? sigdescr_np(info.si_status)
		                       : "?");
	c->pid = 0;
	return true;
}

char child_state(const struct child *c)
{
	char path[64], text[512];
	const char *end;
	ssize_t n;
	int fd;

	(void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)c->pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return '?';
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return '?';
	text[n] = '\0';
	end = strrchr(text, ')'); /* a name may hold anything, even ") R" */
	return end && end[1] == ' ' && end[2] ? end[2] : '?';
}

void child_close(struct child *c)
{
	fd_close(&c->pidfd);
	fd_close(&c->control_fd);
	fd_close(&c->output_fd);
	if (c->board)
		munmap(c->board, sizeof(*c->board));
	c->board = NULL;
	c->pid = 0;
}

enum fp_status child_worker_path(const char *name, char *ret, size_t size,
                                 struct fp_err *err)
{
	/* Where there is none, the last is the one that cannot be started. */
	static const char *const places[] = {
		"",
		"../libexec/fabricprobe/",
	};
	char self[2048];
	char *slash;
	ssize_t n;
	size_t i;

	n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (n < 0)
		return fp_err_sys(err, errno, "read /proc/self/exe");
	self[n] = '\0';
	slash = strrchr(self, '/');
	if (slash)
		*slash = '\0';
	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if ((size_t)snprintf(ret, size, "%s/%s%s", self, places[i],
		                     name) >= size)
			return fp_err_set(err, FP_ERR_LIMIT,
			                  "%s: path too long", self);
		if (access(ret, X_OK) == 0)
			break;
	}
	return FP_OK;
}
