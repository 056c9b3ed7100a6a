/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of libibverbs' binary interface that is used, so that neither its
 * header nor its library is needed. Source: rdma-core libibverbs/verbs.h; the
 * exported ibv_query_port() fills the structure of IBVERBS_1.1.
 */
#ifndef FP_TOPO_SOURCE_VERBS_ABI_H
#define FP_TOPO_SOURCE_VERBS_ABI_H

#include <stddef.h>
#include <stdint.h>

#define VERBS_LIBRARY "libibverbs.so.1"

struct verbs_device;  /* opaque */
struct verbs_context; /* opaque */

/* 256 << (mtu - 1) bytes */
enum verbs_mtu { VERBS_MTU_256 = 1, VERBS_MTU_4096 = 5 };

struct verbs_port {
	int32_t state, max_mtu, active_mtu;
	int32_t gid_table;
	uint32_t capabilities, max_message, bad_pkeys, bad_qkeys;
	uint16_t pkey_table, lid, sm_lid;
	uint8_t lmc, max_vl, sm_sl, subnet_timeout, init_reply;
	uint8_t active_width, active_speed, phys_state, link_layer, pad;
};
_Static_assert(sizeof(struct verbs_port) == 48, "ibv_port_attr");
_Static_assert(offsetof(struct verbs_port, lid) == 34, "ibv_port_attr");

#endif
