// SPDX-License-Identifier: Apache-2.0
// Fuzzes lines of the kernel log, whatever printed them.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "topo/source/kmsg_event.h"

/* Not assert(3): a release build must check, too. */
#define CHECK(what)              \
	do {                     \
		if (!(what))     \
			abort(); \
	} while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct kmsg_stamp stamp;
	struct kmsg_event event;

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	kmsg_stamp_read(text, &stamp);
	CHECK(stamp.message >= text && stamp.message <= text + strlen(text));
	if (kmsg_event_read(stamp.message, &event)) {
		CHECK(kmsg_kind_reading(event.kind));
		CHECK(strlen(event.device) < sizeof(event.device));
	}
	free(text);
	return 0;
}
