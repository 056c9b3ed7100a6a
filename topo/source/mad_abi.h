/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of libibmad's binary interface that is used, so that neither its
 * header nor its library is needed, and the records of MADs that are read.
 * Sources: rdma-core libibmad/mad.h, library version 5; InfiniBand
 * Architecture Specification, Vol. 1: NodeInfo 14.2.5.3, PortInfo 14.2.5.6,
 * PortCounters 16.1.3.5, PortCountersExtended 16.1.4.11.
 */
#ifndef FP_TOPO_SOURCE_MAD_ABI_H
#define FP_TOPO_SOURCE_MAD_ABI_H

#include <stddef.h>
#include <stdint.h>

#define MAD_LIBRARY "libibmad.so.5"

struct mad_port; /* opaque */

/* classes of management, of which a port is opened for some */
enum mad_class { MAD_SMI = 0x1, MAD_SMI_DIRECT = 0x81, MAD_PERFORMANCE = 0x4 };

enum mad_attr {
	MAD_NODE_INFO = 0x11,
	MAD_PORT_INFO = 0x15,
	MAD_PORT_COUNTERS = 0x12,          /* of the performance class */
	MAD_PORT_COUNTERS_EXTENDED = 0x1d, /* and this */
};

#define MAD_HOPS_MAX 64
#define MAD_DATA_BYTES 64         /* of a subnet management record */
#define MAD_PERFORMANCE_BYTES 192 /* of a performance record */
#define MAD_BUFFER_BYTES 1024

struct mad_path {
	int32_t hops;
	uint8_t ports[MAD_HOPS_MAX]; /* left through, from [1] on */
	uint16_t src_lid, dst_lid;
};

struct mad_dest {
	int32_t lid; /* 0: by path */
	struct mad_path path;
	int32_t grh;
	uint8_t gid[16];
	uint32_t qp, qkey;
	uint8_t sl;
	uint32_t pkey_index;
};
_Static_assert(offsetof(struct mad_dest, path) == 4, "ib_portid_t");
_Static_assert(offsetof(struct mad_dest, grh) == 76, "ib_portid_t");
_Static_assert(offsetof(struct mad_dest, qp) == 96, "ib_portid_t");
_Static_assert(sizeof(struct mad_dest) == 112, "ib_portid_t");

#endif
