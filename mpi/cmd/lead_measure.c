// SPDX-License-Identifier: Apache-2.0
// The session of a run in rank 0, and who is told of it as it goes.
#include "mpi/cmd/lead_measure.h"

#include <stdio.h>

#include "mpi/cmd/drill.h"
#include "mpi/cmd/input.h"

static void journal_trouble(void *arg, const struct fp_err *err)
{
	struct lead_measure *m = arg;

	conductor_note(m->conductor, EVENT_JOURNAL, "%s", err->text);
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
		lead_journal_event(&m->journal, &e);
	}
	return status || !any ? status : session_judge(s, err);
}

/* What the options make of the job. */
static enum fp_status plan(struct lead_measure *m, const struct topo_job *job,
                           struct fp_err *err)
{
	const struct opts *o = m->how->cmd->opts;
	struct session_opts sopts;
	enum fp_status status = drill_check(o, job->n_ranks, err);

	if (status)
		return status;
	opts_session(o, &sopts);
	if (sopts.xport == XPORT_AUTO && sopts.kind != SESSION_CHECK)
		sopts.xport = conductor_pick(m->conductor);
	if (m->how->about)
		status = m->how->about->plan(m->how->about->arg, job, &sopts,
		                             err);
	if (!status)
		status = session_init(&m->session, job, &sopts, err);
	return status;
}

static enum fp_status know_fabric(struct lead_measure *m,
                                  const struct topo_job *job,
                                  struct fp_text *ret_text, struct fp_err *err)
{
	const char *path = m->how->cmd->opts->fabric;
	enum fp_status status;

	if (!path[0])
		return FP_OK;
	status = input_file(path, ret_text, err);
	if (!status)
		status =
			cmd_fabric(fp_text_str(ret_text), job, &m->fabric, err);
	if (!status) {
		m->session.fabric = &m->fabric;
		return FP_OK;
	}
	fp_err_prefix(err, "%s", path);
	fp_err_prefix(err, "--fabric");
	return status;
}

enum fp_status lead_measure_run(struct lead_measure *m,
                                struct conductor *conductor, struct fp_err *err)
{
	const struct session_hooks hooks = lead_journal_hooks(&m->journal);
	const struct topo_job *job = conductor_job(conductor);
	struct fp_text fabric = { 0 };
	enum fp_status status;

	m->conductor = conductor;
	status = plan(m, job, err);
	if (!status)
		status = know_fabric(m, job, &fabric, err);
	if (status)
		goto free_text;
	if (m->how->cmd->opts->baseline[0])
		m->session.before = &m->before.run;
	lead_journal_begin(&m->journal, &m->session,
	                   m->session.fabric ? fp_text_str(&fabric) : NULL,
	                   false);
	status = session_run(&m->session, &conductor_exec_ops, m->conductor,
	                     &hooks, err);
	progress_clear(&m->progress);
	if (!status)
		status = drill_report(m, err);
free_text:
	fp_text_free(&fabric);
	return status;
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
	*m = (struct lead_measure){ .how = how };
	m->journal = (struct lead_journal){
		.saved = saved,
		.progress = &m->progress,
		.arg = m,
		.trouble = journal_trouble,
	};
	progress_init(&m->progress, !how->cmd->opts->no_progress);
	return before_look(m, err);
}

void lead_measure_done(struct lead_measure *m)
{
	session_done(&m->session);
	fabric_done(&m->fabric);
	before_close(&m->before);
}
