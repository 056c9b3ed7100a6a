/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which GID a port of an Ethernet fabric uses. The rule is NCCL's (user guide,
 * NCCL_IB_GID_INDEX, NCCL_IB_ADDR_FAMILY, NCCL_IB_ADDR_RANGE and
 * NCCL_IB_ROCE_VERSION_NUM), so that what is measured is what a job uses.
 */
#ifndef FP_TOPO_MODEL_GID_H
#define FP_TOPO_MODEL_GID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "topo/base/status.h"

#define GID_BYTES 16
#define GID_TEXT_MAX 48
#define GID_TABLE_MAX 256

enum gid_type { GID_IB, GID_ROCE_V1, GID_ROCE_V2, GID_TYPE_COUNT };
enum gid_family { GID_ANY, GID_IPV4, GID_IPV6 };

/** struct gid_row - an entry of a port's table. */
struct gid_row {
	uint8_t gid[GID_BYTES];
	int32_t index;
	uint32_t type; /* enum gid_type */
};

/** struct gid_wish - what is asked for. Zero-initialised and index -1: what
 * NCCL takes, too. */
struct gid_wish {
	int32_t index;   /* -1: by the rest */
	uint32_t family; /* enum gid_family; GID_ANY: IPv4 is preferred */
	uint32_t type;   /* enum gid_type; GID_IB: RoCE v2 */
	uint8_t net[GID_BYTES];
	uint32_t net_bits; /* of net that an address must have; 0: any */
};

/** gid_is_zero() - an empty entry? */
bool gid_is_zero(const uint8_t gid[static GID_BYTES]);

/** gid_is_link_local() - fe80::/10, which nobody routes? */
bool gid_is_link_local(const uint8_t gid[static GID_BYTES]);

/** gid_family_of() - GID_IPV4 for a mapped IPv4 address, else GID_IPV6. */
enum gid_family gid_family_of(const uint8_t gid[static GID_BYTES]);

/** gid_text() - "10.1.0.2" or "fe80::1". Return: @buf. */
char *gid_text(const uint8_t gid[static GID_BYTES],
               char buf[static GID_TEXT_MAX]);

/** gid_type_name() - "IB", "RoCE v1", "RoCE v2"; "?" for none. */
const char *gid_type_name(unsigned type);

/**
 * gid_choose() - the row that @wish means: the one of its index, else the best
 * of its type: in its subnet, of its family, not link-local, lowest index.
 * @ret: index into @rows.
 *
 * Return: FP_OK; FP_ERR_INPUT, which says what the table has instead.
 */
enum fp_status gid_choose(const struct gid_row *rows, size_t n,
                          const struct gid_wish *wish, size_t *ret,
                          struct fp_err *err);

/**
 * gid_wish_net() - take "10.1.0.0/16" or "fd00::/8" as the wish's subnet.
 *
 * Return: FP_OK, FP_ERR_USAGE.
 */
enum fp_status gid_wish_net(const char *text, struct gid_wish *wish,
                            struct fp_err *err);

#endif
