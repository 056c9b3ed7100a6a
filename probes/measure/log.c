// SPDX-License-Identifier: Apache-2.0
// Keeps samples and makes figures of them.
#include "probes/measure/log.h"

#include <stdlib.h>
#include <string.h>

#include "probes/stats/stats.h"

void measure_log_init(struct measure_log *log, double *samples, size_t room)
{
	*log = (struct measure_log){
		.samples = samples,
		.room = room,
		.stride = 1,
	};
}

static void log_thin(struct measure_log *log)
{
	size_t kept = 0;

	for (size_t i = 0; i < log->n; i += 2)
		log->samples[kept++] = log->samples[i];
	log->n = kept;
	log->stride *= 2;
}

void measure_log_add(struct measure_log *log, double seconds)
{
	if (log->seen == 0 || seconds < log->min_s)
		log->min_s = seconds;
	if (seconds > log->max_s)
		log->max_s = seconds;
	if (log->seen % log->stride == 0) {
		if (log->n == log->room)
			log_thin(log);
		/* Thinning doubled the stride: this one may be off it now. */
		if (log->n < log->room && log->seen % log->stride == 0)
			log->samples[log->n++] = seconds;
	}
	log->seen++;
}

enum fp_status measure_log_figures(const struct measure_log *log,
                                   struct outcome *o, struct fp_err *err)
{
	double *sorted;

	if (log->n == 0)
		return FP_OK;
	sorted = calloc(log->n, sizeof(*sorted));
	if (!sorted)
		return fp_err_set(err, FP_ERR_NOMEM,
		                  "no memory for the figures of %zu samples",
		                  log->n);
	memcpy(sorted, log->samples, log->n * sizeof(*sorted));
	stats_sort(sorted, log->n);
	o->n = log->seen > UINT32_MAX ? UINT32_MAX : (uint32_t)log->seen;
	o->min_s = log->min_s;
	o->p5_s = stats_quantile(sorted, log->n, 0.05);
	o->p50_s = stats_quantile(sorted, log->n, 0.50);
	o->p99_s = stats_quantile(sorted, log->n, 0.99);
	o->max_s = log->max_s;
	free(sorted);
	return FP_OK;
}
