// SPDX-License-Identifier: Apache-2.0
// Coverage: what was looked at, what was not, and why not.
#include "probes/session/cover.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/session/cover_part.h"
#include "probes/session/rails.h"
#include "probes/trial/grow.h"

#define COVER_REASONS 4

/* Why pairs of a stage are missing, and how many for that reason. */
struct reasons {
	struct {
		const char *why;
		uint64_t n;
	} r[COVER_REASONS];
	size_t n;
};

enum fp_status cover_skip(struct cover *c, bool missing, const char *why,
                          const char *fmt, ...)
{
	struct session_coverage *cov = &c->s->coverage;
	enum fp_status status;
	va_list ap;

	status = grow_room(&cov->skips, &c->room, cov->n_skips + 1,
	                   sizeof(*cov->skips), NULL);
	if (status)
		return status;
	va_start(ap, fmt);
	(void)vsnprintf(cov->skips[cov->n_skips].what, sizeof(cov->skips->what),
	                fmt, ap);
	va_end(ap);
	(void)snprintf(cov->skips[cov->n_skips].why, sizeof(cov->skips->why),
	               "%s", why);
	cov->skips[cov->n_skips++].missing = missing;
	c->missing |= missing;
	return FP_OK;
}

static void count_reason(struct reasons *rs, const char *why)
{
	size_t i;

	for (i = 0; i < rs->n && strcmp(rs->r[i].why, why) != 0; i++)
		;
	if (i == COVER_REASONS)
		i--; /* the rest goes with the last one */
	if (i == rs->n)
		rs->r[rs->n++].why = why;
	rs->r[i].n++;
}

/* Of what left no outcome at all. */
const char *cover_why_untried(const struct session *s,
                              const struct session_stage *st)
{
	const struct run_event *e;
	size_t i;

	for (i = 0; i < s->results.n_events; i++) {
		e = &s->results.events[i];
		if (e->kind == EVENT_CUT &&
		    strncmp(e->text, st->title, strlen(st->title)) == 0)
			return SESSION_CUT;
	}
	return s->interrupted ? "the run was interrupted" : "not tried";
}

/* Where one pair of ranks stands for two hosts, any pair of theirs will do:
 * a rank that was lost may have been replaced. */
static const char *why_not(const struct cover *c,
                           const struct session_stage *st,
                           const struct plan_pair *p)
{
	const struct topo_rank *ranks = c->s->job->ranks;

	if (st->shape == SHAPE_BETWEEN && !st->all_ranks)
		return session_seen_why_not(&c->hosts, st, ranks[p->src].host,
		                            ranks[p->dst].host);
	return session_seen_why_not(&c->seen, st, p->src, p->dst);
}

static enum fp_status cover_pairs(struct cover *c,
                                  const struct session_stage *st)
{
	const struct session *s = c->s;
	struct reasons rs = { 0 };
	struct plan_pairs plan;
	enum fp_status status;
	const char *why;
	size_t i;

	status = session_stage_plan(st, &s->opts, s->job, NULL, &plan, NULL);
	if (status)
		return status;
	for (i = 0; i < plan.n; i++) {
		why = why_not(c, st, &plan.pairs[i]);
		if (why)
			count_reason(&rs,
			             *why ? why : cover_why_untried(s, st));
	}
	for (i = 0; !status && i < rs.n; i++)
		status = cover_skip(
			c, st->required, rs.r[i].why, "%llu of %zu pairs: %s",
			(unsigned long long)rs.r[i].n, plan.n, st->title);
	plan_pairs_done(&plan);
	return status;
}

static enum fp_status say_sampling(struct cover *c,
                                   const struct session_stage *st)
{
	size_t hosts = session_live_hosts(c->s->job, 1);
	char why[64];

	if (!st->matchings)
		return FP_OK;
	if (st->shape == SHAPE_INSIDE) {
		(void)snprintf(why, sizeof(why),
		               "sampled: %u of %u matchings of ranks",
		               st->matchings,
		               plan_rounds(session_most_ranks(c->s->job)));
		return cover_skip(c, false, why,
		                  "the other pairs inside hosts: %s",
		                  st->title);
	}
	(void)snprintf(why, sizeof(why), "sampled: %u of %u matchings of hosts",
	               st->matchings, plan_rounds((uint32_t)hosts));
	return cover_skip(c, false, why, "the other pairs of hosts: %s",
	                  st->title);
}

static enum fp_status cover_stages(struct cover *c)
{
	enum fp_status status = FP_OK;
	const struct session_stage *st;
	size_t i;

	for (i = 0; !status && i < c->stages.n; i++) {
		st = &c->stages.s[i];
		status = st->shape == SHAPE_FULL ? cover_collective(c, st)
		                                 : cover_pairs(c, st);
		if (!status)
			status = say_sampling(c, st);
	}
	return status;
}

/* One rank has nobody to talk to, which must not look like health. */
static enum fp_status cover_nothing(struct cover *c)
{
	bool checks = c->s->opts.kind == SESSION_CHECK;

	if (c->stages.n || c->s->opts.offline)
		return FP_OK;
	if (checks)
		return cover_skip(c, false, "all ranks are on one host",
		                  "the MTU of paths");
	return cover_skip(
		c, true,
		"one rank has no partner: start more with mpirun -np N "
		"fabricprobe, or fabricprobe --local N",
		"pairs of ranks, collectives");
}

static enum fp_status cover_suspects(struct cover *c)
{
	const struct session *s = c->s;
	const struct matrix_cell *cell;
	enum fp_status status = FP_OK;
	size_t i, k, n = 0, hidden = 0;

	for (i = 0; i < s->matrices.n; i++)
		for (k = 0; k < s->matrices.m[i].n_cells; k++) {
			cell = &s->matrices.m[i].cells[k];
			if (cell->state != CELL_SUSPECT ||
			    s->matrices.m[i].src_ep != s->matrices.m[i].dst_ep)
				continue;
			n += cell->n_tests <= s->opts.judge.retests;
			hidden += cell->n_tests > s->opts.judge.retests;
		}
	if (n)
		status =
			cover_skip(c, true,
		                   s->interrupted ? "the run was interrupted"
		                                  : "no time was left for them",
		                   "retests of %zu suspect pairs", n);
	if (!status && hidden)
		status = cover_skip(
			c, false, "other load on their cores hides it",
			"whether %zu suspect pairs are slow", hidden);
	return status;
}

/* Tests that were slow while others used the port, each of them: whether the
 * pair is, nobody knows. */
static enum fp_status cover_spoiled(struct cover *c)
{
	const struct matrices *ms = &c->s->matrices;
	const struct matrix_cell *cell;
	size_t i, k, n = 0;

	for (i = 0; i < ms->n; i++)
		for (k = 0; k < ms->m[i].n_cells; k++) {
			cell = &ms->m[i].cells[k];
			n += cell->state == CELL_NOTRUN && cell->value > 0;
		}
	if (!n)
		return FP_OK;
	return cover_skip(c, true, "others used their ports at every try",
	                  "whether %zu pairs are slow", n);
}

/* What checks wanted to look at. */
static enum fp_status cover_checks(struct cover *c)
{
	const struct session_skip *skips = c->s->check_skips;
	enum fp_status status = FP_OK;
	size_t i;

	for (i = 0; !status && i < c->s->n_check_skips; i++)
		status = cover_skip(c, skips[i].missing, skips[i].why, "%s",
		                    skips[i].what);
	return status;
}

static const char *why_no_rdma(const struct session_opts *o)
{
	if (trial_xport_is_gpu(o->xport))
		return "only what NCCL and copies show of them";
	if (o->xport == XPORT_AUTO)
		return "one host, or not every rank can use one; --xport verbs "
		       "says why";
	return "--xport verbs was not given";
}

/* What every rank can use is taken without being asked for. */
static const char *why_no_gpu(const struct session_opts *o)
{
	return o->xport == XPORT_AUTO
	               ? "not every rank can use one; --xport nccl says why"
	               : "--xport nccl or cuda was not given";
}

static bool by_slots(const struct cover *c)
{
	bool any = trial_xport_is_gpu(c->s->opts.xport);

	for (size_t i = 0; i < c->stages.n; i++)
		any |= c->stages.s[i].rails;
	return any;
}

/* Port k of a rank meets port k of another. */
static enum fp_status say_cross_rail(struct cover *c)
{
	if (session_rails(c->s->job, c->s->opts.xport) < 2)
		return FP_OK;
	return cover_skip(c, false,
	                  "rails need not be connected, and one rank uses one "
	                  "port at a time",
	                  "rail against rail, all rails of a rank at once");
}

/* What this run was never meant to see. */
static enum fp_status say_limits(struct cover *c)
{
	const struct session_opts *o = &c->s->opts;
	size_t hosts = session_live_hosts(c->s->job, 1);
	bool coll = o->kind == SESSION_SWEEP || o->kind == SESSION_BISECT;
	enum fp_status status = FP_OK;

	if (o->kind == SESSION_CHECK)
		return cover_skip(c, false, "a check sends datagrams at most",
		                  "rates, latencies, collectives");
	if (coll)
		status = cover_skip(c, false, "only collectives are run",
		                    "pairs of ranks");
	if (!status && o->kind == SESSION_RUN && hosts > 1 && by_slots(c))
		status = cover_skip(
			c, false,
			"rails need not be connected; `fabricprobe pairs` "
			"tries all",
			o->xport == XPORT_VERBS
				? "ranks of different places in their hosts"
				: "GPUs of different places in their hosts");
	else if (!status && o->kind == SESSION_RUN && hosts > 1 &&
	         c->s->job->n_ranks > hosts)
		status = cover_skip(c, false,
		                    "one pair of ranks stands for two hosts; "
		                    "`fabricprobe pairs` tries all",
		                    "other pairs of ranks between hosts");
	if (!status && o->xport != XPORT_AUTO)
		status = cover_skip(c, false, "--xport",
		                    "transports other than %s",
		                    trial_xport_name(o->xport));
	if (!status && !coll && !o->bidirectional)
		status = cover_skip(c, false, "--bidirectional was not given",
		                    "both directions of a pair at once");
	if (!status && !trial_xport_is_gpu(o->xport))
		status = cover_skip(c, false, why_no_gpu(o), "GPUs, NVLink");
	if (!status && o->xport != XPORT_VERBS)
		status = cover_skip(c, false, why_no_rdma(o), "RDMA devices");
	else if (!status)
		status = cover_skip(c, false,
		                    "--xport verbs registers memory of hosts; "
		                    "NCCL's go through GPUs'",
		                    "RDMA to GPU memory");
	return status ? status : say_cross_rail(c);
}

/* Those whose NVML did not answer, or that had none. */
static enum fp_status cover_watch(struct cover *c)
{
	const struct results *r = &c->s->results;
	const struct run_event *e = NULL;
	size_t n = 0;

	for (size_t i = 0; i < r->n_events; i++) {
		if (r->events[i].kind != EVENT_WATCH_LOST)
			continue;
		e = e ? e : &r->events[i];
		n++;
	}
	if (!n)
		return FP_OK;
	return cover_skip(c, false, e->text,
	                  n > 1 ? "what %zu GPUs count while they are "
	                          "measured, such as that of rank %d"
	                        : "what %zu GPU counts while it is measured, "
	                          "that of rank %d",
	                  n, (int)e->rank);
}

static void cover_init(struct cover *c, struct session *s)
{
	uint64_t n = s->job->n_ranks;

	*c = (struct cover){ .s = s };
	session_coverage_done(&s->coverage);
	s->coverage.pairs_total = n * (n - 1);
}

enum fp_status session_cover(struct session *s, bool *ret_missing,
                             struct fp_err *err)
{
	struct cover c;
	enum fp_status status;

	cover_init(&c, s);
	status = session_stages_make(&s->opts, s->job, &c.stages, err);
	if (!status)
		status = session_seen_make(&s->results, NULL, &c.seen, err);
	if (!status)
		status = session_seen_make(&s->results, s->job, &c.hosts, err);
	s->coverage.pairs_measured =
		s->opts.kind == SESSION_CHECK ? c.seen.n_grams : c.seen.n_pairs;
	if (!status)
		status = cover_nothing(&c);
	if (!status)
		status = cover_stages(&c);
	if (!status)
		status = cover_suspects(&c);
	if (!status)
		status = cover_spoiled(&c);
	if (!status)
		status = cover_checks(&c);
	if (!status)
		status = say_limits(&c);
	if (!status)
		status = cover_watch(&c);
	session_seen_done(&c.seen);
	session_seen_done(&c.hosts);
	session_stages_done(&c.stages);
	if (status)
		return fp_err_set(err, status, "no memory for coverage");
	*ret_missing = c.missing;
	return FP_OK;
}

void session_coverage_done(struct session_coverage *c)
{
	if (!c)
		return;
	free(c->skips);
	*c = (struct session_coverage){ 0 };
}
