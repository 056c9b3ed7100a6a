/* SPDX-License-Identifier: Apache-2.0 */
/* PCI configuration space: what no other file of sysfs says. */
#ifndef FP_TOPO_SOURCE_PCI_CONFIG_H
#define FP_TOPO_SOURCE_PCI_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "topo/reading/reading.h"
#include "topo/source/sysfs.h"

#define PCI_CONFIG_MAX 4096

/** enum pci_acs - what a configuration space tells of ACS. */
enum pci_acs {
	PCI_ACS_HIDDEN, /* its extended part was not given */
	PCI_ACS_NONE,   /* the function has no such capability */
	PCI_ACS_FOUND
};

/**
 * pci_config_acs() - find the Access Control Services of a function (PCI
 * Express Base Specification, extended capability 0x000d).
 * @data:    its configuration space, from any source; never trusted.
 * @control: on PCI_ACS_FOUND, its control register: 0x4 and 0x8 send what
 *           peers exchange up to the root port.
 */
enum pci_acs pci_config_acs(const uint8_t *data, size_t len,
                            uint16_t *ret_control);

/** pci_config_put_acs() - write "pcie.acs" of the function at @dir. */
void pci_config_put_acs(const struct sysfs_dir *dir, struct reading_pen *pen);

#endif
