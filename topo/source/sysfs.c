// SPDX-License-Identifier: Apache-2.0
// Reads small files below a root descriptor.
#include "topo/source/sysfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "topo/base/fmt.h"

#define OPEN_TRIES 1000

bool sysfs_is_live(const char *root)
{
	return !root || !root[0] || strcmp(root, "/") == 0;
}

enum fp_status sysfs_open(const char *root, int *ret_fd, struct fp_err *err)
{
	int fd;

	if (sysfs_is_live(root))
		root = "/";
	fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return fp_err_sys(err, errno, "open %s", root);
	*ret_fd = fd;
	return FP_OK;
}

static ssize_t read_some(int fd, char *buf, size_t size)
{
	ssize_t n;

	do
		n = read(fd, buf, size);
	while (n < 0 && errno == EINTR);
	return n;
}

/* A captured folder is somebody else's: a link in it that leads out of it
 * leads to the same place inside. Kernels before 5.6 cannot do that. */
static int open_inside(int root_fd, const char *path, int flags)
{
	const struct open_how how = { .flags = (uint64_t)(unsigned)flags,
		                      .resolve = RESOLVE_IN_ROOT };
	long fd;

	/* A link with ".." may not be followed while anybody on this machine
	 * renames or mounts: openat2(2) says EAGAIN, and to try again. */
	for (int i = 0; i < OPEN_TRIES; i++) {
		fd = syscall(SYS_openat2, root_fd, path, &how, sizeof(how));
		if (fd >= 0 || (errno != EAGAIN && errno != EINTR))
			break;
	}
	if (fd < 0 && (errno == ENOSYS || errno == EPERM))
		return openat(root_fd, path, flags);
	return (int)fd;
}

/* Nor must a FIFO in it hold us. */
static int open_regular(int root_fd, const char *path)
{
	struct stat st;
	int fd;

	fd = open_inside(root_fd, path,
	                 O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		return fd;
	close(fd);
	errno = EINVAL;
	return -1;
}

/* A file may come in pieces. */
static ssize_t read_whole(int fd, char *buf, size_t size)
{
	size_t len = 0;
	ssize_t n = 1;

	while (len < size && n > 0) {
		n = read_some(fd, buf + len, size - len);
		if (n > 0)
			len += (size_t)n;
	}
	return n < 0 && len == 0 ? -1 : (ssize_t)len;
}

ssize_t sysfs_read_all(int root_fd, const char *path, char *buf, size_t size)
{
	int fd = open_regular(root_fd, path), saved;
	ssize_t n = -1;

	buf[0] = '\0';
	if (fd < 0)
		return -1;
	n = read_whole(fd, buf, size - 1);
	saved = errno;
	close(fd);
	errno = saved;
	buf[n > 0 ? n : 0] = '\0';
	return n;
}

bool sysfs_read(int root_fd, const char *path, char *buf, size_t size)
{
	char text[SYSFS_TEXT_MAX];
	ssize_t n = -1;
	int fd;

	fd = open_regular(root_fd, path);
	if (fd >= 0) {
		n = read_some(fd, text, sizeof(text) - 1);
		close(fd);
	}
	text[n > 0 ? n : 0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	fp_copy(buf, size, text);
	return n >= 0;
}

int64_t sysfs_read_int(int root_fd, const char *path, int64_t none)
{
	char text[32], *end;
	long long value;

	if (!sysfs_read(root_fd, path, text, sizeof(text)))
		return none;
	errno = 0;
	value = strtoll(text, &end, 10);
	return end != text && !*end && !errno ? value : none;
}

bool sysfs_exists(int root_fd, const char *path)
{
	return faccessat(root_fd, path, F_OK, 0) == 0;
}

void sysfs_link_name(int root_fd, const char *path, char *buf, size_t size)
{
	char target[PATH_MAX];
	ssize_t n = readlinkat(root_fd, path, target, sizeof(target) - 1);
	const char *slash;

	target[n > 0 ? n : 0] = '\0';
	slash = strrchr(target, '/');
	fp_copy(buf, size, slash ? slash + 1 : target);
}

void sysfs_list_free(char **names, size_t n)
{
	for (size_t i = 0; names && i < n; i++)
		free(names[i]);
	free(names);
}

static int by_number(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

static DIR *open_folder(int root_fd, const char *path)
{
	int fd = open_inside(root_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir;

	if (fd < 0)
		return NULL;
	dir = fdopendir(fd);
	if (!dir)
		close(fd);
	return dir;
}

/* False without memory. */
static bool list_add(char ***names, size_t *n, const char *name)
{
	char **grown = reallocarray(*names, *n + 1, sizeof(*grown));

	if (!grown)
		return false;
	*names = grown;
	grown[*n] = strdup(name);
	if (!grown[*n])
		return false;
	(*n)++;
	return true;
}

enum fp_status sysfs_list(int root_fd, const char *path, size_t max,
                          char ***ret_names, size_t *ret_n, struct fp_err *err)
{
	DIR *dir = open_folder(root_fd, path);
	const struct dirent *entry;
	char **names = NULL;
	size_t n = 0;

	while (dir && n < max && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.' ||
		    list_add(&names, &n, entry->d_name))
			continue;
		closedir(dir);
		sysfs_list_free(names, n);
		return fp_err_set(err, FP_ERR_NOMEM, "no memory to list %s",
		                  path);
	}
	if (dir)
		closedir(dir);
	if (n > 0)
		qsort(names, n, sizeof(*names), by_number);
	*ret_names = names;
	*ret_n = n;
	return FP_OK;
}
