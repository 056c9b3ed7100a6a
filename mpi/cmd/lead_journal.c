// SPDX-License-Identifier: Apache-2.0
// Who is told of a session as it goes.
#include "mpi/cmd/lead_journal.h"

static void heed(struct lead_journal *to, enum fp_status status,
                 const struct fp_err *err)
{
	if (!status || to->saved->journal_failed)
		return;
	to->saved->journal_failed = true;
	if (to->trouble)
		to->trouble(to->arg, err);
}

static void on_progress(void *arg, const struct session_progress *now)
{
	const struct lead_journal *to = arg;

	progress_show(to->progress, now);
}

static void on_batch(void *arg, const struct batch *batch)
{
	struct lead_journal *to = arg;
	struct fp_err err = { 0 };

	if (to->saved->journal)
		heed(to, journal_batch(to->saved->journal, batch, &err), &err);
}

static void on_outcome(void *arg, const struct trial *t,
                       const struct outcome *o, const double *samples, size_t n)
{
	struct lead_journal *to = arg;
	struct fp_err err = { 0 };

	(void)t;
	if (to->saved->journal)
		heed(to,
		     journal_outcome(to->saved->journal, o, samples, n, &err),
		     &err);
}

void lead_journal_event(struct lead_journal *to, const struct run_event *e)
{
	struct fp_err err = { 0 };

	if (to->saved->journal)
		heed(to, journal_event(to->saved->journal, e, &err), &err);
}

static void on_event(void *arg, const struct run_event *e)
{
	lead_journal_event(arg, e);
}

static void on_watch(void *arg, const struct watch *w)
{
	struct lead_journal *to = arg;
	struct fp_err err = { 0 };

	if (to->saved->journal)
		heed(to, journal_watch(to->saved->journal, w, &err), &err);
}

struct session_hooks lead_journal_hooks(struct lead_journal *to)
{
	return (struct session_hooks){
		.arg = to,
		.progress = on_progress,
		.batch = on_batch,
		.outcome = on_outcome,
		.event = on_event,
		.watch = on_watch,
	};
}

void lead_journal_begin(struct lead_journal *to, const struct session *session,
                        const char *fabric, bool model)
{
	struct journal *j = to->saved->journal;
	struct fp_err err = { 0 };

	if (j)
		heed(to, journal_job(j, session->job, &session->opts, &err),
		     &err);
	if (j && fabric)
		heed(to, journal_fabric(j, fabric, model, &err), &err);
}
