// SPDX-License-Identifier: Apache-2.0
// Reads the files of one folder below a root descriptor.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "topo/source/sysfs.h"

struct sysfs_dir sysfs_dir(int root_fd, const char *fmt, ...)
{
	struct sysfs_dir dir = { .root_fd = root_fd };
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(dir.path, sizeof(dir.path), fmt, args);
	va_end(args);
	if (n < 0 || (size_t)n >= sizeof(dir.path))
		dir.path[0] = '\0';
	return dir;
}

/* One that is cut would be another file. */
static const char *file_path(const struct sysfs_dir *dir, const char *file,
                             char path[static 2 * SYSFS_PATH_MAX])
{
	int n = snprintf(path, 2 * SYSFS_PATH_MAX, "%s/%s", dir->path, file);

	return dir->path[0] && n > 0 && n < 2 * SYSFS_PATH_MAX ? path : "";
}

bool sysfs_dir_read(const struct sysfs_dir *dir, const char *file, char *buf,
                    size_t size)
{
	char path[2 * SYSFS_PATH_MAX];

	return sysfs_read(dir->root_fd, file_path(dir, file, path), buf, size);
}

int64_t sysfs_dir_int(const struct sysfs_dir *dir, const char *file,
                      int64_t none)
{
	char path[2 * SYSFS_PATH_MAX];

	return sysfs_read_int(dir->root_fd, file_path(dir, file, path), none);
}

ssize_t sysfs_dir_read_all(const struct sysfs_dir *dir, const char *file,
                           char *buf, size_t size)
{
	char path[2 * SYSFS_PATH_MAX];

	return sysfs_read_all(dir->root_fd, file_path(dir, file, path), buf,
	                      size);
}

bool sysfs_dir_has(const struct sysfs_dir *dir, const char *file)
{
	char path[2 * SYSFS_PATH_MAX];

	return sysfs_exists(dir->root_fd, file_path(dir, file, path));
}

void sysfs_dir_link(const struct sysfs_dir *dir, const char *file, char *buf,
                    size_t size)
{
	char path[2 * SYSFS_PATH_MAX];

	sysfs_link_name(dir->root_fd, file_path(dir, file, path), buf, size);
}

int32_t sysfs_dir_hex(const struct sysfs_dir *dir, const char *file,
                      int32_t max)
{
	char text[32], *end;
	unsigned long value;

	if (!sysfs_dir_read(dir, file, text, sizeof(text)))
		return -1;
	value = strtoul(text, &end, 16);
	return end != text && !*end && value <= (unsigned long)max
	               ? (int32_t)value
	               : -1;
}
