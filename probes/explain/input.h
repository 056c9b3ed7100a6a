/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes of a file, whether it is plain, gzip, zstd or UTF-16. */
#ifndef FP_PROBES_EXPLAIN_INPUT_H
#define FP_PROBES_EXPLAIN_INPUT_H

#include <stddef.h>
#include <stdint.h>

#include "topo/base/status.h"

/* A file that grows more than this when it is unpacked is no log. */
#define INPUT_RATIO_MAX 400
#define INPUT_RATIO_FROM (64u << 20) /* unpacked bytes that may be any ratio */

#define INPUT_CHUNK 131072

struct input;

/**
 * struct input_codec - a way of packing.
 * @name:  "gzip"
 * @is:    do these bytes begin such a file?
 * @open:  its state; NULL without memory.
 * @step:  unpack what is in input's buffer into @to. FP_ERR_INPUT where it is
 *         damaged. @ret_n 0 with bytes left to read is not an end.
 * @close: takes NULL.
 */
struct input_codec {
	const char *name;
	int (*is)(const unsigned char *head, size_t len);
	void *(*open)(void);
	enum fp_status (*step)(struct input *in, char *to, size_t room,
	                       size_t *ret_n, struct fp_err *err);
	void (*close)(void *state);
};

/** struct input - an open file. input_open(), input_close(). */
struct input {
	int fd;
	const struct input_codec *codec; /* NULL: plain */
	void *state;
	unsigned char buf[INPUT_CHUNK]; /* packed bytes from at to n */
	size_t at, n;
	uint64_t packed, unpacked;
	int eof, ended; /* ended: between two packed streams */
};

/**
 * input_open() - @path, "-" for standard input. The packing is found by
 * content.
 *
 * Return: FP_OK; FP_ERR_SYS, FP_ERR_NOMEM.
 */
enum fp_status input_open(struct input *in, const char *path,
                          struct fp_err *err);

/**
 * input_read() - up to @room bytes; fewer only at the end.
 *
 * Return: FP_OK, with *@ret_n 0 at the end; FP_ERR_SYS; FP_ERR_INPUT for a
 * damaged or cut packed file, with what could be unpacked before; FP_ERR_LIMIT
 * for one that unpacks to more than INPUT_RATIO_MAX times its size.
 */
enum fp_status input_read(struct input *in, char *to, size_t room,
                          size_t *ret_n, struct fp_err *err);

/** input_close() - takes one that was zeroed and never opened. */
void input_close(struct input *in);

extern const struct input_codec input_gzip, input_zstd, input_utf16;

#endif
