// SPDX-License-Identifier: Apache-2.0
// Which ports moved more than this run's own trials did.
#include "probes/judge/foreign.h"

#include <stdlib.h>
#include <string.h>

#include "topo/model/rails.h"

#define HEADERS 100 /* of a packet, at most: 18 + 40 + 8 + 12 + 16 + 4 */
#define BESIDE 4    /* packets beside a message: counts, notes, requests */
#define BESIDE_BYTES 512
#define MEETING ((uint64_t)64 << 10)
#define MTU_LEAST 256u
#define SHARE 100 /* one part of so many is foreign */
#define FLOOR ((uint64_t)256 << 10)

struct foreign_use foreign_own(uint64_t payload, uint64_t back,
                               uint64_t message, uint32_t mtu)
{
	uint64_t size = message ? message : 1, both = payload + back;
	uint64_t packets = both / (mtu >= MTU_LEAST ? mtu : MTU_LEAST) + 1;
	uint64_t messages = both / size + 1;
	uint64_t aside = (packets + messages * BESIDE) * HEADERS +
	                 messages * BESIDE_BYTES + MEETING;

	return (struct foreign_use){ payload + aside, back + aside };
}

static bool exceeds(uint64_t own, uint64_t seen)
{
	return seen > own && seen - own > own / SHARE + FLOOR;
}

bool foreign_is(const struct foreign_use *own, const struct foreign_use *seen)
{
	return exceeds(own->tx, seen->tx) || exceeds(own->rx, seen->rx);
}

/* What an end's port did in a trial's round. */
struct use {
	uint32_t round;
	int32_t host; /* of its port */
	char port[TOPO_PORT_MAX];
	uint32_t trial;
	int32_t rank, ep;
	bool tells; /* it ended well, and its port counts bytes */
	struct foreign_use own, seen;
};

/* What went each way in a trial, as the end says that knows more. */
struct flow {
	uint64_t forth, back;
	int64_t mtu;
	bool silent; /* an end did not count: it may have had to send again */
};

static void flow_add(struct flow *f, const struct trial *t,
                     const struct outcome *o)
{
	bool both = t->op == OP_LATENCY;
	bool back = t->dir == DIR_BI && o->rank == t->src;
	uint64_t n = o->moved_bytes;

	if ((both || !back) && n > f->forth)
		f->forth = n;
	if ((both || back) && n > f->back)
		f->back = n;
	if (outcome_get(o, COUNTER_PMTU, 0) > 0)
		f->mtu = outcome_get(o, COUNTER_PMTU, 0);
	f->silent |= outcome_get(o, COUNTER_PORT_TX_BYTES, -1) < 0;
}

/* A control arm may go by another port than its ranks' own. */
static const struct trial *trial_of(const struct topo_job *job,
                                    const struct results *r,
                                    const struct outcome *o)
{
	const struct trial *t = results_trial(r, o->trial);

	if (!t || t->xport != XPORT_VERBS || !trial_is_pair(t) || t->variant ||
	    o->rank < 0 || (size_t)o->rank >= job->n_ranks)
		return NULL;
	return t;
}

static struct use use_of(const struct topo_job *job, const struct trial *t,
                         const struct outcome *o, const struct flow *f)
{
	int64_t tx = outcome_get(o, COUNTER_PORT_TX_BYTES, -1);
	int64_t rx = outcome_get(o, COUNTER_PORT_RX_BYTES, -1);
	bool is_src = o->rank == t->src, alone = t->src == t->dst;
	struct use u = {
		.round = t->round,
		.host = job->ranks[o->rank].host,
		.trial = t->id,
		.rank = o->rank,
		.ep = trial_ep(t, o->rank),
		.tells = o->state == OUTCOME_OK && !f->silent && tx >= 0 &&
		         rx >= 0,
		.own = foreign_own(is_src ? f->forth : f->back,
		                   is_src ? f->back : f->forth, t->bytes,
		                   (uint32_t)f->mtu),
	};

	(void)topo_rank_port(&job->ranks[o->rank], trial_ep(t, o->rank),
	                     u.port);
	if (alone)
		u.own.tx = u.own.rx = u.own.tx + u.own.rx;
	if (u.tells)
		u.seen = (struct foreign_use){ (uint64_t)tx, (uint64_t)rx };
	return u;
}

static int order(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/* Ranks whose port has no name have one each. */
static int port_cmp(const struct use *a, const struct use *b)
{
	int by = order(a->round, b->round);

	if (!by)
		by = order(a->host, b->host);
	if (!by)
		by = strcmp(a->port, b->port);
	if (!by && !a->port[0])
		by = order(a->rank, b->rank);
	return by;
}

static int use_cmp(const void *pa, const void *pb)
{
	const struct use *a = pa, *b = pb;
	int by = port_cmp(a, b);

	return by ? by : order(a->trial, b->trial);
}

static int hit_cmp(const void *pa, const void *pb)
{
	const struct foreign_hit *a = pa, *b = pb;
	int by = order(a->trial, b->trial);

	return by ? by : order(a->rank, b->rank);
}

/* Ends of one port in one round: any that saw more than all of them did? */
static void port_judge(const struct use *uses, size_t n, struct foreign *f)
{
	struct foreign_use own = { 0 };
	bool spoiled = false;
	size_t i;

	for (i = 0; i < n; i++) {
		if (!uses[i].tells)
			return;
		own.tx += uses[i].own.tx;
		own.rx += uses[i].own.rx;
	}
	for (i = 0; i < n; i++)
		spoiled |= foreign_is(&own, &uses[i].seen);
	for (i = 0; spoiled && i < n; i++)
		f->hits[f->n++] =
			(struct foreign_hit){ uses[i].trial, uses[i].rank,
			                      uses[i].ep, own, uses[i].seen };
}

static void uses_judge(struct use *uses, size_t n, struct foreign *f)
{
	size_t i, len;

	if (n)
		qsort(uses, n, sizeof(*uses), use_cmp);
	for (i = 0; i < n; i += len) {
		for (len = 1; i + len < n; len++)
			if (port_cmp(&uses[i], &uses[i + len]) != 0)
				break;
		port_judge(uses + i, len, f);
	}
	if (f->n)
		qsort(f->hits, f->n, sizeof(*f->hits), hit_cmp);
}

static size_t uses_collect(const struct topo_job *job, const struct results *r,
                           size_t first, struct flow *flows, struct use *uses)
{
	const struct trial *t;
	size_t i, n = 0;

	for (i = first; i < r->n_outcomes; i++) {
		t = trial_of(job, r, &r->outcomes[i]);
		if (t)
			flow_add(&flows[t->id - 1], t, &r->outcomes[i]);
	}
	for (i = first; i < r->n_outcomes; i++) {
		t = trial_of(job, r, &r->outcomes[i]);
		if (t)
			uses[n++] = use_of(job, t, &r->outcomes[i],
			                   &flows[t->id - 1]);
	}
	return n;
}

/* Most runs have none: their trials are not looked at twice. */
static bool any_counts(const struct results *r, size_t first)
{
	size_t i;

	for (i = first; i < r->n_outcomes; i++)
		if (outcome_get(&r->outcomes[i], COUNTER_PORT_TX_BYTES, -1) >=
		    0)
			return true;
	return false;
}

enum fp_status foreign_find(const struct topo_job *job, const struct results *r,
                            size_t first, struct foreign *ret,
                            struct fp_err *err)
{
	size_t n = r->n_outcomes - first;
	struct foreign f = { 0 };
	struct flow *flows;
	struct use *uses;

	*ret = f;
	if (!any_counts(r, first))
		return FP_OK;
	flows = calloc(r->n_trials + 1, sizeof(*flows));
	uses = calloc(n + 1, sizeof(*uses));
	f.hits = calloc(n + 1, sizeof(*f.hits));
	if (!flows || !uses || !f.hits) {
		free(flows);
		free(uses);
		free(f.hits);
		return fp_err_set(err, FP_ERR_NOMEM, "no memory to judge");
	}
	uses_judge(uses, uses_collect(job, r, first, flows, uses), &f);
	free(flows);
	free(uses);
	*ret = f;
	return FP_OK;
}

void foreign_done(struct foreign *f)
{
	if (!f)
		return;
	free(f->hits);
	*f = (struct foreign){ 0 };
}

bool foreign_has(const struct foreign *f, uint32_t id)
{
	size_t low = 0, high = f->n, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (f->hits[mid].trial < id)
			low = mid + 1;
		else
			high = mid;
	}
	return low < f->n && f->hits[low].trial == id;
}

enum fp_status foreign_mark(const struct topo_job *job, const struct results *r,
                            struct judge_test *tests, size_t n,
                            struct fp_err *err)
{
	struct foreign f;
	enum fp_status status = foreign_find(job, r, 0, &f, err);
	size_t i;

	for (i = 0; !status && i < n; i++)
		tests[i].spoiled = foreign_has(&f, tests[i].trial->id);
	foreign_done(&f);
	return status;
}
