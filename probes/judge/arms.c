// SPDX-License-Identifier: Apache-2.0
// Control arms of pairs and collectives: what runs without what.
#include "probes/judge/arms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/judge/words.h"
#include "probes/trial/variant.h"
#include "topo/base/fmt.h"

#define ARM_FASTER 1.2 /* times a slow pair's rate is not by chance */

/* What is at fault if an arm passes. */
static const uint16_t codes[VARIANT_HCA + 1] = {
	[VARIANT_P2P_OFF] = FINDING_NCCL_P2P,
	[VARIANT_SHM_OFF] = FINDING_NCCL_SHM,
	[VARIANT_NET_ONLY] = FINDING_NCCL_LOCAL,
	[VARIANT_CUMEM_OFF] = FINDING_NCCL_FEATURE,
	[VARIANT_GDR_OFF] = FINDING_NCCL_GDR,
	[VARIANT_PXN_OFF] = FINDING_NCCL_FEATURE,
	[VARIANT_MNNVL_OFF] = FINDING_NCCL_FEATURE,
	[VARIANT_SOCKET] = FINDING_NCCL_IB,
	[VARIANT_RING] = FINDING_NCCL_FEATURE,
	[VARIANT_TREE] = FINDING_NCCL_FEATURE,
	[VARIANT_SIMPLE] = FINDING_NCCL_FEATURE,
	[VARIANT_LL] = FINDING_NCCL_FEATURE,
	[VARIANT_LL128] = FINDING_NCCL_FEATURE,
	[VARIANT_NVLS_OFF] = FINDING_NCCL_FEATURE,
	[VARIANT_COLLNET_OFF] = FINDING_NCCL_FEATURE,
	[VARIANT_BARE] = FINDING_NCCL_ENV,
	[VARIANT_HCA] = FINDING_NCCL_HCA,
};

/* struct arms - what was tried for one pair or collective. */
struct arms {
	const struct trial *of; /* the first of them */
	size_t n_ran;
	uint32_t passed; /* enum variant of the first that did; 0: none */
	bool copy_good;
	const char *base; /* what the job's own does: "HANG" */
	char lines[FINDING_EVIDENCE_MAX][FINDING_TEXT_MAX];
	size_t n_lines;
};

bool judge_arm_is_wanted(const struct matrix_cell *cell)
{
	return cell->state >= CELL_SLOW && cell->state < CELL_LOST;
}

static bool is_sound(const struct pair_view *v)
{
	return v->state == OUTCOME_OK && !v->src->wrong_bytes &&
	       !v->dst->wrong_bytes;
}

bool judge_arm_passes(const struct matrix_cell *cell, const struct pair_view *v)
{
	if (!is_sound(v))
		return false;
	return cell->state != CELL_SLOW ||
	       v->rate_Bps >= ARM_FASTER * cell->value;
}

enum judge_copy judge_arm_copy(const struct matrices *ms,
                               const struct matrix_cell *cell,
                               const struct matrix_cell **ret_cell)
{
	const struct matrix_cell *copy = NULL;

	for (size_t i = 0; i < ms->n && !copy; i++)
		if (ms->m[i].xport == XPORT_CUDA && ms->m[i].op == OP_WRITE &&
		    ms->m[i].dir == DIR_UNI)
			copy = matrix_find(&ms->m[i], cell->src, cell->dst);
	if (ret_cell)
		*ret_cell = copy;
	if (!copy || copy->state == CELL_NOTRUN)
		return COPY_UNKNOWN;
	return copy->state <= CELL_DEGRADED ? COPY_GOOD : COPY_BAD;
}

bool judge_arms_failed(const struct results *r, const struct trial *t,
                       bool *ret_ran)
{
	bool failed = false;
	const struct outcome *o;

	*ret_ran = false;
	for (size_t i = 0; i < r->n_outcomes; i++) {
		o = &r->outcomes[i];
		if (o->trial != t->id || o->state == OUTCOME_NOTRUN)
			continue;
		*ret_ran = true;
		failed |= o->state != OUTCOME_OK || o->wrong_bytes;
	}
	return failed;
}

static char *line_next(struct arms *a)
{
	return a->n_lines < FINDING_EVIDENCE_MAX ? a->lines[a->n_lines++]
	                                         : NULL;
}

/* Through what the arm's channels went: "through sockets". */
static const char *way_words(const struct outcome *o)
{
	if (!o)
		return "";
	if (outcome_get(o, COUNTER_CHANNELS_SOCKET, 0) > 0)
		return ", through sockets";
	if (outcome_get(o, COUNTER_CHANNELS_GDR, 0) > 0)
		return ", through HCAs with GPUDirect RDMA";
	if (outcome_get(o, COUNTER_CHANNELS_IB, 0) > 0)
		return ", through HCAs";
	if (outcome_get(o, COUNTER_CHANNELS_SHM, 0) > 0)
		return ", through shared memory";
	if (outcome_get(o, COUNTER_CHANNELS_P2P, 0) > 0)
		return ", peer to peer";
	return "";
}

static void say_arm(struct arms *a, const struct pair_view *v, bool passes)
{
	char rate[FP_FMT_MAX], words[VARIANT_WORDS_MAX];
	char *line = line_next(a);

	if (!line)
		return;
	(void)variant_words(v->trial->variant, words);
	if (v->state == OUTCOME_OK)
		(void)snprintf(line, FINDING_TEXT_MAX, "%s: %s%s%s, trial %u",
		               words, fp_fmt_rate(v->rate_Bps, 0, rate),
		               is_sound(v) ? passes ? "" : ", no better"
		                           : ", wrong data",
		               way_words(v->dst), v->trial->id);
	else
		(void)snprintf(line, FINDING_TEXT_MAX, "%s: %s too, trial %u",
		               words, outcome_state_name(v->state),
		               v->trial->id);
}

static void add_pair_arm(struct arms *a, const struct matrix_cell *cell,
                         const struct pair_view *v)
{
	bool passes = judge_arm_passes(cell, v);

	if (v->state <= OUTCOME_NONE || v->state == OUTCOME_NOTRUN)
		return;
	a->n_ran++;
	if (passes && !a->passed)
		a->passed = v->trial->variant;
	say_arm(a, v, passes);
}

static void say_copy(struct arms *a, const struct matrix_cell *copy)
{
	char rate[FP_FMT_MAX];
	char *line = copy ? line_next(a) : NULL;

	if (line && copy->value > 0)
		(void)snprintf(line, FINDING_TEXT_MAX,
		               "a plain copy (cuda write): %s, %s",
		               cell_state_name(copy->state),
		               fp_fmt_rate(copy->value, 0, rate));
	else if (line)
		(void)snprintf(line, FINDING_TEXT_MAX,
		               "a plain copy (cuda write): %s",
		               copy->state == CELL_NOTRUN
		                       ? "not possible here"
		                       : cell_state_name(copy->state));
}

static void say_detail(struct finding *f, const struct arms *a, bool pair)
{
	char words[VARIANT_WORDS_MAX];
	const char *copy =
		a->copy_good ? "A plain copy is fine, NCCL is not" : "";

	if (a->passed)
		(void)snprintf(f->detail, sizeof(f->detail),
		               "%s%swith %s %s runs%s", copy,
		               copy[0] ? ": " : "",
		               variant_words(a->passed, words),
		               pair ? "the pair" : "it",
		               a->base[0] == 'S' ? " faster" : "");
	else
		(void)snprintf(f->detail, sizeof(f->detail), "%s%s", copy,
		               copy[0] ? ", whatever its settings"
		                       : "INCONCLUSIVE: the controls fail too");
	/* A sentence begins with a capital. */
	if (f->detail[0] == 'w')
		f->detail[0] = 'W';
}

static unsigned code_of(const struct arms *a)
{
	if (a->passed)
		return codes[a->passed < VARIANT_HCA ? a->passed : VARIANT_HCA];
	return a->copy_good ? FINDING_NCCL_ONLY : FINDING_NCCL_INCONCLUSIVE;
}

static void fill_locus(const struct topo_job *job, const struct trial *t,
                       struct locus *l)
{
	if (!trial_is_pair(t))
		return;
	l->kind = LOCUS_PAIR;
	l->direction = DIRECTION_TX;
	l->rank = t->src;
	l->peer_rank = t->dst;
	fp_copy(l->host, sizeof(l->host), topo_job_host_name(job, t->src));
	fp_copy(l->peer_host, sizeof(l->peer_host),
	        topo_job_host_name(job, t->dst));
}

/* Another pair of which the arms tell the same, if not by the same arm: two
 * features, or two HCAs. */
static struct finding *same_code(struct findings *list, unsigned code)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->f[i].code == code)
			return &list->f[i];
	return NULL;
}

static enum fp_status conclude(const struct topo_job *job, const struct arms *a,
                               struct findings *list, struct fp_err *err)
{
	bool pair = trial_is_pair(a->of);
	struct finding *f = same_code(list, code_of(a));
	char name[WORDS_PAIR_MAX], what[WORDS_TRIAL_MAX];
	char words[VARIANT_WORDS_MAX];

	if (a->n_ran == 0)
		return FP_OK;
	if (f && pair) {
		finding_evidence(f, "%s: %s%s",
		                 words_pair(job, a->of->src, a->of->dst, name),
		                 a->passed ? "runs with " : "the same",
		                 a->passed ? variant_words(a->passed, words)
		                           : "");
		return FP_OK;
	}
	f = findings_add(list, code_of(a));
	if (!f)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory to judge");
	fill_locus(job, a->of, &f->locus);
	say_detail(f, a, pair);
	finding_evidence(f, "%s as the job has it: %s",
	                 words_trial(a->of, what), a->base);
	for (size_t i = 0; i < a->n_lines; i++)
		finding_evidence(f, "%s", a->lines[i]);
	return FP_OK;
}

static bool is_same_pair(const struct trial *a, const struct trial *b)
{
	return a->src == b->src && a->dst == b->dst && a->op == b->op &&
	       a->bytes == b->bytes && a->dir == b->dir;
}

/* The cell that arm trial @t was run for. */
static const struct matrix_cell *cell_of(const struct matrices *ms,
                                         const struct trial *t)
{
	for (size_t i = 0; i < ms->n; i++)
		if (ms->m[i].xport == t->xport && ms->m[i].op == t->op &&
		    ms->m[i].dir == t->dir && ms->m[i].bytes == t->bytes)
			return matrix_find(&ms->m[i], t->src, t->dst);
	return NULL;
}

/* Is there an earlier arm of the same pair? Then it was told with that. */
static bool is_told(const struct pair_view *views, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (is_same_pair(views[k].trial, views[i].trial))
			return true;
	return false;
}

static enum fp_status judge_pair(const struct topo_job *job,
                                 const struct matrices *ms,
                                 const struct pair_view *views, size_t n,
                                 struct findings *list, struct fp_err *err)
{
	const struct matrix_cell *cell = cell_of(ms, views[0].trial), *copy;
	struct arms a = { .of = views[0].trial };

	if (!cell || !judge_arm_is_wanted(cell))
		return FP_OK;
	a.base = cell_state_name(cell->state);
	a.copy_good = judge_arm_copy(ms, cell, &copy) == COPY_GOOD;
	say_copy(&a, copy);
	for (size_t i = 0; i < n; i++)
		if (is_same_pair(views[i].trial, a.of))
			add_pair_arm(&a, cell, &views[i]);
	return conclude(job, &a, list, err);
}

static void add_whole(struct arms *a, const struct results *r,
                      const struct trial *t)
{
	bool ran, failed = judge_arms_failed(r, t, &ran);
	char words[VARIANT_WORDS_MAX];
	char *line;

	if (!ran)
		return;
	a->n_ran++;
	if (!failed && !a->passed)
		a->passed = t->variant;
	line = line_next(a);
	if (line)
		(void)snprintf(line, FINDING_TEXT_MAX, "%s: %s, trial %u",
		               variant_words(t->variant, words),
		               failed ? "fails too" : "runs", t->id);
}

/* Did the same collective fail with the same members in the job's own
 * environment? */
static bool has_failed(const struct results *r, const struct trial *arm)
{
	const int32_t *who = r->members + arm->member_first;
	bool ran;

	for (size_t i = 0; i < r->n_trials; i++) {
		const struct trial *t = &r->trials[i];

		if (!trial_is_pair(t) && !t->variant && t->op == arm->op &&
		    t->bytes == arm->bytes && t->xport == arm->xport &&
		    t->member_count == arm->member_count &&
		    memcmp(r->members + t->member_first, who,
		           t->member_count * sizeof(*who)) == 0 &&
		    judge_arms_failed(r, t, &ran))
			return true;
	}
	return false;
}

static enum fp_status judge_wholes(const struct topo_job *job,
                                   const struct results *r,
                                   const struct findings *known,
                                   struct findings *list, struct fp_err *err)
{
	struct arms a = { .base = "fails" };

	for (size_t i = 0; i < r->n_trials; i++) {
		const struct trial *t = &r->trials[i];

		/* The job's own settings: bisection tells. */
		if (trial_is_pair(t) || !t->variant ||
		    variant_is_without(t->variant) ||
		    judge_arms_any_named(r, t, known) || !has_failed(r, t))
			continue;
		if (!a.of)
			a.of = t;
		if (t->op == a.of->op && t->bytes == a.of->bytes)
			add_whole(&a, r, t);
	}
	return a.of ? conclude(job, &a, list, err) : FP_OK;
}

enum fp_status judge_arms(const struct topo_job *job, const struct results *r,
                          const struct matrices *ms, struct findings *list,
                          struct fp_err *err)
{
	struct findings found = { 0 };
	struct pair_view *views;
	enum fp_status status;
	struct finding *f;
	size_t i, n;

	status = results_arms(r, &views, &n, err);
	if (status)
		return status;
	for (i = 0; !status && i < n; i++)
		if (!is_told(views, i) &&
		    !judge_arms_any_named(r, views[i].trial, list))
			status = judge_pair(job, ms, views + i, n - i, &found,
			                    err);
	if (!status)
		status = judge_wholes(job, r, list, &found, err);
	for (i = 0; !status && i < found.n; i++) {
		f = findings_add(list, found.f[i].code);
		if (f)
			*f = found.f[i];
		else
			status = fp_err_set(err, FP_ERR_NOMEM,
			                    "no memory to judge");
	}
	findings_done(&found);
	free(views);
	return status;
}
