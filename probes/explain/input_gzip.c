// SPDX-License-Identifier: Apache-2.0
// gzip, several streams behind one another too.
#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

#include "probes/explain/input.h"

#define GZIP_ONLY (15 + 16) /* zlib's window bits for gzip headers */

static int gzip_is(const unsigned char *head, size_t len)
{
	return len >= 3 && head[0] == 0x1f && head[1] == 0x8b && head[2] == 8;
}

static void *gzip_open(void)
{
	z_stream *z = calloc(1, sizeof(*z));

	if (z && inflateInit2(z, GZIP_ONLY) != Z_OK) {
		free(z);
		return NULL;
	}
	return z;
}

static enum fp_status gzip_step(struct input *in, char *to, size_t room,
                                size_t *ret_n, struct fp_err *err)
{
	z_stream *z = in->state;
	uInt most = room < INT_MAX ? (uInt)room : INT_MAX;
	int rc;

	if (in->ended && inflateReset(z) != Z_OK)
		return fp_err_set(err, FP_ERR_LIB, "zlib cannot go on");
	z->next_in = in->buf + in->at;
	z->avail_in = (uInt)(in->n - in->at);
	z->next_out = (Bytef *)to;
	z->avail_out = most;
	rc = inflate(z, Z_NO_FLUSH);
	in->at = in->n - z->avail_in;
	*ret_n = most - z->avail_out;
	in->ended = rc == Z_STREAM_END;
	if (rc == Z_OK || rc == Z_STREAM_END || rc == Z_BUF_ERROR)
		return FP_OK;
	return fp_err_set(err, FP_ERR_INPUT, "the gzip file is damaged: %s",
	                  z->msg ? z->msg : "no further word");
}

static void gzip_close(void *state)
{
	(void)inflateEnd(state);
	free(state);
}

const struct input_codec input_gzip = {
	.name = "gzip",
	.is = gzip_is,
	.open = gzip_open,
	.step = gzip_step,
	.close = gzip_close,
};
