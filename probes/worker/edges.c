// SPDX-License-Identifier: Apache-2.0
// The connections of a trial: which there are, who calls whom, in what order.
//
// A ring: even members call their next first and then let their prev in, odd
// ones the other way round. So an odd member is ready for its even prev at
// once; then all that call a second time are expected, and of an odd number of
// members the last, which is even, is let in by 0 when 0 is done with 1.
// A mesh: in each round of a 1-factorization pairs meet; the lower one calls.
#include "probes/plan/plan.h"
#include "probes/worker/part.h"
#include "probes/xport/shm.h"
#include "probes/xport/table.h"

struct edge {
	uint32_t peer, lane;
	enum xport_side side;
	bool data; /* this end sends data on it, not only answers */
	struct xport_ep **slot;
};

static bool ready(const struct worker *w, unsigned id)
{
	return w->xports[id] != NULL;
}

/* May an edge of this trial be one of transport @id? */
static bool trial_uses(const struct trial *t, unsigned id)
{
	if (t->xport != XPORT_AUTO)
		return t->xport == id;
	return id == XPORT_SHM || id == XPORT_TCP;
}

static struct wire_blob *blob_of(struct wire_endpoint *ep, unsigned id)
{
	return id == XPORT_SHM ? &ep->shm : &ep->tcp;
}

/* Peers that call this member. */
static uint32_t callers(const struct worker_trial *h)
{
	if (h->trial.op == OP_ALLTOALL)
		return h->me;
	if (!trial_is_pair(&h->trial))
		return 1;
	return h->trial.dir == DIR_BI ? 2 : 1;
}

/* What was no reason to stop at the start is asked for now. */
static enum fp_status nowhere_to_listen(const struct worker *w,
                                        struct fp_err *err)
{
	const uint16_t id = w->hand.trial.xport;
	const struct xport_ops *ops = xport_table_find(id);
	struct fp_err why = { .status = FP_OK };

	if (ops)
		(void)ops->probe(&w->env, &why);
	return fp_err_set(err, FP_ERR_NOTSUP, "no %s on rank %d: %s",
	                  trial_xport_name(id), (int)w->setup.rank,
	                  why.text[0] ? why.text : "not in this worker");
}

enum fp_status worker_listen(struct worker *w, struct fp_err *err)
{
	struct worker_trial *h = &w->hand;
	enum fp_status status = FP_OK;
	uint32_t edges = callers(h), doors = 0;

	for (unsigned id = 0; id < XPORT_COUNT && status == FP_OK; id++) {
		if (!ready(w, id) || !trial_uses(&h->trial, id))
			continue;
		status = w->xports[id]->ops->listen(w->xports[id], &h->trial,
		                                    edges ? edges : 1,
		                                    blob_of(&h->mine, id), err);
		doors++;
	}
	return status == FP_OK && doors == 0 ? nowhere_to_listen(w, err)
	                                     : status;
}

void worker_unlisten(struct worker *w)
{
	for (unsigned id = 0; id < XPORT_COUNT; id++) {
		if (ready(w, id))
			w->xports[id]->ops->unlisten(w->xports[id]);
	}
}

static bool shm_reaches(const struct worker *w, uint32_t peer)
{
	const struct worker_trial *h = &w->hand;

	return ready(w, XPORT_SHM) && h->trial.op != OP_DATAGRAM &&
	       xport_shm_same_host(&h->mine.shm, &h->peers[peer].shm);
}

const struct xport_ops *worker_edge_ops(const struct worker *w, uint32_t peer)
{
	unsigned id = w->hand.trial.xport;

	if (id == XPORT_AUTO)
		id = shm_reaches(w, peer) ? XPORT_SHM : XPORT_TCP;
	return ready(w, id) ? w->xports[id]->ops : NULL;
}

static int64_t connect_deadline(const struct worker *w)
{
	const struct measure *m = &w->hand.measure;
	int64_t ns = m->go_ns + (int64_t)(w->setup.connect_s * 1e9);

	return ns < m->deadline_ns ? ns : m->deadline_ns;
}

/* Both ways at once takes an edge for each; else an edge is for both. */
static bool edge_receives(const struct worker_trial *h, const struct edge *e)
{
	return h->trial.dir == DIR_BI ? !e->data : e->data;
}

static enum fp_status edge_connect(struct worker *w, const struct edge *e,
                                   struct fp_err *err)
{
	struct worker_trial *h = &w->hand;
	const struct xport_ops *ops = worker_edge_ops(w, e->peer);
	struct xport_peer peer = {
		.trial = &h->trial,
		.me = h->me,
		.peer = e->peer,
		.lane = e->lane,
		.side = e->side,
		.tx_bytes =
			e->data ? h->needs.data_bytes : h->needs.answer_bytes,
		.rx_bytes = edge_receives(h, e) ? h->needs.place_bytes : 0,
		.deadline_ns = connect_deadline(w),
	};
	enum fp_status status;

	if (h->peers[e->peer].trial != h->trial.id)
		return fp_err_set(err, FP_ERR_PROTO,
		                  "GO came without the endpoint of rank %d",
		                  (int)h->members[e->peer]);
	if (!ops)
		return fp_err_set(err, FP_ERR_NOTSUP,
		                  "no transport reaches rank %d",
		                  (int)h->members[e->peer]);
	peer.blob = blob_of(&h->peers[e->peer], ops->id);
	status = ops->connect(w->xports[ops->id], &peer, e->slot, err);
	if (status != FP_OK)
		return status;
	return fault_wrap(&w->faults, &peer, h->members[e->peer], e->slot, err);
}

/* The source calls, on both lanes: data goes one way on each. */
static enum fp_status connect_pair(struct worker *w, struct fp_err *err)
{
	struct worker_trial *h = &w->hand;
	struct measure *m = &h->measure;
	struct edge e = {
		.peer = 1 - h->me,
		.side = h->me == 0 ? XPORT_ACTIVE : XPORT_PASSIVE,
		.data = true,
		.slot = &m->ep,
	};
	enum fp_status status = FP_OK;

	if (h->trial.op != OP_WRITE || h->trial.dir != DIR_BI)
		return edge_connect(w, &e, err);
	for (e.lane = 0; e.lane < 2 && status == FP_OK; e.lane++) {
		e.data = e.lane == h->me;
		e.slot = e.data ? &m->next : &m->prev;
		status = edge_connect(w, &e, err);
	}
	return status;
}

static enum fp_status connect_ring(struct worker *w, struct fp_err *err)
{
	struct worker_trial *h = &w->hand;
	uint32_t next = (h->me + 1) % h->n, prev = (h->me + h->n - 1) % h->n;
	/* Of two members both edges join the same ones: told by who calls. */
	const struct edge edges[2] = {
		{ .peer = next,
		  .lane = h->me > next,
		  .side = XPORT_ACTIVE,
		  .data = true,
		  .slot = &h->measure.next },
		{ .peer = prev,
		  .lane = prev > h->me,
		  .side = XPORT_PASSIVE,
		  .slot = &h->measure.prev },
	};
	uint32_t first = h->me % 2;
	enum fp_status status = edge_connect(w, &edges[first], err);

	return status == FP_OK ? edge_connect(w, &edges[1 - first], err)
	                       : status;
}

static enum fp_status connect_mesh(struct worker *w, struct fp_err *err)
{
	struct worker_trial *h = &w->hand;
	enum fp_status status = FP_OK;
	struct edge e = { .data = true };
	int32_t peer;

	for (uint32_t t = 0; t < plan_rounds(h->n) && status == FP_OK; t++) {
		peer = plan_partner(h->n, h->me, t);
		if (peer < 0)
			continue;
		e.peer = (uint32_t)peer;
		e.side = h->me < e.peer ? XPORT_ACTIVE : XPORT_PASSIVE;
		e.slot = &h->mesh[e.peer];
		status = edge_connect(w, &e, err);
	}
	return status;
}

enum fp_status worker_connect(struct worker *w, struct fp_err *err)
{
	if (trial_is_pair(&w->hand.trial))
		return connect_pair(w, err);
	if (w->hand.trial.op == OP_ALLTOALL)
		return connect_mesh(w, err);
	return connect_ring(w, err);
}

static void ep_counters(struct xport_ep *ep, struct outcome *o)
{
	if (ep && ep->ops->counters)
		ep->ops->counters(ep, o);
}

void worker_counters(struct worker *w, struct outcome *o)
{
	struct worker_trial *h = &w->hand;

	ep_counters(h->measure.ep, o);
	ep_counters(h->measure.next, o);
	ep_counters(h->measure.prev, o);
	for (uint32_t i = 0; h->mesh && i < h->n; i++)
		ep_counters(h->mesh[i], o);
	worker_witness(w, o);
}

void worker_witness(struct worker *w, struct outcome *o)
{
	for (unsigned id = 0; id < XPORT_COUNT; id++)
		if (ready(w, id) && trial_uses(&w->hand.trial, id) &&
		    w->xports[id]->ops->witness)
			w->xports[id]->ops->witness(w->xports[id], o);
}

static void ep_close(struct xport_ep **ep)
{
	if (*ep)
		(*ep)->ops->ep_close(*ep);
	*ep = NULL;
}

void worker_close(struct worker *w)
{
	struct worker_trial *h = &w->hand;

	ep_close(&h->measure.ep);
	ep_close(&h->measure.next);
	ep_close(&h->measure.prev);
	for (uint32_t i = 0; h->mesh && i < h->n; i++)
		ep_close(&h->mesh[i]);
}
