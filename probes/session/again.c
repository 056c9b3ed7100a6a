// SPDX-License-Identifier: Apache-2.0
// After hangs: second chances for what hung and for what was put off.
#include <stdlib.h>

#include "probes/session/run.h"
#include "probes/trial/grow.h"

enum fp_status session_todos_make(const struct session_run *run,
                                  struct session_todo **ret, struct fp_err *err)
{
	*ret = calloc(run->stages.n + 1, sizeof(**ret));
	if (!*ret)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for a run");
	return FP_OK;
}

enum fp_status session_todo_add(struct session_todo *todo, int32_t src,
                                int32_t dst, struct fp_err *err)
{
	enum fp_status status =
		grow_room(&todo->pairs, &todo->room, todo->n + 1,
	                  sizeof(*todo->pairs), err);

	if (!status)
		todo->pairs[todo->n++] =
			(struct plan_pair){ .src = src, .dst = dst };
	return status;
}

void session_todos_done(struct session_todo *todos, size_t n)
{
	for (size_t i = 0; todos && i < n; i++)
		free(todos[i].pairs);
	free(todos);
}

/* Pairs that hung on one rail, once more. */
static enum fp_status pick_hung_of(struct session_run *run,
                                   struct hang_log *hangs,
                                   struct session_todo *todos,
                                   struct fp_err *err)
{
	enum fp_status status = FP_OK;
	struct hang_pair *p;
	size_t i;

	for (i = 0; !status && i < hangs->n_pairs; i++) {
		p = &hangs->pairs[i];
		if (!session_run_is_out(run, p->src, p->dst) &&
		    hang_log_second_chance(hangs, p->family, p->src, p->dst))
			status = session_todo_add(&todos[p->stage], p->src,
			                          p->dst, err);
	}
	return status;
}

static enum fp_status pick_hung(struct session_run *run,
                                struct session_todo *todos, struct fp_err *err)
{
	enum fp_status status = FP_OK;

	for (uint32_t k = 0; !status && k < run->n_rails; k++)
		status = pick_hung_of(run, &run->hangs[k], todos, err);
	return status;
}

static bool is_waiting(const struct session_run *run,
                       const struct session_put_off *p)
{
	return !p->done && !session_run_is_out(run, p->src, p->dst);
}

/* Pairs that were put off: the first of each kind, and all of a kind whose
 * first got through. */
static enum fp_status pick_put_off(struct session_run *run,
                                   struct session_todo *first,
                                   struct session_todo *freed,
                                   struct fp_err *err)
{
	enum fp_status status = FP_OK;
	struct session_put_off *p;
	struct session_todo *to;
	struct hang_log *hangs;
	unsigned family;
	size_t i;

	for (i = 0; !status && i < run->n_put_off; i++) {
		p = &run->put_off[i];
		if (!is_waiting(run, p))
			continue;
		family = session_run_family(run, p->stage, p->src, p->dst);
		hangs = session_run_hangs(run, p->stage);
		if (hang_log_advice(hangs, family, p->src, p->dst) == HANG_GO)
			to = &freed[p->stage];
		else if (hang_log_second_chance(hangs, family, p->src, p->dst))
			to = &first[p->stage];
		else
			continue;
		p->done = true;
		status = session_todo_add(to, p->src, p->dst, err);
	}
	return status;
}

static size_t todos_count(const struct session_run *run,
                          const struct session_todo *todos)
{
	size_t i, n = 0;

	for (i = 0; i < run->stages.n; i++)
		n += todos[i].n;
	return n;
}

/* Once more round: @ret_any says whether there was anything to do. */
static enum fp_status give_chances(struct session_run *run, bool *ret_any,
                                   struct fp_err *err)
{
	struct session_todo *first = NULL, *freed = NULL;
	enum fp_status status;

	status = session_todos_make(run, &first, err);
	if (!status)
		status = session_todos_make(run, &freed, err);
	if (!status)
		status = pick_hung(run, first, err);
	if (!status)
		status = pick_put_off(run, first, freed, err);
	if (!status)
		*ret_any = todos_count(run, first) + todos_count(run, freed);
	if (!status)
		status = session_run_todos(run, first, true, 1, err);
	if (!status)
		status = session_run_todos(run, freed, false, 0, err);
	session_todos_done(first, run->stages.n);
	session_todos_done(freed, run->stages.n);
	return status;
}

static const char *why_not_run(const struct session_run *run,
                               const struct session_put_off *p)
{
	static const char *const whys[] = {
		[HANG_QUARANTINE] =
			"skipped: an end of it hung with two others",
		[HANG_HOPELESS] = "skipped: nothing gets through",
		[HANG_SICK] = ("skipped: the worker of an end of it failed "
		               "again and again"),
	};
	unsigned family = session_run_family(run, p->stage, p->src, p->dst);
	const struct hang_log *log = session_run_hangs(run, p->stage);

	if (p->advice != HANG_DEFER)
		return whys[p->advice];
	if (hang_log_is_ruled_out(log, family, p->src, p->dst))
		return "skipped: the pair hung, datagrams get lost";
	if (hang_log_is_hung_elsewhere(log, family, p->src, p->dst))
		return "skipped: it hung over another transport";
	return "skipped: the pair hung";
}

/* What was never run is on record, too. */
static enum fp_status give_up(struct session_run *run, struct fp_err *err)
{
	enum fp_status status = FP_OK;
	struct session_put_off *p;
	size_t i;

	for (i = 0; !status && i < run->n_put_off; i++) {
		p = &run->put_off[i];
		if (!p->done)
			status = session_run_skip(run, p->stage, p->src, p->dst,
			                          why_not_run(run, p), err);
	}
	return status;
}

enum fp_status session_retest_hung(struct session_run *run, struct fp_err *err)
{
	/* A retest settles nothing if it could not run: then stop asking. */
	uint32_t k, most = run->s->opts.judge.retests + 2;
	enum fp_status status = FP_OK;
	bool any = true;

	run->title = "S7 what hung again";
	for (k = 0; !status && any && !run->stop && k < most; k++)
		status = give_chances(run, &any, err);
	if (!status)
		status = give_up(run, err);
	return status;
}
