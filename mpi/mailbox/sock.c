// SPDX-License-Identifier: Apache-2.0
// Sockets of the mailbox.
#include "mpi/mailbox/sock.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define SOCK_BACKLOG 4096   /* thousands of agents may come at once */
#define SOCK_MSS_BYTES 1220 /* 1280, IPv6's least MTU, less its headers */

enum fp_status mailbox_sock_resolve(const char *host, uint32_t port,
                                    struct addrinfo **ret, struct fp_err *err)
{
	const struct addrinfo hints = {
		.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE,
		.ai_family = AF_UNSPEC,
		.ai_socktype = SOCK_STREAM,
	};
	char service[16];

	(void)snprintf(service, sizeof(service), "%u", port);
	if (port > 65535 || getaddrinfo(host, service, &hints, ret))
		return fp_err_set(err, FP_ERR_USAGE,
		                  "%s port %u: not a numeric address", host,
		                  port);
	return FP_OK;
}

void mailbox_sock_small(int fd)
{
	const int mss_bytes = SOCK_MSS_BYTES;

	(void)setsockopt(fd, IPPROTO_TCP, TCP_MAXSEG, &mss_bytes,
	                 sizeof(mss_bytes));
}

static enum fp_status listen_on(const struct addrinfo *ai, int *ret_fd,
                                struct fp_err *err)
{
	const int on = 1, off = 0;
	char name[MAILBOX_SOCK_NAME_MAX];
	int fd, errnum;

	mailbox_sock_name(ai->ai_addr, 1, name);
	fd = socket(ai->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC,
	            0);
	if (fd < 0)
		return fp_err_sys(err, errno, "socket for %s", name);
	(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (ai->ai_family == AF_INET6)
		(void)setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off,
		                 sizeof(off));
	mailbox_sock_small(fd);
	if (bind(fd, ai->ai_addr, ai->ai_addrlen) || listen(fd, SOCK_BACKLOG)) {
		errnum = errno;
		close(fd);
		return fp_err_sys(err, errnum, "cannot listen on %s", name);
	}
	*ret_fd = fd;
	return FP_OK;
}

enum fp_status mailbox_sock_listen(const char *addr, uint32_t port, int *ret_fd,
                                   struct fp_err *err)
{
	struct addrinfo *ai = NULL;
	enum fp_status status;

	status = mailbox_sock_resolve(addr ? addr : "::", port, &ai, err);
	if (status != FP_OK)
		return status;
	status = listen_on(ai, ret_fd, addr ? err : NULL);
	freeaddrinfo(ai);
	/* "::" takes IPv4 as well, but a kernel may have no IPv6 at all. */
	if (status != FP_OK && !addr)
		return mailbox_sock_listen("0.0.0.0", port, ret_fd, err);
	return status;
}

uint32_t mailbox_sock_port(int fd)
{
	struct sockaddr_storage ss = { 0 };
	socklen_t len = sizeof(ss);

	if (getsockname(fd, (struct sockaddr *)&ss, &len))
		return 0;
	if (ss.ss_family == AF_INET)
		return ntohs(((struct sockaddr_in *)&ss)->sin_port);
	if (ss.ss_family == AF_INET6)
		return ntohs(((struct sockaddr_in6 *)&ss)->sin6_port);
	return 0;
}

void mailbox_sock_tune(int fd, double dead_s)
{
	const struct {
		int level, name, value;
	} options[] = {
		{ IPPROTO_TCP, TCP_NODELAY, 1 },
		{ SOL_SOCKET, SO_KEEPALIVE, 1 },
		{ IPPROTO_TCP, TCP_KEEPIDLE, 5 },
		{ IPPROTO_TCP, TCP_KEEPINTVL, 3 },
		{ IPPROTO_TCP, TCP_KEEPCNT, 3 },
		{ IPPROTO_TCP, TCP_USER_TIMEOUT, (int)(dead_s * 1000) },
	};

	(void)fcntl(fd, F_SETFD, FD_CLOEXEC);
	(void)fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	/* A socketpair refuses all of these, and needs none. */
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		(void)setsockopt(fd, options[i].level, options[i].name,
		                 &options[i].value, sizeof(int));
}

/* IPv4 that came through an IPv6 socket, back as IPv4. */
static const struct sockaddr *unmapped(const struct sockaddr *sa,
                                       struct sockaddr_in *room)
{
	struct sockaddr_in6 in6;

	if (sa->sa_family != AF_INET6)
		return sa;
	memcpy(&in6, sa, sizeof(in6));
	if (!IN6_IS_ADDR_V4MAPPED(&in6.sin6_addr))
		return sa;
	*room = (struct sockaddr_in){ .sin_family = AF_INET,
		                      .sin_port = in6.sin6_port };
	memcpy(&room->sin_addr, in6.sin6_addr.s6_addr + 12, 4);
	return (const struct sockaddr *)room;
}

void mailbox_sock_name(const struct sockaddr *sa, int port,
                       char ret[static MAILBOX_SOCK_NAME_MAX])
{
	struct sockaddr_in room;
	char host[64], service[8];
	bool v6;

	ret[0] = '\0';
	if (sa->sa_family != AF_INET && sa->sa_family != AF_INET6)
		return;
	sa = unmapped(sa, &room);
	v6 = sa->sa_family == AF_INET6;
	if (getnameinfo(sa,
	                v6 ? sizeof(struct sockaddr_in6)
	                   : sizeof(struct sockaddr_in),
	                host, sizeof(host), service, sizeof(service),
	                NI_NUMERICHOST | NI_NUMERICSERV))
		return;
	if (port)
		(void)snprintf(ret, MAILBOX_SOCK_NAME_MAX,
		               v6 ? "[%s]:%s" : "%s:%s", host, service);
	else
		(void)snprintf(ret, MAILBOX_SOCK_NAME_MAX, "%s", host);
}

enum fp_status mailbox_sock_files(uint64_t n_fds, struct fp_err *err)
{
	struct rlimit lim, want;

	if (getrlimit(RLIMIT_NOFILE, &lim))
		return fp_err_sys(err, errno, "getrlimit");
	if (lim.rlim_cur >= n_fds)
		return FP_OK;
	want.rlim_cur = n_fds;
	want.rlim_max = lim.rlim_max > n_fds ? lim.rlim_max : n_fds;
	if (!setrlimit(RLIMIT_NOFILE, &want))
		return FP_OK;
	return fp_err_set(err, FP_ERR_LIMIT,
	                  "rank 0 needs %llu open files and may have %llu: "
	                  "raise it with `ulimit -n %llu` (hard limit: "
	                  "/etc/security/limits.conf) before the launch",
	                  (unsigned long long)n_fds,
	                  (unsigned long long)lim.rlim_max,
	                  (unsigned long long)n_fds);
}
