// SPDX-License-Identifier: Apache-2.0
// Unit tests of frames: what is taken, and what is refused.
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

/* Decode all of it; returns what came out, and checks what else did. */
static enum fp_status decode(const uint8_t *bytes, size_t len,
                             struct fp_err *err)
{
	struct wire_frame frame = { .payload = NULL };
	size_t used = 77;
	enum fp_status status = wire_decode(bytes, len, &frame, &used, err);

	if (status == FP_OK) {
		assert_int_equal(used, len);
		assert_int_equal(frame.head.length, len - HEAD);
		assert_int_equal(frame.head.rank, 5);
		assert_ptr_equal(frame.payload, bytes + HEAD);
	} else {
		assert_int_equal(used, 0);
		assert_null(frame.payload);
	}
	return status;
}

static void refused(const uint8_t *bytes, size_t len, const char *why)
{
	struct fp_err err = { 0 };

	assert_int_equal(decode(bytes, len, &err), FP_ERR_PROTO);
	assert_non_null(strstr(err.text, why));
}

static void test_every_type_is_taken(void **state)
{
	(void)state;
	for (enum wire_type t = WIRE_HELLO; t < WIRE_TYPE_COUNT; t++) {
		size_t len;
		uint8_t *bytes = wire_frames_fit(t, wire_frames_items(t), &len);

		assert_int_equal(decode(bytes, len, NULL), FP_OK);
		assert_string_not_equal(wire_type_name(t), "?");
		free(bytes);
	}
	assert_string_equal(wire_type_name(WIRE_NONE), "?");
	assert_string_equal(wire_type_name(WIRE_TYPE_COUNT), "?");
}

static void test_part_of_a_frame_waits_for_more(void **state)
{
	(void)state;
	for (enum wire_type t = WIRE_HELLO; t < WIRE_TYPE_COUNT; t++) {
		size_t len;
		uint8_t *bytes = wire_frames_fit(t, wire_frames_items(t), &len);

		for (size_t part = 0; part < len; part++) {
			uint8_t *cut = malloc(part ? part : 1);
			struct wire_frame frame;
			size_t used = 77;

			assert_non_null(cut);
			memcpy(cut, bytes, part);
			assert_int_equal(
				wire_decode(cut, part, &frame, &used, NULL),
				FP_OK);
			assert_int_equal(used, 0);
			free(cut);
		}
		free(bytes);
	}
}

static void test_a_length_that_fits_no_record(void **state)
{
	(void)state;
	for (enum wire_type t = WIRE_HELLO; t < WIRE_TYPE_COUNT; t++) {
		size_t len;
		uint8_t *fit = wire_frames_fit(t, 0, &len);
		size_t record = len - HEAD;

		free(fit);
		/* One more is another text, or part of an item. */
		if (t != WIRE_REFUSE && t != WIRE_FACTS) {
			uint8_t *more = wire_frames_make(t, record + 1);

			refused(more, len + 1, wire_type_name(t));
			free(more);
		}
		if (record > 0) {
			uint8_t *less = wire_frames_make(t, record - 1);

			refused(less, len - 1, wire_type_name(t));
			free(less);
		}
	}
}

static void test_hostile_lengths_are_refused_by_their_head(void **state)
{
	static const struct {
		enum wire_type type;
		uint32_t length;
		enum fp_status status;
	} rows[] = {
		{ WIRE_FACTS, WIRE_PAYLOAD_MAX, FP_OK },
		{ WIRE_FACTS, WIRE_PAYLOAD_MAX + 1, FP_ERR_PROTO },
		{ WIRE_FACTS, UINT32_MAX, FP_ERR_PROTO },
		{ WIRE_REFUSE, 1 << 20, FP_ERR_PROTO },
		{ WIRE_SAMPLES, 16 + 8 * WIRE_SAMPLES_MAX, FP_OK },
		{ WIRE_SAMPLES, 16 + 8 * (WIRE_SAMPLES_MAX + 1), FP_ERR_PROTO },
		{ WIRE_PREPARE, 96 + 4 * WIRE_MEMBERS_MAX, FP_OK },
		{ WIRE_PREPARE, 96 + 4 * (WIRE_MEMBERS_MAX + 1), FP_ERR_PROTO },
		{ WIRE_GO, 8 + 248 * WIRE_MEMBERS_MAX, FP_OK },
		{ WIRE_GO, 8 + 248 * (WIRE_MEMBERS_MAX + 1), FP_ERR_PROTO },
		{ WIRE_HELLO, 0, FP_ERR_PROTO },
	};

	(void)state;
	for (size_t i = 0; i < N_ROWS(rows); i++) {
		struct wire_head head =
			wire_head_make(rows[i].type, 0, rows[i].length);
		struct wire_frame frame;
		size_t used;

		assert_int_equal(wire_decode((const uint8_t *)&head,
		                             sizeof(head), &frame, &used, NULL),
		                 rows[i].status);
		assert_int_equal(used, 0);
	}
	assert_true(wire_head_make(WIRE_FACTS, 0, SIZE_MAX).length >
	            WIRE_PAYLOAD_MAX);
}

static void test_a_count_must_be_what_is_there(void **state)
{
	static const struct {
		enum wire_type type;
		size_t at;
	} rows[] = {
		{ WIRE_PREPARE, 88 },
		{ WIRE_GO, 4 },
		{ WIRE_SAMPLES, 8 },
	};
	static const uint32_t counts[] = { 0, 1, 3, 0x80000002, UINT32_MAX };

	(void)state;
	for (size_t i = 0; i < N_ROWS(rows); i++) {
		for (size_t k = 0; k < N_ROWS(counts); k++) {
			size_t len;
			uint8_t *bytes = wire_frames_fit(rows[i].type, 2, &len);

			wire_frames_put(bytes, rows[i].at, counts[k]);
			refused(bytes, len, "items");
			free(bytes);
		}
	}
}

static void test_bytes_of_others(void **state)
{
	struct wire_head head = wire_head_make(WIRE_HEARTBEAT, 5, 0);

	(void)state;
	refused((const uint8_t *)"GET / HTTP/1.0\r\n", 16, "not a frame");
	refused((const uint8_t *)"SSH-", 4, "not a frame");
	head.magic = __builtin_bswap32(WIRE_MAGIC);
	refused((const uint8_t *)&head, HEAD, "other byte order");
	head = wire_head_make(WIRE_HEARTBEAT, 5, 0);
	head.version = 9;
	refused((const uint8_t *)&head, HEAD, "version 9");
	refused((const uint8_t *)&head, HEAD, "version 1");
	head = wire_head_make(WIRE_NONE, 5, 0);
	refused((const uint8_t *)&head, HEAD, "type 0");
	head.type = WIRE_TYPE_COUNT;
	refused((const uint8_t *)&head, HEAD, "type 16");
	head.type = UINT16_MAX;
	refused((const uint8_t *)&head, HEAD, "type 65535");
}

static void test_texts_must_end(void **state)
{
	static const struct {
		enum wire_type type;
		size_t at, size;
		const char *name;
	} rows[] = {
		{ WIRE_HELLO, offsetof(struct wire_hello, version), 32,
		  "version" },
		{ WIRE_HELLO, offsetof(struct wire_hello, host_name), 64,
		  "host_name" },
		{ WIRE_HELLO, offsetof(struct wire_hello, host_id), 64,
		  "host_id" },
		{ WIRE_HELLO, offsetof(struct wire_hello, boot_id), 64,
		  "boot_id" },
		{ WIRE_HELLO, offsetof(struct wire_hello, kernel), 64,
		  "kernel" },
		{ WIRE_SETUP, offsetof(struct wire_setup, version), 32,
		  "version" },
		{ WIRE_SETUP, offsetof(struct wire_setup, netdev), 64,
		  "netdev" },
		{ WIRE_SETUP, offsetof(struct wire_setup, addr), 48, "addr" },
		{ WIRE_SETUP, offsetof(struct wire_setup, tcp_cc), 16,
		  "tcp_cc" },
		{ WIRE_SETUP, offsetof(struct wire_setup, host_name), 64,
		  "host_name" },
		{ WIRE_SETUP, offsetof(struct wire_setup, host_id), 64,
		  "host_id" },
		{ WIRE_SETUP, offsetof(struct wire_setup, sysroot), 256,
		  "sysroot" },
		{ WIRE_SETUP, offsetof(struct wire_setup, no_gpu), 128,
		  "no_gpu" },
		{ WIRE_SETUP, offsetof(struct wire_setup, nccl_lib), 512,
		  "nccl_lib" },
		{ WIRE_SETUP, offsetof(struct wire_setup, inject),
		  WIRE_INJECT_MAX, "inject" },
		{ WIRE_READY, offsetof(struct wire_ready, version), 32,
		  "version" },
		{ WIRE_READY, offsetof(struct wire_ready, text), 256, "text" },
		{ WIRE_OUTCOME, offsetof(struct outcome, cc), 16, "cc" },
		{ WIRE_OUTCOME, offsetof(struct outcome, err), OUTCOME_ERR_MAX,
		  "err" },
		{ WIRE_EVENT, offsetof(struct run_event, text), 168, "text" },
	};

	(void)state;
	for (size_t i = 0; i < N_ROWS(rows); i++) {
		size_t len;
		uint8_t *bytes = wire_frames_fit(rows[i].type, 0, &len);

		memset(bytes + HEAD + rows[i].at, 'x', rows[i].size);
		refused(bytes, len, rows[i].name);
		bytes[HEAD + rows[i].at + rows[i].size - 1] = 0;
		assert_int_equal(decode(bytes, len, NULL), FP_OK);
		free(bytes);
	}
}

static void test_values_that_say_nothing(void **state)
{
	size_t len;
	uint8_t *ready = wire_frames_fit(WIRE_READY, 0, &len);

	(void)state;
	wire_frames_put(ready, offsetof(struct wire_ready, status),
	                FP_STATUS_COUNT);
	refused(ready, len, "status");
	free(ready);

	uint8_t *bye = wire_frames_fit(WIRE_BYE, 0, &len);

	wire_frames_put(bye, 0, WIRE_BYE_EXIT + 1);
	refused(bye, len, "bye");
	free(bye);

	uint8_t *prepare = wire_frames_fit(WIRE_PREPARE, 2, &len);

	wire_frames_put(prepare, offsetof(struct wire_prepare, me), 2);
	refused(prepare, len, "receiver");
	free(prepare);
	prepare = wire_frames_fit(WIRE_PREPARE, 3, &len);
	refused(prepare, len, "pair");
	free(prepare);
}

static void test_what_a_rank_may_be_asked(void **state)
{
	const struct wire_prepare pair = {
		.trial = { .id = 1,
		           .xport = XPORT_TCP,
		           .op = OP_WRITE,
		           .bytes = 8,
		           .src = 2,
		           .dst = 3,
		           .src_ep = -1,
		           .dst_ep = -1,
		           .deadline_s = 1 },
		.n_members = 2,
		.me = 1,
	};
	struct wire_prepare ring = pair, root;
	static const int32_t ends[] = { 2, 3 }, swapped[] = { 3, 2 };
	static const int32_t others[] = { 1, 3 };
	static const int32_t all[] = { 0, 3, 2 }, foreign[] = { 0, 3, 4 };

	(void)state;
	assert_null(wire_prepare_check(&pair, ends, 3, 4));
	assert_non_null(wire_prepare_check(&pair, ends, 2, 4));
	assert_non_null(wire_prepare_check(&pair, ends, 3, 3));
	assert_non_null(wire_prepare_check(&pair, swapped, 2, 4));
	assert_non_null(wire_prepare_check(&pair, others, 3, 4));

	ring.trial.op = OP_ALLGATHER;
	ring.trial.member_first = 1000;
	ring.trial.member_count = 3;
	ring.n_members = 3;
	assert_null(wire_prepare_check(&ring, all, 3, 4));
	assert_non_null(wire_prepare_check(&ring, foreign, 3, 4));
	root = ring;
	root.trial.op = OP_BROADCAST;
	assert_null(wire_prepare_check(&root, all, 3, 4));
	root.trial.src = 1;
	assert_non_null(wire_prepare_check(&root, all, 3, 4));
	ring.me = 3;
	assert_non_null(wire_prepare_check(&ring, all, 3, 4));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_type_is_taken),
		cmocka_unit_test(test_part_of_a_frame_waits_for_more),
		cmocka_unit_test(test_a_length_that_fits_no_record),
		cmocka_unit_test(
			test_hostile_lengths_are_refused_by_their_head),
		cmocka_unit_test(test_a_count_must_be_what_is_there),
		cmocka_unit_test(test_bytes_of_others),
		cmocka_unit_test(test_texts_must_end),
		cmocka_unit_test(test_values_that_say_nothing),
		cmocka_unit_test(test_what_a_rank_may_be_asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
