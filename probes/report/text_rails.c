// SPDX-License-Identifier: Apache-2.0
// Where ranks have several RDMA ports, a table's cell is that of the worst:
// which one, of those that are bad.
#include <stdio.h>

#include "probes/report/text.h"
#include "topo/model/rails.h"

#define PAIRS_SHOWN 6 /* of a rail */

static const char *end_name(const struct report *report, const struct grid *g,
                            int32_t at, char buf[static 96])
{
	const struct topo_job *job = report->session->job;

	if (g->by_host)
		snprintf(buf, 96, "%s", job->hosts[at].name);
	else if (job->n_hosts == job->n_ranks)
		snprintf(buf, 96, "%s", topo_job_host_name(job, at));
	else
		snprintf(buf, 96, "rank %d", (int)at);
	return buf;
}

static bool is_of(const struct grid_cell *c, int32_t rail)
{
	return c->rail == rail && grid_is_trouble(c->state);
}

/* "rail 1: h0 -> h2, h1 -> h2 and 3 more" */
static void one_rail(const struct report *report, const struct grid *g,
                     int32_t rail, struct fp_text *out)
{
	char src[96], dst[96];
	struct fp_text line = { 0 };
	size_t i, n = 0;

	for (i = 0; i < g->n_cells; i++) {
		if (!is_of(&g->cells[i], rail) || n++ >= PAIRS_SHOWN)
			continue;
		if (n == 1)
			fp_text_printf(&line, "rail %d:", (int)rail);
		fp_text_printf(&line, "%s %s -> %s", n > 1 ? "," : "",
		               end_name(report, g, g->cells[i].src, src),
		               end_name(report, g, g->cells[i].dst, dst));
	}
	if (n > PAIRS_SHOWN)
		fp_text_printf(&line, " and %zu more", n - PAIRS_SHOWN);
	if (n)
		report_wrap(out, report_columns(report), 0, 2,
		            fp_text_str(&line));
	out->failed |= line.failed;
	fp_text_free(&line);
}

void text_rails(const struct report *report, const struct grid *g,
                struct fp_text *out)
{
	int32_t rail, n = (int32_t)topo_job_rails(report->session->job);

	if (g->n_of < 2)
		return;
	for (rail = 0; rail < n; rail++)
		one_rail(report, g, rail, out);
}
