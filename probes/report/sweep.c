// SPDX-License-Identifier: Apache-2.0
// A sweep in the columns of nccl-tests, for scripts that read those.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/report/parts.h"
#include "topo/base/version.h"

#define FLOAT_BYTES 4

/* How nccl-tests fills its columns for an operation. */
static const struct {
	const char *redop;
	bool has_root;       /* column root is 0, not -1 */
	bool per_rank_count; /* elements of one rank's part */
	bool checks_in_place;
} ops[OP_COUNT] = {
	[OP_ALLREDUCE] = { "sum", false, false, true },
	[OP_ALLGATHER] = { "none", false, true, true },
	[OP_REDUCESCATTER] = { "sum", false, true, true },
	[OP_BROADCAST] = { "none", true, false, true },
	[OP_ALLTOALL] = { "none", false, true, false },
	[OP_SENDRECV] = { "sum", false, false, false },
};

static void ranks_list(const struct session *s, struct fp_text *out)
{
	const struct topo_rank *r;
	size_t i;

	fp_text_printf(out, "# Using devices\n");
	for (i = 0; i < s->job->n_ranks; i++) {
		r = &s->job->ranks[i];
		fp_text_printf(out,
		               "#  Rank %2zu Group  0 Pid %6lld on %10s device "
		               "%2d [%s]\n",
		               i, (long long)r->pid,
		               topo_job_host_name(s->job, (int32_t)i),
		               (int)r->local_rank,
		               trial_xport_is_gpu(s->opts.xport)
		                       ? "GPU"
		                       : "host memory");
	}
	fp_text_printf(out, "#\n");
}

static void head(const struct report *report, struct fp_text *out)
{
	const struct session *s = report->session;
	const struct session_opts *o = &s->opts;
	bool factor = o->factor > 1;

	if (report_is_modelled(report))
		fp_text_printf(out, "# MODELLED: no hardware is measured\n");
	if (report->drill)
		fp_text_printf(out, "# DRILL: faults are injected\n");
	if (report->cut)
		fp_text_printf(out, "# CUT SHORT: the run did not end\n");
	fp_text_printf(out, "# fabricprobe version %s %s\n", FP_VERSION,
	               trial_op_name(o->op));
	fp_text_printf(out,
	               "# nThread 1 nGpus 1 minBytes %llu maxBytes %llu step: "
	               "%llu(%s) warmup iters: %u iters: %u agg iters: 1 "
	               "validation: %d graph: 0\n#\n",
	               (unsigned long long)o->min_bytes,
	               (unsigned long long)o->max_bytes,
	               (unsigned long long)(factor ? o->factor : o->step_bytes),
	               factor ? "factor" : "bytes", o->warmup, o->iters,
	               o->check);
	ranks_list(s, out);
	fp_text_printf(out, "#\n# %10s  %12s  %8s  %6s  %6s", "", "", "", "",
	               "");
	fp_text_printf(out, "           out-of-place                       "
	                    "in-place          \n");
	fp_text_printf(out,
	               "# %10s  %12s  %8s  %6s  %6s  %7s  %6s  %6s %6s  %7s  "
	               "%6s  %6s %6s\n",
	               "size", "count", "type", "redop", "root", "time",
	               "algbw", "busbw", "#wrong", "time", "algbw", "busbw",
	               "#wrong");
	fp_text_printf(out,
	               "# %10s  %12s  %8s  %6s  %6s  %7s  %6s  %6s  %5s  %7s  "
	               "%6s  %6s  %5s\n",
	               "(B)", "(elements)", "", "", "", "(us)", "(GB/s)",
	               "(GB/s)", "", "(us)", "(GB/s)", "(GB/s)", "");
}

static void figures(const struct report_coll *c, bool check,
                    struct fp_text *out)
{
	double us = c->time_s * 1e6;
	int digits = us >= 10000 ? 0 : us >= 100 ? 1 : 2;
	uint64_t elements = c->wrong_bytes / FLOAT_BYTES;
	char wrong[24] = "N/A";

	if (check)
		snprintf(wrong, sizeof(wrong), "%g", (double)elements);
	fp_text_printf(out, "  %7.*f  %6.2f  %6.2f  %5s", digits, us,
	               c->algbw_Bps / 1e9, c->busbw_Bps / 1e9, wrong);
}

static bool is_measured(const struct report_coll *c)
{
	return c && c->time_s > 0;
}

/* @in: NULL, if the run ended before it. */
static void row(const struct report *report, const struct report_coll *out_of,
                const struct report_coll *in, struct fp_text *out)
{
	const struct trial *t = out_of->trial;
	bool check = report->session->opts.check;
	uint64_t count = t->bytes / trial_type_bytes(t->type);
	const char *redop = ops[t->op].redop;

	/* A size that was not measured is no row: nobody averages it in. */
	if (!is_measured(out_of) || !is_measured(in)) {
		const struct report_coll *bad =
			is_measured(out_of) ? in : out_of;

		fp_text_printf(
			out, "# %10llu %s%s%s\n", (unsigned long long)t->bytes,
			outcome_state_name(bad ? bad->state : OUTCOME_NOTRUN),
			bad && bad->err[0] ? ": " : "", bad ? bad->err : "");
		return;
	}
	if (strcmp(redop, "sum") == 0 && t->op != OP_SENDRECV)
		redop = trial_redop_name(t->redop);
	if (ops[t->op].per_rank_count)
		count /= t->member_count;
	fp_text_printf(out, "%12llu  %12llu  %8s  %6s  %6d",
	               (unsigned long long)t->bytes, (unsigned long long)count,
	               trial_type_name(t->type), redop,
	               ops[t->op].has_root ? 0 : -1);
	figures(out_of, check, out);
	figures(in, check && ops[t->op].checks_in_place, out);
	fp_text_append(out, "\n", 1);
}

struct totals {
	uint64_t wrong;
	double busbw_Bps;
	size_t n;
};

static void rows(const struct report *report, const struct report_coll *colls,
                 size_t n, struct totals *sum, struct fp_text *out)
{
	size_t i, k, len;

	for (i = 0; i < n; i += len) {
		len = i + 1 < n && colls[i + 1].trial->bytes ==
		                              colls[i].trial->bytes
		              ? 2
		              : 1;
		row(report, &colls[i], len > 1 ? &colls[i + 1] : NULL, out);
		for (k = i; k < i + len; k++) {
			sum->wrong += colls[k].wrong_bytes / FLOAT_BYTES;
			if (colls[k].time_s <= 0)
				continue;
			sum->busbw_Bps += colls[k].busbw_Bps;
			sum->n++;
		}
	}
}

static void foot(const struct report *report, const struct totals *sum,
                 struct fp_text *out)
{
	const struct findings *fs = &report->session->findings;
	const struct session_coverage *cov = &report->session->coverage;
	double average = sum->n ? sum->busbw_Bps / (double)sum->n / 1e9 : 0;
	char where[FINDING_TEXT_MAX];
	size_t i;

	fp_text_printf(out, "# Out of bounds values : %llu %s\n",
	               (unsigned long long)sum->wrong,
	               sum->wrong ? "FAILED" : "OK");
	fp_text_printf(out, "# Avg bus bandwidth    : %g \n#\n", average);
	for (i = 0; i < fs->n; i++) {
		locus_text(&fs->f[i].locus, where, sizeof(where));
		fp_text_printf(out, "# %s %s %s: %s\n",
		               finding_severity_name(fs->f[i].severity),
		               finding_info(fs->f[i].code)->id, where,
		               finding_info(fs->f[i].code)->title);
	}
	for (i = 0; i < cov->n_skips; i++)
		if (cov->skips[i].missing)
			fp_text_printf(out, "# not looked at: %s (%s)\n",
			               cov->skips[i].what, cov->skips[i].why);
	fp_text_printf(out, "# ");
	report_verdict_line(report, out);
	fp_text_append(out, "\n", 1);
}

static enum fp_status render(const struct report *report, struct fp_text *out,
                             struct fp_err *err)
{
	struct totals sum = { 0 };
	struct report_coll *colls;
	enum fp_status status;
	size_t n;

	status = report_colls_make(&report->session->results, &colls, &n, err);
	if (status)
		return status;
	head(report, out);
	rows(report, colls, n, &sum, out);
	foot(report, &sum, out);
	free(colls);
	if (out->failed)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for a report");
	return FP_OK;
}

const struct report_ops report_sweep_ops = {
	.name = "sweep",
	.help = "collectives in the columns of nccl-tests",
	.render = render,
};
