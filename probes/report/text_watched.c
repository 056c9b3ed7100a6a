// SPDX-License-Identifier: Apache-2.0
// GPUs that were watched, for a terminal: one line.
#include <math.h>
#include <stdlib.h>

#include "probes/judge/load.h"
#include "probes/judge/watched.h"
#include "probes/report/text.h"

static bool has_errors(const struct watched *w)
{
	bool any = w->xids > 0;

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

/* struct range - of what was seen; low > high: nothing. */
struct range {
	double low, high;
};

static void range_add(struct range *r, double value)
{
	r->low = fmin(r->low, value);
	r->high = fmax(r->high, value);
}

/* 41 to 88; 1320 to 1980; 0.52 to 371. */
static int places(double value)
{
	return value >= 100 ? 0 : value >= 10 ? 1 : 2;
}

static void range_say(const struct range *r, double unit, const char *name,
                      struct fp_text *line)
{
	double low = r->low / unit, high = r->high / unit;
	bool whole = unit <= 1;

	if (low > high)
		return;
	fp_text_printf(line, ", %.*f", whole ? 0 : places(low), low);
	if (high > low)
		fp_text_printf(line, " to %.*f", whole ? 0 : places(high),
		               high);
	fp_text_printf(line, " %s", name);
}

static const struct {
	unsigned id; /* enum gpu_value; NONE: what links carried */
	double unit;
	const char *name;
} shown[] = {
	{ GPU_VALUE_NONE, 1e9, "GB/s" },
	{ GPU_TEMPERATURE, 1, "C" },
	{ GPU_POWER, 1e3, "W" },
	{ GPU_CLOCK_SM, 1, "MHz" },
};
#define SHOWN (sizeof(shown) / sizeof(shown[0]))

/* Adds what @w saw while its links were measured under load. */
static size_t ranges_add(const struct results *r, const struct watched *w,
                         struct range ranges[static SHOWN])
{
	size_t n = 0;

	for (size_t i = 0; i < w->n; i++) {
		struct watched_span s = watched_between(w, i);
		size_t before = n;

		for (size_t k = s.first; k < s.first + s.n; k++) {
			const struct trial *t =
				results_trial(r, w->rates[k].trial);

			if (!(t->flags & TRIAL_LOAD))
				continue;
			range_add(&ranges[0], w->rates[k].Bps);
			n++;
		}
		for (size_t k = 1; n > before && k < SHOWN; k++) {
			int64_t v = watch_get(w->records[i], shown[k].id, -1);

			if (v >= 0)
				range_add(&ranges[k], (double)v);
		}
	}
	return n;
}

static void hot_line(const struct results *r, const struct watched_all *all,
                     struct fp_text *line)
{
	struct range ranges[SHOWN];
	size_t n = 0, gpus = 0, some;

	for (size_t k = 0; k < SHOWN; k++)
		ranges[k] = (struct range){ INFINITY, -INFINITY };
	for (size_t i = 0; i < all->n; i++) {
		some = ranges_add(r, &all->ranks[i], ranges);
		gpus += some > 0;
		n += some;
	}
	if (!n)
		return;
	fp_text_printf(line, "links under load: %zu GPU%s", gpus,
	               gpus == 1 ? "" : "s");
	for (size_t k = 0; k < SHOWN; k++)
		range_say(&ranges[k], shown[k].unit, shown[k].name, line);
}

static void put_line(const struct report *report, struct fp_text *line,
                     struct fp_text *out)
{
	fp_text_append(out, "\n", 1);
	report_wrap(out, report_columns(report), 0, 2, fp_text_str(line));
	out->failed |= line->failed;
	fp_text_free(line);
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
		put_line(report, &line, out);
	}
	free(loads);
	return FP_OK;
}

enum fp_status text_watched(const struct report *report, struct fp_text *out,
                            struct fp_err *err)
{
	const struct results *r = &report->session->results;
	struct fp_text line = { 0 }, hot = { 0 };
	struct watched_all all;
	enum fp_status status;

	status = text_loads(report, out, err);
	if (status || !r->n_watches)
		return status;
	status = watched_make(r, &all, err);
	if (status)
		return status;
	hot_line(r, &all, &hot);
	if (fp_text_str(&hot)[0])
		put_line(report, &hot, out);
	line_make(&all, &line);
	put_line(report, &line, out);
	watched_done(&all);
	return FP_OK;
}
