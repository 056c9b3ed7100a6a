// SPDX-License-Identifier: Apache-2.0
// The session of a run in rank 0, and who is told of it as it goes.
#include "mpi/cmd/lead_measure.h"

#include <stdio.h>

#include "mpi/cmd/drill.h"

static void journal_trouble(struct lead_measure *m, const struct fp_err *err)
{
	if (m->saved->journal_failed)
		return;
	m->saved->journal_failed = true;
	conductor_note(m->conductor, EVENT_JOURNAL, "%s", err->text);
}

static void on_progress(void *arg, const struct session_progress *now)
{
	struct lead_measure *m = arg;

	progress_show(&m->progress, now);
}

static void on_batch(void *arg, const struct batch *batch)
{
	struct lead_measure *m = arg;
	struct fp_err err = { 0 };

	if (m->saved->journal && journal_batch(m->saved->journal, batch, &err))
		journal_trouble(m, &err);
}

static void on_outcome(void *arg, const struct trial *t,
                       const struct outcome *o, const double *samples, size_t n)
{
	struct lead_measure *m = arg;
	struct fp_err err = { 0 };

	(void)t;
	if (m->saved->journal &&
	    journal_outcome(m->saved->journal, o, samples, n, &err))
		journal_trouble(m, &err);
}

static void on_event(void *arg, const struct run_event *e)
{
	struct lead_measure *m = arg;
	struct fp_err err = { 0 };

	if (m->saved->journal && journal_event(m->saved->journal, e, &err))
		journal_trouble(m, &err);
}

static void on_watch(void *arg, const struct watch *w)
{
	struct lead_measure *m = arg;
	struct fp_err err = { 0 };

	if (m->saved->journal && journal_watch(m->saved->journal, w, &err))
		journal_trouble(m, &err);
}

/* A drill that changed nothing must not look like one that was passed. */
static enum fp_status drill_report(struct lead_measure *m, struct fp_err *err)
{
	const struct opts *o = m->how->cmd->opts;
	struct session *s = &m->session;
	struct run_event e = { .kind = EVENT_INJECT_IDLE, .rank = -1 };
	enum fp_status status = FP_OK;
	bool any = false;
	size_t i;

	for (i = 0; !status && i < o->inject.n; i++) {
		if (drill_acted(&s->results, i))
			continue;
		any = true;
		e.t_s = s->elapsed_s;
		(void)snprintf(e.text, sizeof(e.text), "never acted: %s",
		               o->inject.text[i]);
		status = results_add_event(&s->results, &e, err);
		on_event(m, &e);
	}
	return status || !any ? status : session_judge(s, err);
}

enum fp_status lead_measure_run(struct lead_measure *m,
                                struct conductor *conductor, struct fp_err *err)
{
	struct session_hooks hooks = { .arg = m,
		                       .progress = on_progress,
		                       .batch = on_batch,
		                       .outcome = on_outcome,
		                       .event = on_event,
		                       .watch = on_watch };
	const struct topo_job *job = conductor_job(conductor);
	struct session_opts sopts;
	struct fp_err jerr = { 0 };
	enum fp_status status;

	m->conductor = conductor;
	status = drill_check(m->how->cmd->opts, job->n_ranks, err);
	if (status)
		return status;
	opts_session(m->how->cmd->opts, &sopts);
	if (sopts.xport == XPORT_AUTO && sopts.kind != SESSION_CHECK)
		sopts.xport = conductor_pick(m->conductor);
	if (m->how->about)
		status = m->how->about->plan(m->how->about->arg, job, &sopts,
		                             err);
	if (status)
		return status;
	status = session_init(&m->session, job, &sopts, err);
	if (!status && m->how->cmd->opts->fabric[0])
		status = cmd_fabric(m->how->cmd->opts->fabric, job, &m->fabric,
		                    err);
	if (status)
		return status;
	if (m->how->cmd->opts->fabric[0])
		m->session.fabric = &m->fabric;
	if (m->how->cmd->opts->baseline[0])
		m->session.before = &m->before.run;
	if (m->saved->journal &&
	    journal_job(m->saved->journal, job, &m->session.opts, &jerr))
		journal_trouble(m, &jerr);
	status = session_run(&m->session, &conductor_exec_ops, m->conductor,
	                     &hooks, err);
	progress_clear(&m->progress);
	return status ? status : drill_report(m, err);
}

/* Before anybody waits, and before --out may move it away. */
static enum fp_status before_look(struct lead_measure *m, struct fp_err *err)
{
	const char *path = m->how->cmd->opts->baseline;
	enum fp_status status;

	if (!path[0])
		return FP_OK;
	status = before_open(path, &m->before, err);
	fp_err_prefix(err, "--baseline");
	return status;
}

enum fp_status lead_measure_init(struct lead_measure *m,
                                 const struct lead_how *how,
                                 struct lead_saved *saved, struct fp_err *err)
{
	*m = (struct lead_measure){ .how = how, .saved = saved };
	progress_init(&m->progress, !how->cmd->opts->no_progress);
	return before_look(m, err);
}

void lead_measure_done(struct lead_measure *m)
{
	session_done(&m->session);
	fabric_done(&m->fabric);
	before_close(&m->before);
}
