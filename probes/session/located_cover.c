// SPDX-License-Identifier: Apache-2.0
// What a located run has looked at; its findings and verdict.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "probes/plan/plan.h"
#include "probes/session/cover.h"
#include "probes/session/located.h"
#include "probes/trial/grow.h"

/* struct telling - lines of coverage being written. */
struct telling {
	struct session *s;
	size_t room;
	bool missing;
};

__attribute__((format(printf, 4, 5))) static enum fp_status
say(struct telling *t, bool missing, const char *why, const char *fmt, ...)
{
	struct session_coverage *c = &t->s->coverage;
	struct session_skip *skip;
	enum fp_status status;
	va_list ap;

	status = grow_room(&c->skips, &t->room, c->n_skips + 1,
	                   sizeof(*c->skips), NULL);
	if (status)
		return status;
	skip = &c->skips[c->n_skips++];
	va_start(ap, fmt);
	(void)vsnprintf(skip->what, sizeof(skip->what), fmt, ap);
	va_end(ap);
	(void)snprintf(skip->why, sizeof(skip->why), "%s", why);
	skip->missing = missing;
	t->missing |= missing;
	return FP_OK;
}

static const char *why_missing(const struct session *s)
{
	size_t i;

	if (s->interrupted)
		return "the run was interrupted";
	for (i = 0; i < s->results.n_events; i++)
		if (s->results.events[i].kind == EVENT_CUT)
			return "cut to end within the time limit";
	return "an end of them is lost, or fails whatever it does";
}

static enum fp_status say_untried(struct telling *t,
                                  const struct locate_cover *c)
{
	enum fp_status status = FP_OK;

	if (c->not_run)
		status = say(t, true, why_missing(t->s), "%llu of %llu tests",
		             (unsigned long long)c->not_run,
		             (unsigned long long)c->not_run + c->tests);
	if (!status && t->s->locate->n_open)
		status = say(t, true, "no time was left for them",
		             "retests of %zu suspect tests",
		             t->s->locate->n_open);
	return status;
}

static enum fp_status say_sampled(struct telling *t,
                                  const struct locate_cover *c)
{
	const struct fabric *f = t->s->fabric;
	uint32_t all = plan_rounds((uint32_t)f->spec.hosts);
	char why[160];

	if (t->s->locate->opts.extent.matchings >= all || !(c->miss > 0))
		return FP_OK;
	(void)snprintf(why, sizeof(why),
	               "sampled: %u of %u matchings of hosts; a fault of one "
	               "pair alone is missed with a chance of %.4g %%",
	               t->s->locate->opts.extent.matchings, all, 100 * c->miss);
	return say(t, false, why, "the other pairs of hosts on each rail");
}

static int32_t count_state(const struct locate *l, unsigned state)
{
	int32_t id, n = 0;

	for (id = 0; id < fabric_size(l->f); id++)
		n += l->a.state[id] == state;
	return n;
}

static enum fp_status say_components(struct telling *t,
                                     const struct locate_cover *c)
{
	const struct locate *l = t->s->locate;
	int32_t hidden = count_state(l, ATTRIBUTE_UNKNOWN);
	int32_t open = count_state(l, ATTRIBUTE_OPEN);
	enum fp_status status = FP_OK;

	if (c->comps < c->comps_total)
		status = say(t, false, "no test that ran crosses them",
		             "%llu of %llu components",
		             (unsigned long long)(c->comps_total - c->comps),
		             (unsigned long long)c->comps_total);
	if (!status && hidden)
		status = say(t, false,
		             "hidden by those at fault: run again without "
		             "them",
		             "%d components", (int)hidden);
	if (!status && open)
		status = say(t, false,
		             "all of their tests are slow, too few to accuse",
		             "%d components", (int)open);
	return status;
}

static enum fp_status say_directions(struct telling *t,
                                     const struct locate_cover *c)
{
	if (c->ports_tx == c->ports_total && c->ports_rx == c->ports_total)
		return FP_OK;
	return say(t, false, "no test that ran uses them",
	           "%llu ports as senders, %llu as receivers",
	           (unsigned long long)(c->ports_total - c->ports_tx),
	           (unsigned long long)(c->ports_total - c->ports_rx));
}

static enum fp_status cover(struct session *s, bool *ret_missing,
                            struct fp_err *err)
{
	static enum fp_status (*const parts[])(struct telling * t,
	                                       const struct locate_cover *c) = {
		say_untried,
		say_sampled,
		say_components,
		say_directions,
	};
	const struct locate_cover c = locate_cover(s->locate);
	struct telling t = { .s = s };
	enum fp_status status = FP_OK;
	size_t i;

	session_coverage_done(&s->coverage);
	s->coverage.pairs_measured = c.pairs;
	s->coverage.pairs_total = c.pairs_total;
	for (i = 0; !status && i < sizeof(parts) / sizeof(*parts); i++)
		status = parts[i](&t, &c);
	if (status)
		return fp_err_set(err, status, "no memory for coverage");
	*ret_missing = t.missing;
	return FP_OK;
}

/* Whom the machine did not want to see again is not suspect. */
static void settle_cells(struct matrices *ms)
{
	size_t i, k;

	for (i = 0; i < ms->n; i++)
		for (k = 0; k < ms->m[i].n_cells; k++)
			if (ms->m[i].cells[k].state == CELL_SUSPECT)
				ms->m[i].cells[k].state = CELL_OK;
}

static bool is_broken(const struct locate *l)
{
	size_t i;

	for (i = 0; i < l->a.n; i++)
		if (l->a.list[i].sign == SIGN_BROKEN)
			return true;
	return false;
}

/* What hangs because a component is broken is its consequence. */
static void drop_consequences(struct findings *list)
{
	size_t i, n = 0;

	for (i = 0; i < list->n; i++)
		if (list->f[i].code != FINDING_COLL_HANG &&
		    list->f[i].code != FINDING_COLL_ERROR &&
		    list->f[i].code != FINDING_RANK_HANG &&
		    list->f[i].code != FINDING_GPU_HANG &&
		    list->f[i].code != FINDING_RANK_ERROR)
			list->f[n++] = list->f[i];
	list->n = n;
}

enum fp_status session_located_judge(struct session *s, bool *ret_missing,
                                     struct fp_err *err)
{
	enum fp_status status = FP_OK;
	size_t i;

	if (is_broken(s->locate))
		drop_consequences(&s->findings);
	for (i = 0; !status && i < s->locate->a.n; i++)
		status = session_accuse_component(s->locate, i, &s->findings,
		                                  err);
	findings_sort(&s->findings);
	if (!s->locate->n_open)
		settle_cells(&s->matrices);
	return status ? status : cover(s, ret_missing, err);
}
