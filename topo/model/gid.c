// SPDX-License-Identifier: Apache-2.0
// Which GID a RoCE port uses.
#include "topo/model/gid.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "topo/base/fmt.h"

#define MAPPED_BYTES 12 /* ::ffff: before an IPv4 address */
#define MAPPED_BITS (8 * MAPPED_BYTES)

static const uint8_t mapped[MAPPED_BYTES] = { [10] = 0xff, [11] = 0xff };

bool gid_is_zero(const uint8_t gid[static GID_BYTES])
{
	static const uint8_t zero[GID_BYTES];

	return memcmp(gid, zero, GID_BYTES) == 0;
}

enum gid_family gid_family_of(const uint8_t gid[static GID_BYTES])
{
	return memcmp(gid, mapped, sizeof(mapped)) == 0 ? GID_IPV4 : GID_IPV6;
}

bool gid_is_link_local(const uint8_t gid[static GID_BYTES])
{
	return gid[0] == 0xfe && (gid[1] & 0xc0) == 0x80;
}

char *gid_text(const uint8_t gid[static GID_BYTES],
               char buf[static GID_TEXT_MAX])
{
	bool v4 = gid_family_of(gid) == GID_IPV4;

	buf[0] = '\0';
	(void)inet_ntop(v4 ? AF_INET : AF_INET6, v4 ? gid + MAPPED_BYTES : gid,
	                buf, GID_TEXT_MAX);
	return buf;
}

const char *gid_type_name(unsigned type)
{
	static const char *const names[GID_TYPE_COUNT] = {
		[GID_IB] = "IB",
		[GID_ROCE_V1] = "RoCE v1",
		[GID_ROCE_V2] = "RoCE v2",
	};

	return type < GID_TYPE_COUNT ? names[type] : "?";
}

static bool in_net(const uint8_t gid[static GID_BYTES],
                   const struct gid_wish *wish)
{
	uint32_t whole = wish->net_bits / 8, rest = wish->net_bits % 8;
	uint8_t mask = (uint8_t)(0xff00u >> rest);

	return memcmp(gid, wish->net, whole) == 0 &&
	       (!rest || ((gid[whole] ^ wish->net[whole]) & mask) == 0);
}

/* Lower is better; -1: not at all. */
static int rank_of(const struct gid_row *row, const struct gid_wish *wish)
{
	uint32_t type =
		wish->type == GID_IB ? (uint32_t)GID_ROCE_V2 : wish->type;
	bool v4 = gid_family_of(row->gid) == GID_IPV4;

	if (gid_is_zero(row->gid) || row->type != type ||
	    !in_net(row->gid, wish))
		return -1;
	if (wish->family != GID_ANY &&
	    gid_family_of(row->gid) != (enum gid_family)wish->family)
		return -1;
	return 2 * gid_is_link_local(row->gid) + (v4 ? 0 : 1);
}

/* "0 RoCE v2 fe80::1, 1 RoCE v2 10.1.0.1", for a message. */
static void table_text(const struct gid_row *rows, size_t n, char *buf,
                       size_t size)
{
	struct fp_text text = { 0 };
	char gid[GID_TEXT_MAX];

	for (size_t i = 0; i < n && text.len < size; i++)
		if (!gid_is_zero(rows[i].gid))
			fp_text_printf(&text, "%s%d %s %s",
			               text.len ? ", " : "", (int)rows[i].index,
			               gid_type_name(rows[i].type),
			               gid_text(rows[i].gid, gid));
	fp_copy(buf, size, text.len ? fp_text_str(&text) : "none");
	fp_text_free(&text);
}

static enum fp_status by_index(const struct gid_row *rows, size_t n,
                               int32_t index, size_t *ret, struct fp_err *err)
{
	char table[160];

	for (size_t i = 0; i < n; i++) {
		if (rows[i].index != index || gid_is_zero(rows[i].gid))
			continue;
		*ret = i;
		return FP_OK;
	}
	table_text(rows, n, table, sizeof(table));
	return fp_err_set(err, FP_ERR_INPUT,
	                  "GID index %d is empty; the port has: %s", (int)index,
	                  table);
}

enum fp_status gid_choose(const struct gid_row *rows, size_t n,
                          const struct gid_wish *wish, size_t *ret,
                          struct fp_err *err)
{
	int best = -1, rank;
	char table[160];

	if (wish->index >= 0)
		return by_index(rows, n, wish->index, ret, err);
	for (size_t i = 0; i < n; i++) {
		rank = rank_of(&rows[i], wish);
		if (rank < 0 || (best >= 0 && rank >= best))
			continue;
		best = rank;
		*ret = i;
	}
	if (best >= 0)
		return FP_OK;
	table_text(rows, n, table, sizeof(table));
	return fp_err_set(err, FP_ERR_INPUT,
	                  "no GID fits what is asked for; the port has: %s",
	                  table);
}

enum fp_status gid_wish_net(const char *text, struct gid_wish *wish,
                            struct fp_err *err)
{
	const char *slash = strchr(text, '/');
	size_t len = slash ? (size_t)(slash - text) : strlen(text);
	bool v4 = !memchr(text, ':', len);
	unsigned long most = v4 ? 32 : 128, bits = most;
	uint8_t net[GID_BYTES];
	char addr[GID_TEXT_MAX];
	char *end = NULL;

	if (slash)
		bits = strtoul(slash + 1, &end, 10);
	memcpy(net, mapped, sizeof(mapped));
	if (len < sizeof(addr)) {
		memcpy(addr, text, len);
		addr[len] = '\0';
	}
	if (len >= sizeof(addr) || bits > most ||
	    (slash && (end == slash + 1 || *end)) ||
	    inet_pton(v4 ? AF_INET : AF_INET6, addr,
	              v4 ? net + MAPPED_BYTES : net) != 1)
		return fp_err_set(err, FP_ERR_USAGE,
		                  "'%s' is no subnet such as 10.1.0.0/16",
		                  text);
	memcpy(wish->net, net, sizeof(net));
	wish->net_bits = (uint32_t)bits + (v4 ? MAPPED_BITS : 0);
	return FP_OK;
}
