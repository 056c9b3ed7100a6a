// SPDX-License-Identifier: Apache-2.0
// Pairs of two runs side by side: what a whole class lost, and who lost more.
#include "probes/judge/since.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/judge/since_part.h"
#include "probes/stats/stats.h"
#include "probes/trial/grow.h"
#include "topo/base/fmt.h"

void since_done(struct since *s)
{
	if (!s)
		return;
	free(s->rows);
	*s = (struct since){ 0 };
}

enum fp_status since_add_row(struct since *s, const struct since_row *row,
                             struct fp_err *err)
{
	enum fp_status status =
		grow_room(&s->rows, &s->room, s->n + 1, sizeof(*s->rows), err);

	if (!status)
		s->rows[s->n++] = *row;
	return status;
}

static int32_t find_host(const struct topo_job *job, const char *name)
{
	size_t h;

	for (h = 0; h < job->n_hosts; h++)
		if (strcmp(job->hosts[h].name, name) == 0)
			return (int32_t)h;
	return -1;
}

/* The rank of @before at @local_rank of @host; -1. It mostly has the number
 * @guess. */
static int32_t find_rank(const struct topo_job *before, int32_t host,
                         int32_t local_rank, size_t guess)
{
	size_t k, at;

	for (k = 0; k < before->n_ranks; k++) {
		at = (guess + k) % before->n_ranks;
		if (before->ranks[at].host == host &&
		    before->ranks[at].local_rank == local_rank)
			return (int32_t)at;
	}
	return -1;
}

/* By the host's name, and the place among the host's ranks. */
static enum fp_status match_ranks(const struct topo_job *before,
                                  const struct topo_job *now, int32_t **ret,
                                  struct fp_err *err)
{
	int32_t *was = calloc(now->n_ranks + 1, sizeof(*was));
	int32_t *host_was = calloc(now->n_hosts + 1, sizeof(*host_was));
	size_t i;

	if (!was || !host_was) {
		free(was);
		free(host_was);
		return fp_err_set(err, FP_ERR_NOMEM, "no memory to compare");
	}
	for (i = 0; i < now->n_hosts; i++)
		host_was[i] = find_host(before, now->hosts[i].name);
	for (i = 0; i < now->n_ranks; i++) {
		const struct topo_rank *r = &now->ranks[i];

		was[i] = r->host < 0 || host_was[r->host] < 0
		                 ? -1
		                 : find_rank(before, host_was[r->host],
		                             r->local_rank, i);
	}
	free(host_was);
	*ret = was;
	return FP_OK;
}

static const struct matrix *find_matrix(const struct matrices *ms,
                                        const struct matrix *like)
{
	size_t i;

	for (i = 0; i < ms->n; i++)
		if (ms->m[i].xport == like->xport && ms->m[i].op == like->op &&
		    ms->m[i].mem == like->mem && ms->m[i].dir == like->dir &&
		    ms->m[i].bytes == like->bytes &&
		    ms->m[i].src_ep == like->src_ep &&
		    ms->m[i].dst_ep == like->dst_ep)
			return &ms->m[i];
	return NULL;
}

/* Value of a pair of now in the earlier run; 0: there is none. */
static double value_before(const struct matrix *m, const int32_t *was,
                           const struct matrix_cell *c)
{
	const struct matrix_cell *old = NULL;

	if (m && was[c->src] >= 0 && was[c->dst] >= 0)
		old = matrix_find(m, was[c->src], was[c->dst]);
	return old && old->value > 0 ? old->value : 0;
}

static void take_pairs(struct since_case *c, int32_t cls,
                       const struct matrix *old, const int32_t *was,
                       struct since *rows)
{
	size_t i;

	c->n = 0;
	for (i = 0; i < c->m->n_cells; i++) {
		const struct matrix_cell *cell = &c->m->cells[i];
		double before;

		if (cell->cls != cls || !(cell->value > 0))
			continue;
		before = value_before(old, was, cell);
		rows->n_alone += before <= 0;
		if (before <= 0)
			continue;
		c->pairs[c->n++] = (struct since_pair){
			.cell = cell,
			.before = before,
			.x = c->latency ? log(before / cell->value)
			                : log(cell->value / before),
		};
	}
	rows->n_pairs += c->n;
}

/* struct since_change - what became of a class. */
struct since_change {
	double before, now; /* medians */
	double lost;        /* ln of what its better quarter kept */
};

static enum fp_status change_of(struct since_case *c, struct since_change *ret,
                                struct fp_err *err)
{
	double *v = calloc(c->n + 1, 2 * sizeof(*v)), floor;
	size_t i;

	if (!v)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory to compare");
	for (i = 0; i < c->n; i++)
		v[i] = c->pairs[i].before;
	ret->before = stats_median(v, c->n);
	for (i = 0; i < c->n; i++)
		v[i] = c->pairs[i].cell->value;
	ret->now = stats_median(v, c->n);
	for (i = 0; i < c->n; i++)
		v[i] = c->pairs[i].x;
	floor = c->local ? c->opts->sigma_floor_local : c->opts->sigma_floor;
	if (c->latency)
		floor = fmax(floor, c->opts->sigma_floor_latency);
	stats_sort(v, c->n);
	ret->lost = stats_quantile(v, c->n, .75);
	/* Two runs, each with its noise. */
	c->sigma = fmax(
		stats_sigma_up(v, c->n, stats_quantile(v, c->n, .5), v + c->n),
		sqrt(2) * floor);
	for (i = 0; i < c->n; i++)
		c->pairs[i].x -= fmin(ret->lost, 0);
	free(v);
	return FP_OK;
}

/* Parts of a rate that must be missing. */
static double drop_limit(const struct since_case *c, bool whole_class)
{
	const struct judge_opts *o = c->opts;

	if (c->latency)
		return 1 - 1 / (c->local ? o->latency_factor_local
		                         : o->latency_factor);
	if (c->local)
		return o->slow_drop_local;
	return whole_class || c->n >= o->small_class ? o->slow_drop
	                                             : o->small_drop;
}

static bool is_later(const struct since_case *c, double before, double now)
{
	return !c->latency || now - before >= c->opts->latency_excess_s;
}

struct finding *since_finding(const struct since_case *c, unsigned code,
                              double before, double now)
{
	struct finding *f = findings_add(c->list, code);
	char size[FP_FMT_MAX];

	if (!f)
		return NULL;
	if (c->local && f->severity > SEVERITY_WARN)
		f->severity = SEVERITY_WARN;
	f->expected = before;
	f->observed = now;
	fp_copy(f->unit, sizeof(f->unit), c->latency ? "s" : "B/s");
	(void)snprintf(f->detail, sizeof(f->detail), "%s, %s of %s",
	               c->cls->name, trial_op_name(c->m->op),
	               fp_fmt_bytes(c->m->bytes, size));
	return f;
}

void since_evidence(const struct since_case *c, const struct since_pair *p,
                    struct finding *f)
{
	const struct topo_job *job = c->now->job;
	char before[FP_FMT_MAX], now[FP_FMT_MAX];

	if (c->latency) {
		fp_fmt_seconds(p->before, before);
		fp_fmt_seconds(p->cell->value, now);
	} else {
		fp_fmt_rate(p->before, false, before);
		fp_fmt_rate(p->cell->value, false, now);
	}
	finding_evidence(f, "rank %d (%s) -> rank %d (%s): %s, before %s",
	                 (int)p->cell->src,
	                 topo_job_host_name(job, p->cell->src),
	                 (int)p->cell->dst,
	                 topo_job_host_name(job, p->cell->dst), now, before);
}

static enum fp_status tell_class(struct since_case *c,
                                 const struct since_change *change,
                                 struct since *rows, struct fp_err *err)
{
	struct since_row row = {
		.bytes = c->m->bytes,
		.n = c->n,
		.before = change->before,
		.now = change->now,
		.latency = c->latency,
		.slower = 1 - exp(change->lost) >= drop_limit(c, true) &&
		          is_later(c, change->before, change->now),
	};
	struct finding *f;
	size_t i;

	(void)snprintf(row.name, sizeof(row.name), "%s, %s", c->cls->name,
	               trial_op_name(c->m->op));
	if (row.slower) {
		f = since_finding(c, FINDING_SINCE_CLASS, row.before, row.now);
		if (!f)
			return fp_err_set(err, FP_ERR_NOMEM,
			                  "no memory to compare");
		for (i = 0; i < c->n && i < 3; i++)
			since_evidence(c, &c->pairs[i], f);
	}
	return since_add_row(rows, &row, err);
}

static enum fp_status tell_pairs(struct since_case *c, struct fp_err *err)
{
	double most = log(1 - drop_limit(c, false));
	const struct topo_job *job = c->now->job;
	size_t i;

	for (i = 0; i < c->n; i++) {
		const struct since_pair *p = &c->pairs[i];
		struct finding *f;

		if (p->told || p->x > most ||
		    p->x / c->sigma > c->opts->slow_z ||
		    !is_later(c, p->before, p->cell->value))
			continue;
		f = since_finding(c, FINDING_SINCE_PAIR, p->before,
		                  p->cell->value);
		if (!f)
			return fp_err_set(err, FP_ERR_NOMEM,
			                  "no memory to compare");
		f->locus.kind = LOCUS_PAIR;
		f->locus.direction = DIRECTION_TX;
		f->locus.rank = p->cell->src;
		f->locus.peer_rank = p->cell->dst;
		fp_copy(f->locus.host, sizeof(f->locus.host),
		        topo_job_host_name(job, p->cell->src));
		fp_copy(f->locus.peer_host, sizeof(f->locus.peer_host),
		        topo_job_host_name(job, p->cell->dst));
	}
	return FP_OK;
}

static enum fp_status one_class(struct since_case *c, int32_t cls,
                                const struct matrix *old, const int32_t *was,
                                struct since *rows, struct fp_err *err)
{
	struct since_change change = { 0 };
	enum fp_status status;

	c->cls = &c->m->classes[cls];
	c->local = c->cls->local && !trial_xport_is_gpu(c->m->xport);
	take_pairs(c, cls, old, was, rows);
	if (!c->n)
		return FP_OK;
	status = change_of(c, &change, err);
	if (!status)
		status = tell_class(c, &change, rows, err);
	if (!status)
		status = since_hosts(c, err);
	return status ? status : tell_pairs(c, err);
}

static enum fp_status one_matrix(struct since_case *c,
                                 const struct judge_run *before,
                                 const int32_t *was, struct since *rows,
                                 struct fp_err *err)
{
	const struct matrix *old = find_matrix(before->matrices, c->m);
	enum fp_status status = FP_OK;
	size_t k;

	c->latency = c->m->op == OP_LATENCY;
	c->pairs = calloc(c->m->n_cells + 1, sizeof(*c->pairs));
	if (!c->pairs)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory to compare");
	for (k = 0; !status && k < c->m->n_classes; k++)
		status = one_class(c, (int32_t)k, old, was, rows, err);
	free(c->pairs);
	return status;
}

enum fp_status judge_since(const struct judge_run *before,
                           const struct judge_run *now,
                           const struct judge_opts *opts, struct since *ret,
                           struct findings *list, struct fp_err *err)
{
	struct since_case c = { .now = now, .opts = opts, .list = list };
	struct since rows = { 0 };
	enum fp_status status;
	int32_t *was = NULL;
	size_t i;

	status = match_ranks(before->job, now->job, &was, err);
	if (status)
		return status;
	for (i = 0; !status && i < now->matrices->n; i++) {
		c.m = &now->matrices->m[i];
		status = one_matrix(&c, before, was, &rows, err);
	}
	free(was);
	if (!status)
		status = since_collectives(before, now, opts, &rows, list, err);
	if (status || !ret) {
		since_done(&rows);
		return status;
	}
	*ret = rows;
	return FP_OK;
}
