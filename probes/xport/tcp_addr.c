// SPDX-License-Identifier: Apache-2.0
// Addresses of the tcp transport.
#include "probes/xport/tcp_addr.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define BLOB_MAGIC 0x42543146u /* "F1TB" read little-endian */

/* What a peer needs to know. The family is spelled out because AF_INET6 is
 * not the same number everywhere. */
enum blob_family { BLOB_IPV4 = 4, BLOB_IPV6 = 6 };

struct tcp_blob {
	uint32_t magic;
	uint16_t family; /* enum blob_family */
	uint16_t pad;
	struct tcp_ports ports;
	uint8_t addr[16];
};
_Static_assert(sizeof(struct tcp_blob) == 28, "tcp_blob crosses hosts");
_Static_assert(sizeof(struct tcp_blob) <= WIRE_BLOB_BYTES, "fits");

static struct sockaddr_in *addr_v4(struct tcp_addr *addr)
{
	return (struct sockaddr_in *)&addr->ss;
}

static struct sockaddr_in6 *addr_v6(struct tcp_addr *addr)
{
	return (struct sockaddr_in6 *)&addr->ss;
}

static const struct sockaddr_in *addr_v4_const(const struct tcp_addr *addr)
{
	return (const struct sockaddr_in *)&addr->ss;
}

static const struct sockaddr_in6 *addr_v6_const(const struct tcp_addr *addr)
{
	return (const struct sockaddr_in6 *)&addr->ss;
}

enum fp_status tcp_addr_parse(const char *text, struct tcp_addr *ret_addr,
                              struct fp_err *err)
{
	const struct addrinfo hints = {
		.ai_family = AF_UNSPEC,
		.ai_socktype = SOCK_STREAM,
		.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
	};
	struct addrinfo *list;
	struct tcp_addr addr = { .len = 0 };
	int rc = getaddrinfo(text, "0", &hints, &list);

	if (rc != 0)
		return fp_err_set(err, FP_ERR_INPUT,
		                  "'%s' is no numeric address: %s", text,
		                  gai_strerror(rc));
	memcpy(&addr.ss, list->ai_addr, list->ai_addrlen);
	addr.len = list->ai_addrlen;
	freeaddrinfo(list);
	*ret_addr = addr;
	return FP_OK;
}

uint16_t tcp_addr_port(const struct tcp_addr *addr)
{
	return ntohs(addr->ss.ss_family == AF_INET6
	                     ? addr_v6_const(addr)->sin6_port
	                     : addr_v4_const(addr)->sin_port);
}

void tcp_addr_set_port(struct tcp_addr *addr, uint16_t port)
{
	if (addr->ss.ss_family == AF_INET6)
		addr_v6(addr)->sin6_port = htons(port);
	else
		addr_v4(addr)->sin_port = htons(port);
}

char *tcp_addr_name(const struct tcp_addr *addr, char buf[static TCP_NAME_MAX])
{
	char text[INET6_ADDRSTRLEN] = "?";
	const void *ip = &addr_v4_const(addr)->sin_addr;

	if (addr->ss.ss_family == AF_INET6)
		ip = &addr_v6_const(addr)->sin6_addr;
	(void)inet_ntop(addr->ss.ss_family, ip, text, sizeof(text));
	(void)snprintf(buf, TCP_NAME_MAX, "%s port %u", text,
	               (unsigned)tcp_addr_port(addr));
	return buf;
}

struct wire_blob tcp_blob_make(const struct tcp_addr *addr,
                               struct tcp_ports ports)
{
	struct tcp_blob b = { .magic = BLOB_MAGIC, .ports = ports };
	struct wire_blob blob = { .bytes = { 0 } };

	if (addr->ss.ss_family == AF_INET6) {
		b.family = BLOB_IPV6;
		memcpy(b.addr, &addr_v6_const(addr)->sin6_addr, 16);
	} else {
		b.family = BLOB_IPV4;
		memcpy(b.addr, &addr_v4_const(addr)->sin_addr, 4);
	}
	memcpy(blob.bytes, &b, sizeof(b));
	return blob;
}

enum fp_status tcp_blob_read(const struct wire_blob *blob,
                             const struct tcp_addr *mine,
                             struct tcp_addr *ret_addr,
                             struct tcp_ports *ret_ports, struct fp_err *err)
{
	bool v6 = mine->ss.ss_family == AF_INET6;
	struct tcp_addr addr = *mine;
	struct tcp_blob b;

	memcpy(&b, blob->bytes, sizeof(b));
	if (b.magic != BLOB_MAGIC || !b.ports.tcp ||
	    (b.family != BLOB_IPV4 && b.family != BLOB_IPV6))
		return fp_err_set(err, FP_ERR_PROTO,
		                  "the peer's tcp endpoint makes no sense");
	if (b.family != (v6 ? BLOB_IPV6 : BLOB_IPV4))
		return fp_err_set(err, FP_ERR_PEER,
		                  "the peer has an IPv%u address, this rank an "
		                  "IPv%u one",
		                  (unsigned)b.family, v6 ? 6u : 4u);
	if (v6)
		memcpy(&addr_v6(&addr)->sin6_addr, b.addr, 16);
	else
		memcpy(&addr_v4(&addr)->sin_addr, b.addr, 4);
	tcp_addr_set_port(&addr, b.ports.tcp);
	*ret_addr = addr;
	*ret_ports = b.ports;
	return FP_OK;
}
