// SPDX-License-Identifier: Apache-2.0
// Which worker a rank has: the GPU's, or where that cannot be loaded the other.
#include <stdio.h>
#include <string.h>

#include "mpi/agent/impl.h"
#include "topo/base/fmt.h"

/* How the loader ends a program whose libraries are not there. */
#define LOADER_FAILED "exit status 127"

static bool wants_gpu(const struct agent *a)
{
	return a->opts.gpu_path && !a->no_gpu;
}

const char *agent_worker_path(const struct agent *a)
{
	return wants_gpu(a) ? a->opts.gpu_path : a->opts.worker_path;
}

/* "PROGRAM: error while loading shared libraries: libX.so: cannot open ..." */
static const char *loader_words(const char *line)
{
	static const char begin[] = "error while loading shared libraries: ";
	const char *at = strstr(line, begin);

	return at ? at + sizeof(begin) - 1 : line;
}

bool agent_worker_without_gpu(struct agent *a, const char *how)
{
	bool loaded =
		a->phase == WORKER_STARTING && strcmp(how, LOADER_FAILED) != 0;

	if (!wants_gpu(a) || loaded)
		return false;
	a->no_gpu = true;
	a->failures = 0;
	(void)snprintf(a->setup.no_gpu, sizeof(a->setup.no_gpu), "%.127s",
	               a->last_line[0] ? loader_words(a->last_line) : how);
	return true;
}

enum fp_status agent_worker_spawn(struct agent *a, struct fp_err *err)
{
	enum fp_status status;

	a->phase = WORKER_GONE; /* there is none that could end */
	status = child_spawn(&a->child, agent_worker_path(a), err);
	if (status && agent_worker_without_gpu(a, err->text))
		status = child_spawn(&a->child, agent_worker_path(a), err);
	return status;
}
