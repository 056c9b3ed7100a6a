// SPDX-License-Identifier: Apache-2.0
// Collectives that went wrong: evidence for what is known, or findings.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/judge/behind.h"
#include "probes/judge/notes.h"
#include "probes/judge/test.h"
#include "probes/judge/words.h"
#include "topo/base/fmt.h"

/* What can keep a collective from ending, or from beginning. */
static bool explains_failure(const struct finding *f)
{
	switch (f->code) {
	case FINDING_NIC_TX_DEAD:
	case FINDING_NIC_RX_DEAD:
	case FINDING_NIC_DEAD:
	case FINDING_NIC_MTU:
	case FINDING_RANK_HANG:
	case FINDING_GPU_HANG:
	case FINDING_RANK_ERROR:
	case FINDING_GPU_ERROR:
	case FINDING_HOST_LOST:
	case FINDING_PAIR_BLACKHOLE:
	case FINDING_PAIR_MTU:
	case FINDING_PAIR_HANG:
	case FINDING_PAIR_ERROR:
	case FINDING_AGENT_LOST:
	case FINDING_WORKER_START:
	case FINDING_WORKER_DIED:
	case FINDING_WORKER_HUNG:
	case FINDING_WORKER_WEDGED:
	case FINDING_WORKER_GARBAGE:
	case FINDING_CONTROL_LINK:
		return true;
	default:
		return false;
	}
}

/* struct ranks - the members of a collective. */
struct ranks {
	const int32_t *rank;
	size_t n;
};

static bool has_rank(const struct ranks *c, int32_t rank)
{
	size_t i;

	for (i = 0; i < c->n; i++)
		if (c->rank[i] == rank)
			return true;
	return false;
}

static bool has_host(const struct topo_job *job, const struct ranks *c,
                     const char *host)
{
	size_t i;

	for (i = 0; i < c->n; i++)
		if (strcmp(topo_job_host_name(job, c->rank[i]), host) == 0)
			return true;
	return false;
}

/* Is the place of @f part of the collective? */
static bool is_inside(const struct topo_job *job, const struct ranks *c,
                      const struct locus *l)
{
	switch (l->kind) {
	case LOCUS_RANK:
		return has_rank(c, l->rank);
	case LOCUS_PAIR:
		return has_rank(c, l->rank) && has_rank(c, l->peer_rank);
	case LOCUS_HOST:
	case LOCUS_NETDEV:
		return has_host(job, c, l->host);
	case LOCUS_HOST_PAIR:
		return has_host(job, c, l->host) &&
		       has_host(job, c, l->peer_host);
	default:
		return true;
	}
}

static struct ranks members_of(const struct results *r, const struct trial *t)
{
	return (struct ranks){ r->members + t->member_first, t->member_count };
}

/* struct court - findings so far: [0, known) are not about collectives. */
struct court {
	const struct topo_job *job;
	const struct results *r;
	struct findings *list;
	size_t known;
};

/* The first known finding that explains @c, or NULL. */
static struct finding *explanation(const struct court *k, const struct coll *c,
                                   bool wrong)
{
	const struct ranks members = members_of(k->r, c->trial);
	struct finding *f;
	size_t i;

	for (i = 0; i < k->known; i++) {
		f = &k->list->f[i];
		if ((wrong ? f->code == FINDING_DATA_CORRUPT
		           : explains_failure(f)) &&
		    is_inside(k->job, &members, &f->locus))
			return f;
	}
	return NULL;
}

const struct finding *judge_collective_cause(const struct topo_job *job,
                                             const struct results *results,
                                             const struct trial *t,
                                             const struct findings *list)
{
	const struct ranks members = members_of(results, t);
	size_t i;

	for (i = 0; i < list->n; i++)
		if (explains_failure(&list->f[i]) &&
		    is_inside(job, &members, &list->f[i].locus))
			return &list->f[i];
	return NULL;
}

#define COLL_NAME_MAX (WORDS_TRIAL_MAX + 48)

/* "shm/tcp all_reduce 64K over 16 ranks, trial 5" */
static void coll_name(const struct coll *c, char buf[static COLL_NAME_MAX])
{
	char what[WORDS_TRIAL_MAX];

	(void)snprintf(buf, COLL_NAME_MAX, "%s over %u ranks, trial %u",
	               words_trial(c->trial, what), c->trial->member_count,
	               c->trial->id);
}

/* First of a kind: who is behind. Later ones: who is behind in them, too. */
static void place(const struct topo_job *job, const struct coll *c, bool first,
                  struct finding *f)
{
	int32_t behind = coll_furthest_behind(c);

	if (first && behind >= 0)
		words_locus_rank(job, behind, &f->locus);
	else if (!first && f->locus.kind == LOCUS_RANK &&
	         f->locus.rank != behind)
		f->locus = (struct locus){ .kind = LOCUS_JOB,
			                   .rank = -1,
			                   .peer_rank = -1 };
}

static const char *first_text(const struct coll *c)
{
	size_t i;

	for (i = 0; i < c->n; i++)
		if (c->o[i]->state == c->state && c->o[i]->err[0])
			return c->o[i]->err;
	return "";
}

static struct finding *find_or_add(const struct court *k, unsigned code,
                                   bool *ret_first)
{
	size_t i;

	*ret_first = false;
	for (i = k->known; i < k->list->n; i++)
		if (k->list->f[i].code == code)
			return &k->list->f[i];
	*ret_first = true;
	return findings_add(k->list, code);
}

static bool report_failure(const struct court *k, const struct coll *c)
{
	struct finding *f = explanation(k, c, false);
	char name[COLL_NAME_MAX];
	bool first;

	coll_name(c, name);
	if (f) {
		finding_evidence(f, "%s: %s as well", name,
		                 outcome_state_name(c->state));
		return true;
	}
	f = find_or_add(k,
	                c->state == OUTCOME_HANG ? FINDING_COLL_HANG
	                                         : FINDING_COLL_ERROR,
	                &first);
	if (!f)
		return false;
	place(k->job, c, first, f);
	finding_evidence(f, "%s: %s%s%.80s", name, outcome_state_name(c->state),
	                 first_text(c)[0] ? ": " : "", first_text(c));
	coll_say_stages(c, f);
	f->confidence = f->locus.kind == LOCUS_RANK ? 0.6 : 0.9;
	return true;
}

static bool report_wrong(const struct court *k, const struct coll *c)
{
	struct finding *f = explanation(k, c, true);
	char name[COLL_NAME_MAX];
	bool first;
	size_t i;

	coll_name(c, name);
	if (f) {
		finding_evidence(f, "%s: %llu wrong bytes as well", name,
		                 (unsigned long long)c->wrong);
		return true;
	}
	f = find_or_add(k, FINDING_DATA_CORRUPT, &first);
	if (!f)
		return false;
	f->observed = (first ? 0 : f->observed) + (double)c->wrong;
	f->expected = 0;
	fp_copy(f->unit, sizeof(f->unit), "bytes");
	finding_evidence(f, "%s: %llu wrong bytes", name,
	                 (unsigned long long)c->wrong);
	for (i = 0; i < c->n; i++)
		if (c->o[i]->wrong_bytes)
			finding_evidence(
				f, "trial %u, rank %d: %llu of them",
				c->trial->id, (int)c->o[i]->rank,
				(unsigned long long)c->o[i]->wrong_bytes);
	return true;
}

/* Coverage says so then; it is no evidence of a fault. */
static bool is_unfinished(const struct coll *c)
{
	return c->state == OUTCOME_HANG && c->moved;
}

static int outcome_cmp(const void *pa, const void *pb)
{
	const struct outcome *a = *(const struct outcome *const *)pa;
	const struct outcome *b = *(const struct outcome *const *)pb;

	if (a->trial != b->trial)
		return a->trial < b->trial ? -1 : 1;
	return (a->rank > b->rank) - (a->rank < b->rank);
}

static size_t collect(const struct results *r, const struct outcome **ret)
{
	const struct trial *t;
	size_t i, n = 0;

	for (i = 0; i < r->n_outcomes; i++) {
		t = results_trial(r, r->outcomes[i].trial);
		if (t && !trial_is_pair(t) && !t->variant)
			ret[n++] = &r->outcomes[i];
	}
	if (n)
		qsort(ret, n, sizeof(*ret), outcome_cmp);
	return n;
}

static struct coll coll_of(const struct results *r, const struct outcome **o,
                           size_t n)
{
	struct coll c = { .trial = results_trial(r, o[0]->trial), .o = o };
	uint32_t state;

	while (c.n < n && o[c.n]->trial == o[0]->trial) {
		state = o[c.n]->state;
		if (state != OUTCOME_NOTRUN && state > c.state)
			c.state = state;
		c.wrong += o[c.n]->wrong_bytes;
		c.moved |= judge_still_moved(c.trial, o[c.n]);
		c.n++;
	}
	return c;
}

enum fp_status judge_collectives(const struct topo_job *job,
                                 const struct results *r, struct findings *list,
                                 struct fp_err *err)
{
	struct court k = {
		.job = job,
		.r = r,
		.list = list,
		.known = list->n,
	};
	const struct outcome **o = calloc(r->n_outcomes + 1, sizeof(*o));
	size_t i, n = 0;
	struct coll c;
	bool ok = o;

	if (ok)
		n = collect(r, o);
	for (i = 0; ok && i < n; i += c.n) {
		c = coll_of(r, o + i, n - i);
		if (c.state > OUTCOME_NOTRUN && !is_unfinished(&c))
			ok = report_failure(&k, &c);
		if (ok && c.wrong)
			ok = report_wrong(&k, &c);
	}
	free(o);
	return ok ? FP_OK : fp_err_set(err, FP_ERR_NOMEM, "no memory to judge");
}
