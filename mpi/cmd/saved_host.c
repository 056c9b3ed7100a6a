// SPDX-License-Identifier: Apache-2.0
// Reads one host: a text, a folder of texts, or what was captured.
#include "mpi/cmd/saved_host.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "mpi/cmd/input.h"
#include "topo/discover/discover.h"
#include "topo/discover/discover_text.h"

bool saved_is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

bool saved_is_captured(const char *path)
{
	char sys[PATH_MAX];

	return snprintf(sys, sizeof(sys), "%s/sys", path) < (int)sizeof(sys) &&
	       saved_is_folder(sys);
}

void saved_name(const char *path, char base[static TOPO_NAME_MAX])
{
	size_t end = strlen(path), start, len;

	while (end > 1 && path[end - 1] == '/')
		end--;
	for (start = end; start > 0 && path[start - 1] != '/';)
		start--;
	len = strcspn(path + start, ".");
	if (!len || len > end - start)
		len = end - start;
	if (len >= TOPO_NAME_MAX)
		len = TOPO_NAME_MAX - 1;
	memcpy(base, path + start, len);
	base[len] = '\0';
}

static enum fp_status add_text_to(struct topo_host *host, const char *path,
                                  struct fp_text *kinds, struct fp_err *err)
{
	struct fp_text file = { 0 };
	enum fp_status status = input_text(path, &file, err);
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
	    saved_is_folder(path))
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

enum fp_status saved_host(const char *path, struct topo_host *host,
                          struct fp_text *kinds, struct fp_err *err)
{
	*host = (struct topo_host){ .n_cpus = -1 };
	saved_name(path, host->name);
	if (saved_is_captured(path))
		return add_captured(host, path, kinds, err);
	if (saved_is_folder(path))
		return add_folder(host, path, kinds, err);
	return add_text_to(host, path, kinds, err);
}
