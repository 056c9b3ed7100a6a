/* SPDX-License-Identifier: Apache-2.0 */
/* Frames for the tests of whatever reads them. */
#ifndef FP_TESTS_UNIT_WIRE_FRAMES_H
#define FP_TESTS_UNIT_WIRE_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probes/trial/wire.h"

/** wire_frames_make() - a frame of @length zeros from rank 5; for free(3). */
uint8_t *wire_frames_make(enum wire_type type, size_t length);

/** wire_frames_fit() - one with @items behind its record, which says so. */
uint8_t *wire_frames_fit(enum wire_type type, uint32_t items, size_t *ret_len);

/** wire_frames_put() - set the number at offset @at of the payload. */
void wire_frames_put(uint8_t *frame, size_t at, uint32_t value);

/** wire_frames_items() - how many items a fit frame may have, 0 or 2. */
uint32_t wire_frames_items(enum wire_type type);

#endif
