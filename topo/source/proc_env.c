// SPDX-License-Identifier: Apache-2.0
// Reads the environment variables that communication libraries look at.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topo/reading/reading_env.h"
#include "topo/source/live.h"
#include "topo/source/sysfs.h"

#define ENVIRON_MAX (256u << 10)

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Pointers to the wanted "NAME=value" of @data, in the order of names. */
static char **find_wanted(char *data, size_t len, size_t *ret_n)
{
	char **found = calloc(len / 2 + 1, sizeof(*found));

	*ret_n = 0;
	if (!found)
		return NULL;
	for (char *at = data; at < data + len; at += strlen(at) + 1) {
		size_t name_len = strcspn(at, "=");

		if (at[name_len] == '=' && reading_env_shown(at, name_len))
			found[(*ret_n)++] = at;
	}
	qsort(found, *ret_n, sizeof(*found), by_text);
	return found;
}

static void put(struct reading_pen *pen, const char *entry)
{
	size_t name_len = strcspn(entry, "=");
	char name[READING_NAME_MAX];

	(void)snprintf(name, sizeof(name), "env.%.*s", (int)name_len, entry);
	reading_put_text(pen, name, entry + name_len + 1);
}

static enum fp_status read(struct live *live, struct fp_err *err)
{
	struct reading_pen pen = live_pen(live, READ_ENV, "", err);
	char *data = malloc(ENVIRON_MAX), **found = NULL;
	struct sysfs_dir process;
	size_t n = 0;
	ssize_t len;

	if (!data)
		return fp_err_set(err, FP_ERR_NOMEM,
		                  "no memory for the environment");
	process = sysfs_dir(live->root_fd, "%s", live->process);
	len = sysfs_dir_read_all(&process, "environ", data, ENVIRON_MAX);
	if (len < 0 && live->running)
		reading_put_skip(&pen, "env.*", "%s/environ: %s", live->process,
		                 strerror(errno));
	if (len > 0)
		found = find_wanted(data, (size_t)len, &n);
	for (size_t i = 0; i < n; i++)
		put(&pen, found[i]);
	free(found);
	free(data);
	return pen.status;
}

const struct live_ops live_env_ops = {
	.name = "environment",
	.help = "NCCL_*, UCX_*, FI_*, CUDA_*, OMPI_MCA_* and the like",
	.where = LIVE_FILES,
	.read = read,
};
