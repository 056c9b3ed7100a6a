// SPDX-License-Identifier: Apache-2.0
// Fuzzes dumps and RAS status as JSON.
#include "tests/fuzz/explain_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gather gather = { 0 };
	struct intake r = { .events = &gather.events,
		            .path = "rank3",
		            .file_rank = 3 };
	struct fp_err err = { 0 };

	(void)reader_json.whole(&r, (const char *)data, size, &err);
	fuzz_story(&gather);
	return 0;
}
