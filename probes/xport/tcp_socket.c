// SPDX-License-Identifier: Apache-2.0
// How the sockets of the tcp transport are made.
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <unistd.h>

#include "probes/xport/tcp.h"

#define USER_TIMEOUT_SHARE 0.75
#define USER_TIMEOUT_MIN_MS 1000
#define USER_TIMEOUT_MAX_MS 3600000

static enum fp_status socket_int(int fd, int level, int option, int value,
                                 const char *what, struct fp_err *err)
{
	if (setsockopt(fd, level, option, &value, sizeof(value)) != 0)
		return fp_err_sys(err, errno, "%s %d", what, value);
	return FP_OK;
}

/* TCP gives up a little before the trial's deadline does, so that a path that
 * swallows everything is told from a peer that is slow. */
static int user_timeout_ms(const struct trial *trial)
{
	double ms = trial ? trial->deadline_s * 1000 * USER_TIMEOUT_SHARE : 0;

	if (!(ms > USER_TIMEOUT_MIN_MS))
		return USER_TIMEOUT_MIN_MS;
	return ms < USER_TIMEOUT_MAX_MS ? (int)ms : USER_TIMEOUT_MAX_MS;
}

/* Before the connection: its window scale follows from the buffers. */
enum fp_status tcp_socket_tune(int fd, const struct wire_setup *setup,
                               const struct trial *trial, struct fp_err *err)
{
	const char *cc = setup->tcp_cc;
	const struct {
		int level, option, value;
		const char *what;
	} rows[] = {
		{ IPPROTO_TCP, TCP_NODELAY, 1, "TCP_NODELAY" },
		{ IPPROTO_TCP, TCP_USER_TIMEOUT, user_timeout_ms(trial),
		  "TCP_USER_TIMEOUT" },
		{ SOL_SOCKET, SO_SNDBUF, setup->sockbuf, "SO_SNDBUF" },
		{ SOL_SOCKET, SO_RCVBUF, setup->sockbuf, "SO_RCVBUF" },
	};
	const size_t n = sizeof(rows) / sizeof(rows[0]);
	enum fp_status status = FP_OK;
	size_t i;

	if (cc[0] && setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, cc,
	                        (socklen_t)strnlen(cc, sizeof(setup->tcp_cc))))
		return fp_err_sys(err, errno, "congestion control '%s'", cc);
	for (i = 0; i < (setup->sockbuf > 0 ? n : n - 2) && status == FP_OK;
	     i++)
		status = socket_int(fd, rows[i].level, rows[i].option,
		                    rows[i].value, rows[i].what, err);
	return status;
}

enum fp_status tcp_socket_open(const struct tcp *tcp, int type, bool calls,
                               int *ret_fd, struct fp_err *err)
{
	char name[TCP_NAME_MAX];
	int one = 1;
	int fd = socket(tcp->addr.ss.ss_family,
	                type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return fp_err_sys(err, errno, "socket");
	/* else each of the two ends of a connection would take a port */
	if (calls)
		(void)setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &one,
		                 sizeof(one));
	if (bind(fd, (const struct sockaddr *)&tcp->addr.ss, tcp->addr.len)) {
		fp_err_sys(err, errno, "bind to %s",
		           tcp_addr_name(&tcp->addr, name));
		close(fd);
		return FP_ERR_SYS;
	}
	*ret_fd = fd;
	return FP_OK;
}

enum fp_status tcp_socket_here(int fd, struct tcp_addr *ret, struct fp_err *err)
{
	struct tcp_addr here = { .len = sizeof(here.ss) };

	if (getsockname(fd, (struct sockaddr *)&here.ss, &here.len) != 0)
		return fp_err_sys(err, errno, "getsockname");
	*ret = here;
	return FP_OK;
}
