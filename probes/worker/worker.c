// SPDX-License-Identifier: Apache-2.0
// The worker's life: from two inherited descriptors to the agent's end.
#include "probes/worker/worker.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probes/worker/part.h"
#include "topo/base/clock.h"
#include "topo/base/log.h"

enum worker_exit { WORKER_EXIT_OK, WORKER_EXIT_PROTO, WORKER_EXIT_USAGE };

static enum fp_status not_a_program(struct fp_err *err)
{
	return fp_err_set(err, FP_ERR_USAGE,
	                  "this program is started by fabricprobe");
}

static enum fp_status control_check(struct worker *w, struct fp_err *err)
{
	struct ucred cred = { 0 };
	socklen_t len = sizeof(cred);

	/* Who made the socketpair is who started this process. */
	if (getsockopt(w->fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) < 0)
		return not_a_program(err);
	w->agent = cred.pid;
	return FP_OK;
}

static enum fp_status board_map(struct worker *w, struct fp_err *err)
{
	struct stat st;
	void *map;

	if (fstat(WORKER_BOARD_FD, &st) < 0 || !S_ISREG(st.st_mode) ||
	    st.st_size < (off_t)sizeof(struct board))
		return not_a_program(err);
	map = mmap(NULL, sizeof(struct board), PROT_READ | PROT_WRITE,
	           MAP_SHARED, WORKER_BOARD_FD, 0);
	if (map == MAP_FAILED)
		return fp_err_sys(err, errno, "map the stage board");
	w->board = map;
	return FP_OK;
}

/* A mesh of many peers takes a descriptor or more for each. */
static void descriptors_raise(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &limit);
}

static enum fp_status worker_init(struct worker *w, struct fp_err *err)
{
	enum fp_status status = control_check(w, err);

	if (status == FP_OK)
		status = board_map(w, err);
	if (status != FP_OK)
		return status;
	w->samples = calloc(WORKER_ROOM, sizeof(*w->samples));
	w->rates = calloc(WORKER_ROOM, sizeof(*w->rates));
	if (!w->samples || !w->rates)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory to start");
	descriptors_raise();
	board_stage(w->board, STAGE_SPAWN);
	return FP_OK;
}

static void worker_done(struct worker *w)
{
	if (w->board)
		worker_forget(w);
	worker_rails_close(w);
	for (unsigned i = 0; i < XPORT_COUNT; i++) {
		if (w->xports[i])
			w->xports[i]->ops->close(w->xports[i]);
	}
	fault_set_done(&w->faults);
	wire_reader_done(&w->reader);
	free(w->samples);
	free(w->rates);
	if (w->board)
		munmap(w->board, sizeof(*w->board));
}

bool worker_is_orphan(const struct worker *w)
{
	return w->agent > 0 && getppid() != w->agent;
}

static enum fp_status on_heartbeat(struct worker *w, const struct wire_frame *f,
                                   struct fp_err *err)
{
	(void)w;
	(void)f;
	(void)err;
	return FP_OK;
}

static enum fp_status worker_frame(struct worker *w, const struct wire_frame *f,
                                   struct fp_err *err)
{
	static enum fp_status (*const handlers[WIRE_TYPE_COUNT])(
		struct worker *, const struct wire_frame *, struct fp_err *) = {
		[WIRE_SETUP] = worker_on_setup,
		[WIRE_PREPARE] = worker_on_prepare,
		[WIRE_GO] = worker_on_go,
		[WIRE_CANCEL] = worker_on_cancel,
		[WIRE_HEARTBEAT] = on_heartbeat,
	};
	bool in_turn = w->set_up != (f->head.type == WIRE_SETUP);

	if (f->head.type >= WIRE_TYPE_COUNT || !handlers[f->head.type] ||
	    !in_turn)
		return fp_err_set(err, FP_ERR_PROTO,
		                  "a frame of type %u has no place here",
		                  f->head.type);
	return handlers[f->head.type](w, f, err);
}

static enum fp_status worker_serve(struct worker *w, struct fp_err *err)
{
	struct wire_frame frame;
	enum fp_status status;

	do {
		status = worker_read(w, &frame, err);
		if (status == FP_OK)
			status = worker_frame(w, &frame, err);
	} while (status == FP_OK);
	return status;
}

static int exit_status(enum fp_status status, const struct fp_err *err)
{
	if (status == FP_ERR_PEER)
		return WORKER_EXIT_OK;
	fp_log(FP_LOG_ERROR, "worker: %s", err->text);
	return status == FP_ERR_USAGE ? WORKER_EXIT_USAGE : WORKER_EXIT_PROTO;
}

int worker_main(void)
{
	struct worker w = { .fd = WORKER_CONTROL_FD };
	struct fp_err err = { 0 };
	enum fp_status status;

	w.faults.start_ns = fp_now_ns();
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)signal(SIGPIPE, SIG_IGN);
	status = worker_init(&w, &err);
	/* The agent may have died before its death could be a signal. */
	if (status == FP_OK && worker_is_orphan(&w))
		status = FP_ERR_PEER;
	if (status == FP_OK)
		status = worker_serve(&w, &err);
	worker_done(&w);
	return exit_status(status, &err);
}
