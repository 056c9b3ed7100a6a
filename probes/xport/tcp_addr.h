/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of the tcp transport: as text, as sockaddr, as endpoint blob. */
#ifndef FP_PROBES_XPORT_TCP_ADDR_H
#define FP_PROBES_XPORT_TCP_ADDR_H

#include <stdint.h>
#include <sys/socket.h>

#include "probes/trial/wire.h"
#include "topo/base/status.h"

#define TCP_NAME_MAX 72

/** struct tcp_addr - an IPv4 or IPv6 address with a port. */
struct tcp_addr {
	struct sockaddr_storage ss;
	socklen_t len;
};

/** struct tcp_ports - one of each kind, at one address. */
struct tcp_ports {
	uint16_t tcp, udp;
};

/**
 * tcp_addr_parse() - a numeric address, with %scope if link-local; port 0.
 *
 * Return: FP_OK; FP_ERR_INPUT naming the text.
 */
enum fp_status tcp_addr_parse(const char *text, struct tcp_addr *ret_addr,
                              struct fp_err *err);

uint16_t tcp_addr_port(const struct tcp_addr *addr);
void tcp_addr_set_port(struct tcp_addr *addr, uint16_t port);

/** tcp_addr_name() - "10.0.0.2 port 4711". Return: @buf. */
char *tcp_addr_name(const struct tcp_addr *addr, char buf[static TCP_NAME_MAX]);

/** tcp_blob_make() - the endpoint that listens on @ports of @addr. */
struct wire_blob tcp_blob_make(const struct tcp_addr *addr,
                               struct tcp_ports ports);

/**
 * tcp_blob_read() - the peer's address and ports, from bytes that may be
 * hostile. A link-local address is one of the network that @mine is in.
 *
 * Return: FP_OK, FP_ERR_PROTO; FP_ERR_PEER if it is of another family.
 */
enum fp_status tcp_blob_read(const struct wire_blob *blob,
                             const struct tcp_addr *mine,
                             struct tcp_addr *ret_addr,
                             struct tcp_ports *ret_ports, struct fp_err *err);

#endif
