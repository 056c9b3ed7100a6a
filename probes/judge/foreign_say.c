// SPDX-License-Identifier: Apache-2.0
// What is said of foreign traffic: port by port.
#include <stdlib.h>
#include <string.h>

#include "probes/judge/foreign.h"
#include "probes/judge/rdma.h"
#include "topo/base/fmt.h"
#include "topo/model/rails.h"

/* A later trial of the same pair and kind that was not contaminated. */
static bool was_cleared(const struct results *r, const struct foreign *f,
                        uint32_t id)
{
	const struct trial *t = results_trial(r, id), *u;
	size_t i;

	for (i = id; t && i < r->n_trials; i++) {
		u = &r->trials[i];
		if (u->src == t->src && u->dst == t->dst &&
		    u->xport == t->xport && u->op == t->op &&
		    u->dir == t->dir && u->bytes == t->bytes &&
		    u->src_ep == t->src_ep && u->dst_ep == t->dst_ep &&
		    u->variant == t->variant && !foreign_has(f, u->id))
			return true;
	}
	return false;
}

static uint64_t beyond(uint64_t own, uint64_t seen)
{
	return seen > own ? seen - own : 0;
}

static void say_hit(const struct results *r, const struct foreign_hit *h,
                    struct finding *f)
{
	uint64_t tx = beyond(h->own.tx, h->seen.tx);
	uint64_t rx = beyond(h->own.rx, h->seen.rx);
	const struct trial *t = results_trial(r, h->trial);
	bool sent = tx > rx;
	char more[FP_FMT_MAX], own[FP_FMT_MAX];

	finding_evidence(
		f,
		"trial %u, rank %d -> rank %d: the port %s %s more than the "
		"trial's %s",
		h->trial, (int)t->src, (int)t->dst, sent ? "sent" : "received",
		fp_fmt_bytes(sent ? tx : rx, more),
		fp_fmt_bytes(sent ? h->own.tx : h->own.rx, own));
}

/* Is it the same port? */
static bool same_port(const struct topo_job *job, const struct foreign_hit *a,
                      const struct foreign_hit *b)
{
	const struct topo_rank *at = &job->ranks[a->rank];
	const struct topo_rank *bt = &job->ranks[b->rank];
	char a_port[TOPO_PORT_MAX], b_port[TOPO_PORT_MAX];

	(void)topo_rank_port(at, a->ep, a_port);
	(void)topo_rank_port(bt, b->ep, b_port);
	if (!a_port[0] || at->host != bt->host)
		return a->rank == b->rank && a->ep == b->ep;
	return strcmp(a_port, b_port) == 0;
}

static bool is_first_of_port(const struct topo_job *job,
                             const struct foreign *f, size_t at)
{
	size_t i;

	for (i = 0; i < at; i++)
		if (same_port(job, &f->hits[i], &f->hits[at]))
			return false;
	return true;
}

static void say_port(const struct topo_job *job, const struct results *r,
                     const struct foreign *f, size_t first, struct finding *to)
{
	uint32_t spoiled = 0, cleared = 0;
	size_t i;

	rdma_locus(job, f->hits[first].rank, f->hits[first].ep, &to->locus);
	for (i = first; i < f->n; i++) {
		if (!same_port(job, &f->hits[i], &f->hits[first]))
			continue;
		spoiled++;
		cleared += was_cleared(r, f, f->hits[i].trial);
		if (to->n_evidence < 3)
			say_hit(r, &f->hits[i], to);
	}
	finding_evidence(to,
	                 "%u trials CONTAMINATED, %u of them measured "
	                 "again without",
	                 spoiled, cleared);
}

enum fp_status judge_foreign(const struct topo_job *job,
                             const struct results *r, struct findings *list,
                             struct fp_err *err)
{
	struct foreign f;
	struct finding *to;
	enum fp_status status = foreign_find(job, r, 0, &f, err);
	size_t i;

	for (i = 0; !status && i < f.n; i++) {
		if (!is_first_of_port(job, &f, i))
			continue;
		to = findings_add(list, FINDING_PORT_FOREIGN);
		if (!to)
			status = fp_err_set(err, FP_ERR_NOMEM,
			                    "no memory to judge");
		else
			say_port(job, r, &f, i, to);
	}
	foreign_done(&f);
	return status;
}
