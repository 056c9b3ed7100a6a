// SPDX-License-Identifier: Apache-2.0
// Fuzzes what devices and drivers answer in bytes: PCI configuration space,
// and the kernel's messages about Data Center Bridging.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "topo/source/dcb_answer.h"
#include "topo/source/pci_config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *exact = malloc(size ? size : 1);
	struct dcb_answer dcb;
	uint16_t control;

	if (!exact)
		return 0;
	if (size)
		memcpy(exact, data, size);
	(void)pci_config_acs(exact, size, &control);
	(void)dcb_answer_read(exact, size, &dcb);
	free(exact);
	return 0;
}
