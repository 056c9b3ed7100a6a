// SPDX-License-Identifier: Apache-2.0
// Fuzzes the reader of topology files of NCCL.
#include "tests/fuzz/map_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_source(&source_nccl_xml_ops, data, size);
	return 0;
}
