// SPDX-License-Identifier: Apache-2.0
// Which worker a rank has: the GPU's, or where that cannot be loaded the other.
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mpi/agent/impl.h"
#include "probes/trial/variant.h"
#include "topo/base/fmt.h"
#include "topo/discover/discover.h"
#include "topo/reading/reading_env.h"

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

/* A library that is loaded first is the one that answers to its name, whatever
 * path the program was linked for. */
static char *preload_make(const char *lib)
{
	const char *others = getenv("LD_PRELOAD");
	char *text = NULL;

	if (asprintf(&text, "LD_PRELOAD=%s%s%s", lib, others ? ":" : "",
	             others ? others : "") < 0)
		return NULL;
	return text;
}

static bool env_add(struct child_env *env, char *text)
{
	if (text)
		env->set[env->n_set++] = text;
	return text != NULL;
}

static void env_done(struct child_env *env)
{
	for (size_t i = 0; i < env->n_set; i++)
		free(env->set[i]);
}

static int is_device(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

/* "NCCL_IB_HCA==mlx5_2": the @k-th HCA of the host, and no other. One that is
 * not there is no HCA's name. */
static char *hca_make(const struct agent *a, const char *setting, unsigned k)
{
	const struct wire_setup *s = &a->setup;
	char root[sizeof(s->sysroot) + sizeof(s->host_name)];
	char *path = NULL, *text = NULL;
	struct dirent **names = NULL;
	int n = -1;

	if (asprintf(&path, "%s/sys/class/infiniband",
	             topo_sysroot(s->sysroot, s->host_name, root,
	                          sizeof(root))) >= 0)
		n = scandir(path, &names, is_device, versionsort);
	if (asprintf(&text, "%s%s", setting,
	             names && (int)k < n ? names[k]->d_name : "none") < 0)
		text = NULL;
	for (int i = 0; names && i < n; i++)
		free(names[i]);
	free(names);
	free(path);
	return text;
}

static char *setting_make(const struct agent *a, const char *setting)
{
	return a->variant < VARIANT_HCA
	               ? strdup(setting)
	               : hca_make(a, setting, a->variant - VARIANT_HCA);
}

static bool is_own(const char *entry)
{
	return strncmp(entry, "NCCL_", 5) == 0 &&
	       reading_env_shown(entry, strcspn(entry, "="));
}

/* As strcmp(3) of the names. */
static int by_name(const char *a, const char *b)
{
	size_t na = strcspn(a, "="), nb = strcspn(b, "=");
	int order = strncmp(a, b, na < nb ? na : nb);

	return order ? order : (na > nb) - (na < nb);
}

/* The job's first setting behind @after, by name; NULL: there is none. */
static const char *next_own(const char *after)
{
	const char *best = NULL;
	char **at;

	for (at = environ; *at; at++)
		if (is_own(*at) && (!after || by_name(*at, after) > 0) &&
		    (!best || by_name(*at, best) < 0))
			best = *at;
	return best;
}

static void leave_out(uint32_t variant, struct child_env *env)
{
	const char *at = next_own(NULL);
	unsigned k;

	for (k = 0; k < VARIANT_OWN_MAX && at; k++) {
		if (variant >> k & 1)
			env->without[env->n_without++] = at;
		at = next_own(at);
	}
}

/* The settings of the agent's variant, and the job's own NCCL. */
static bool env_fill(const struct agent *a, struct child_env *env)
{
	const struct variant_info *v = variant_info(a->variant);
	bool good = true;

	env->bare = v->bare;
	if (variant_is_without(a->variant))
		leave_out(a->variant, env);
	if (!wants_gpu(a))
		return true;
	if (a->opts.nccl_lib)
		good = env_add(env, preload_make(a->opts.nccl_lib));
	for (size_t i = 0; i < VARIANT_SETTINGS && v->set[i] && good; i++)
		good = env_add(env, setting_make(a, v->set[i]));
	return good;
}

static enum fp_status spawn(struct agent *a, struct fp_err *err)
{
	struct child_env env = { .n_set = 0 };
	enum fp_status status;

	status = env_fill(a, &env)
	                 ? child_spawn(&a->child, agent_worker_path(a), &env,
	                               err)
	                 : fp_err_set(err, FP_ERR_NOMEM,
	                              "no memory to start a worker");
	env_done(&env);
	return status;
}

enum fp_status agent_worker_spawn(struct agent *a, struct fp_err *err)
{
	enum fp_status status;

	a->phase = WORKER_GONE; /* there is none that could end */
	status = spawn(a, err);
	if (status && agent_worker_without_gpu(a, err->text))
		status = spawn(a, err);
	return status;
}
