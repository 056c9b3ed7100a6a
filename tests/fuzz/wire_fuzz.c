// SPDX-License-Identifier: Apache-2.0
// Fuzzes frames: a reader fed in pieces must see what a look at all bytes at
// once sees, and whatever is taken must be what its sender made.
#include <stdlib.h>
#include <string.h>

#include "probes/trial/wire.h"

#define HEAD sizeof(struct wire_head)
#define FRAME_MAX 4096 /* of those made here */

/* Not assert(3): a release build must check, too. */
#define CHECK(what)              \
	do {                     \
		if (!(what))     \
			abort(); \
	} while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What a frame that was taken promises to whoever reads it. */
static void check_frame(const struct wire_frame *f)
{
	struct wire_head head = wire_head_make((enum wire_type)f->head.type,
	                                       f->head.rank, f->head.length);

	CHECK(memcmp(&head, &f->head, HEAD) == 0);
	CHECK(f->head.length <= WIRE_PAYLOAD_MAX);
	if (f->head.type == WIRE_OUTCOME) {
		struct outcome o;

		memcpy(&o, f->payload, sizeof(o));
		CHECK(strlen(o.err) < OUTCOME_ERR_MAX);
		CHECK(outcome_check(&o, 8) || o.p50_s * o.algbw_Bps >= 0);
	}
	if (f->head.type == WIRE_SAMPLES) {
		struct wire_samples samples;

		memcpy(&samples, f->payload, sizeof(samples));
		CHECK(f->head.length ==
		      sizeof(samples) + samples.n * sizeof(double));
	}
}

/* A worker looks at more of it than the frame's shape. */
static void check_prepare(const struct wire_frame *f)
{
	struct wire_prepare prepare;
	const void *members = f->payload + sizeof(prepare);

	if (f->head.type != WIRE_PREPARE)
		return;
	CHECK((uintptr_t)f->payload % 8 == 0);
	memcpy(&prepare, f->payload, sizeof(prepare));
	if (!wire_prepare_check(&prepare, members, 3, 8))
		CHECK(prepare.me < prepare.n_members);
}

/* Take what the reader has; true once the stream is broken. */
static bool take(struct wire_reader *r, const uint8_t *data, size_t size,
                 size_t *at)
{
	struct wire_frame piece, whole;
	enum fp_status status, at_once;
	size_t used;
	bool got;

	for (;;) {
		status = wire_reader_next(r, &piece, &got, NULL);
		if (status != FP_OK || !got)
			break;
		at_once = wire_decode(data + *at, size - *at, &whole, &used,
		                      NULL);
		CHECK(at_once == FP_OK && used == HEAD + piece.head.length);
		CHECK(memcmp(&piece.head, &whole.head, HEAD) == 0);
		CHECK(memcmp(piece.payload, whole.payload, piece.head.length) ==
		      0);
		check_frame(&piece);
		check_prepare(&piece);
		*at += used;
	}
	if (status == FP_OK)
		return false;
	CHECK(wire_decode(data + *at, size - *at, &whole, &used, NULL) ==
	      FP_ERR_PROTO);
	return true;
}

/* All bytes of @data through a reader, @step at a time. */
static void feed(const uint8_t *data, size_t size, size_t step)
{
	struct wire_reader r = { 0 };
	struct wire_frame rest;
	size_t put = 0, at = 0, used;
	bool broken = false;

	while (put < size && !broken) {
		size_t n = step < size - put ? step : size - put;
		uint8_t *room = wire_reader_room(&r, n);

		CHECK(room);
		memcpy(room, data + put, n);
		wire_reader_add(&r, n);
		put += n;
		broken = take(&r, data, size, &at);
	}
	if (!broken) {
		CHECK(wire_decode(data + at, size - at, &rest, &used, NULL) ==
		      FP_OK);
		CHECK(used == 0);
	}
	wire_reader_done(&r);
}

/* Frames by type: a record, items behind it, and where it counts them. */
static const struct shape {
	uint16_t record, item, count_at;
} shapes[WIRE_TYPE_COUNT + 1] = {
	[WIRE_HELLO] = { sizeof(struct wire_hello), 0, 0 },
	[WIRE_REFUSE] = { 0, 1, 0 },
	[WIRE_SETUP] = { sizeof(struct wire_setup), 0, 0 },
	[WIRE_READY] = { sizeof(struct wire_ready), 0, 0 },
	[WIRE_FACTS] = { 0, 1, 0 },
	[WIRE_PREPARE] = { sizeof(struct wire_prepare), sizeof(int32_t),
	                   offsetof(struct wire_prepare, n_members) },
	[WIRE_ENDPOINT] = { sizeof(struct wire_endpoint), 0, 0 },
	[WIRE_GO] = { sizeof(struct wire_go), sizeof(struct wire_endpoint),
	              offsetof(struct wire_go, n) },
	[WIRE_CANCEL] = { sizeof(uint32_t), 0, 0 },
	[WIRE_OUTCOME] = { sizeof(struct outcome), 0, 0 },
	[WIRE_SAMPLES] = { sizeof(struct wire_samples), sizeof(double),
	                   offsetof(struct wire_samples, n) },
	[WIRE_EVENT] = { sizeof(struct run_event), 0, 0 },
	[WIRE_BYE] = { sizeof(uint32_t), 0, 0 },
	[WIRE_WATCH] = { sizeof(struct watch), 0, 0 },
};

/* A frame of @type with @items, its bytes from @data as far as they go. */
static size_t make_frame(uint8_t type, uint8_t items, const uint8_t *data,
                         size_t size, uint8_t *out)
{
	const struct shape *shape = &shapes[type];
	size_t length = shape->record + (size_t)items * shape->item;
	struct wire_head head = wire_head_make((enum wire_type)type, 7, length);
	uint32_t count = items;

	memcpy(out, &head, HEAD);
	memset(out + HEAD, 0, length);
	memcpy(out + HEAD, data, length < size ? length : size);
	if (shape->count_at)
		memcpy(out + HEAD + shape->count_at, &count, sizeof(count));
	return length;
}

/* A stream of frames with good heads, which blind bytes hardly ever are. Of
 * @data: a type, a number of items, then the frame's payload. */
static size_t make_stream(const uint8_t *data, size_t size, uint8_t *out,
                          size_t room)
{
	size_t len = 0;

	while (size >= 2 && room - len > FRAME_MAX) {
		uint8_t type = data[0] % (WIRE_TYPE_COUNT + 1);
		uint8_t items = data[1] % 8;
		size_t n =
			make_frame(type, items, data + 2, size - 2, out + len);

		len += HEAD + n;
		n = n < size - 2 ? n : size - 2;
		data += 2 + n;
		size -= 2 + n;
	}
	return len;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t stream[32768];

	if (size < 2)
		return 0;
	if (data[0] & 1)
		feed(data + 2, size - 2, 1 + data[1]);
	else
		feed(stream,
		     make_stream(data + 2, size - 2, stream, sizeof(stream)),
		     1 + data[1]);
	return 0;
}
