// SPDX-License-Identifier: Apache-2.0
// What a bisection found, as findings.
#include <string.h>

#include "probes/judge/words.h"
#include "probes/session/bisect_part.h"
#include "topo/base/fmt.h"

#define RANKS_NAMED 12

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

/* What makes a group one that fails, where it need not hang for that. */
static void say_floor(const struct inquest *q, struct finding *f)
{
	const struct results *r = &q->s->results;
	double Bps = bisect_busbw(r, &q->like);
	char rate[FP_FMT_MAX], floor[FP_FMT_MAX];

	if (!(q->floor_Bps > 0))
		return;
	if (Bps > 0)
		finding_evidence(f,
		                 "busbw over all of them %s; below %s counts "
		                 "as failed",
		                 fp_fmt_rate(Bps, 0, rate),
		                 fp_fmt_rate(q->floor_Bps, 0, floor));
	else
		finding_evidence(f, "busbw below %s counts as failed",
		                 fp_fmt_rate(q->floor_Bps, 0, floor));
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
	say_floor(q, f);
	if (r->first_size)
		finding_evidence(f, "the first groups that failed had %d %s",
		                 (int)r->first_size,
		                 q->units.hosts ? "host(s)" : "rank(s)");
	else
		finding_evidence(f, "smaller groups side by side all passed");
}

enum fp_status bisect_accuse(struct inquest *q, const struct bisect_units *u,
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

/* Did the first try over everybody end badly, though a later one did not? */
static bool has_failed(const struct inquest *q)
{
	const struct results *r = &q->s->results;
	size_t i;

	for (i = 0; i < r->n_outcomes; i++)
		if (r->outcomes[i].trial == q->like.id &&
		    r->outcomes[i].state > OUTCOME_NOTRUN)
			return true;
	return false;
}

enum fp_status bisect_tell_clean(struct inquest *q)
{
	char size[FP_FMT_MAX], rate[FP_FMT_MAX];
	struct finding *f;

	if (!q->list || q->hosts.stopped || q->s->opts.kind != SESSION_BISECT ||
	    has_failed(q))
		return FP_OK;
	f = findings_add(q->list, FINDING_APPLICATION);
	if (!f)
		return fp_err_set(q->err, FP_ERR_NOMEM, "no memory to judge");
	finding_evidence(
		f, "%s %s over all %u ranks passed", trial_op_name(q->like.op),
		fp_fmt_bytes(q->like.bytes, size), q->like.member_count);
	if (q->floor_Bps > 0)
		finding_evidence(f, "its busbw was not below %s",
		                 fp_fmt_rate(q->floor_Bps, 0, rate));
	return FP_OK;
}
