// SPDX-License-Identifier: Apache-2.0
// Finds the files of communication libraries, and their versions by name.
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "topo/base/fmt.h"
#include "topo/source/live.h"
#include "topo/source/proc_text.h"
#include "topo/source/sysfs.h"

#define LINKS_MAX 8

/* Of several versions of one library the newest that is there. */
static const struct {
	const char *name, *file;
} libs[] = {
	{ "libnccl", "libnccl.so.2" },
	{ "libnccl-net", "libnccl-net.so" },
	{ "libnccl-tuner", "libnccl-tuner.so" },
	{ "librccl", "librccl.so.1" },
	{ "libcuda", "libcuda.so.1" },
	{ "libnvidia-ml", "libnvidia-ml.so.1" },
	{ "libcudart", "libcudart.so.13" },
	{ "libcudart", "libcudart.so.12" },
	{ "libcudart", "libcudart.so.11.0" },
	{ "libibverbs", "libibverbs.so.1" },
	{ "libmlx5", "libmlx5.so.1" },
	{ "librdmacm", "librdmacm.so.1" },
	{ "libefa", "libefa.so.1" },
	{ "libfabric", "libfabric.so.1" },
	{ "libucp", "libucp.so.0" },
	{ "libsharp", "libsharp.so.5" },
	{ "libhcoll", "libhcoll.so.1" },
	{ "libgdrapi", "libgdrapi.so.2" },
};

/* Where the loader looks without being told; the environment goes first. */
static const char folders[] =
	"/usr/local/cuda/lib64:/usr/local/lib:/usr/local/nvidia/lib64:"
	"/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu:"
	"/lib/aarch64-linux-gnu:/usr/lib/aarch64-linux-gnu:"
	"/lib64:/usr/lib64:/lib:/usr/lib:/opt/amazon/efa/lib64:"
	"/opt/amazon/ofi-nccl/lib64:/opt/hpcx/ucx/lib:/opt/rocm/lib";

/*
 * The file that @path is a link to, at the end of its links: the version is
 * in its name. A link that leads elsewhere than into the same folder is
 * followed only where it is absolute, and then from the root.
 */
static void follow(int root_fd, char path[static PATH_MAX])
{
	for (int i = 0; i < LINKS_MAX; i++) {
		char target[PATH_MAX], next[2 * PATH_MAX];
		ssize_t n = readlinkat(root_fd, path + 1, target,
		                       sizeof(target) - 1);
		char *slash = strrchr(path, '/');

		if (n <= 0)
			return;
		target[n] = '\0';
		if (target[0] == '/')
			(void)snprintf(next, sizeof(next), "%s", target);
		else
			(void)snprintf(next, sizeof(next), "%.*s/%s",
			               (int)(slash - path), path, target);
		if (strlen(next) >= PATH_MAX)
			return;
		memcpy(path, next, strlen(next) + 1);
	}
}

/* The first of the folders in @list, separated by ':', that has @file. */
static bool find_in(int root_fd, const char *list, const char *file,
                    char path[static PATH_MAX])
{
	while (*list) {
		size_t len = strcspn(list, ":");
		int n = snprintf(path, PATH_MAX, "%.*s/%s", (int)len, list,
		                 file);

		if (*list == '/' && n > 0 && n < PATH_MAX &&
		    sysfs_exists(root_fd, path + 1))
			return true;
		list += len;
		list += *list == ':';
	}
	return false;
}

/* "2.20.5" of "libnccl.so.2.20.5"; a lone "2" is no version. */
static void put_version(struct reading_pen *pen, const char *lib,
                        const char *path)
{
	const char *so = strstr(strrchr(path, '/'), ".so.");
	char name[READING_NAME_MAX], version[64];

	if (!so || !proc_text_version(so + 4, version, sizeof(version)))
		return;
	(void)snprintf(name, sizeof(name), "lib.%s.version", lib);
	reading_put_text(pen, name, version);
}

/* Folders that the environment names. */
static void read_given(const struct live *live, char given[SYSFS_TEXT_MAX])
{
	const char *own = getenv("LD_LIBRARY_PATH");

	if (live->running)
		(void)snprintf(given, SYSFS_TEXT_MAX, "%s", own ? own : "");
	else
		(void)sysfs_read(live->root_fd, LIVE_EXTRAS "/library_path",
		                 given, SYSFS_TEXT_MAX);
}

static enum fp_status read_libs(struct live *live, struct fp_err *err)
{
	struct reading_pen pen = live_pen(live, READ_FILES, "", err);
	char path[PATH_MAX], name[READING_NAME_MAX], given[SYSFS_TEXT_MAX];
	const char *found = NULL;

	read_given(live, given);
	for (size_t i = 0; i < sizeof(libs) / sizeof(*libs); i++) {
		bool again = found && strcmp(found, libs[i].name) == 0;

		if (again ||
		    (!find_in(live->root_fd, given, libs[i].file, path) &&
		     !find_in(live->root_fd, folders, libs[i].file, path)))
			continue;
		found = libs[i].name;
		follow(live->root_fd, path);
		(void)snprintf(name, sizeof(name), "lib.%s.path", found);
		reading_put_text(&pen, name, path);
		put_version(&pen, found, path);
	}
	return pen.status;
}

const struct live_ops live_libs_ops = {
	.name = "libraries",
	.help = "NCCL, its plugins, CUDA, rdma-core, UCX: file and version",
	.where = LIVE_FILES,
	.read = read_libs,
};
