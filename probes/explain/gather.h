/* SPDX-License-Identifier: Apache-2.0 */
/* Reads files and folders of what people paste into events. */
#ifndef FP_PROBES_EXPLAIN_GATHER_H
#define FP_PROBES_EXPLAIN_GATHER_H

#include "probes/explain/reader.h"

#define GATHER_FILES_MAX 1000000
#define GATHER_DEPTH_MAX 8 /* of folders in folders */

/** struct gather_file - a file that was looked at. */
struct gather_file {
	uint32_t name;  /* event_name() */
	uint64_t bytes; /* unpacked */
	uint32_t lines;
	uint64_t readers;  /* that found something, a bit each */
	char trouble[160]; /* why not all of it was read; "" if it was */
};

/** struct gather - all that was read. Zero-initialise; gather_done(). */
struct gather {
	struct events events;
	struct gather_file *files;
	size_t n, room;
};

/**
 * gather_path() - read @path: a file, a folder with all below it, or "-". A
 * file that cannot be read in full is noted in its row and is no failure; one
 * that was named and cannot be opened is.
 *
 * Return: FP_OK; FP_ERR_SYS, FP_ERR_NOMEM, FP_ERR_LIMIT.
 */
enum fp_status gather_path(struct gather *gather, const char *path,
                           struct fp_err *err);

/** gather_text() - read @len bytes at @data as a file named @name. */
enum fp_status gather_text(struct gather *gather, const char *name,
                           const char *data, size_t len, struct fp_err *err);

/** gather_done() - free; takes NULL. */
void gather_done(struct gather *gather);

#endif
