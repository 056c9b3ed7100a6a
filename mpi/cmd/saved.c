// SPDX-License-Identifier: Apache-2.0
// Reads saved texts, snapshots and captured hosts into a job.
#include "mpi/cmd/saved.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/cmd/input.h"
#include "mpi/cmd/saved_host.h"
#include "topo/discover/discover_text.h"
#include "topo/json/snapshot.h"

static bool is_snapshot(const struct source_text *text)
{
	return source_snapshot_ops.sniff(text);
}

/* The hosts of a snapshot, one after another. */
struct hosts {
	struct topo_host *h;
	char **path; /* where it was read; NULL: a snapshot's */
	size_t n;
};

static enum fp_status hosts_room(struct hosts *hosts, size_t more,
                                 struct fp_err *err)
{
	size_t room = hosts->n + more + 1;
	struct topo_host *h = reallocarray(hosts->h, room, sizeof(*h));
	char **path;

	if (!h)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for hosts");
	hosts->h = h;
	path = reallocarray(hosts->path, room, sizeof(*path));
	if (!path)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for hosts");
	hosts->path = path;
	for (size_t i = hosts->n; i < room; i++)
		path[i] = NULL;
	return FP_OK;
}

static void hosts_done(struct hosts *hosts)
{
	for (size_t i = 0; i < hosts->n; i++) {
		topo_host_done(&hosts->h[i]);
		free(hosts->path[i]);
	}
	free(hosts->h);
	free(hosts->path);
}

static bool has_twin(const struct hosts *hosts, size_t i)
{
	for (size_t k = 0; k < hosts->n; k++) {
		if (k != i && strcmp(hosts->h[k].name, hosts->h[i].name) == 0)
			return true;
	}
	return false;
}

static void name_twins(struct hosts *hosts, bool whole)
{
	bool *twin = calloc(hosts->n + 1, sizeof(*twin));

	if (!hosts->path)
		goto done;
	for (size_t i = 0; twin && i < hosts->n; i++)
		twin[i] = hosts->path[i] && has_twin(hosts, i);
	for (size_t i = 0; twin && i < hosts->n; i++) {
		if (twin[i] && whole)
			fp_copy(hosts->h[i].name, sizeof(hosts->h[i].name),
			        hosts->path[i]);
		else if (twin[i])
			saved_name(hosts->path[i], hosts->h[i].name);
	}
done:
	free(twin);
}

static enum fp_status add_host(struct hosts *hosts, const char *path,
                               struct fp_text *kinds, struct fp_err *err)
{
	enum fp_status status = hosts_room(hosts, 1, err);
	struct topo_host *host;
	char *own;

	if (status != FP_OK)
		return status;
	own = strdup(path);
	if (!own || !hosts->path) {
		free(own);
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for hosts");
	}
	hosts->path[hosts->n] = own;
	host = &hosts->h[hosts->n++];
	status = saved_host(path, host, kinds, err);
	/* Two paths that are cut to the same are two hosts. */
	if (strlen(path) < sizeof(host->host_id))
		fp_copy(host->host_id, sizeof(host->host_id), path);
	else
		(void)snprintf(host->host_id, sizeof(host->host_id),
		               "%zu:%.32s", hosts->n, path);
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
	if (strcmp(path, "-") == 0 || saved_is_folder(path))
		return FP_OK;
	status = input_text(path, &file, err);
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

/* "node9" before "node10". */
static int name_cmp(const struct dirent **a, const struct dirent **b)
{
	return strverscmp((*a)->d_name, (*b)->d_name);
}

static int is_shown(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* @folder's entries below it, if they all are folders: each is a host. */
static enum fp_status add_each(struct hosts *hosts, const char *folder,
                               struct fp_text *kinds, bool *ret_are,
                               struct fp_err *err)
{
	struct dirent **list;
	int n = scandir(folder, &list, is_shown, name_cmp);
	enum fp_status status = FP_OK;
	char path[PATH_MAX];

	*ret_are = n > 0;
	for (int i = 0; i < n && *ret_are; i++)
		*ret_are = snprintf(path, sizeof(path), "%s/%s", folder,
		                    list[i]->d_name) < (int)sizeof(path) &&
		           saved_is_folder(path);
	for (int i = 0; i < n; i++) {
		(void)snprintf(path, sizeof(path), "%s/%s", folder,
		               list[i]->d_name);
		if (*ret_are && status == FP_OK)
			status = add_path(hosts, path, kinds, err);
		free(list[i]);
	}
	if (n >= 0)
		free(list);
	return status;
}

static enum fp_status add_given(struct hosts *hosts, const char *path,
                                struct fp_text *kinds, struct fp_err *err)
{
	enum fp_status status = FP_OK;
	bool are = false;

	if (saved_is_folder(path) && !saved_is_captured(path))
		status = add_each(hosts, path, kinds, &are, err);
	return status != FP_OK || are ? status
	                              : add_path(hosts, path, kinds, err);
}

enum fp_status saved_job(const struct opts_texts *paths,
                         struct topo_job *ret_job, struct fp_text *ret_kinds,
                         struct fp_err *err)
{
	struct hosts hosts = { 0 };
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
		status = add_given(&hosts, paths->text[i], ret_kinds, err);
	/* Captured hosts whose own names are masked are told apart by those of
	 * their folders, files of one name by where they are. */
	name_twins(&hosts, false);
	name_twins(&hosts, true);
	if (status == FP_OK)
		status = job_of(&hosts, ret_job, err);
	hosts_done(&hosts);
	return status;
}
