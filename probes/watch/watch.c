// SPDX-License-Identifier: Apache-2.0
// Answers an agent that asks how its GPU is.
#include "probes/watch/watch.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "probes/trial/watch.h"
#include "probes/trial/wire.h"
#include "topo/base/clock.h"
#include "topo/base/log.h"
#include "topo/source/nvml_event.h"
#include "topo/source/nvml_sample.h"

#define CONTROL_FD 3
#define READ_CHUNK 4096
#define XIDS_MAX 32 /* of one answer; what is left is in the next */

enum watch_exit { WATCH_EXIT_OK, WATCH_EXIT_FAILED, WATCH_EXIT_USAGE };

/* struct watcher - NVML, the device once it was named, and the last sample. */
struct watcher {
	struct wire_reader reader;
	struct nvml nvml;
	nvml_dev dev;
	nvml_set events;
	struct gpu_sample last;
	double last_s;
	bool open, sampled;
};

static enum fp_status open_once(struct watcher *w, const char *bus_id,
                                struct fp_err *err)
{
	enum fp_status status;

	if (w->open)
		return FP_OK;
	status = nvml_open(NVML_LIBRARY, &w->nvml, err);
	if (status == FP_OK)
		status = nvml_sample_find(&w->nvml, bus_id, &w->dev, err);
	w->open = status == FP_OK;
	if (w->open)
		w->events = nvml_event_open(&w->nvml, w->dev);
	return status;
}

static void add_xids(struct watcher *w, struct watch *ret)
{
	int64_t xids[XIDS_MAX];
	size_t n = nvml_event_read(&w->nvml, w->events, xids, XIDS_MAX);

	for (size_t i = 0; i < n; i++)
		watch_add_xid(ret, xids[i]);
}

static enum fp_status send_all(const void *data, size_t len, struct fp_err *err)
{
	const uint8_t *at = data;

	while (len > 0) {
		ssize_t n = send(CONTROL_FD, at, len, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EPIPE ? FP_ERR_PEER
			                      : fp_err_sys(err, errno,
			                                   "answer the agent");
		at += n;
		len -= (size_t)n;
	}
	return FP_OK;
}

static enum fp_status answer(struct watcher *w, const struct wire_frame *f,
                             struct fp_err *err)
{
	struct {
		struct wire_head head;
		struct watch watch;
	} out;
	struct gpu_sample now;
	enum fp_status status;

	if (f->head.type != WIRE_WATCH)
		return fp_err_set(err, FP_ERR_PROTO,
		                  "a frame of type %u has no place here",
		                  f->head.type);
	memcpy(&out.watch, f->payload, sizeof(out.watch));
	status = open_once(w, out.watch.device, err);
	if (status != FP_OK)
		return status;
	nvml_sample_read(&w->nvml, w->dev, &now);
	out.watch.t1_s = (double)fp_now_ns() / 1e9;
	out.watch.t0_s = w->sampled ? w->last_s : out.watch.t1_s;
	watch_fill(w->sampled ? &w->last : NULL, &now, &out.watch);
	add_xids(w, &out.watch);
	w->last = now;
	w->last_s = out.watch.t1_s;
	w->sampled = true;
	out.head = wire_head_make(WIRE_WATCH, (uint32_t)out.watch.rank,
	                          sizeof(out.watch));
	return send_all(&out, sizeof(out), err);
}

/* FP_ERR_PEER: the agent is gone. */
static enum fp_status read_more(struct watcher *w, struct fp_err *err)
{
	uint8_t *room = wire_reader_room(&w->reader, READ_CHUNK);
	ssize_t n;

	if (!room)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for a frame");
	do {
		n = read(CONTROL_FD, room, READ_CHUNK);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return fp_err_sys(err, errno, "read from the agent");
	wire_reader_add(&w->reader, (size_t)n);
	return n > 0 ? FP_OK : FP_ERR_PEER;
}

static enum fp_status serve(struct watcher *w, struct fp_err *err)
{
	enum fp_status status = FP_OK;
	struct wire_frame frame;
	bool got;

	while (status == FP_OK) {
		status = wire_reader_next(&w->reader, &frame, &got, err);
		if (status == FP_OK)
			status = got ? answer(w, &frame, err)
			             : read_more(w, err);
	}
	return status;
}

/* Who made the socketpair is who started this process; it may be gone. */
static enum fp_status control_check(struct fp_err *err)
{
	struct ucred cred = { .pid = 0 };
	socklen_t len = sizeof(cred);

	if (getsockopt(CONTROL_FD, SOL_SOCKET, SO_PEERCRED, &cred, &len) < 0)
		return fp_err_set(err, FP_ERR_USAGE,
		                  "this program is started by fabricprobe");
	return getppid() == cred.pid ? FP_OK : FP_ERR_PEER;
}

int watch_main(void)
{
	struct watcher w = { .dev = NULL };
	struct fp_err err = { .status = FP_OK };
	enum fp_status status;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)signal(SIGPIPE, SIG_IGN);
	status = control_check(&err);
	if (status == FP_OK)
		status = serve(&w, &err);
	wire_reader_done(&w.reader);
	nvml_event_close(&w.nvml, w.events);
	nvml_close(&w.nvml);
	if (status == FP_ERR_PEER)
		return WATCH_EXIT_OK;
	fp_log(FP_LOG_ERROR, "watch: %s", err.text);
	return status == FP_ERR_USAGE ? WATCH_EXIT_USAGE : WATCH_EXIT_FAILED;
}
