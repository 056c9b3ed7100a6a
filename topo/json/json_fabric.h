/* SPDX-License-Identifier: Apache-2.0 */
/* The short description of a cluster, as JSON. */
#ifndef FP_TOPO_JSON_JSON_FABRIC_H
#define FP_TOPO_JSON_JSON_FABRIC_H

#include "topo/fabric/fabric.h"

/**
 * fabric_spec_read() - from an object: hosts (needed), gpus, nvlinks, nics,
 * nic_gbps, hosts_per_leaf, leaves, spines, oversubscription,
 * rail_optimised, inside ("nvswitch", "nvlink_pairs" or "pcie"). What is not
 * there is as fabric_spec_defaults() has it; a member that is none of these
 * is an error, so that a misspelling is not passed over.
 *
 * Return: FP_OK; FP_ERR_INPUT, naming the member or the place in the text.
 */
enum fp_status fabric_spec_read(const char *text, size_t len,
                                struct fabric_spec *ret, struct fp_err *err);

#endif
