/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small files below a root: the live machine's "/" or a captured host's
 * folder. Paths are relative to it ("sys/class/net/eth0/mtu").
 */
#ifndef FP_TOPO_SOURCE_SYSFS_H
#define FP_TOPO_SOURCE_SYSFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "topo/base/status.h"

#define SYSFS_TEXT_MAX 4096
#define SYSFS_PATH_MAX 384

/** sysfs_is_live() - is @root this machine's own: NULL, "" or "/"? */
bool sysfs_is_live(const char *root);

/**
 * sysfs_open() - the folder @root as a descriptor for the calls below.
 *
 * Return: FP_OK; FP_ERR_SYS naming @root. Undo with close(2).
 */
enum fp_status sysfs_open(const char *root, int *ret_fd, struct fp_err *err);

/**
 * sysfs_read() - the first line of the regular file @path, without its end,
 * cut to @size, fit to print (see fp_copy()).
 *
 * Return: false, and @buf "", if there is no such file or it cannot be read.
 */
bool sysfs_read(int root_fd, const char *path, char *buf, size_t size);

/** sysfs_read_int() - the decimal number that is all of a file, or @none. */
int64_t sysfs_read_int(int root_fd, const char *path, int64_t none);

/**
 * sysfs_read_all() - the bytes of the regular file @path, as they are, cut to
 * @size - 1, with a NUL behind them.
 *
 * Return: how many; -1 if it cannot be read, with errno set.
 */
ssize_t sysfs_read_all(int root_fd, const char *path, char *buf, size_t size);

/** sysfs_exists() - is there a file or folder @path? */
bool sysfs_exists(int root_fd, const char *path);

/** sysfs_link_name() - the last part of what the link @path points to; "" if
 * it is none. Cut to @size. */
void sysfs_link_name(int root_fd, const char *path, char *buf, size_t size);

/**
 * sysfs_list() - names in the folder @path, in the order of their numbers
 * (eth2 before eth10); no folder is an empty list. At most @max.
 * @ret_names: *@ret_n texts, each and itself for sysfs_list_free().
 *
 * Return: FP_OK or FP_ERR_NOMEM.
 */
enum fp_status sysfs_list(int root_fd, const char *path, size_t max,
                          char ***ret_names, size_t *ret_n, struct fp_err *err);

/** sysfs_list_free() - takes NULL. */
void sysfs_list_free(char **names, size_t n);

/** struct sysfs_dir - a folder whose files are read one after another. */
struct sysfs_dir {
	int root_fd;
	char path[SYSFS_PATH_MAX];
};

/** sysfs_dir() - that of @fmt. What does not fit is no folder. */
struct sysfs_dir sysfs_dir(int root_fd, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/** sysfs_dir_*() - as sysfs_*(), of @file in @dir. */
bool sysfs_dir_read(const struct sysfs_dir *dir, const char *file, char *buf,
                    size_t size);
int64_t sysfs_dir_int(const struct sysfs_dir *dir, const char *file,
                      int64_t none);
ssize_t sysfs_dir_read_all(const struct sysfs_dir *dir, const char *file,
                           char *buf, size_t size);
bool sysfs_dir_has(const struct sysfs_dir *dir, const char *file);
void sysfs_dir_link(const struct sysfs_dir *dir, const char *file, char *buf,
                    size_t size);

/** sysfs_dir_hex() - the number "0x10de" that is all of a file; -1 where there
 * is none from 0 to @max. */
int32_t sysfs_dir_hex(const struct sysfs_dir *dir, const char *file,
                      int32_t max);

#endif
