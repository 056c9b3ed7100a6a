// SPDX-License-Identifier: Apache-2.0
// Fuzzes explain from a file's bytes to its report.
#include "tests/fuzz/explain_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gather gather = { 0 };
	struct fp_err err = { 0 };

	(void)gather_text(&gather, "rank3", (const char *)data, size, &err);
	fuzz_story(&gather);
	return 0;
}
