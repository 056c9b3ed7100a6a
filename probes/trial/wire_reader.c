// SPDX-License-Identifier: Apache-2.0
// Collects the bytes of a stream until they make frames.
#include <stdlib.h>
#include <string.h>

#include "probes/trial/wire.h"

/*
 *   data          data+used              data+len          data+room
 *     | handed out   | waits for a frame    | free              |
 */

#define READER_ROOM_MIN 4096
#define READER_ROOM_KEPT 65536 /* what an idle reader may hold on to */
#define READER_ALIGN 8         /* of the strictest record */

/* Cheap: what waits is less than a frame when frames are taken as they come. */
static void reader_compact(struct wire_reader *r)
{
	if (r->used == 0)
		return;
	memmove(r->data, r->data + r->used, r->len - r->used);
	r->len -= r->used;
	r->used = 0;
}

static bool reader_resize(struct wire_reader *r, size_t room)
{
	uint8_t *data = realloc(r->data, room);

	if (!data)
		return false;
	r->data = data;
	r->room = room;
	return true;
}

uint8_t *wire_reader_room(struct wire_reader *r, size_t want)
{
	size_t need, room = READER_ROOM_MIN;
	bool grow, shrink;

	reader_compact(r);
	if (__builtin_add_overflow(r->len, want, &need) || need > SIZE_MAX / 2)
		return NULL;
	while (room < need)
		room *= 2;
	grow = room > r->room;
	/* Of thousands of streams few are busy at a time: a frame of
	 * megabytes must not cost its room for ever. */
	shrink = room < r->room && r->room > READER_ROOM_KEPT;
	if ((grow || shrink) && !reader_resize(r, room) && grow)
		return NULL;
	return r->data + r->len;
}

void wire_reader_add(struct wire_reader *r, size_t n)
{
	r->len += n;
}

/* Move the frame down onto the end of the one before it, which is void by
 * now, so that its records can be read where they lie. */
static void reader_align(struct wire_reader *r, size_t frame_len)
{
	size_t off = r->used % READER_ALIGN;

	if (off == 0)
		return;
	memmove(r->data + r->used - off, r->data + r->used, frame_len);
}

enum fp_status wire_reader_next(struct wire_reader *r,
                                struct wire_frame *ret_frame, bool *ret_got,
                                struct fp_err *err)
{
	struct wire_frame frame;
	enum fp_status status;
	size_t len;

	*ret_got = false;
	if (r->len == r->used)
		return FP_OK;
	status = wire_decode(r->data + r->used, r->len - r->used, &frame, &len,
	                     err);
	if (status != FP_OK || len == 0)
		return status;
	reader_align(r, len);
	frame.payload -= r->used % READER_ALIGN;
	r->used += len;
	*ret_frame = frame;
	*ret_got = true;
	return FP_OK;
}

void wire_reader_done(struct wire_reader *r)
{
	if (!r)
		return;
	free(r->data);
	*r = (struct wire_reader){ 0 };
}
