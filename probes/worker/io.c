// SPDX-License-Identifier: Apache-2.0
// Frames between worker and agent.
#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include "probes/worker/part.h"
#include "topo/base/clock.h"

#define READ_BYTES 65536
#define LOOK_MS 1000 /* how often an idle worker looks for its parent */
#define SEND_S 30.0  /* an agent that takes nothing for so long is no agent */

static enum fp_status agent_gone(struct fp_err *err)
{
	return fp_err_set(err, FP_ERR_PEER, "the agent is gone");
}

static enum fp_status wait_for(const struct worker *w, short events,
                               int timeout_ms, struct fp_err *err)
{
	struct pollfd pfd = { .fd = w->fd, .events = events };

	if (poll(&pfd, 1, timeout_ms) < 0 && errno != EINTR)
		return fp_err_sys(err, errno, "wait for the agent");
	return worker_is_orphan(w) ? agent_gone(err) : FP_OK;
}

static enum fp_status read_some(struct worker *w, struct fp_err *err)
{
	uint8_t *room = wire_reader_room(&w->reader, READ_BYTES);
	ssize_t n;

	if (!room)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for a frame");
	n = recv(w->fd, room, READ_BYTES, MSG_DONTWAIT);
	if (n > 0) {
		wire_reader_add(&w->reader, (size_t)n);
		return FP_OK;
	}
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return wait_for(w, POLLIN, LOOK_MS, err);
	return agent_gone(err);
}

enum fp_status worker_read(struct worker *w, struct wire_frame *ret,
                           struct fp_err *err)
{
	enum fp_status status = FP_OK;
	bool got = false;

	while (status == FP_OK && !got) {
		status = wire_reader_next(&w->reader, ret, &got, err);
		if (status == FP_OK && !got)
			status = read_some(w, err);
	}
	return status;
}

enum fp_status worker_write(struct worker *w, const void *data, size_t len,
                            struct fp_err *err)
{
	int64_t deadline_ns = fp_after_ns(SEND_S);
	const uint8_t *p = data;
	enum fp_status status = FP_OK;
	ssize_t n;

	while (len > 0 && status == FP_OK) {
		n = send(w->fd, p, len, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n >= 0) {
			p += n;
			len -= (size_t)n;
		} else if (errno != EAGAIN && errno != EINTR) {
			status = agent_gone(err);
		} else if (fp_left_ms(deadline_ns) == 0) {
			status = fp_err_set(err, FP_ERR_TIMEOUT,
			                    "the agent reads nothing");
		} else {
			status = wait_for(w, POLLOUT, LOOK_MS, err);
		}
	}
	return status;
}

enum fp_status worker_send(struct worker *w, enum wire_type type,
                           struct worker_part a, struct worker_part b,
                           struct fp_err *err)
{
	struct wire_head head =
		wire_head_make(type, (uint32_t)w->setup.rank, a.len + b.len);
	enum fp_status status = worker_write(w, &head, sizeof(head), err);

	if (status == FP_OK)
		status = worker_write(w, a.data, a.len, err);
	if (status == FP_OK)
		status = worker_write(w, b.data, b.len, err);
	return status;
}
