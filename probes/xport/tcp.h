/* SPDX-License-Identifier: Apache-2.0 */
/* Insides of the tcp transport, shared by its files. */
#ifndef FP_PROBES_XPORT_TCP_H
#define FP_PROBES_XPORT_TCP_H

#include "probes/xport/door.h"
#include "probes/xport/flow.h"
#include "probes/xport/tcp_addr.h"
#include "probes/xport/xport.h"

#define TCP_STREAMS_MAX XPORT_FLOW_FDS

/** struct tcp - the transport, opened. */
struct tcp {
	struct xport x;
	const struct xport_env *env;
	struct tcp_addr addr; /* the data address; port 0 */
	struct tcp_addr here; /* with the door's port while it is open */
	struct door door;
	int udp_fd; /* -1 while the door is shut */
};

/** struct tcp_base - a connection's counts when it was handed over. */
struct tcp_base {
	uint32_t retrans, segs_out;
};

struct tcp_stream {
	int fd;
	size_t tx_done, rx_done; /* of this stream's part of a message */
	struct tcp_base base;
};

/** struct tcp_ep - the connections to one peer. */
struct tcp_ep {
	struct xport_port port;
	struct tcp *tcp;
	uint8_t *tx;
	size_t tx_bytes;
	uint32_t n_streams;
	struct tcp_stream streams[];
};

extern const struct xport_flow_ops tcp_flow_ops;

/**
 * tcp_socket_open() - a non-blocking socket of @type on the data address.
 * @calls: it will connect, and takes its port then; else it has one now.
 *
 * Return: FP_OK, FP_ERR_SYS.
 */
enum fp_status tcp_socket_open(const struct tcp *tcp, int type, bool calls,
                               int *ret_fd, struct fp_err *err);

/**
 * tcp_socket_tune() - set up a stream socket as asked, before it connects or
 * listens: congestion control, buffers, no delay, when TCP gives up.
 * @trial: NULL: only try it out.
 *
 * Return: FP_OK; FP_ERR_SYS naming what could not be set.
 */
enum fp_status tcp_socket_tune(int fd, const struct wire_setup *setup,
                               const struct trial *trial, struct fp_err *err);

/** tcp_socket_here() - the address that @fd is bound to; or FP_ERR_SYS. */
enum fp_status tcp_socket_here(int fd, struct tcp_addr *ret_here,
                               struct fp_err *err);

/** tcp_streams() - connections of an edge as set up, within 1..64. */
uint32_t tcp_streams(const struct tcp *tcp);

/** struct tcp_lines - what connect() has in hand when it is done. */
struct tcp_lines {
	int fds[TCP_STREAMS_MAX];
	uint32_t n;
	char name[TCP_NAME_MAX]; /* of the peer */
};

/**
 * tcp_ep_open() - an ep of connected @lines, which belong to it from now on,
 * even on failure.
 *
 * Return: FP_OK, FP_ERR_NOMEM. Undo with tcp_ep_close().
 */
enum fp_status tcp_ep_open(struct tcp *tcp, const struct xport_peer *peer,
                           const struct tcp_lines *lines,
                           struct tcp_ep **ret_ep, struct fp_err *err);

/* Operations of struct xport_ops. */
void tcp_ep_close(struct xport_ep *ep);
void *tcp_tx_region(struct xport_ep *ep);
void tcp_counters(struct xport_ep *ep, struct outcome *o);
enum fp_status tcp_datagram(struct xport *x, const struct xport_peer *peer,
                            struct outcome *o, struct fp_err *err);

/** tcp_base_read() - a connection's counts now; zero if it will not say. */
struct tcp_base tcp_base_read(int fd);

#endif
