// SPDX-License-Identifier: Apache-2.0
// Reads a file in pieces and unpacks it on the way.
#include "probes/explain/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

static const struct input_codec *const codecs[] = { &input_gzip, &input_zstd,
	                                            &input_utf16 };

static enum fp_status fill(struct input *in, struct fp_err *err)
{
	ssize_t got;

	memmove(in->buf, in->buf + in->at, in->n - in->at);
	in->n -= in->at;
	in->at = 0;
	do {
		got = read(in->fd, in->buf + in->n, sizeof(in->buf) - in->n);
	} while (got < 0 && errno == EINTR);
	if (got < 0)
		return fp_err_sys(err, errno, "cannot read");
	in->eof = got == 0;
	in->n += (size_t)got;
	in->packed += (uint64_t)got;
	return FP_OK;
}

enum fp_status input_open(struct input *in, const char *path,
                          struct fp_err *err)
{
	enum fp_status status;

	*in = (struct input){ .fd = STDIN_FILENO };
	if (strcmp(path, "-") != 0)
		in->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (in->fd < 0)
		return fp_err_sys(err, errno, "cannot open");
	/* Four bytes tell; a pipe may give them one by one. */
	do {
		status = fill(in, err);
	} while (status == FP_OK && !in->eof && in->n < 4);
	for (size_t i = 0; i < sizeof(codecs) / sizeof(codecs[0]); i++)
		if (codecs[i]->is(in->buf, in->n))
			in->codec = codecs[i];
	if (in->n >= 3 && !memcmp(in->buf, "\xef\xbb\xbf", 3))
		in->at = 3; /* the mark of UTF-8 */
	if (status == FP_OK && in->codec) {
		in->state = in->codec->open();
		if (!in->state)
			status = fp_err_set(err, FP_ERR_NOMEM, "no memory");
	}
	if (status != FP_OK)
		input_close(in);
	return status;
}

static enum fp_status read_plain(struct input *in, char *to, size_t room,
                                 size_t *ret_n, struct fp_err *err)
{
	size_t have = in->n - in->at;
	ssize_t got;

	if (have) {
		*ret_n = have < room ? have : room;
		memcpy(to, in->buf + in->at, *ret_n);
		in->at += *ret_n;
		return FP_OK;
	}
	do {
		got = read(in->fd, to, room);
	} while (got < 0 && errno == EINTR);
	if (got < 0)
		return fp_err_sys(err, errno, "cannot read");
	in->eof = got == 0;
	*ret_n = (size_t)got;
	return FP_OK;
}

static enum fp_status check_ratio(const struct input *in, struct fp_err *err)
{
	if (in->unpacked < INPUT_RATIO_FROM ||
	    in->unpacked / INPUT_RATIO_MAX < in->packed)
		return FP_OK;
	return fp_err_set(err, FP_ERR_LIMIT,
	                  "the %s file unpacks to more than %d times its "
	                  "size: refused; unpack it yourself if you trust it",
	                  in->codec->name, INPUT_RATIO_MAX);
}

static enum fp_status read_packed(struct input *in, char *to, size_t room,
                                  size_t *ret_n, struct fp_err *err)
{
	enum fp_status status = FP_OK;
	size_t stuck = SIZE_MAX; /* where nothing came of what there is */

	*ret_n = 0;
	while (status == FP_OK && !*ret_n) {
		if (!in->eof && (in->at == in->n || in->at == stuck))
			status = fill(in, err);
		stuck = in->at;
		if (status == FP_OK && in->at == in->n && in->eof)
			return in->ended ? FP_OK
			                 : fp_err_set(err, FP_ERR_INPUT,
			                              "the %s file is cut",
			                              in->codec->name);
		if (status == FP_OK)
			status = in->codec->step(in, to, room, ret_n, err);
		/* Nothing more comes, and nothing comes of what is there. */
		if (status == FP_OK && !*ret_n && in->eof && in->at == stuck)
			return fp_err_set(err, FP_ERR_INPUT,
			                  "the %s file is damaged",
			                  in->codec->name);
	}
	in->unpacked += *ret_n;
	return status == FP_OK ? check_ratio(in, err) : status;
}

enum fp_status input_read(struct input *in, char *to, size_t room,
                          size_t *ret_n, struct fp_err *err)
{
	size_t n = 0, got = 1;
	enum fp_status status = FP_OK;

	while (status == FP_OK && n < room && got) {
		got = 0;
		status = in->codec
		                 ? read_packed(in, to + n, room - n, &got, err)
		                 : read_plain(in, to + n, room - n, &got, err);
		n += got;
	}
	*ret_n = n;
	return status;
}

void input_close(struct input *in)
{
	if (in->codec && in->state)
		in->codec->close(in->state);
	if (in->fd > STDIN_FILENO)
		(void)close(in->fd);
	in->state = NULL;
	in->fd = -1;
}
