// SPDX-License-Identifier: Apache-2.0
// Fuzzes the lines of a kernel log: as records, and as tools show them.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "topo/source/kmsg_line.h"

/* Not assert(3): a release build must check, too. */
#define CHECK(what)              \
	do {                     \
		if (!(what))     \
			abort(); \
	} while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void classify(const char *message)
{
	struct kmsg_event event = { .name = NULL };

	if (!kmsg_line_classify(message, &event))
		return;
	CHECK(event.name && strncmp(event.name, "kmsg.", 5) == 0);
	CHECK(strlen(event.device) < sizeof(event.device));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	const char *message;
	int64_t us;

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	message = kmsg_line_text(text, &us);
	CHECK(message >= text && message <= text + strlen(text));
	classify(message);
	message = kmsg_line_record(text, &us);
	if (message)
		classify(message);
	free(text);
	return 0;
}
