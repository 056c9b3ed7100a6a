// SPDX-License-Identifier: Apache-2.0
// zstd, several frames behind one another too.
#include <zstd.h>

#include "probes/explain/input.h"

#define WINDOW_LOG_MAX 26 /* 64 MiB, so that a frame cannot ask for more */

static int zstd_is(const unsigned char *head, size_t len)
{
	return len >= 4 && head[0] == 0x28 && head[1] == 0xb5 &&
	       head[2] == 0x2f && head[3] == 0xfd;
}

static void *zstd_open(void)
{
	ZSTD_DCtx *z = ZSTD_createDCtx();

	if (z)
		(void)ZSTD_DCtx_setParameter(z, ZSTD_d_windowLogMax,
		                             WINDOW_LOG_MAX);
	return z;
}

static enum fp_status zstd_step(struct input *in, char *to, size_t room,
                                size_t *ret_n, struct fp_err *err)
{
	ZSTD_inBuffer from = { in->buf, in->n, in->at };
	ZSTD_outBuffer out = { to, room, 0 };
	size_t rc = ZSTD_decompressStream(in->state, &out, &from);

	in->at = from.pos;
	*ret_n = out.pos;
	if (ZSTD_isError(rc))
		return fp_err_set(err, FP_ERR_INPUT,
		                  "the zstd file is damaged: %s",
		                  ZSTD_getErrorName(rc));
	in->ended = rc == 0;
	return FP_OK;
}

static void zstd_close(void *state)
{
	(void)ZSTD_freeDCtx(state);
}

const struct input_codec input_zstd = {
	.name = "zstd",
	.is = zstd_is,
	.open = zstd_open,
	.step = zstd_step,
	.close = zstd_close,
};
