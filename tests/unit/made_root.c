// SPDX-License-Identifier: Apache-2.0
// Folders that are read as hosts.
#include "tests/unit/made_root.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

void made_root_make(struct made_root *ret)
{
	const char *folder = getenv("TMPDIR");

	(void)snprintf(ret->path, sizeof(ret->path), "%.40s/fp-root-XXXXXX",
	               folder ? folder : "/tmp");
	assert_non_null(mkdtemp(ret->path));
	ret->fd = open(ret->path, O_DIRECTORY | O_CLOEXEC);
	assert_true(ret->fd >= 0);
}

static void make_folders(const struct made_root *root, const char *path)
{
	char above[256];

	for (const char *at = strchr(path, '/'); at; at = strchr(at + 1, '/')) {
		(void)snprintf(above, sizeof(above), "%.*s", (int)(at - path),
		               path);
		assert_true(mkdirat(root->fd, above, 0700) == 0 ||
		            errno == EEXIST);
	}
}

void made_root_put(const struct made_root *root, const char *path,
                   const char *text)
{
	int fd;

	make_folders(root, path);
	fd = openat(root->fd, path, O_CREAT | O_WRONLY | O_TRUNC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

void made_root_link(const struct made_root *root, const char *path,
                    const char *target)
{
	make_folders(root, path);
	assert_int_equal(symlinkat(target, root->fd, path), 0);
}

static int remove_one(const char *path, const struct stat *st, int type,
                      struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

void made_root_remove(struct made_root *root)
{
	if (!root->path[0])
		return;
	close(root->fd);
	assert_int_equal(nftw(root->path, remove_one, 16, FTW_DEPTH | FTW_PHYS),
	                 0);
	*root = (struct made_root){ .path = "" };
}
