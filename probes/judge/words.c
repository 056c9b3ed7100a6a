// SPDX-License-Identifier: Apache-2.0
// What the judge says: places, numbers, and lines of evidence.
#include "probes/judge/words.h"

#include <stdio.h>

#include "topo/base/fmt.h"

const char *words_rank(const struct topo_job *job, int32_t rank,
                       char buf[static WORDS_RANK_MAX])
{
	(void)snprintf(buf, WORDS_RANK_MAX, "rank %d (%.63s)", (int)rank,
	               topo_job_host_name(job, rank));
	return buf;
}

const char *words_pair(const struct topo_job *job, int32_t src, int32_t dst,
                       char buf[static WORDS_PAIR_MAX])
{
	(void)snprintf(buf, WORDS_PAIR_MAX,
	               "rank %d (%.63s) -> rank %d (%.63s)", (int)src,
	               topo_job_host_name(job, src), (int)dst,
	               topo_job_host_name(job, dst));
	return buf;
}

void words_locus_rank(const struct topo_job *job, int32_t rank, struct locus *l)
{
	l->kind = LOCUS_RANK;
	l->rank = rank;
	if (job->ranks[rank].host >= 0)
		fp_copy(l->host, sizeof(l->host),
		        topo_job_host_name(job, rank));
}

/* struct line - what a line of evidence is made of. */
struct line {
	struct finding *f;
	const struct judge_mark *mark;
	const struct matrix_cell *cell;
	const struct matrix_class *cls;
	const struct grams *grams;
	const char *pair;
};

static void say_rate(const struct line *l)
{
	char value[FP_FMT_MAX], median[FP_FMT_MAX];

	finding_evidence(l->f, "%s: %s, class median %s, low in %u of %u tests",
	                 l->pair, fp_fmt_rate(l->cell->value, 0, value),
	                 fp_fmt_rate(l->cls->median, 0, median),
	                 l->cell->n_flagged, l->cell->n_tests);
}

static void say_loss(const struct line *l)
{
	double share = 100.0 * (double)l->cell->retrans /
	               (double)(l->cell->segs > 0 ? l->cell->segs : 1);

	finding_evidence(l->f,
	                 "%s: %lld of %lld segments sent again (%.2f %%), "
	                 "class %.2f %%, in %u of %u tests",
	                 l->pair, (long long)l->cell->retrans,
	                 (long long)l->cell->segs, share, 100 * l->cls->loss,
	                 l->cell->n_flagged, l->cell->n_tests);
}

static void say_stall(const struct line *l)
{
	char low[FP_FMT_MAX], value[FP_FMT_MAX], usual[FP_FMT_MAX];

	finding_evidence(l->f,
	                 "%s: down to %s, best %s, class's low %s, in %u of %u "
	                 "tests",
	                 l->pair, fp_fmt_rate(l->cell->low, 0, low),
	                 fp_fmt_rate(l->cell->value, 0, value),
	                 fp_fmt_rate(l->cls->low, 0, usual), l->cell->n_flagged,
	                 l->cell->n_tests);
}

static void say_jitter(const struct line *l)
{
	char low[FP_FMT_MAX], value[FP_FMT_MAX], usual[FP_FMT_MAX];

	finding_evidence(l->f,
	                 "%s: half round trip p99 %s, shortest %s, class p99 "
	                 "%s, in %u of %u tests",
	                 l->pair, fp_fmt_seconds(l->cell->low, low),
	                 fp_fmt_seconds(l->cell->value, value),
	                 fp_fmt_seconds(l->cls->low, usual), l->cell->n_flagged,
	                 l->cell->n_tests);
}

static void say_latency(const struct line *l)
{
	char value[FP_FMT_MAX], median[FP_FMT_MAX];

	finding_evidence(l->f,
	                 "%s: shortest half round trip %s, class median %s, in "
	                 "%u of %u tests",
	                 l->pair, fp_fmt_seconds(l->cell->value, value),
	                 fp_fmt_seconds(l->cls->median, median),
	                 l->cell->n_flagged, l->cell->n_tests);
}

static void say_corrupt(const struct line *l)
{
	bool forth = l->mark->src == l->cell->src;

	finding_evidence(l->f, "%s: %llu wrong bytes in %u tests, %s, trial %u",
	                 l->pair,
	                 (unsigned long long)(forth ? l->cell->wrong_bytes
	                                            : l->cell->wrong_back),
	                 l->cell->n_tests, trial_op_name(l->mark->m->op),
	                 l->cell->trial);
}

static void say_dead(const struct line *l)
{
	const struct gram *g =
		judge_grams_find(l->grams, l->mark->src, l->mark->dst);

	if (l->cell && l->cell->n_failed)
		finding_evidence(
			l->f, "%s: %s in %s at %s, %u of %u tests, trial %u",
			l->pair, cell_state_name(l->cell->state),
			trial_op_name(l->mark->m->op),
			outcome_stage_name(l->cell->stage), l->cell->n_failed,
			l->cell->n_tests, l->cell->trial);
	if (g && l->mark->xport == XPORT_TCP)
		finding_evidence(
			l->f,
			"%s: datagrams arrived: %lld of %lld small, "
			"%lld of %lld of %lld bytes%s%.60s",
			l->pair, (long long)g->small_rcvd,
			(long long)g->small_sent, (long long)g->full_rcvd,
			(long long)g->full_sent, (long long)g->full_bytes,
			g->refused[0] ? "; " : "", g->refused);
}

void words_mark(struct finding *f, const struct judge_case *c,
                const struct grams *grams, const struct judge_mark *mark,
                unsigned symptom)
{
	static void (*const say[SYMPTOM_COUNT])(const struct line *l) = {
		[SYMPTOM_CORRUPT] = say_corrupt, [SYMPTOM_DEAD] = say_dead,
		[SYMPTOM_SLOW] = say_rate,       [SYMPTOM_LOSS] = say_loss,
		[SYMPTOM_STALL] = say_stall,     [SYMPTOM_JITTER] = say_jitter,
		[SYMPTOM_LATENCY] = say_latency,
	};
	char pair[WORDS_PAIR_MAX];
	struct line l = {
		.f = f,
		.mark = mark,
		.cell = mark->cell,
		.grams = grams,
		.pair = words_pair(c->job, mark->src, mark->dst, pair),
	};

	if (mark->cell)
		l.cls = &mark->m->classes[mark->cell->cls];
	if (mark->cell || symptom == SYMPTOM_DEAD)
		say[symptom](&l);
}
