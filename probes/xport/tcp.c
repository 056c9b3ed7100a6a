// SPDX-License-Identifier: Apache-2.0
// The tcp transport: sockets on the chosen address, and how peers meet there.
#include "probes/xport/tcp.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "probes/xport/meet.h"

#define BACKLOG 1024
#define UDP_BUFFER (4 << 20) /* wished: a loopback's full datagrams are big */

uint32_t tcp_streams(const struct tcp *tcp)
{
	int32_t n = tcp->env->setup->streams;

	if (n < 1)
		return 1;
	return n > TCP_STREAMS_MAX ? TCP_STREAMS_MAX : (uint32_t)n;
}

static enum fp_status tcp_init(struct tcp *tcp, const struct xport_env *env,
                               struct fp_err *err)
{
	*tcp = (struct tcp){
		.x.ops = &xport_tcp_ops,
		.env = env,
		.door = DOOR_SHUT,
		.udp_fd = -1,
	};
	return tcp_addr_parse(env->addr, &tcp->addr, err);
}

static enum fp_status tcp_try(const struct xport_env *env, struct fp_err *err)
{
	enum fp_status status;
	struct tcp tcp;
	int fd = -1;

	status = tcp_init(&tcp, env, err);
	if (status != FP_OK)
		return status;
	status = tcp_socket_open(&tcp, SOCK_STREAM, false, &fd, err);
	if (status != FP_OK)
		return status;
	status = tcp_socket_tune(fd, env->setup, NULL, err);
	close(fd);
	return status;
}

static enum fp_status tcp_probe(const struct xport_env *env, struct fp_err *err)
{
	struct fp_err why = { .status = FP_OK };

	if (!env->addr[0])
		return fp_err_set(err, FP_ERR_NOTSUP, "no data address");
	if (tcp_try(env, &why) == FP_OK)
		return FP_OK;
	return fp_err_set(err, FP_ERR_NOTSUP, "%s", why.text);
}

static enum fp_status tcp_open(const struct xport_env *env, struct xport **ret,
                               struct fp_err *err)
{
	struct tcp *tcp = malloc(sizeof(*tcp));
	enum fp_status status;

	if (!tcp)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory");
	status = tcp_init(tcp, env, err);
	if (status != FP_OK) {
		free(tcp);
		return status;
	}
	*ret = &tcp->x;
	return FP_OK;
}

static enum fp_status listener_open(struct tcp *tcp, const struct trial *trial,
                                    int *ret_fd, struct fp_err *err)
{
	enum fp_status status;
	int fd = -1;

	status = tcp_socket_open(tcp, SOCK_STREAM, false, &fd, err);
	if (status != FP_OK)
		return status;
	status = tcp_socket_tune(fd, tcp->env->setup, trial, err);
	if (status == FP_OK && listen(fd, BACKLOG) != 0)
		status = fp_err_sys(err, errno, "listen");
	if (status == FP_OK)
		status = tcp_socket_here(fd, &tcp->here, err);
	if (status != FP_OK) {
		close(fd);
		return status;
	}
	*ret_fd = fd;
	return FP_OK;
}

static enum fp_status udp_open(struct tcp *tcp, uint16_t *ret_port,
                               struct fp_err *err)
{
	const int bytes = UDP_BUFFER;
	struct tcp_addr here;
	enum fp_status status;
	int fd = -1;

	status = tcp_socket_open(tcp, SOCK_DGRAM, false, &fd, err);
	if (status != FP_OK)
		return status;
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
	(void)setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
	status = tcp_socket_here(fd, &here, err);
	if (status != FP_OK) {
		close(fd);
		return status;
	}
	tcp->udp_fd = fd;
	*ret_port = tcp_addr_port(&here);
	return FP_OK;
}

static void tcp_unlisten(struct xport *x)
{
	struct tcp *tcp = (struct tcp *)x;

	door_shut(&tcp->door);
	if (tcp->udp_fd >= 0)
		close(tcp->udp_fd);
	tcp->udp_fd = -1;
}

static enum fp_status tcp_listen(struct xport *x, const struct trial *trial,
                                 uint32_t edges, struct wire_blob *ret_blob,
                                 struct fp_err *err)
{
	struct tcp *tcp = (struct tcp *)x;
	const struct door_rules rules = {
		.token = tcp->env->setup->data_token,
		.trial = trial->id,
		.parts = tcp_streams(tcp),
		.edges = edges,
	};
	struct tcp_ports ports;
	enum fp_status status;
	int fd = -1;

	tcp_unlisten(x);
	status = udp_open(tcp, &ports.udp, err);
	if (status != FP_OK)
		return status;
	status = listener_open(tcp, trial, &fd, err);
	if (status != FP_OK)
		goto shut_udp;
	status = door_open(&tcp->door, fd, &rules, err);
	if (status != FP_OK)
		goto shut_udp;
	ports.tcp = tcp_addr_port(&tcp->here);
	*ret_blob = tcp_blob_make(&tcp->addr, ports);
	return FP_OK;
shut_udp:
	tcp_unlisten(x);
	return status;
}

/* What tcp_dial() calls. */
struct tcp_call {
	const struct tcp *tcp;
	const struct trial *trial;
	const struct tcp_addr *to;
	const char *name;
};

static enum fp_status tcp_dial(void *arg, int *ret_fd, struct fp_err *err)
{
	const struct tcp_call *call = arg;
	enum fp_status status;
	int fd = -1;

	status = tcp_socket_open(call->tcp, SOCK_STREAM, true, &fd, err);
	if (status != FP_OK)
		return status;
	status = tcp_socket_tune(fd, call->tcp->env->setup, call->trial, err);
	if (status == FP_OK &&
	    connect(fd, (const struct sockaddr *)&call->to->ss,
	            call->to->len) != 0 &&
	    errno != EINPROGRESS)
		status = meet_errno(err, errno, "connect to", call->name);
	if (status != FP_OK) {
		close(fd);
		return status;
	}
	*ret_fd = fd;
	return FP_OK;
}

static enum fp_status call_peer(struct tcp *tcp, const struct xport_peer *peer,
                                const struct meet *meet,
                                const struct tcp_addr *to,
                                struct tcp_lines *lines, struct fp_err *err)
{
	struct tcp_call call = {
		.tcp = tcp,
		.trial = peer->trial,
		.to = to,
		.name = meet->name,
	};
	const struct meet_dial dial = { .dial = tcp_dial, .arg = &call };
	struct knock knocks[TCP_STREAMS_MAX];
	enum fp_status status;
	uint32_t i;

	for (i = 0; i < lines->n; i++) {
		knocks[i] = (struct knock){ .fd = -1, .pass_fd = -1 };
		knocks[i].hello = door_words_make(tcp->env->setup->data_token,
		                                  peer->trial->id, peer->me,
		                                  peer->peer, peer->lane);
		knocks[i].hello.part = (uint16_t)i;
		knocks[i].hello.parts = (uint16_t)lines->n;
	}
	status = meet_active(meet, &dial, knocks, lines->n, err);
	for (i = 0; i < lines->n && status == FP_OK; i++)
		lines->fds[i] = knocks[i].fd;
	return status;
}

static enum fp_status await_peer(struct tcp *tcp, const struct xport_peer *peer,
                                 struct meet *meet, struct tcp_lines *lines,
                                 struct fp_err *err)
{
	char here[TCP_NAME_MAX];
	struct door_guest guest = { .fd = -1 };
	enum fp_status status;
	uint32_t i;

	meet->name = tcp_addr_name(&tcp->here, here);
	status = meet_passive(meet, peer->peer, peer->lane, err);
	for (i = 0; i < lines->n && status == FP_OK; i++) {
		door_take(&tcp->door, peer->peer, peer->lane, i, &guest);
		lines->fds[i] = guest.fd;
	}
	return status;
}

static enum fp_status tcp_connect(struct xport *x,
                                  const struct xport_peer *peer,
                                  struct xport_ep **ret_ep, struct fp_err *err)
{
	struct tcp *tcp = (struct tcp *)x;
	struct tcp_lines lines = { .n = tcp_streams(tcp) };
	struct meet meet = {
		.door = &tcp->door,
		.board = tcp->env->board,
		.trial = peer->trial->id,
		.me = peer->me,
		.name = lines.name,
		.deadline_ns = peer->deadline_ns,
	};
	struct tcp_ports ports;
	struct tcp_addr to;
	struct tcp_ep *ep;
	enum fp_status status;

	status = tcp_blob_read(peer->blob, &tcp->addr, &to, &ports, err);
	if (status != FP_OK)
		return status;
	tcp_addr_name(&to, lines.name);
	if (peer->side == XPORT_ACTIVE)
		status = call_peer(tcp, peer, &meet, &to, &lines, err);
	else
		status = await_peer(tcp, peer, &meet, &lines, err);
	if (status != FP_OK)
		return status;
	status = tcp_ep_open(tcp, peer, &lines, &ep, err);
	if (status == FP_OK)
		*ret_ep = &ep->port.ep;
	return status;
}

static void tcp_close(struct xport *x)
{
	if (!x)
		return;
	tcp_unlisten(x);
	free(x);
}

const struct xport_ops xport_tcp_ops = {
	.name = "tcp",
	.id = XPORT_TCP,
	.caps = XPORT_CAP_P2P | XPORT_CAP_HOST_MEM | XPORT_CAP_RAIL |
	        XPORT_CAP_DATAGRAM,
	.probe = tcp_probe,
	.open = tcp_open,
	.listen = tcp_listen,
	.unlisten = tcp_unlisten,
	.connect = tcp_connect,
	.tx_region = tcp_tx_region,
	.step = xport_flow_step,
	.datagram = tcp_datagram,
	.counters = tcp_counters,
	.ep_close = tcp_ep_close,
	.close = tcp_close,
	.flow = &tcp_flow_ops,
};
