// SPDX-License-Identifier: Apache-2.0
// Coverage: what was looked at, what was not, and why not.
#include "probes/session/cover.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/judge/test.h"
#include "probes/session/seen.h"
#include "probes/session/stage.h"
#include "probes/trial/grow.h"
#include "topo/model_map.h"

#define COVER_REASONS 4
#define COVER_RANKS 4 /* named one by one */

/* Why pairs of a stage are missing, and how many for that reason. */
struct reasons {
	struct {
		const char *why;
		uint64_t n;
	} r[COVER_REASONS];
	size_t n;
};

struct cover {
	struct session *s;
	struct session_seen seen, hosts; /* pairs of ranks, of hosts */
	struct session_stages stages;
	bool missing;
	size_t room;
};

static enum fp_status skip(struct cover *c, bool missing, const char *why,
                           const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

static enum fp_status skip(struct cover *c, bool missing, const char *why,
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
static const char *why_untried(const struct session *s,
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
			count_reason(&rs, *why ? why : why_untried(s, st));
	}
	for (i = 0; !status && i < rs.n; i++)
		status = skip(c, st->required, rs.r[i].why,
		              "%llu of %zu pairs: %s",
		              (unsigned long long)rs.r[i].n, plan.n, st->title);
	plan_pairs_done(&plan);
	return status;
}

/* Why trial @t of a collective shows nothing; NULL: it was seen, whatever came
 * of it. */
static const char *why_unseen(const struct results *r, const struct trial *t)
{
	bool any = false, failed = false, moved = false;
	const struct outcome *o;
	const char *why = NULL;
	size_t i;

	for (i = 0; i < r->n_outcomes; i++) {
		o = &r->outcomes[i];
		if (o->trial != t->id)
			continue;
		any = true;
		failed |= o->state > OUTCOME_NOTRUN;
		moved |= judge_still_moved(t, o);
		if (o->state == OUTCOME_NOTRUN && !why)
			why = o->err;
	}
	if (moved)
		return "out of time, though data moved on to the end: a busy "
		       "machine, or a size too large for it";
	if (failed)
		return NULL;
	return any ? why : "";
}

static const char *why_no_collective(const struct cover *c,
                                     const struct session_stage *st)
{
	const struct results *r = &c->s->results;
	const char *why = "";
	size_t i;

	for (i = 0; why && i < r->n_trials; i++)
		if (session_stage_is_of(st, &r->trials[i]))
			why = why_unseen(r, &r->trials[i]);
	return why;
}

/* Ranks that are not among @members, in ascending order: "rank 3", "ranks 1,
 * 3, ...". Returns how many. */
static size_t left_out_text(const int32_t *members, size_t n, size_t n_ranks,
                            char *buf, size_t size)
{
	size_t rank, k = 0, out = 0, used = 0;

	buf[0] = '\0';
	for (rank = 0; rank < n_ranks; rank++) {
		if (k < n && members[k] == (int32_t)rank) {
			k++;
			continue;
		}
		if (out < COVER_RANKS)
			used += (size_t)snprintf(buf + used, size - used,
			                         "%s%zu", out ? ", " : " ",
			                         rank);
		else if (out == COVER_RANKS)
			(void)snprintf(buf + used, size - used, ", ...");
		out++;
	}
	return out;
}

/* A collective leaves out who would only make all others wait. */
static enum fp_status say_left_out(struct cover *c,
                                   const struct session_stage *st)
{
	const struct results *r = &c->s->results;
	size_t i, n, n_ranks = c->s->job->n_ranks;
	const struct trial *t = NULL;
	char ranks[COVER_RANKS * 12 + 8];

	for (i = 0; !t && i < r->n_trials; i++)
		if (session_stage_is_of(st, &r->trials[i]))
			t = &r->trials[i];
	if (!t)
		return FP_OK;
	n = left_out_text(r->members + t->member_first, t->member_count,
	                  n_ranks, ranks, sizeof(ranks));
	if (!n)
		return FP_OK;
	return skip(
		c, st->required, "known by then to hang, to fail or to be lost",
		"%s: ran without rank%s%s", st->title, n > 1 ? "s" : "", ranks);
}

static enum fp_status cover_collective(struct cover *c,
                                       const struct session_stage *st)
{
	const char *why = why_no_collective(c, st);

	if (!why)
		return say_left_out(c, st);
	return skip(c, st->required, *why ? why : why_untried(c->s, st), "%s",
	            st->title);
}

static enum fp_status say_sampling(struct cover *c,
                                   const struct session_stage *st)
{
	size_t hosts = session_live_hosts(c->s->job, 1);
	char why[64];

	if (st->shape != SHAPE_BETWEEN || !st->matchings)
		return FP_OK;
	(void)snprintf(why, sizeof(why), "sampled: %u of %u matchings of hosts",
	               st->matchings, plan_rounds((uint32_t)hosts));
	return skip(c, false, why, "the other pairs of hosts: %s", st->title);
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
	return skip(c, !checks,
	            "one rank has no partner: start more with mpirun -np N "
	            "fabricprobe, or fabricprobe --local N",
	            "pairs of ranks, collectives");
}

static enum fp_status cover_suspects(struct cover *c)
{
	const struct session *s = c->s;
	const struct matrix_cell *cell;
	size_t i, k, n = 0;

	for (i = 0; i < s->matrices.n; i++)
		for (k = 0; k < s->matrices.m[i].n_cells; k++) {
			cell = &s->matrices.m[i].cells[k];
			n += cell->state == CELL_SUSPECT &&
			     cell->n_tests <= s->opts.judge.retests;
		}
	if (!n)
		return FP_OK;
	return skip(c, true,
	            s->interrupted ? "the run was interrupted"
	                           : "no time was left for them",
	            "retests of %zu suspect pairs", n);
}

/* What checks wanted to look at, and texts that are not whole. */
static enum fp_status cover_checks(struct cover *c)
{
	const struct session *s = c->s;
	enum fp_status status = FP_OK;
	size_t i;

	for (i = 0; !status && i < s->n_check_skips; i++) {
		const struct check_skip *k = &s->check_skips[i];

		status = k->n_hosts > 1
		                 ? skip(c, false, k->why,
		                        "%s of %zu hosts, such as %s", k->what,
		                        k->n_hosts, k->host)
		                 : skip(c, false, k->why, "%s%s%s", k->what,
		                        k->n_hosts ? " of " : "", k->host);
	}
	for (i = 0; !status && s->opts.offline && i < s->job->n_hosts; i++) {
		const struct topo_host *host = &s->job->hosts[i];

		if (host->map && host->map->partial)
			status = skip(c, true,
			              host->map->n_notes
			                      ? host->map->notes[0].text
			                      : "what was saved is not whole",
			              "all of %.64s", host->name);
	}
	return status;
}

/* What this run was never meant to see. */
static enum fp_status say_limits(struct cover *c)
{
	const struct session_opts *o = &c->s->opts;
	size_t hosts = session_live_hosts(c->s->job, 1);
	enum fp_status status = FP_OK;

	if (o->kind == SESSION_CHECK)
		return skip(c, false, "a check sends datagrams at most",
		            "rates, latencies, collectives");
	if (o->kind == SESSION_SWEEP)
		status = skip(c, false, "a sweep runs collectives",
		              "pairs of ranks");
	if (!status && o->kind == SESSION_RUN && hosts > 1 &&
	    trial_xport_is_gpu(o->xport))
		status = skip(c, false,
		              "rails need not be connected; `fabricprobe "
		              "pairs` tries all",
		              "GPUs of different places in their hosts");
	else if (!status && o->kind == SESSION_RUN && hosts > 1 &&
	         c->s->job->n_ranks > hosts)
		status = skip(c, false,
		              "one pair of ranks stands for two hosts; "
		              "`fabricprobe pairs` tries all",
		              "other pairs of ranks between hosts");
	if (!status && o->xport != XPORT_AUTO)
		status = skip(c, false, "--xport", "transports other than %s",
		              trial_xport_name(o->xport));
	if (!status && o->kind != SESSION_SWEEP && !o->bidirectional)
		status = skip(c, false, "--bidirectional was not given",
		              "both directions of a pair at once");
	if (!status && trial_xport_is_gpu(o->xport))
		status =
			skip(c, false, "only what NCCL and copies show of them",
		             "RDMA devices");
	else if (!status)
		status = skip(c, false,
		              "only with --xport nccl or cuda, where "
		              "`list` has them",
		              "GPUs, NVLink, RDMA devices");
	return status;
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
		status = cover_checks(&c);
	if (!status)
		status = say_limits(&c);
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
