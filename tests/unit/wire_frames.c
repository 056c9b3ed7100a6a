// SPDX-License-Identifier: Apache-2.0
// Frames for the tests of whatever reads them.
#include "tests/unit/wire_frames.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD sizeof(struct wire_head)

/* A frame of zeros: a fit payload for every type without a count. */
uint8_t *wire_frames_make(enum wire_type type, size_t length)
{
	struct wire_head head = wire_head_make(type, 5, length);
	uint8_t *bytes = calloc(1, HEAD + length);

	assert_non_null(bytes);
	memcpy(bytes, &head, HEAD);
	return bytes;
}

void wire_frames_put(uint8_t *bytes, size_t at, uint32_t value)
{
	memcpy(bytes + HEAD + at, &value, sizeof(value));
}

/* A fit frame of @type with @items behind its record. */
uint8_t *wire_frames_fit(enum wire_type type, uint32_t items, size_t *ret_len)
{
	static const struct {
		size_t record, item, count_at;
	} shapes[WIRE_TYPE_COUNT] = {
		[WIRE_HELLO] = { 320, 0, 0 },    [WIRE_REFUSE] = { 0, 1, 0 },
		[WIRE_SETUP] = { 3440, 0, 0 },   [WIRE_READY] = { 568, 0, 0 },
		[WIRE_FACTS] = { 0, 1, 0 },      [WIRE_PREPARE] = { 96, 4, 88 },
		[WIRE_ENDPOINT] = { 248, 0, 0 }, [WIRE_GO] = { 8, 248, 4 },
		[WIRE_CANCEL] = { 4, 0, 0 },     [WIRE_OUTCOME] = { 384, 0, 0 },
		[WIRE_SAMPLES] = { 16, 8, 8 },   [WIRE_EVENT] = { 192, 0, 0 },
		[WIRE_HEARTBEAT] = { 0, 0, 0 },  [WIRE_BYE] = { 4, 0, 0 },
		[WIRE_WATCH] = { 496, 0, 0 },
	};
	size_t length = shapes[type].record + items * shapes[type].item;
	uint8_t *bytes = wire_frames_make(type, length);

	if (shapes[type].count_at)
		wire_frames_put(bytes, shapes[type].count_at, items);
	*ret_len = HEAD + length;
	return bytes;
}

uint32_t wire_frames_items(enum wire_type type)
{
	switch (type) {
	case WIRE_REFUSE:
	case WIRE_FACTS:
	case WIRE_PREPARE: /* of a pair */
	case WIRE_GO:
	case WIRE_SAMPLES:
		return 2;
	default:
		return 0;
	}
}
