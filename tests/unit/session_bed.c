// SPDX-License-Identifier: Apache-2.0
// A session over the model cluster.
#include "tests/unit/session_bed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "topo/model/rails.h"

void session_bed_open(struct bed *bed, const struct bed_case *c)
{
	struct session_opts opts;
	struct fp_err err = { 0 };
	size_t i;

	*bed = (struct bed){ .status = FP_OK };
	build_job(&bed->build, c->shape, BUILD_ONE_DEV);
	for (i = 0; c->ports && i < bed->build.job.n_ranks; i++)
		topo_job_set_ports(&bed->build.job, (int32_t)i, c->ports);
	fake_exec_init(&bed->fake, &bed->build.job);
	bed->fake.noise = c->noise;
	bed->fake.stop_round = c->stop_round;
	for (i = 0; i < c->n_rules; i++)
		fake_exec_rule(&bed->fake, c->rules[i]);
	session_defaults(&opts);
	opts.kind = c->kind;
	opts.mode = c->mode;
	opts.xport = c->xport;
	opts.op = c->op;
	opts.bytes = c->bytes;
	opts.bidirectional = c->bidirectional;
	opts.time_limit_s = c->time_limit_s;
	opts.seed = 7;
	if (session_init(&bed->session, &bed->build.job, &opts, &err))
		fail_msg("session_init: %s", err.text);
}

void bed_run(struct bed *bed, const struct bed_case *c,
             const struct session_hooks *hooks)
{
	struct fp_err err = { 0 };

	session_bed_open(bed, c);
	bed->status = session_run(&bed->session, &fake_exec_ops, &bed->fake,
	                          hooks, &err);
	if (bed->status && bed->status != FP_ERR_INTR)
		fail_msg("session_run: %s", err.text);
}

void session_bed_close(struct bed *bed)
{
	session_done(&bed->session);
	build_done(&bed->build);
}

const struct matrix *bed_matrix(const struct bed *bed, unsigned xport,
                                unsigned op, unsigned dir)
{
	const struct matrices *ms = &bed->session.matrices;

	for (size_t i = 0; i < ms->n; i++)
		if (ms->m[i].xport == xport && ms->m[i].op == op &&
		    ms->m[i].dir == dir)
			return &ms->m[i];
	return NULL;
}

bool bed_has_skip(const struct bed *bed, const char *text)
{
	const struct session_coverage *c = &bed->session.coverage;

	for (size_t i = 0; i < c->n_skips; i++)
		if (strstr(c->skips[i].what, text) ||
		    strstr(c->skips[i].why, text))
			return true;
	return false;
}

const struct finding *bed_find(const struct bed *bed, unsigned code)
{
	const struct findings *fs = &bed->session.findings;

	for (size_t i = 0; i < fs->n; i++)
		if (fs->f[i].code == code)
			return &fs->f[i];
	return NULL;
}
