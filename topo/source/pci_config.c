// SPDX-License-Identifier: Apache-2.0
// Reads PCI configuration space.
#include "topo/source/pci_config.h"

#define EXTENDED 0x100
#define CAPABILITY_ACS 0x000d
#define ACS_CONTROL 6

static uint32_t word_at(const uint8_t *data, size_t at)
{
	return (uint32_t)data[at] | (uint32_t)data[at + 1] << 8 |
	       (uint32_t)data[at + 2] << 16 | (uint32_t)data[at + 3] << 24;
}

enum pci_acs pci_config_acs(const uint8_t *data, size_t len,
                            uint16_t *ret_control)
{
	size_t at = EXTENDED;

	if (len < EXTENDED + 4)
		return PCI_ACS_HIDDEN;
	/* Each is four bytes at least, so a ring of them ends. */
	for (size_t n = 0; n < PCI_CONFIG_MAX / 4; n++) {
		uint32_t head;

		if (at < EXTENDED || at + ACS_CONTROL + 2 > len)
			return PCI_ACS_NONE;
		head = word_at(data, at);
		if ((head & 0xffff) == CAPABILITY_ACS) {
			*ret_control =
				(uint16_t)(data[at + ACS_CONTROL] |
			                   data[at + ACS_CONTROL + 1] << 8);
			return PCI_ACS_FOUND;
		}
		at = head >> 20 & ~3u;
	}
	return PCI_ACS_NONE;
}

void pci_config_put_acs(const struct sysfs_dir *dir, struct reading_pen *pen)
{
	char data[PCI_CONFIG_MAX + 1];
	ssize_t n = sysfs_dir_read_all(dir, "config", data, sizeof(data));
	uint32_t source = pen->source;
	uint16_t control = 0;

	pen->source = READ_CONFIG;
	switch (pci_config_acs((const uint8_t *)data, n > 0 ? (size_t)n : 0,
	                       &control)) {
	case PCI_ACS_FOUND:
		reading_put_int(pen, "pcie.acs", control);
		break;
	case PCI_ACS_HIDDEN:
		reading_put_skip(pen, "pcie.acs",
		                 "the extended configuration space cannot be "
		                 "read: the kernel shows it to root only");
		break;
	default:
		break;
	}
	pen->source = source;
}
