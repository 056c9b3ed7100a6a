// SPDX-License-Identifier: Apache-2.0
// Fuzzes the reader of kernel logs.
#include "tests/fuzz/tell_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_tell(&source_kmsg_ops, data, size);
	return 0;
}
