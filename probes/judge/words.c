// SPDX-License-Identifier: Apache-2.0
// What the judge says: places, numbers, and lines of evidence.
#include "probes/judge/words.h"

#include <stdio.h>
#include <string.h>

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

const char *words_trial(const struct trial *t, char buf[static WORDS_TRIAL_MAX])
{
	char bytes[FP_FMT_MAX];

	(void)snprintf(buf, WORDS_TRIAL_MAX, "%s %s %s%s%s",
	               t->xport == XPORT_AUTO ? "shm/tcp"
	                                      : trial_xport_name(t->xport),
	               trial_op_name(t->op), fp_fmt_bytes(t->bytes, bytes),
	               t->bytes < 1024 ? " B" : "",
	               t->dir == DIR_BI ? " both ways" : "");
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
	const struct results *results;
	const char *pair; /* "rank 3 (h1) -> rank 5 (h2)" */
	const char *what; /* "tcp write 1M"; "" for datagrams only */
};

static void say_low(const struct line *l)
{
	char value[FP_FMT_MAX], median[FP_FMT_MAX];

	finding_evidence(
		l->f, "%s, %s: %s, class median %s, low in %u of %u tests",
		l->pair, l->what, fp_fmt_rate(l->cell->value, 0, value),
		fp_fmt_rate(l->cls->median, 0, median), l->cell->n_flagged,
		l->cell->n_tests);
}

/* Of what shares its cores, which makes rates low everywhere. */
static void say_pace(const struct line *l)
{
	char value[FP_FMT_MAX], usual[FP_FMT_MAX], rate[FP_FMT_MAX];

	finding_evidence(l->f,
	                 "%s, %s: messages at %s at best but for one of %u "
	                 "tests, usual there %s; rate %s",
	                 l->pair, l->what, fp_fmt_rate(l->cell->pace, 0, value),
	                 l->cell->n_tests, fp_fmt_rate(l->cls->pace, 0, usual),
	                 fp_fmt_rate(l->cell->value, 0, rate));
}

static void say_rate(const struct line *l)
{
	if (l->cell->why & CELL_WHY_PACE)
		say_pace(l);
	else
		say_low(l);
}

static void say_loss(const struct line *l)
{
	double share = 100.0 * (double)l->cell->retrans /
	               (double)(l->cell->segs > 0 ? l->cell->segs : 1);

	finding_evidence(l->f,
	                 "%s, %s: %lld of %lld segments sent again (%.2f %%), "
	                 "class %.2f %%, in %u of %u tests",
	                 l->pair, l->what, (long long)l->cell->retrans,
	                 (long long)l->cell->segs, share, 100 * l->cls->loss,
	                 l->cell->n_flagged, l->cell->n_tests);
}

static void say_stall(const struct line *l)
{
	char low[FP_FMT_MAX], value[FP_FMT_MAX], usual[FP_FMT_MAX];

	finding_evidence(
		l->f,
		"%s, %s: down to %s, best %s, class's low %s, in %u of %u "
		"tests",
		l->pair, l->what, fp_fmt_rate(l->cell->low, 0, low),
		fp_fmt_rate(l->cell->value, 0, value),
		fp_fmt_rate(l->cls->low, 0, usual), l->cell->n_flagged,
		l->cell->n_tests);
}

static void say_jitter(const struct line *l)
{
	char low[FP_FMT_MAX], value[FP_FMT_MAX], usual[FP_FMT_MAX];

	finding_evidence(
		l->f,
		"%s, %s: half round trip p99 %s, shortest %s, class p99 "
		"%s, in %u of %u tests",
		l->pair, l->what, fp_fmt_seconds(l->cell->low, low),
		fp_fmt_seconds(l->cell->value, value),
		fp_fmt_seconds(l->cls->low, usual), l->cell->n_flagged,
		l->cell->n_tests);
}

static void say_latency(const struct line *l)
{
	char value[FP_FMT_MAX], median[FP_FMT_MAX];

	finding_evidence(
		l->f,
		"%s, %s: shortest half round trip %s, class median %s, in "
		"%u of %u tests",
		l->pair, l->what, fp_fmt_seconds(l->cell->value, value),
		fp_fmt_seconds(l->cls->median, median), l->cell->n_flagged,
		l->cell->n_tests);
}

static void say_corrupt(const struct line *l)
{
	bool forth = l->mark->src == l->cell->src;

	finding_evidence(l->f, "%s, %s: %llu wrong bytes in %u tests, trial %u",
	                 l->pair, l->what,
	                 (unsigned long long)(forth ? l->cell->wrong_bytes
	                                            : l->cell->wrong_back),
	                 l->cell->n_tests, l->cell->trial);
}

/* What an end of trial @id said of its failure; rather that which did not only
 * hear from the other end. */
static const char *failure_text(const struct results *r, uint32_t id)
{
	static const char peers[] = "peer rank ";
	const struct outcome *o;
	const char *text = "";
	size_t i;

	for (i = 0; i < r->n_outcomes; i++) {
		o = &r->outcomes[i];
		if (o->trial != id || o->state != OUTCOME_ERROR || !o->err[0])
			continue;
		if (!text[0] || strncmp(text, peers, strlen(peers)) == 0)
			text = o->err;
	}
	return text;
}

static void say_failure(const struct line *l)
{
	const char *text = l->cell->state == CELL_ERROR
	                           ? failure_text(l->results, l->cell->trial)
	                           : "";

	finding_evidence(l->f,
	                 "%s, %s: %s at %s%s%.80s, %u of %u tests, "
	                 "trial %u",
	                 l->pair, l->what, cell_state_name(l->cell->state),
	                 outcome_stage_name(l->cell->stage),
	                 text[0] ? ": " : "", text, l->cell->n_failed,
	                 l->cell->n_tests, l->cell->trial);
}

static void say_dead(const struct line *l)
{
	const struct gram *g =
		judge_grams_find(l->grams, l->mark->src, l->mark->dst);

	if (l->cell && l->cell->n_failed)
		say_failure(l);
	if (g && g->path_bytes && g->verdict == GRAM_MTU)
		finding_evidence(l->f, "%s: packets of up to %lld bytes arrive",
		                 l->pair, (long long)g->path_bytes);
	if (g && l->mark->xport == XPORT_TCP)
		finding_evidence(
			l->f,
			"%s, udp: datagrams arrived: %lld of %lld small, "
			"%lld of %lld of %lld bytes%s%.60s",
			l->pair, (long long)g->small_rcvd,
			(long long)g->small_sent, (long long)g->full_rcvd,
			(long long)g->full_sent, (long long)g->full_bytes,
			g->refused[0] ? "; " : "", g->refused);
}

static struct trial trial_of_matrix(const struct matrix *m)
{
	return (struct trial){
		.xport = (uint16_t)m->xport,
		.op = (uint16_t)m->op,
		.dir = (uint8_t)m->dir,
		.bytes = m->bytes,
	};
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
	char pair[WORDS_PAIR_MAX], what[WORDS_TRIAL_MAX] = "";
	struct trial t;
	struct line l = {
		.f = f,
		.mark = mark,
		.cell = mark->cell,
		.grams = grams,
		.results = c->results,
		.pair = words_pair(c->job, mark->src, mark->dst, pair),
		.what = what,
	};

	if (mark->m) {
		t = trial_of_matrix(mark->m);
		(void)words_trial(&t, what);
	}
	if (mark->m && mark->cell)
		l.cls = &mark->m->classes[mark->cell->cls];
	if (mark->cell || symptom == SYMPTOM_DEAD)
		say[symptom](&l);
}
