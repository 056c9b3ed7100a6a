// SPDX-License-Identifier: Apache-2.0
// Reads saved texts, snapshots and captured hosts into a job.
#include "mpi/cmd/saved.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "mpi/cmd/input.h"
#include "topo/discover.h"
#include "topo/discover_text.h"
#include "topo/snapshot.h"

static bool is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool is_captured(const char *path)
{
	char sys[PATH_MAX];

	return snprintf(sys, sizeof(sys), "%s/sys", path) < (int)sizeof(sys) &&
	       is_folder(sys);
}

/* "node3" of "run/node3.txt"; the folder where the file says nothing. */
static void name_host(const char *path, struct topo_host *host)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash && slash[1] ? slash + 1 : path;
	char base[TOPO_NAME_MAX];
	size_t len = strcspn(name, ".");

	if (!len || len >= sizeof(base))
		len = strnlen(name, sizeof(base) - 1);
	memcpy(base, name, len);
	base[len] = '\0';
	fp_copy(host->name, sizeof(host->name), base);
}

static bool is_snapshot(const struct source_text *text)
{
	return source_snapshot_ops.sniff(text);
}

/* The hosts of a snapshot, one after another. */
struct hosts {
	struct topo_host *h;
	size_t n;
};

static enum fp_status hosts_room(struct hosts *hosts, size_t more,
                                 struct fp_err *err)
{
	struct topo_host *h =
		reallocarray(hosts->h, hosts->n + more, sizeof(*h));

	if (!h)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for hosts");
	hosts->h = h;
	return FP_OK;
}

static void hosts_done(struct hosts *hosts)
{
	for (size_t i = 0; i < hosts->n; i++)
		topo_host_done(&hosts->h[i]);
	free(hosts->h);
}

static enum fp_status add_text_to(struct topo_host *host, const char *path,
                                  struct fp_text *kinds, struct fp_err *err)
{
	struct fp_text file = { 0 };
	enum fp_status status = input_file(path, &file, err);
	struct source_text text = { fp_text_str(&file), file.len };

	if (status == FP_OK)
		status = topo_host_from_text(&text, host, kinds, err);
	fp_text_free(&file);
	fp_err_prefix(err, "%s", path);
	return status;
}

static int name_cmp(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* Files that are no text of ours are passed over: a folder may hold more. */
static enum fp_status add_file_of(struct topo_host *host, const char *folder,
                                  const char *name, struct fp_text *kinds,
                                  struct fp_err *err)
{
	struct fp_err own = { FP_OK, "" };
	char path[PATH_MAX];
	enum fp_status status;

	if (name[0] == '.' ||
	    snprintf(path, sizeof(path), "%s/%s", folder, name) >=
	            (int)sizeof(path) ||
	    is_folder(path))
		return FP_OK;
	status = add_text_to(host, path, kinds, &own);
	if (status == FP_OK || status == FP_ERR_INPUT)
		return FP_OK;
	return fp_err_set(err, status, "%s", own.text);
}

static enum fp_status add_folder(struct topo_host *host, const char *folder,
                                 struct fp_text *kinds, struct fp_err *err)
{
	struct dirent **list;
	int n = scandir(folder, &list, NULL, name_cmp);
	enum fp_status status = FP_OK;

	if (n < 0)
		return fp_err_sys(err, errno, "%s", folder);
	for (int i = 0; i < n; i++) {
		if (status == FP_OK)
			status = add_file_of(host, folder, list[i]->d_name,
			                     kinds, err);
		free(list[i]);
	}
	free(list);
	if (status == FP_OK && !kinds->len)
		status = fp_err_set(err, FP_ERR_INPUT,
		                    "%s: no file of it is a text that is known",
		                    folder);
	return status;
}

static enum fp_status add_captured(struct topo_host *host, const char *path,
                                   struct fp_text *kinds, struct fp_err *err)
{
	struct topo_env env = { .sysroot = path,
		                .host_id = path,
		                .reads = TOPO_READ_HOST };
	enum fp_status status = topo_discover_host(&env, host, err);

	if (status == FP_OK)
		fp_text_printf(kinds, "%sa captured host",
		               kinds->len ? ", " : "");
	fp_err_prefix(err, "%s", path);
	return status;
}

static enum fp_status add_host(struct hosts *hosts, const char *path,
                               struct fp_text *kinds, struct fp_err *err)
{
	enum fp_status status = hosts_room(hosts, 1, err);
	struct topo_host *host;

	if (status != FP_OK)
		return status;
	host = &hosts->h[hosts->n++];
	*host = (struct topo_host){ .n_cpus = -1 };
	name_host(path, host);
	if (is_captured(path))
		status = add_captured(host, path, kinds, err);
	else if (is_folder(path))
		status = add_folder(host, path, kinds, err);
	else
		status = add_text_to(host, path, kinds, err);
	fp_copy(host->host_id, sizeof(host->host_id), path);
	return status;
}

static enum fp_status add_snapshot(struct hosts *hosts,
                                   const struct topo_job *job,
                                   struct fp_err *err)
{
	enum fp_status status = hosts_room(hosts, job->n_hosts, err);

	for (size_t i = 0; status == FP_OK && i < job->n_hosts; i++) {
		status = topo_host_copy(&hosts->h[hosts->n], &job->hosts[i],
		                        err);
		hosts->n += status == FP_OK;
	}
	return status;
}

static enum fp_status job_of(const struct hosts *hosts, struct topo_job *ret,
                             struct fp_err *err)
{
	struct topo_job job;
	enum fp_status status = topo_job_init(&job, hosts->n, err);

	if (status != FP_OK)
		return status;
	for (size_t i = 0; status == FP_OK && i < hosts->n; i++)
		status = topo_job_place(&job, (int32_t)i, &hosts->h[i], err);
	for (size_t i = 0; status == FP_OK && i < hosts->n; i++)
		job.ranks[i].netdev = topo_host_default_netdev(&hosts->h[i]);
	if (status == FP_OK)
		*ret = job;
	else
		topo_job_done(&job);
	return status;
}

/* *@ret_is: @path is a snapshot, and *@ret its job. */
static enum fp_status try_snapshot(const char *path, bool *ret_is,
                                   struct topo_job *ret, struct fp_err *err)
{
	struct fp_text file = { 0 };
	struct source_text text;
	enum fp_status status = FP_OK;

	*ret_is = false;
	if (strcmp(path, "-") == 0 || is_folder(path))
		return FP_OK;
	status = input_file(path, &file, err);
	text = (struct source_text){ fp_text_str(&file), file.len };
	if (status == FP_OK && is_snapshot(&text)) {
		status = topo_job_from_json(text.data, text.len, ret, err);
		*ret_is = status == FP_OK;
	}
	fp_text_free(&file);
	fp_err_prefix(err, "%s", path);
	return status;
}

static enum fp_status add_path(struct hosts *hosts, const char *path,
                               struct fp_text *kinds, struct fp_err *err)
{
	struct topo_job job;
	bool is;
	enum fp_status status = try_snapshot(path, &is, &job, err);

	if (status != FP_OK)
		return status;
	if (!is)
		return add_host(hosts, path, kinds, err);
	fp_text_printf(kinds, "%ssnapshot", kinds->len ? ", " : "");
	status = add_snapshot(hosts, &job, err);
	topo_job_done(&job);
	return status;
}

enum fp_status saved_job(const struct opts_texts *paths,
                         struct topo_job *ret_job, struct fp_text *ret_kinds,
                         struct fp_err *err)
{
	struct hosts hosts = { NULL, 0 };
	enum fp_status status = FP_OK;
	bool is;

	if (paths->n == 1) {
		status = try_snapshot(paths->text[0], &is, ret_job, err);
		if (status != FP_OK || is) {
			fp_text_printf(ret_kinds, "snapshot");
			return status;
		}
	}
	for (size_t i = 0; status == FP_OK && i < paths->n; i++)
		status = add_path(&hosts, paths->text[i], ret_kinds, err);
	if (status == FP_OK)
		status = job_of(&hosts, ret_job, err);
	hosts_done(&hosts);
	return status;
}
