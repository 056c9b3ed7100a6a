// SPDX-License-Identifier: Apache-2.0
// Communicators that never block: made, watched, aborted.
#include <nccl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "probes/xport/nccl_blob.h"
#include "probes/xport/nccl_impl.h"
#include "topo/base/clock.h"

#define DROP_S 2.0 /* for a sound one */

_Static_assert(sizeof(ncclUniqueId) == NCCL_ID_BYTES, "NCCL's own size");

int nccl_comm_new_id(uint8_t id[NCCL_ID_BYTES])
{
	return (int)ncclGetUniqueId((ncclUniqueId *)id);
}

static const char *code_name(ncclResult_t rc)
{
	static const char *const names[] = {
		[ncclSuccess] = "ncclSuccess",
		[ncclUnhandledCudaError] = "ncclUnhandledCudaError",
		[ncclSystemError] = "ncclSystemError",
		[ncclInternalError] = "ncclInternalError",
		[ncclInvalidArgument] = "ncclInvalidArgument",
		[ncclInvalidUsage] = "ncclInvalidUsage",
		[ncclRemoteError] = "ncclRemoteError",
		[ncclInProgress] = "ncclInProgress",
	};

	/* Codes grow from version to version. */
	return rc >= 0 && rc < (int)(sizeof(names) / sizeof(names[0]))
	               ? names[rc]
	               : "NCCL error";
}

/* Whose failure it is: a peer's, the system's or network's, or our own. */
static enum fp_status status_of(int rc)
{
	if (rc == ncclRemoteError)
		return FP_ERR_PEER;
	return rc == ncclSystemError ? FP_ERR_SYS : FP_ERR_LIB;
}

enum fp_status nccl_comm_fail(struct nccl *nc, int rc, const char *what,
                              struct fp_err *err)
{
	const char *why;

	nccl_log_read(&nc->log);
	why = nc->log.warning[0] ? nc->log.warning : ncclGetLastError(NULL);
	if (!why || !why[0])
		why = ncclGetErrorString((ncclResult_t)rc);
	/* What is cut off where there is little room is the least. */
	return fp_err_set(err, status_of(rc), "%s (%s of %s)", why,
	                  code_name((ncclResult_t)rc), what);
}

enum fp_status nccl_comm_look(void *arg, struct fp_err *err)
{
	struct nccl *nc = arg;
	ncclResult_t async = ncclSuccess;
	ncclResult_t rc = ncclCommGetAsyncError(nc->comm, &async);

	if (rc != ncclSuccess)
		return nccl_comm_fail(nc, (int)rc, "ncclCommGetAsyncError",
		                      err);
	if (async != ncclSuccess && async != ncclInProgress)
		return nccl_comm_fail(nc, (int)async, "the communicator", err);
	return FP_OK;
}

enum fp_status nccl_comm_settle(struct nccl *nc, int rc, const char *what,
                                const struct cuda_wait *wait,
                                struct fp_err *err)
{
	ncclResult_t async = (ncclResult_t)rc;
	const struct cuda_wait plain = { .board = wait->board,
		                         .trial = wait->trial,
		                         .deadline_ns = wait->deadline_ns };
	enum fp_status status = FP_OK;

	for (uint32_t turn = 0; async == ncclInProgress; turn++) {
		status = cuda_wait_check(&plain, NULL);
		if (status != FP_OK)
			return fp_err_set(err, status,
			                  "%s had not come back when %s", what,
			                  status == FP_ERR_INTR
			                          ? "it was called off"
			                          : "the time was up");
		cuda_wait_pause(turn);
		rc = (int)ncclCommGetAsyncError(nc->comm, &async);
		if (rc != ncclSuccess)
			return nccl_comm_fail(nc, rc, "ncclCommGetAsyncError",
			                      err);
	}
	return async == ncclSuccess ? FP_OK
	                            : nccl_comm_fail(nc, (int)async, what, err);
}

/* An abort may hang as well as what it aborts: it gets a thread of its own,
 * which is left behind when it does not return. */
struct aborter {
	ncclComm_t comm;
	_Atomic bool done;
	_Atomic int users;
};

static void aborter_put(struct aborter *a)
{
	if (atomic_fetch_sub(&a->users, 1) == 1)
		free(a);
}

static void *abort_main(void *arg)
{
	struct aborter *a = arg;

	(void)ncclCommAbort(a->comm);
	atomic_store(&a->done, true);
	aborter_put(a);
	return NULL;
}

static bool abort_wait(struct aborter *a, double wait_s)
{
	int64_t until_ns = fp_after_ns(wait_s);
	bool done;

	for (uint32_t turn = 0;
	     !atomic_load(&a->done) && fp_now_ns() < until_ns; turn++)
		cuda_wait_pause(turn);
	done = atomic_load(&a->done);
	aborter_put(a);
	return done;
}

bool nccl_comm_drop(struct nccl *nc, double wait_s)
{
	struct aborter *a;
	pthread_t thread;

	nc->made_by = 0;
	if (!nc->comm)
		return true;
	a = calloc(1, sizeof(*a));
	if (!a)
		return false;
	a->comm = nc->comm;
	atomic_store(&a->users, 2);
	nc->comm = NULL;
	if (pthread_create(&thread, NULL, abort_main, a) != 0) {
		free(a);
		return false;
	}
	pthread_detach(thread);
	return abort_wait(a, wait_s);
}

uint32_t nccl_comm_kept(const struct nccl *nc, const struct xport_join *how)
{
	if (!nc->comm || nc->n != how->n || nc->me != how->me ||
	    memcmp(nc->members, how->members, how->n * sizeof(int32_t)) != 0)
		return 0;
	return nc->made_by;
}

/* Kept by all, or by nobody: one that made a new one would wait for ever for
 * those who did not. */
static bool all_kept(const struct nccl *nc, const struct xport_join *how)
{
	uint32_t mine = nccl_comm_kept(nc, how);

	if (mine == 0 || how->n > WIRE_TEAM_ALL_MAX)
		return false;
	for (uint32_t i = 0; i < how->n; i++)
		if (how->peers[i].trial != how->trial->id ||
		    nccl_blob_get(&how->peers[i]).kept != mine)
			return false;
	return true;
}

static enum fp_status
members_keep(struct nccl *nc, const struct xport_join *how, struct fp_err *err)
{
	free(nc->members);
	nc->members = calloc(how->n, sizeof(*nc->members));
	if (!nc->members)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory");
	memcpy(nc->members, how->members, how->n * sizeof(*nc->members));
	nc->n = how->n;
	nc->me = how->me;
	return FP_OK;
}

static enum fp_status comm_make(struct nccl *nc, const struct xport_join *how,
                                const struct cuda_wait *wait,
                                struct fp_err *err)
{
	const struct nccl_blob blob = nccl_blob_get(&how->peers[0]);
	ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
	ncclUniqueId id;
	ncclResult_t rc;

	config.blocking = 0;
	memcpy(&id, blob.id, sizeof(id));
	rc = ncclCommInitRankConfig(&nc->comm, (int)how->n, id, (int)how->me,
	                            &config);
	if (rc != ncclSuccess && rc != ncclInProgress)
		return nccl_comm_fail(nc, (int)rc, "ncclCommInitRankConfig",
		                      err);
	return nccl_comm_settle(nc, ncclInProgress, "ncclCommInitRankConfig",
	                        wait, err);
}

enum fp_status nccl_comm_get(struct nccl *nc, const struct xport_join *how,
                             const struct cuda_wait *wait, struct fp_err *err)
{
	enum fp_status status;

	if (all_kept(nc, how))
		return FP_OK;
	if (!nccl_blob_is(&how->peers[0], how->trial->id))
		return fp_err_set(err, FP_ERR_PROTO,
		                  "GO came without the id of rank %d",
		                  (int)how->members[0]);
	if (!nccl_comm_drop(nc, DROP_S))
		return fp_err_set(err, FP_ERR_LIB,
		                  "ncclCommAbort of an idle communicator did "
		                  "not return");
	status = members_keep(nc, how, err);
	if (status == FP_OK)
		status = comm_make(nc, how, wait, err);
	nc->made_by = status == FP_OK ? how->trial->id : 0;
	return status;
}
