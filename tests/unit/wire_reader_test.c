// SPDX-License-Identifier: Apache-2.0
// Unit tests of the reader of a stream of frames.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "probes/trial/wire.h"
#include "tests/unit/wire_frames.h"

#define N_ROWS(table) (sizeof(table) / sizeof(*(table)))
#define HEAD sizeof(struct wire_head)
#define STREAM_MAX 131072

/* A stream of every type, texts of odd lengths in between. */
static uint8_t *make_stream(size_t *ret_len, size_t *ret_frames)
{
	uint8_t *stream = malloc(STREAM_MAX);
	size_t len = 0, frames = 0;

	assert_non_null(stream);
	for (enum wire_type t = WIRE_HELLO; t < WIRE_TYPE_COUNT; t++) {
		uint32_t odd[] = { wire_frames_items(t), wire_frames_items(t),
			           0 };

		if (t == WIRE_FACTS)
			memcpy(odd, (uint32_t[]){ 1, 100003, 6 }, sizeof(odd));
		if (t == WIRE_PREPARE)
			odd[2] = 2;
		for (size_t i = 0; i < N_ROWS(odd); i++) {
			size_t n;
			uint8_t *bytes = wire_frames_fit(t, odd[i], &n);

			for (size_t k = HEAD; t == WIRE_FACTS && k < n; k++)
				bytes[k] = (uint8_t)(k * 7);
			assert_true(len + n <= STREAM_MAX);
			memcpy(stream + len, bytes, n);
			len += n;
			frames++;
			free(bytes);
		}
	}
	*ret_len = len;
	*ret_frames = frames;
	return stream;
}

/* Take all frames that are there; each must be what the stream has. */
static void take_frames(struct wire_reader *r, const uint8_t *stream,
                        size_t *at, size_t *frames)
{
	struct wire_frame f;
	bool got;

	for (;;) {
		assert_int_equal(wire_reader_next(r, &f, &got, NULL), FP_OK);
		if (!got)
			return;
		assert_memory_equal(&f.head, stream + *at, HEAD);
		assert_memory_equal(f.payload, stream + *at + HEAD,
		                    f.head.length);
		assert_int_equal((uintptr_t)f.payload % 8, 0);
		*at += HEAD + f.head.length;
		(*frames)++;
	}
}

static void test_a_stream_in_pieces_of_any_size(void **state)
{
	static const size_t pieces[] = { 1, 3, 16, 17, 1000, 4096, 1 << 20 };
	size_t len, n_frames;
	uint8_t *stream = make_stream(&len, &n_frames);

	(void)state;
	for (size_t i = 0; i < N_ROWS(pieces); i++) {
		struct wire_reader r = { 0 };
		size_t put = 0, at = 0, frames = 0;

		while (put < len) {
			size_t n =
				pieces[i] < len - put ? pieces[i] : len - put;
			uint8_t *room = wire_reader_room(&r, n);

			assert_non_null(room);
			memcpy(room, stream + put, n);
			wire_reader_add(&r, n);
			put += n;
			take_frames(&r, stream, &at, &frames);
		}
		assert_int_equal(at, len);
		assert_int_equal(frames, n_frames);
		wire_reader_done(&r);
	}
	free(stream);
}

static void test_room_is_given_back_after_a_large_frame(void **state)
{
	struct wire_reader r = { 0 };
	struct wire_frame frame;
	size_t len;
	uint8_t *bytes = wire_frames_fit(WIRE_FACTS, 1 << 20, &len);
	bool got;

	(void)state;
	memcpy(wire_reader_room(&r, len), bytes, len);
	wire_reader_add(&r, len);
	assert_int_equal(wire_reader_next(&r, &frame, &got, NULL), FP_OK);
	assert_true(got);
	assert_true(r.room > 1 << 20);
	assert_non_null(wire_reader_room(&r, 4096));
	assert_true(r.room <= 1 << 16);
	assert_null(wire_reader_room(&r, SIZE_MAX));
	wire_reader_done(&r);
	wire_reader_done(&r);
	wire_reader_done(NULL);
	free(bytes);
}

static void test_a_broken_stream_stays_broken(void **state)
{
	struct wire_reader r = { 0 };
	struct wire_frame frame;
	bool got = true;

	(void)state;
	memcpy(wire_reader_room(&r, 5), "HELLO", 5);
	wire_reader_add(&r, 5);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(wire_reader_next(&r, &frame, &got, NULL),
		                 FP_ERR_PROTO);
		assert_false(got);
	}
	wire_reader_done(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_stream_in_pieces_of_any_size),
		cmocka_unit_test(test_room_is_given_back_after_a_large_frame),
		cmocka_unit_test(test_a_broken_stream_stays_broken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
