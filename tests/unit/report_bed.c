// SPDX-License-Identifier: Apache-2.0
// Reports of sessions over the model cluster.
#include "tests/unit/report_bed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* The only things that real time goes into. */
static void freeze(struct session *s)
{
	s->elapsed_s = 4.2;
	for (size_t i = 0; i < s->results.n_events; i++)
		s->results.events[i].t_s = 1.5;
}

void report_bed_run(struct bed *bed, const struct report_case *g)
{
	session_bed_open(bed, &g->c);
	if (g->c.kind == SESSION_SWEEP) {
		bed->session.opts.min_bytes = 1024;
		bed->session.opts.max_bytes = 1u << 20;
		bed->session.opts.factor = 4;
	}
	bed->status = session_run(&bed->session, &fake_exec_ops, &bed->fake,
	                          NULL, NULL);
	freeze(&bed->session);
}

void report_bed_render(const struct bed *bed, const struct report_case *g,
                       struct fp_text *out)
{
	const struct report report = {
		.session = &bed->session,
		.command = "fabricprobe --quick",
		.options = "{\"mode\":\"quick\"}",
		.started_utc = "2026-01-02T03:04:05Z",
		.drill = g->drill,
		.cut = g->cut,
		.columns = g->columns ? g->columns : 80,
		.colour = g->colour,
		.gbits = g->gbits,
		.timing = g->timing,
	};
	const struct report_ops *ops = report_find(g->format);

	assert_non_null(ops);
	assert_int_equal(ops->render(&report, out, NULL), FP_OK);
}
