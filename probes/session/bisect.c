// SPDX-License-Identifier: Apache-2.0
// The search for whom a collective fails by: hosts, then ranks of hosts, then
// settings.
#include "probes/session/bisect.h"

#include <stdlib.h>

#include "probes/session/bisect_part.h"

#define ROUNDS_MAX 24

static enum fp_status open_inquest(struct inquest *q, struct session *s,
                                   bool *ret_any, struct fp_err *err)
{
	const struct trial *whole = bisect_collective(s);

	*ret_any = whole != NULL;
	q->s = s;
	q->err = err;
	if (!whole)
		return FP_OK;
	q->like = *whole;
	q->floor_Bps = bisect_floor_Bps(s, whole);
	q->for_cores = bisect_is_for_cores(s, whole);
	q->members = s->results.members + whole->member_first;
	return bisect_units_make(s->job, q->members, whole->member_count,
	                         s->opts.suspects, &q->units, err);
}

static void close_inquest(struct inquest *q)
{
	bisect_units_done(&q->units);
	bisect_result_done(&q->hosts);
}

struct bisect_ask bisect_ask_of(const struct inquest *q,
                                const struct bisect_units *units)
{
	return (struct bisect_ask){
		.s = q->s,
		.run = q->run,
		.like = &q->like,
		.floor_Bps = q->floor_Bps,
		.units = units,
	};
}

/* The ranks of another host than @not, of which a group passed: somebody to be
 * with. */
static size_t find_base(const struct inquest *q, int32_t not,
                        const int32_t **ret)
{
	const struct bisect_units *u = &q->units;
	struct bisect_ask ask = bisect_ask_of(q, u);
	struct bisect_group g;
	int32_t i;

	ask.run = NULL;
	for (i = 0; u->least == 1 && (size_t)i < u->n; i++) {
		g = (struct bisect_group){ .units = &i, .n = 1 };
		if (i == not || !bisect_ask_groups(&ask, &g, 1) || g.fails)
			continue;
		*ret = u->ranks + u->first[i];
		return u->first[i + 1] - u->first[i];
	}
	return 0;
}

/* Which ranks of culprit host @unit? Told only if it is not all of them. */
static enum fp_status inside_host(struct inquest *q, int32_t unit,
                                  bool *ret_told)
{
	const int32_t *ranks = q->units.ranks + q->units.first[unit];
	size_t n = q->units.first[unit + 1] - q->units.first[unit], i;
	struct bisect_units u;
	struct bisect_ask ask = bisect_ask_of(q, &u);
	const struct bisect_try how = { &ask, bisect_ask_groups };
	struct bisect_opts opts = { .n = (int32_t)n, .rounds = ROUNDS_MAX };
	struct bisect_result r = { 0 };
	enum fp_status status;

	*ret_told = false;
	if (n < 2)
		return FP_OK;
	status = bisect_units_make(q->s->job, ranks, n, "", &u, q->err);
	if (status)
		return status;
	ask.n_base = find_base(q, unit, &ask.base);
	opts.least = ask.n_base ? 1 : u.least;
	status = bisect_run(&opts, &how, &r, q->err);
	/* All of them alike: it is the host. */
	for (i = 0;
	     !status && q->list && !r.stopped && r.n_found < n && i < r.n_found;
	     i++) {
		if (r.found[i].kind > BISECT_INTERACTION)
			continue;
		*ret_told = true;
		status = bisect_accuse(q, &u, &r, i);
	}
	bisect_result_done(&r);
	bisect_units_done(&u);
	return status;
}

static enum fp_status tell(struct inquest *q, size_t i)
{
	const struct bisect_found *found = &q->hosts.found[i];
	enum fp_status status = FP_OK;
	bool told = false;

	if (found->kind == BISECT_CULPRIT && q->units.hosts)
		status = inside_host(q, q->hosts.units[found->first], &told);
	if (!status && q->list && !told)
		status = bisect_accuse(q, &q->units, &q->hosts, i);
	return status;
}

static bool is_told(const struct inquest *q, const struct bisect_found *found)
{
	return found->kind != BISECT_SCALE || !q->for_cores;
}

/* Does it not matter who takes part? */
static bool is_about_nobody(const struct inquest *q)
{
	const struct bisect_result *r = &q->hosts;

	return !r->stopped && r->n_found &&
	       (r->found[0].n == q->units.n ||
	        r->found[0].kind == BISECT_SCALE);
}

/* A run with NCCL has tried its settings before, but for the job's own. */
static enum fp_status settings(struct inquest *q)
{
	bool tried =
		q->s->opts.kind == SESSION_RUN && q->like.xport == XPORT_NCCL;

	return is_about_nobody(q) ? bisect_settings(q, tried) : FP_OK;
}

static enum fp_status hold(struct inquest *q)
{
	struct bisect_ask ask = bisect_ask_of(q, &q->units);
	const struct bisect_try how = { &ask, bisect_ask_groups };
	const struct bisect_opts opts = {
		.n = (int32_t)q->units.n,
		.suspects = (int32_t)q->units.suspects,
		.least = q->units.least,
		.rounds = ROUNDS_MAX,
	};
	enum fp_status status = bisect_run(&opts, &how, &q->hosts, q->err);
	size_t i;

	if (!status && !q->hosts.failed)
		return bisect_tell_clean(q);
	for (i = 0; !status && i < q->hosts.n_found; i++)
		if (is_told(q, &q->hosts.found[i]))
			status = tell(q, i);
	return status || q->for_cores ? status : settings(q);
}

enum fp_status session_bisect(struct session_run *run, struct fp_err *err)
{
	struct inquest q = { .run = run };
	enum fp_status status;
	bool any;

	run->title = "S7 groups of the collective";
	status = session_judge(run->s, err);
	if (status || bisect_is_explained(run->s))
		return status;
	status = open_inquest(&q, run->s, &any, err);
	if (!status && any)
		status = hold(&q);
	close_inquest(&q);
	return status;
}

static void drop_generic(struct findings *list)
{
	size_t i, n = 0;

	for (i = 0; i < list->n; i++)
		if (list->f[i].code != FINDING_COLL_HANG &&
		    list->f[i].code != FINDING_COLL_ERROR)
			list->f[n++] = list->f[i];
	list->n = n;
}

static enum fp_status move(struct session *s, const struct findings *said,
                           struct fp_err *err)
{
	struct finding *f;
	size_t i;

	for (i = 0; i < said->n; i++) {
		if (said->f[i].code == FINDING_COLL_UNRESOLVED &&
		    s->opts.kind != SESSION_BISECT)
			continue;
		f = findings_add(&s->findings, said->f[i].code);
		if (!f)
			return fp_err_set(err, FP_ERR_NOMEM,
			                  "no memory to judge");
		*f = said->f[i];
	}
	return FP_OK;
}

enum fp_status session_bisect_judge(struct session *s, struct fp_err *err)
{
	struct findings said = { 0 };
	struct inquest q = { .list = &said };
	enum fp_status status = FP_OK;
	bool any;

	if (bisect_is_explained(s))
		return FP_OK;
	status = open_inquest(&q, s, &any, err);
	if (!status && any)
		status = hold(&q);
	close_inquest(&q);
	/* Without a single group nothing is known but that it failed. */
	if (!status && said.n && said.f[0].code != FINDING_COLL_UNRESOLVED)
		drop_generic(&s->findings);
	if (!status)
		status = move(s, &said, err);
	findings_done(&said);
	findings_sort(&s->findings);
	return status;
}
