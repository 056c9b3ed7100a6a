/* SPDX-License-Identifier: Apache-2.0 */
/* What a PCI function is, by its class; how fast its link can be. */
#ifndef FP_TOPO_SOURCE_PCI_KIND_H
#define FP_TOPO_SOURCE_PCI_KIND_H

#include "topo/model/model_map.h"

/** pci_is_gpu() - a GPU that computes, not the display of a BMC. */
bool pci_is_gpu(const struct map_pci *pci);

/** pci_is_nic() - a network or InfiniBand controller. */
bool pci_is_nic(const struct map_pci *pci);

/**
 * pci_speed_read() - "8 GT/s", "16.0 GT/s PCIe", "32 GT/s PCIe/s".
 *
 * Return: megatransfers per second; -1 for "" and anything else.
 */
int32_t pci_speed_read(const char *text);

/**
 * pci_find_devices() - add the GPUs and HCAs of a tree whose functions show
 * by their class what they are but that nothing else has named, and put the
 * GPUs in the order of their numbers.
 *
 * Return: FP_OK, FP_ERR_LIMIT, FP_ERR_NOMEM.
 */
enum fp_status pci_find_devices(struct topo_map *map, struct fp_err *err);

#endif
