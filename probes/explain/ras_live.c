// SPDX-License-Identifier: Apache-2.0
// A client of NCCL's RAS that never waits past its deadline.
#include "probes/explain/ras_live.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "topo/base/clock.h"

#define LINE_MAX_BYTES 256 /* of an answer before the status */
#define LEG_S 5            /* what RAS is told to wait for each of its peers */

struct line {
	int fd;
	int64_t deadline_ns;
	const char *address;
	struct fp_err *err;
};

static enum fp_status wait_for(const struct line *l, short events)
{
	for (;;) {
		struct pollfd p = { .fd = l->fd, .events = events };
		int left_ms = fp_left_ms(l->deadline_ns), rc;

		if (left_ms <= 0)
			return fp_err_set(l->err, FP_ERR_TIMEOUT,
			                  "%s: RAS did not answer in time",
			                  l->address);
		rc = poll(&p, 1, left_ms);
		if (rc > 0)
			return FP_OK;
		if (rc < 0 && errno != EINTR)
			return fp_err_sys(l->err, errno, "poll");
	}
}

static enum fp_status say(const struct line *l, const char *text)
{
	size_t len = strlen(text);

	while (len) {
		enum fp_status status = wait_for(l, POLLOUT);
		ssize_t n;

		if (status != FP_OK)
			return status;
		n = send(l->fd, text, len, MSG_NOSIGNAL);
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return fp_err_sys(l->err, errno, "%s", l->address);
		if (n > 0) {
			text += n;
			len -= (size_t)n;
		}
	}
	return FP_OK;
}

/* Up to @room bytes; 0 in *@ret_n where the other side has closed. */
static enum fp_status hear(const struct line *l, char *to, size_t room,
                           size_t *ret_n)
{
	for (;;) {
		enum fp_status status = wait_for(l, POLLIN);
		ssize_t n;

		if (status != FP_OK)
			return status;
		n = recv(l->fd, to, room, 0);
		if (n >= 0) {
			*ret_n = (size_t)n;
			return FP_OK;
		}
		if (errno != EAGAIN && errno != EINTR)
			return fp_err_sys(l->err, errno, "%s", l->address);
	}
}

/* Say @word, and hear the line that answers it. */
static enum fp_status ask(const struct line *l, const char *word,
                          char answer[static LINE_MAX_BYTES])
{
	enum fp_status status = say(l, word);
	size_t used = 0, n;

	while (status == FP_OK) {
		status = hear(l, answer + used, 1, &n);
		if (status == FP_OK && !n)
			return fp_err_set(l->err, FP_ERR_PEER,
			                  "%s: RAS hung up", l->address);
		if (status != FP_OK || answer[used] == '\n')
			break;
		used += answer[used] != '\r';
		if (used + 1 >= LINE_MAX_BYTES)
			return fp_err_set(l->err, FP_ERR_PROTO,
			                  "%s: this is no RAS", l->address);
	}
	answer[used] = '\0';
	return status;
}

static enum fp_status converse(const struct line *l, struct fp_text *ret)
{
	char answer[LINE_MAX_BYTES], chunk[16384], timeout[32];
	enum fp_status status = ask(l, "CLIENT PROTOCOL 2\n", answer);
	size_t n = 1;

	if (status == FP_OK && strncmp(answer, "SERVER PROTOCOL", 15) != 0)
		return fp_err_set(l->err, FP_ERR_PROTO, "%s: this is no RAS",
		                  l->address);
	(void)snprintf(timeout, sizeof(timeout), "TIMEOUT %d\n", LEG_S);
	if (status == FP_OK)
		status = ask(l, timeout, answer);
	/* Older ones refuse this, and answer in text. */
	if (status == FP_OK)
		status = ask(l, "SET FORMAT json\n", answer);
	if (status == FP_OK)
		status = say(l, "VERBOSE STATUS\n");
	while (status == FP_OK && n) {
		status = hear(l, chunk, sizeof(chunk), &n);
		if (status == FP_OK)
			fp_text_append(ret, chunk, n);
		if (ret->len > RAS_LIVE_MAX)
			return fp_err_set(l->err, FP_ERR_LIMIT,
			                  "%s: a status of more than %u MiB",
			                  l->address, RAS_LIVE_MAX >> 20);
	}
	if (status == FP_OK && (ret->failed || !ret->len))
		status = ret->failed
		                 ? fp_err_set(l->err, FP_ERR_NOMEM, "no memory")
		                 : fp_err_set(l->err, FP_ERR_PEER,
		                              "%s: RAS hung up", l->address);
	return status;
}

/* "host", "host:port", "[v6]", "[v6]:port". */
static enum fp_status split(const char *address, char host[static 256],
                            char port[static 16], struct fp_err *err)
{
	bool v6 = address[0] == '[';
	size_t len = v6 ? strcspn(address + 1, "]") : strcspn(address, ":");
	const char *rest = v6 ? address + 1 + len : address + len;

	if (v6 && *rest == ']')
		rest++;
	else if (v6)
		rest = "?";
	if (!len || len >= 256 || (*rest && *rest != ':') || strlen(rest) > 15)
		return fp_err_set(err, FP_ERR_USAGE,
		                  "'%.60s': use HOST:PORT, the port is %s "
		                  "unless NCCL_RAS_ADDR says otherwise",
		                  address, RAS_LIVE_PORT);
	(void)snprintf(host, 256, "%.*s", (int)len, address + v6);
	(void)snprintf(port, 16, "%s", *rest ? rest + 1 : RAS_LIVE_PORT);
	return FP_OK;
}

static enum fp_status finish_connect(const struct line *l)
{
	enum fp_status status = wait_for(l, POLLOUT);
	socklen_t len = sizeof(int);
	int error = 0;

	if (status != FP_OK)
		return status;
	if (getsockopt(l->fd, SOL_SOCKET, SO_ERROR, &error, &len))
		error = errno;
	return error ? fp_err_sys(l->err, error, "%s: no RAS there", l->address)
	             : FP_OK;
}

static enum fp_status connect_to(struct line *l, const struct addrinfo *at)
{
	l->fd = socket(at->ai_family,
	               SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (l->fd < 0)
		return fp_err_sys(l->err, errno, "socket");
	if (!connect(l->fd, at->ai_addr, at->ai_addrlen))
		return FP_OK;
	if (errno != EINPROGRESS)
		return fp_err_sys(l->err, errno, "%s: no RAS there",
		                  l->address);
	return finish_connect(l);
}

enum fp_status ras_live_fetch(const char *address, double limit_s,
                              struct fp_text *ret, struct fp_err *err)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
	struct line l = { -1, fp_after_ns(limit_s), address, err };
	char host[256], port[16];
	struct addrinfo *found = NULL;
	enum fp_status status = split(address, host, port, err);
	int rc;

	if (status != FP_OK)
		return status;
	rc = getaddrinfo(host, port, &hints, &found);
	if (rc)
		return fp_err_set(err, FP_ERR_USAGE, "%s: %s", address,
		                  gai_strerror(rc));
	for (const struct addrinfo *at = found; at; at = at->ai_next) {
		struct fp_err own = { 0 };

		l.err = at->ai_next ? &own : err;
		status = connect_to(&l, at);
		if (status == FP_OK || !at->ai_next)
			break;
		(void)close(l.fd);
		l.fd = -1;
	}
	l.err = err;
	if (status == FP_OK)
		status = converse(&l, ret);
	if (l.fd >= 0)
		(void)close(l.fd);
	freeaddrinfo(found);
	return status;
}
