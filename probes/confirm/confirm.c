// SPDX-License-Identifier: Apache-2.0
// What became of a suspicion, once a bisection ended.
#include "probes/confirm/confirm.h"

#include <stdio.h>
#include <string.h>

#include "probes/trial/trial.h"

#define LIST_MAX 96

const char *confirm_outcome_name(unsigned outcome)
{
	static const char *const names[CONFIRM_COUNT] = {
		[CONFIRM_UNTESTED] = "not testable here",
		[CONFIRM_CONFIRMED] = "confirmed",
		[CONFIRM_REFUTED] = "refuted",
		[CONFIRM_ELSEWHERE] = "elsewhere",
		[CONFIRM_NOTHING] = "nothing to confirm",
	};

	return outcome < CONFIRM_COUNT ? names[outcome] : "?";
}

const char *confirm_fabric_name(unsigned fabric)
{
	static const char *const names[] = {
		[FABRIC_UNKNOWN] = "not measured",
		[FABRIC_HEALTHY] = "healthy",
		[FABRIC_FAULTY] = "fault",
	};

	return fabric <= FABRIC_FAULTY ? names[fabric] : "?";
}

static bool is_suspect(const struct confirm *c, int32_t rank)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->ranks[i] == rank)
			return true;
	return false;
}

static bool is_suspect_host(const struct confirm *c, const struct topo_job *job,
                            const char *host)
{
	for (size_t i = 0; *host && i < c->n; i++)
		if (!strcmp(topo_job_host_name(job, c->ranks[i]), host))
			return true;
	return false;
}

/* A rank's finding is about that rank, whatever else is on its host. */
static bool is_about(const struct confirm *c, const struct topo_job *job,
                     const struct locus *l)
{
	if (l->rank >= 0)
		return is_suspect(c, l->rank) || is_suspect(c, l->peer_rank);
	return is_suspect_host(c, job, l->host) ||
	       is_suspect_host(c, job, l->peer_host);
}

/* The fault to tell: one at a suspect before others. NULL: none. */
static const struct finding *find_fault(const struct confirm *c,
                                        const struct session *s, bool *ret_hit)
{
	const struct finding *other = NULL;

	*ret_hit = false;
	for (size_t i = 0; i < s->findings.n; i++) {
		const struct finding *f = &s->findings.f[i];

		if (f->severity != SEVERITY_FAULT)
			continue;
		*ret_hit = c->n && is_about(c, s->job, &f->locus);
		if (*ret_hit)
			return f;
		if (!other)
			other = f;
	}
	return other;
}

static void tell_fault(struct confirm *c, const struct finding *f, bool hit)
{
	char where[CONFIRM_WHY_MAX / 2];
	bool open = !c->n && !c->away[0] && c->story->n;

	locus_text(&f->locus, where, sizeof(where));
	c->fabric = FABRIC_FAULTY;
	c->outcome = hit || open ? CONFIRM_CONFIRMED : CONFIRM_ELSEWHERE;
	(void)snprintf(c->why, sizeof(c->why), "%s: %s (%s)%s", where,
	               finding_info(f->code)->title, finding_info(f->code)->id,
	               hit || open || !c->n
	                       ? ""
	                       : "; nothing is found at those that the logs "
	                         "name");
}

static const char *first_missing(const struct session *s)
{
	for (size_t i = 0; i < s->coverage.n_skips; i++)
		if (s->coverage.skips[i].missing)
			return s->coverage.skips[i].why;
	return s->interrupted ? "it was interrupted" : "no reason is known";
}

/* Why what was measured does not touch what is suspected; "" if it does. */
static const char *blind_to(const struct cause *cause, uint32_t xport)
{
	bool gpu = trial_xport_is_gpu(xport);

	switch (cause->probe) {
	case CAUSE_PROBE_RDMA:
		return gpu || xport == XPORT_VERBS
		               ? ""
		               : "the suspicion is of RDMA, and TCP and shared "
		                 "memory were measured; --xport verbs or nccl "
		                 "would tell";
	case CAUSE_PROBE_GPU:
		return gpu ? ""
		           : "the suspicion is of GPUs, and host memory was "
		             "measured; --xport nccl would tell";
	case CAUSE_PROBE_TRAFFIC:
		return "";
	default:
		return "no traffic shows what is suspected; nothing speaks "
		       "against it";
	}
}

static void tell_healthy(struct confirm *c, const struct session *s)
{
	const struct story_cause *first = &c->story->causes[0];
	const char *blind = blind_to(first->cause, s->opts.xport);
	const struct trial *t = s->results.n_trials ? s->results.trials : NULL;
	struct fp_text why = { 0 };
	char ranks[LIST_MAX];

	story_ranks(c->ranks, c->n, ranks, sizeof(ranks));
	c->outcome = c->away[0] || *blind ? CONFIRM_UNTESTED : CONFIRM_REFUTED;
	fp_text_printf(&why, "fabric healthy for %s%s",
	               c->n == 1  ? "rank "
	               : c->n > 1 ? "ranks "
	                          : "all ranks",
	               ranks);
	if (t)
		fp_text_printf(&why, "; %s over %u ranks passed",
		               trial_op_name(t->op), t->member_count);
	if (c->away[0])
		fp_text_printf(&why, "; not in this job: %s", c->away);
	if (*blind)
		fp_text_printf(&why, "; %s", blind);
	if (c->outcome == CONFIRM_REFUTED)
		fp_text_printf(&why, ": look at the application");
	fp_copy(c->why, sizeof(c->why), fp_text_str(&why));
	fp_text_free(&why);
}

static void tell_nothing(struct confirm *c, const struct session *s)
{
	c->outcome = CONFIRM_NOTHING;
	(void)snprintf(c->why, sizeof(c->why),
	               "fabric healthy for all %zu ranks of this job",
	               s->job->n_ranks);
}

static void judge_run(struct confirm *c, const struct session *s)
{
	const struct finding *f;
	bool hit;

	f = find_fault(c, s, &hit);
	if (f) {
		tell_fault(c, f, hit);
		return;
	}
	if (s->verdict != VERDICT_HEALTHY) {
		(void)snprintf(c->why, sizeof(c->why),
		               "not everything could be measured: %s",
		               first_missing(s));
		return;
	}
	c->fabric = FABRIC_HEALTHY;
	if (c->story->n && c->story->causes[0].severity != SEVERITY_INFO)
		tell_healthy(c, s);
	else
		tell_nothing(c, s);
}

void confirm_judge(struct confirm *c, const struct session *s, const char *why)
{
	static const char drill[] = " (a drill: faults are injected)";
	size_t len;

	c->outcome = CONFIRM_UNTESTED;
	c->fabric = FABRIC_UNKNOWN;
	if (s)
		judge_run(c, s);
	else
		fp_copy(c->why, sizeof(c->why), why);
	len = strlen(c->why);
	if (c->drill)
		(void)snprintf(c->why + len, sizeof(c->why) - len, "%s", drill);
}

uint32_t confirm_verdict(const struct confirm *c)
{
	if (c->fabric == FABRIC_FAULTY)
		return STORY_FAULT;
	if (c->outcome == CONFIRM_REFUTED)
		return STORY_UNDETERMINED;
	if (c->fabric == FABRIC_UNKNOWN && c->story->verdict == STORY_HEALTHY)
		return STORY_UNDETERMINED;
	return c->story->verdict;
}
