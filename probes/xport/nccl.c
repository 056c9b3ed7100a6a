// SPDX-License-Identifier: Apache-2.0
// The NCCL transport: a communicator of its own for each pair or group.
#include <dlfcn.h>
#include <nccl.h>
#include <stdlib.h>
#include <string.h>

#include "probes/xport/cuda_env.h"
#include "probes/xport/cuda_pattern.h"
#include "probes/xport/nccl_blob.h"
#include "probes/xport/nccl_impl.h"

#define NCCL_LEAST NCCL_VERSION(2, 18, 0)
#define ABORT_S 0.05 /* the agent grants a worker not much more */
#define ALIGN ((size_t)4096)

_Static_assert((unsigned)TYPE_COUNT == CUDA_TYPE_COUNT &&
                       (unsigned)TYPE_INT8 == CUDA_TYPE_INT8,
               "the same types in the same order");
_Static_assert((unsigned)REDOP_MIN == CUDA_REDOP_MIN, "the same reductions");

/* Is the library that was loaded the one that was asked for? The loader goes
 * on with another where it cannot have that. */
static enum fp_status library_check(const char *wanted, struct fp_err *err)
{
	Dl_info info = { .dli_fname = NULL };
	char *a = realpath(wanted, NULL), *b = NULL;
	enum fp_status status = FP_OK;

	if (dladdr((const void *)(uintptr_t)ncclGetVersion, &info) &&
	    info.dli_fname)
		b = realpath(info.dli_fname, NULL);
	if (!a)
		status = fp_err_set(err, FP_ERR_NOTSUP,
		                    "--nccl-lib %s: not on this host", wanted);
	else if (!b || strcmp(a, b) != 0)
		status = fp_err_set(err, FP_ERR_NOTSUP,
		                    "--nccl-lib %s: cannot be loaded, NCCL is "
		                    "%s",
		                    wanted, b ? b : "of an unknown file");
	free(a);
	free(b);
	return status;
}

static enum fp_status nccl_probe(const struct xport_env *env,
                                 struct fp_err *err)
{
	const char *wanted = env->setup->nccl_lib;
	int version = 0;

	cuda_env_prepare(env->setup);
	if (wanted[0] && library_check(wanted, err) != FP_OK)
		return err->status;
	if (ncclGetVersion(&version) == ncclSuccess && version < NCCL_LEAST)
		return fp_err_set(err, FP_ERR_NOTSUP,
		                  "NCCL %d is older than 2.18, whose "
		                  "communicators cannot be aborted safely",
		                  version);
	return cuda_gpu_probe(err);
}

static void nccl_close(struct xport *x)
{
	struct nccl *nc = (struct nccl *)x;

	if (!nc)
		return;
	/* What never returns is left to the end of the process. */
	if (nc->broken || !nccl_comm_drop(nc, ABORT_S))
		return;
	cuda_gpu_close(&nc->gpu);
	nccl_log_close(&nc->log);
	free(nc->members);
	free(nc);
}

static enum fp_status nccl_open(const struct xport_env *env,
                                struct xport **ret_x, struct fp_err *err)
{
	struct nccl *nc = calloc(1, sizeof(*nc));
	enum fp_status status;

	if (!nc)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory");
	nc->x.ops = &xport_nccl_ops;
	nc->env = env;
	nccl_log_open(&nc->log);
	status = cuda_gpu_open(env->setup, &nc->gpu, err);
	if (status != FP_OK) {
		nccl_close(&nc->x);
		return status;
	}
	*ret_x = &nc->x;
	return FP_OK;
}

static uint32_t root_of(const struct xport_join *how)
{
	for (uint32_t i = 0; i < how->n; i++)
		if (how->members[i] == how->trial->src)
			return i;
	return 0;
}

/* What is only moved is words if it can be, else bytes; sums have a type. */
static uint32_t type_for(const struct nccl_op *op, const struct trial *t)
{
	if (op->sums || t->type != TYPE_FLOAT)
		return t->type;
	return t->bytes % 4 ? CUDA_TYPE_UINT8 : CUDA_TYPE_UINT32;
}

static size_t padded(size_t bytes)
{
	return bytes / ALIGN * ALIGN + ALIGN;
}

/* What the trial asks of @nc, without buffers. */
static enum fp_status shape(struct nccl *nc, const struct xport_join *how,
                            struct nccl_team *t, struct fp_err *err)
{
	const struct nccl_op *op = nccl_op_find(how->trial->op);
	size_t size;

	if (!op) {
		(void)fp_err_set(err, FP_ERR_NOTSUP, "NCCL has no %s",
		                 trial_op_name(how->trial->op));
		return FP_ERR_NOTSUP;
	}
	*t = (struct nccl_team){
		.nc = nc,
		.how = *how,
		.op = op,
		.n = how->n,
		.me = how->me,
		.root = root_of(how),
		.type = type_for(op, how->trial),
	};
	t->nccl_type = nccl_op_type(t->type);
	size = cuda_type_bytes(t->type);
	t->count = how->trial->bytes / size;
	if (op->in == NCCL_ALL || op->out == NCCL_ALL)
		t->count /= how->n;
	t->t.op_bytes = t->count * size;
	if (op->in == NCCL_ALL || op->out == NCCL_ALL)
		t->t.op_bytes *= how->n;
	return FP_OK;
}

static bool in_place(const struct nccl_team *t)
{
	return t->op->place && t->how.trial->flags & TRIAL_IN_PLACE;
}

static size_t room_bytes(const struct nccl_team *t, enum nccl_room room)
{
	return nccl_room_count(room, t->n, t->count) * cuda_type_bytes(t->type);
}

static size_t arena_bytes(const struct nccl_team *t)
{
	size_t in = padded(room_bytes(t, t->op->in));
	size_t out = padded(room_bytes(t, t->op->out));

	if (in_place(t))
		return in > out ? in : out;
	return in + out;
}

/* In place the smaller buffer is this member's part of the larger. */
static void buffers_place(struct nccl_team *t)
{
	size_t part = t->me * room_bytes(t, NCCL_ONE);
	uint8_t *arena = t->nc->gpu.arena;

	t->in = arena;
	t->out = arena;
	if (!in_place(t))
		t->out = arena + padded(room_bytes(t, t->op->in));
	else if (t->op->in == NCCL_ALL)
		t->out += part;
	else if (t->op->out == NCCL_ALL)
		t->in += part;
}

static enum fp_status team_offer(struct xport *x, const struct xport_join *how,
                                 struct wire_endpoint *ret, struct fp_err *err)
{
	struct nccl *nc = (struct nccl *)x;
	struct nccl_blob blob = { .kept = nccl_comm_kept(nc, how) };
	struct nccl_team t;
	enum fp_status status = shape(nc, how, &t, err);
	int rc;

	if (status == FP_OK)
		status = cuda_gpu_room(&nc->gpu, arena_bytes(&t), err);
	if (status != FP_OK)
		return status;
	rc = how->me == 0 ? nccl_comm_new_id(blob.id) : ncclSuccess;
	if (rc != ncclSuccess)
		return nccl_comm_fail(nc, rc, "ncclGetUniqueId", err);
	nccl_blob_put(&blob, ret);
	return FP_OK;
}

static void team_withdraw(struct xport *x)
{
	(void)x;
}

static struct cuda_wait wait_until(const struct xport_join *how,
                                   int64_t deadline_ns)
{
	return (struct cuda_wait){
		.board = how->board,
		.trial = how->trial->id,
		.deadline_ns = deadline_ns,
	};
}

static enum fp_status team_join(struct xport *x, const struct xport_join *how,
                                struct xport_team **ret, struct fp_err *err)
{
	struct nccl *nc = (struct nccl *)x;
	struct cuda_wait wait = wait_until(how, how->connect_ns);
	struct nccl_team *t = malloc(sizeof(*t));
	enum fp_status status;

	if (!t)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory");
	status = shape(nc, how, t, err);
	if (status != FP_OK) {
		free(t);
		return status;
	}
	t->t.ops = xport_nccl_ops.team;
	t->t.receives = !trial_is_pair(how->trial) || how->me == 1 ||
	                how->trial->dir == DIR_BI;
	t->wait = wait_until(how, how->deadline_ns);
	t->wait.look = nccl_comm_look;
	t->wait.arg = nc;
	buffers_place(t);
	*ret = &t->t;
	nc->log.warning[0] = '\0';
	status = nccl_comm_get(nc, how, &wait, err);
	return status == FP_OK ? nccl_register(t, err) : status;
}

static enum fp_status team_fill(struct xport_team *team, struct fp_err *err)
{
	return nccl_data_fill((struct nccl_team *)team, err);
}

static enum fp_status team_enqueue(struct nccl_team *t, uint32_t n,
                                   struct fp_err *err)
{
	enum fp_status status = FP_OK;

	for (uint32_t i = 0; i < n && status == FP_OK; i++)
		status = nccl_comm_settle(t->nc, t->op->call(t),
		                          trial_op_name(t->how.trial->op),
		                          &t->wait, err);
	return status;
}

static enum fp_status team_run(struct xport_team *team, uint32_t n,
                               double *ret_s, struct fp_err *err)
{
	struct nccl_team *t = (struct nccl_team *)team;
	struct cuda_gpu *g = &t->nc->gpu;
	enum fp_status status = cuda_gpu_begin(g, err);

	if (status == FP_OK)
		status = team_enqueue(t, n, err);
	if (status == FP_OK)
		status = cuda_gpu_end(g, err);
	if (status == FP_OK)
		status = cuda_gpu_wait(g, &t->wait, err);
	return status == FP_OK ? cuda_gpu_seconds(g, ret_s, err) : status;
}

static enum fp_status team_most(struct xport_team *team, uint64_t *value,
                                struct fp_err *err)
{
	struct nccl_team *t = (struct nccl_team *)team;
	struct cuda_gpu *g = &t->nc->gpu;
	enum fp_status status = cuda_gpu_put(g, *value, err);
	int rc;

	if (status != FP_OK)
		return status;
	rc = (int)ncclAllReduce(g->tally, g->tally, 1, ncclUint64, ncclMax,
	                        t->nc->comm, g->stream);
	status = nccl_comm_settle(t->nc, rc, "agreement", &t->wait, err);
	return status == FP_OK ? cuda_gpu_get(g, &t->wait, value, err) : status;
}

static enum fp_status team_check(struct xport_team *team, uint64_t *ret_wrong,
                                 struct fp_err *err)
{
	return nccl_data_check((struct nccl_team *)team, ret_wrong, err);
}

static void team_counters(struct xport_team *team, struct outcome *o)
{
	struct nccl_log *log = &((struct nccl_team *)team)->nc->log;

	nccl_log_read(log);
	if (log->p2p)
		outcome_put(o, COUNTER_CHANNELS_P2P, log->p2p);
	if (log->shm)
		outcome_put(o, COUNTER_CHANNELS_SHM, log->shm);
	if (log->ib)
		outcome_put(o, COUNTER_CHANNELS_IB, log->ib);
	if (log->gdr)
		outcome_put(o, COUNTER_CHANNELS_GDR, log->gdr);
	if (log->socket)
		outcome_put(o, COUNTER_CHANNELS_SOCKET, log->socket);
}

static void team_leave(struct xport_team *team, bool sound)
{
	struct nccl_team *t = (struct nccl_team *)team;

	if (!t)
		return;
	if (sound)
		nccl_deregister(t);
	else
		t->nc->broken = !nccl_comm_drop(t->nc, ABORT_S);
	free(t);
}

static const struct xport_team_ops nccl_team_ops = {
	.offer = team_offer,
	.withdraw = team_withdraw,
	.join = team_join,
	.fill = team_fill,
	.run = team_run,
	.most = team_most,
	.check = team_check,
	.counters = team_counters,
	.leave = team_leave,
};

const struct xport_ops xport_nccl_ops = {
	.name = "nccl",
	.id = XPORT_NCCL,
	.caps = XPORT_CAP_P2P | XPORT_CAP_COLL | XPORT_CAP_CUDA_MEM,
	.probe = nccl_probe,
	.open = nccl_open,
	.close = nccl_close,
	.team = &nccl_team_ops,
	.error = cuda_gpu_error,
};
