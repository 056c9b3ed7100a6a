// SPDX-License-Identifier: Apache-2.0
// From blames to findings: code, place, figures, evidence.
#include "probes/judge/accuse.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "probes/judge/code.h"
#include "probes/judge/rdma.h"
#include "probes/judge/words.h"
#include "probes/stats/stats.h"
#include "topo/base/fmt.h"

#define EVIDENCE_OWN 4   /* lines of a blame's own marks */
#define EVIDENCE_OTHER 1 /* of each blame that it explains */

/* struct brief - one blame and its marks. */
struct brief {
	const struct judge_case *c;
	const struct grams *grams;
	const struct judge_blame *b;
	const struct judge_mark **marks; /* worst first */
	size_t n;
};

static double mark_ratio(const struct judge_mark *m)
{
	return m->cell ? m->cell->ratio : 0;
}

static int worse_first(const void *pa, const void *pb)
{
	const struct judge_mark *a = *(const struct judge_mark *const *)pa;
	const struct judge_mark *b = *(const struct judge_mark *const *)pb;

	if (a->weight != b->weight)
		return b->weight - a->weight;
	if (mark_ratio(a) < mark_ratio(b) || mark_ratio(a) > mark_ratio(b))
		return mark_ratio(a) < mark_ratio(b) ? -1 : 1;
	return (a > b) - (a < b);
}

static void brief_fill(struct brief *r, size_t blame)
{
	size_t i;

	r->b = &r->c->blames[blame];
	r->n = 0;
	for (i = 0; i < r->c->n_marks; i++)
		if (r->c->marks[i].blame == (int32_t)blame)
			r->marks[r->n++] = &r->c->marks[i];
	if (r->n)
		qsort(r->marks, r->n, sizeof(*r->marks), worse_first);
}

/* The one rank of the accused device that all its bad pairs go through; -1:
 * there are several. */
static int32_t only_rank(const struct brief *r)
{
	int32_t only = -1, at;
	size_t i;

	for (i = 0; i < r->n; i++) {
		at = r->c->ports->of_rank[r->marks[i]->src] == r->b->a
		             ? r->marks[i]->src
		             : r->marks[i]->dst;
		if (only >= 0 && at != only)
			return -1;
		only = at;
	}
	return only;
}

static void locus_host(const struct topo_job *job, int32_t host,
                       struct locus *l)
{
	l->kind = LOCUS_HOST;
	if (host >= 0)
		fp_copy(l->host, sizeof(l->host), job->hosts[host].name);
}

static void locus_port(const struct brief *r, int32_t port, struct locus *l)
{
	int32_t rank = r->c->ports->first[port];
	const struct topo_netdev *dev = topo_job_netdev(r->c->job, rank);

	if (!dev) {
		words_locus_rank(r->c->job, rank, l);
		return;
	}
	locus_host(r->c->job, r->c->job->ranks[rank].host, l);
	l->kind = LOCUS_NETDEV;
	fp_copy(l->netdev, sizeof(l->netdev), dev->name);
}

static bool is_rdma(const struct brief *r)
{
	return r->n && r->marks[0]->xport == XPORT_VERBS;
}

static void locus_pair(const struct brief *r, struct locus *l)
{
	char ports[RDMA_PORTS_MAX];
	const struct topo_job *job = r->c->job;
	bool ranks = r->b->level == BLAME_PAIR;
	int32_t a = ranks ? r->b->a : r->c->ports->first[r->b->a];
	int32_t b = ranks ? r->b->b : r->c->ports->first[r->b->b];

	l->kind = ranks ? LOCUS_PAIR : LOCUS_HOST_PAIR;
	fp_copy(l->host, sizeof(l->host), topo_job_host_name(job, a));
	fp_copy(l->peer_host, sizeof(l->peer_host), topo_job_host_name(job, b));
	if (!ranks)
		return;
	l->rank = a;
	l->peer_rank = b;
	/* Of a rank with several ports it is not known else by which. */
	if (is_rdma(r) && r->marks[0]->m && r->marks[0]->m->src_ep >= 0)
		fp_copy(l->device, sizeof(l->device),
		        rdma_pair_ports(job->ranks[a].port, job->ranks[b].port,
		                        ports));
}

static void fill_locus(const struct brief *r, unsigned code, struct locus *l)
{
	bool of_rank = code == FINDING_DATA_CORRUPT ||
	               code == FINDING_RANK_HANG || code == FINDING_GPU_HANG ||
	               code == FINDING_RANK_ERROR;
	int32_t rank;

	l->direction = r->b->direction;
	if (blame_is_pair(r->b)) {
		locus_pair(r, l);
	} else if (r->b->level == BLAME_HOST) {
		locus_host(r->c->job, r->b->a, l);
	} else if (r->b->level == BLAME_RANK) {
		words_locus_rank(r->c->job, r->b->a, l);
	} else {
		rank = of_rank ? only_rank(r) : -1;
		if (rank >= 0)
			words_locus_rank(r->c->job, rank, l);
		else
			locus_port(r, r->b->a, l);
	}
}

/* The middle one of @n figures in @x; sorts them. */
static double middle(double *x, size_t n)
{
	return n ? stats_median(x, n) : NAN;
}

static void fill_figures(const struct brief *r, struct finding *f, double *x)
{
	const char *unit = r->b->symptom == SYMPTOM_JITTER ||
	                                   r->b->symptom == SYMPTOM_LATENCY
	                           ? "s"
	                           : "B/s";
	bool low = r->b->symptom == SYMPTOM_JITTER ||
	           r->b->symptom == SYMPTOM_STALL;
	const struct matrix_class *k;
	size_t i, n = 0;

	for (i = 0; i < r->n; i++)
		if (r->marks[i]->cell)
			x[n++] = low ? r->marks[i]->cell->low
			             : r->marks[i]->cell->value;
	f->observed = middle(x, n);
	for (i = n = 0; i < r->n; i++) {
		if (!r->marks[i]->cell)
			continue;
		k = &r->marks[i]->m->classes[r->marks[i]->cell->cls];
		x[n++] = low ? k->low : k->median;
	}
	f->expected = middle(x, n);
	fp_copy(f->unit, sizeof(f->unit), unit);
}

static void fill_loss(const struct brief *r, struct finding *f)
{
	const struct matrix_class *k = NULL;
	double retrans = 0, segs = 0;
	size_t i;

	for (i = 0; i < r->n; i++) {
		if (!r->marks[i]->cell)
			continue;
		k = &r->marks[i]->m->classes[r->marks[i]->cell->cls];
		retrans += (double)r->marks[i]->cell->retrans;
		segs += (double)r->marks[i]->cell->segs;
	}
	f->observed = segs > 0 ? 100 * retrans / segs : NAN;
	f->expected = k ? 100 * k->loss : NAN;
	fp_copy(f->unit, sizeof(f->unit), "%");
}

static void fill_wrong(const struct brief *r, struct finding *f)
{
	const struct judge_mark *m;
	double wrong = 0;
	size_t i;

	for (i = 0; i < r->n; i++) {
		m = r->marks[i];
		wrong += (double)(m->src == m->cell->src ? m->cell->wrong_bytes
		                                         : m->cell->wrong_back);
	}
	f->observed = wrong;
	f->expected = 0;
	fp_copy(f->unit, sizeof(f->unit), "bytes");
}

static void fill_detail(const struct brief *r, struct finding *f)
{
	const char *what = r->b->symptom == SYMPTOM_DEAD ? "fail" : "show it";
	const struct matrix_cell *cell = r->n ? r->marks[0]->cell : NULL;

	if (!blame_is_pair(r->b)) {
		(void)snprintf(f->detail, sizeof(f->detail),
		               "%u of its %u pairs %s; the other ends do well "
		               "with others",
		               r->b->n_bad, r->b->n_bad + r->b->n_good, what);
		return;
	}
	if (cell && r->marks[0]->m->classes[cell->cls].n <= 2)
		(void)snprintf(
			f->detail, sizeof(f->detail),
			"with one pair only, it cannot be told which end "
			"or path is at fault");
	else if (r->b->confidence < 0.5)
		(void)snprintf(f->detail, sizeof(f->detail),
		               "one of the two ends may be at fault as well: "
		               "too few other pairs were measured");
}

static unsigned brief_code(const struct brief *r)
{
	const struct judge_mark *mark = r->n ? r->marks[0] : NULL;
	unsigned code = blame_code(r->b);

	/* Between hosts it is the NIC's path, whoever's memory is moved. */
	if (mark && mark->local && trial_xport_is_gpu(mark->xport))
		return blame_code_of_gpu(code);
	return code;
}

/* struct rdma_place_of - what an RDMA transfer's trouble is called, and the
 * rank whose port it is; -1: it lies between. @own: that port told, whose state
 * has no direction. */
struct rdma_place_of {
	unsigned code;
	int32_t rank;
	bool own;
};

/* A blamed port answers for its own codes, not for those of its peers. */
static bool may_be_of(const struct brief *r, int32_t rank)
{
	return rank < 0 || r->b->level != BLAME_PORT ||
	       r->c->ports->of_rank[rank] == r->b->a;
}

/* What the codes of the worst failure say; then what is known of the port. */
static struct rdma_place_of rdma_of(const struct brief *r)
{
	struct rdma_place_of at = {
		.code = rdma_code(blame_code(r->b), r->b->direction),
		.rank = -1,
	};
	struct rdma_verdict v;
	int32_t rank;
	size_t i;

	if (r->b->level == BLAME_PORT)
		at.rank = r->c->ports->first[r->b->a];
	for (i = 0; r->b->symptom == SYMPTOM_DEAD && i < r->n; i++) {
		if (!r->marks[i]->cell)
			continue;
		v = rdma_cell(r->c->results, r->marks[i]->cell->trial, &rank);
		if (v.place == RDMA_NOWHERE || !may_be_of(r, rank))
			continue;
		at.code = rdma_told(r->c->results, v.code,
		                    r->marks[i]->cell->trial, rank);
		at.own = rank >= 0;
		if (rank >= 0)
			at.rank = rank;
		break;
	}
	return at;
}

static enum fp_status brief_report(const struct brief *r, double *scratch,
                                   struct findings *list, struct fp_err *err)
{
	struct rdma_place_of at = { .code = brief_code(r), .rank = -1 };
	struct finding *f;
	size_t i;

	if (is_rdma(r))
		at = rdma_of(r);
	f = findings_add(list, at.code);
	if (!f)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory to judge");
	fill_locus(r, at.code, &f->locus);
	if (at.rank >= 0)
		rdma_locus(r->c->job, at.rank, -1, &f->locus);
	if (at.own)
		f->locus.direction = DIRECTION_NONE;
	f->confidence = r->b->confidence;
	if (r->b->mild)
		f->severity = SEVERITY_WARN;
	if (r->b->symptom == SYMPTOM_LOSS)
		fill_loss(r, f);
	else if (r->b->symptom == SYMPTOM_CORRUPT)
		fill_wrong(r, f);
	else if (r->b->symptom != SYMPTOM_DEAD)
		fill_figures(r, f, scratch);
	fill_detail(r, f);
	for (i = 0; i < r->n && i < EVIDENCE_OWN; i++)
		words_mark(f, r->c, r->grams, r->marks[i], r->b->symptom);
	return FP_OK;
}

/* Whom does blame @i come down to in the end? */
static size_t root_of(const struct judge_case *c, size_t i)
{
	while (c->blames[i].by >= 0)
		i = (size_t)c->blames[i].by;
	return i;
}

static void add_explained(struct brief *r, size_t blame, struct finding *f)
{
	const struct judge_case *c = r->c;
	size_t j, i;

	for (j = 0; j < c->n_blames; j++) {
		if (j == blame || root_of(c, j) != blame)
			continue;
		brief_fill(r, j);
		for (i = 0; i < r->n && i < EVIDENCE_OTHER; i++)
			words_mark(f, c, r->grams, r->marks[i], r->b->symptom);
	}
}

enum fp_status judge_accuse(const struct judge_case *c,
                            const struct grams *grams, struct findings *list,
                            struct fp_err *err)
{
	struct brief r = {
		.c = c,
		.grams = grams,
		.marks = calloc(c->n_marks + 1, sizeof(*r.marks)),
	};
	double *scratch = calloc(c->n_marks + 1, sizeof(*scratch));
	enum fp_status status = FP_OK;
	size_t i;

	if (!r.marks || !scratch)
		status = fp_err_set(err, FP_ERR_NOMEM, "no memory to judge");
	for (i = 0; !status && i < c->n_blames; i++) {
		if (c->blames[i].by >= 0)
			continue;
		brief_fill(&r, i);
		status = brief_report(&r, scratch, list, err);
		if (!status)
			add_explained(&r, i, &list->f[list->n - 1]);
	}
	free(r.marks);
	free(scratch);
	return status;
}
