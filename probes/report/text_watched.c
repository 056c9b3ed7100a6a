// SPDX-License-Identifier: Apache-2.0
// GPUs that were watched, for a terminal: one line.
#include <stdlib.h>

#include "probes/judge/load.h"
#include "probes/judge/watched.h"
#include "probes/report/text.h"

static bool has_errors(const struct watched *w)
{
	bool any = false;

	for (unsigned id = GPU_VALUE_NONE + 1; id < GPU_LINK_FIRST; id++)
		any |= gpu_value_is_error(id) && w->rise[id];
	for (unsigned k = 0; k < GPU_LINK_VALUES; k++)
		for (int32_t i = 0; i < GPU_LINKS_MAX; i++)
			any |= w->link_rise[k][i] != 0;
	return any;
}

static void line_make(const struct watched_all *all, struct fp_text *line)
{
	const struct watched *hottest = &all->ranks[0];
	size_t errors = 0, held = 0;

	for (size_t i = 0; i < all->n; i++) {
		const struct watched *w = &all->ranks[i];

		errors += has_errors(w);
		held += (w->events & (GPU_EVENTS_HEAT | GPU_EVENTS_HARDWARE)) !=
		        0;
		if (w->hottest > hottest->hottest)
			hottest = w;
	}
	fp_text_printf(line,
	               "watched: %zu GPU%s before, between and after "
	               "trials",
	               all->n, all->n == 1 ? "" : "s");
	if (hottest->hottest >= 0)
		fp_text_printf(line, "; %lld C at most (rank %d)",
		               (long long)hottest->hottest, (int)hottest->rank);
	fp_text_printf(line, "; errors counted by %zu, clocks held down of %zu",
	               errors, held);
}

static void load_line(const struct load *loads, size_t n, struct fp_text *line)
{
	const struct load *worst = &loads[0];
	size_t fell = 0;

	for (size_t i = 0; i < n; i++) {
		fell += load_fell(&loads[i]);
		if (loads[i].last < worst->last)
			worst = &loads[i];
	}
	fp_text_printf(line,
	               "load: %zu GPU%s for %zu s; %zu slowed down; slowest: "
	               "rank %d, %.3g TFLOP/s at first, %.3g in the end",
	               n, n == 1 ? "" : "s", worst->n, fell, (int)worst->rank,
	               worst->first / 1e12, worst->last / 1e12);
}

static enum fp_status text_loads(const struct report *report,
                                 struct fp_text *out, struct fp_err *err)
{
	struct fp_text line = { 0 };
	struct load *loads;
	enum fp_status status;
	size_t n;

	status = loads_make(&report->session->results, &loads, &n, err);
	if (status)
		return status;
	if (n) {
		load_line(loads, n, &line);
		fp_text_append(out, "\n", 1);
		report_wrap(out, report_columns(report), 0, 2,
		            fp_text_str(&line));
		out->failed |= line.failed;
		fp_text_free(&line);
	}
	free(loads);
	return FP_OK;
}

enum fp_status text_watched(const struct report *report, struct fp_text *out,
                            struct fp_err *err)
{
	const struct results *r = &report->session->results;
	struct fp_text line = { 0 };
	struct watched_all all;
	enum fp_status status;

	status = text_loads(report, out, err);
	if (status || !r->n_watches)
		return status;
	status = watched_make(r, &all, err);
	if (status)
		return status;
	line_make(&all, &line);
	fp_text_append(out, "\n", 1);
	report_wrap(out, report_columns(report), 0, 2, fp_text_str(&line));
	out->failed |= line.failed;
	fp_text_free(&line);
	watched_done(&all);
	return FP_OK;
}
