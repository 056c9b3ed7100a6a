// SPDX-License-Identifier: Apache-2.0
// The search for whom a collective fails by: hosts, then ranks of hosts, then
// settings; and what it found, as findings.
#include "probes/session/bisect.h"

#include <stdlib.h>
#include <string.h>

#include "probes/judge/words.h"
#include "probes/locate/bisect.h"
#include "topo/base/fmt.h"

#define ROUNDS_MAX 24
#define RANKS_NAMED 12

/* struct inquest - one search, live or from the record. */
struct inquest {
	struct session *s;
	struct session_run *run; /* NULL: from the record */
	struct trial like;
	const int32_t *members;
	struct bisect_units units;
	struct bisect_result hosts;
	struct findings *list; /* NULL: live, nothing is said yet */
	struct fp_err *err;
};

static bool is_failed(const struct results *r, const struct trial *t)
{
	size_t i;

	for (i = 0; i < r->n_outcomes; i++)
		if (r->outcomes[i].trial == t->id &&
		    (r->outcomes[i].state == OUTCOME_HANG ||
		     r->outcomes[i].state == OUTCOME_ERROR))
			return true;
	return false;
}

/* The collective over everybody that the search is about. */
static const struct trial *whole_of(const struct session *s)
{
	const struct results *r = &s->results;
	size_t i;

	for (i = 0; i < r->n_trials; i++) {
		const struct trial *t = &r->trials[i];

		if (trial_is_pair(t) || t->variant ||
		    t->stage == TRIAL_S7_RETEST)
			continue;
		if (s->opts.kind == SESSION_BISECT || is_failed(r, t))
			return t;
	}
	return NULL;
}

static enum fp_status open_inquest(struct inquest *q, struct session *s,
                                   bool *ret_any, struct fp_err *err)
{
	const struct trial *whole = whole_of(s);

	*ret_any = whole != NULL;
	q->s = s;
	q->err = err;
	if (!whole)
		return FP_OK;
	q->like = *whole;
	q->members = s->results.members + whole->member_first;
	return bisect_units_make(s->job, q->members, whole->member_count,
	                         s->opts.suspects, &q->units, err);
}

static void close_inquest(struct inquest *q)
{
	bisect_units_done(&q->units);
	bisect_result_done(&q->hosts);
}

static void list_units(const struct inquest *q, const struct bisect_units *u,
                       const int32_t *units, size_t n, struct fp_text *out)
{
	char rank[WORDS_RANK_MAX];
	size_t i;

	for (i = 0; i < n && i < RANKS_NAMED; i++) {
		int32_t first = u->ranks[u->first[units[i]]];

		fp_text_printf(out, "%s%s", i ? ", " : "",
		               u->hosts ? topo_job_host_name(q->s->job, first)
		                        : words_rank(q->s->job, first, rank));
	}
	if (n > RANKS_NAMED)
		fp_text_printf(out, " and %zu more", n - RANKS_NAMED);
}

static void fill_locus(const struct inquest *q, const struct bisect_units *u,
                       const int32_t *units, size_t n, struct locus *l)
{
	int32_t a = u->ranks[u->first[units[0]]];
	int32_t b = n > 1 ? u->ranks[u->first[units[1]]] : -1;

	if (n > 2)
		return;
	l->direction = n > 1 ? DIRECTION_BOTH : DIRECTION_NONE;
	if (!u->hosts) {
		l->kind = n > 1 ? LOCUS_PAIR : LOCUS_RANK;
		l->rank = a;
		l->peer_rank = b;
	} else {
		l->kind = n > 1 ? LOCUS_HOST_PAIR : LOCUS_HOST;
	}
	fp_copy(l->host, sizeof(l->host), topo_job_host_name(q->s->job, a));
	if (n > 1)
		fp_copy(l->peer_host, sizeof(l->peer_host),
		        topo_job_host_name(q->s->job, b));
}

static void say_how(const struct inquest *q, const struct bisect_result *r,
                    struct finding *f)
{
	char size[FP_FMT_MAX];

	finding_evidence(f, "%s %s over %u ranks failed; %u rounds of groups%s",
	                 trial_op_name(q->like.op),
	                 fp_fmt_bytes(q->like.bytes, size),
	                 q->like.member_count, r->rounds,
	                 r->stopped ? ", then there was no more time" : "");
	if (r->first_size)
		finding_evidence(f, "the first groups that failed had %d %s",
		                 (int)r->first_size,
		                 q->units.hosts ? "host(s)" : "rank(s)");
	else
		finding_evidence(f, "smaller groups side by side all passed");
}

static enum fp_status accuse(struct inquest *q, const struct bisect_units *u,
                             const struct bisect_result *r, size_t i)
{
	static const uint32_t codes[] = {
		[BISECT_CULPRIT] = FINDING_COLL_CULPRIT,
		[BISECT_INTERACTION] = FINDING_COLL_INTERACTION,
		[BISECT_SCALE] = FINDING_COLL_SCALE,
		[BISECT_EVERYTHING] = FINDING_COLL_UNRESOLVED,
		[BISECT_UNRESOLVED] = FINDING_COLL_UNRESOLVED,
	};
	const struct bisect_found *found = &r->found[i];
	const int32_t *units = r->units + found->first;
	struct finding *f = findings_add(q->list, codes[found->kind]);
	struct fp_text text = { 0 };

	if (!f)
		return fp_err_set(q->err, FP_ERR_NOMEM, "no memory to judge");
	fill_locus(q, u, units, found->n, &f->locus);
	f->confidence = found->kind == BISECT_UNRESOLVED ? .5 : .95;
	list_units(q, u, units, found->n, &text);
	if (found->kind == BISECT_EVERYTHING)
		finding_evidence(f, "every group fails, whoever is in it");
	else if (found->kind == BISECT_SCALE)
		finding_evidence(f,
		                 "%zu %s fail, whichever they are; fewer "
		                 "pass",
		                 found->n, u->hosts ? "hosts" : "ranks");
	else
		finding_evidence(f, "smallest set that fails: %s",
		                 fp_text_str(&text));
	fp_text_free(&text);
	say_how(q, r, f);
	return FP_OK;
}

/* The ranks of a host of which a group passed: somebody to be with. */
static size_t find_base(const struct inquest *q, const int32_t **ret)
{
	const struct bisect_units *u = &q->units;
	struct bisect_ask ask = { .s = q->s, .like = &q->like, .units = u };
	struct bisect_group g;
	int32_t i;

	for (i = 0; u->least == 1 && (size_t)i < u->n; i++) {
		g = (struct bisect_group){ .units = &i, .n = 1 };
		if (!bisect_ask_groups(&ask, &g, 1) || g.fails)
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
	struct bisect_ask ask = {
		.s = q->s,
		.run = q->run,
		.like = &q->like,
		.units = &u,
	};
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
	ask.n_base = find_base(q, &ask.base);
	opts.least = ask.n_base ? 1 : u.least;
	status = bisect_run(&opts, &how, &r, q->err);
	for (i = 0; !status && q->list && !r.stopped && i < r.n_found; i++) {
		if (r.found[i].kind > BISECT_INTERACTION)
			continue;
		*ret_told = true;
		status = accuse(q, &u, &r, i);
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
		status = accuse(q, &q->units, &q->hosts, i);
	return status;
}

static enum fp_status tell_clean(struct inquest *q)
{
	char size[FP_FMT_MAX];
	struct finding *f;

	if (!q->list || q->hosts.stopped || q->s->opts.kind != SESSION_BISECT)
		return FP_OK;
	f = findings_add(q->list, FINDING_APPLICATION);
	if (!f)
		return fp_err_set(q->err, FP_ERR_NOMEM, "no memory to judge");
	finding_evidence(
		f, "%s %s over all %u ranks passed", trial_op_name(q->like.op),
		fp_fmt_bytes(q->like.bytes, size), q->like.member_count);
	return FP_OK;
}

static enum fp_status hold(struct inquest *q)
{
	struct bisect_ask ask = {
		.s = q->s,
		.run = q->run,
		.like = &q->like,
		.units = &q->units,
	};
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
		return tell_clean(q);
	for (i = 0; !status && i < q->hosts.n_found; i++)
		status = tell(q, i);
	return status;
}

/* Does somebody explain the failing collective already? A run looks for it,
 * a table of sizes does not. */
static bool is_explained(const struct session *s)
{
	size_t i;
	bool coll = false;

	if (s->opts.kind == SESSION_BISECT)
		return false;
	if (s->opts.kind != SESSION_RUN)
		return true;
	for (i = 0; i < s->findings.n; i++)
		coll |= s->findings.f[i].code == FINDING_COLL_HANG ||
		        s->findings.f[i].code == FINDING_COLL_ERROR;
	return !coll;
}

enum fp_status session_bisect(struct session_run *run, struct fp_err *err)
{
	struct inquest q = { .run = run };
	enum fp_status status;
	bool any;

	run->title = "S7 groups of the collective";
	status = session_judge(run->s, err);
	if (status || is_explained(run->s))
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

enum fp_status session_bisect_judge(struct session *s, struct fp_err *err)
{
	struct findings said = { 0 };
	struct inquest q = { .list = &said };
	enum fp_status status = FP_OK;
	struct finding *f;
	bool any;
	size_t i;

	if (is_explained(s))
		return FP_OK;
	status = open_inquest(&q, s, &any, err);
	if (!status && any)
		status = hold(&q);
	close_inquest(&q);
	/* Without a single group nothing is known but that it failed. */
	if (!status && said.n && said.f[0].code != FINDING_COLL_UNRESOLVED)
		drop_generic(&s->findings);
	for (i = 0; !status && i < said.n; i++) {
		if (said.f[i].code == FINDING_COLL_UNRESOLVED &&
		    s->opts.kind != SESSION_BISECT)
			continue;
		f = findings_add(&s->findings, said.f[i].code);
		if (f)
			*f = said.f[i];
	}
	findings_done(&said);
	findings_sort(&s->findings);
	return status;
}
