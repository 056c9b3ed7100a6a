// SPDX-License-Identifier: Apache-2.0
// UTF-16, as a redirection of PowerShell writes it; with its mark or without.
#include <stdlib.h>
#include <string.h>

#include "probes/explain/input.h"

/* Which byte of two is the higher one, half of a pair that came, and what of
 * the unit at hand had no room so far. */
struct utf16 {
	int big;
	uint32_t high; /* surrogate; 0: none */
	char held[4];
	size_t n_held;
};

static int is_print(unsigned char c)
{
	return (c >= 0x20 && c < 0x7f) || c == '\r' || c == '\n' || c == '\t';
}

static int is_big(const unsigned char *head)
{
	return (head[0] == 0xfe && head[1] == 0xff) ||
	       (!head[0] && is_print(head[1]));
}

static int utf16_is(const unsigned char *head, size_t len)
{
	if (len < 4)
		return 0;
	if ((head[0] == 0xff && head[1] == 0xfe) ||
	    (head[0] == 0xfe && head[1] == 0xff))
		return 1;
	return (is_print(head[0]) && !head[1] && is_print(head[2]) &&
	        !head[3]) ||
	       (!head[0] && is_print(head[1]) && !head[2] && is_print(head[3]));
}

static void *utf16_open(void)
{
	struct utf16 *u = calloc(1, sizeof(*u));

	if (u)
		u->big = -1;
	return u;
}

static size_t put(uint32_t code, char *to)
{
	static const unsigned char first[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	size_t n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;

	for (size_t i = n; i-- > 1; code >>= 6)
		to[i] = (char)(0x80 | (code & 0x3f));
	to[0] = (char)(first[n] | code);
	return n;
}

/* A unit of two bytes; halves of a pair that have no other are '?'. */
static size_t take(struct utf16 *u, uint32_t unit, char *to)
{
	uint32_t high = u->high;

	u->high = 0;
	if (unit == 0xfeff)
		return 0;
	if (unit >= 0xd800 && unit < 0xdc00) {
		u->high = unit;
		return 0;
	}
	if (unit < 0xdc00 || unit >= 0xe000)
		return put(unit, to);
	return high ? put(0x10000 + ((high - 0xd800) << 10) + unit - 0xdc00, to)
	            : put('?', to);
}

/* Return: how many of the bytes that are held went to @to. */
static size_t give(struct utf16 *u, char *to, size_t room)
{
	size_t n = u->n_held < room ? u->n_held : room;

	memcpy(to, u->held, n);
	memmove(u->held, u->held + n, u->n_held - n);
	u->n_held -= n;
	return n;
}

static enum fp_status utf16_step(struct input *in, char *to, size_t room,
                                 size_t *ret_n, struct fp_err *err)
{
	struct utf16 *u = in->state;
	const unsigned char *at;
	size_t n = 0;

	if (u->big < 0)
		u->big = is_big(in->buf + in->at);
	if (in->n - in->at == 1 && in->eof)
		return fp_err_set(err, FP_ERR_INPUT,
		                  "half a character ends it");
	/* A unit is done with when all that it became is given. */
	for (; in->n - in->at >= 2; in->at += 2) {
		at = in->buf + in->at;
		if (!u->n_held)
			u->n_held = take(u,
			                 u->big ? at[0] * 256u + at[1]
			                        : at[1] * 256u + at[0],
			                 u->held);
		n += give(u, to + n, room - n);
		if (u->n_held)
			break;
	}
	*ret_n = n;
	in->ended = 1;
	return FP_OK;
}

static void utf16_close(void *state)
{
	free(state);
}

const struct input_codec input_utf16 = {
	.name = "UTF-16",
	.is = utf16_is,
	.open = utf16_open,
	.step = utf16_step,
	.close = utf16_close,
};
