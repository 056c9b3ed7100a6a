// SPDX-License-Identifier: Apache-2.0
// A device that counts far more than its peers.
#include "probes/check/odd.h"

#include <stdlib.h>

#include "probes/check/accuse.h"

#define TIMES 10

static int i64_cmp(const void *pa, const void *pb)
{
	const int64_t a = *(const int64_t *)pa, b = *(const int64_t *)pb;

	return (a > b) - (a < b);
}

/* The lower median: with two devices it is the better one. */
static int64_t median_of(const struct odd *odd, int64_t *values)
{
	const struct check_host *host = odd->host;
	size_t n = 0;

	for (size_t i = 0; i < host->n_devices; i++) {
		int64_t value = host->devices[i].kinds & odd->of
		                        ? look_int(host, host->devices[i].name,
		                                   odd->name, -1)
		                        : -1;

		if (value >= 0)
			values[n++] = value;
	}
	if (n < 2)
		return odd->peers ? INT64_MAX : 0;
	qsort(values, n, sizeof(*values), i64_cmp);
	return values[(n - 1) / 2];
}

static void judge_device(const struct odd *odd, const char *device,
                         int64_t median, struct check_out *out)
{
	char gpu[LOOK_NAME_MAX];
	struct reading r;
	struct finding *f;

	if (!look_get(odd->host, device, odd->name, &r) ||
	    r.kind != READING_INT || r.number < odd->least ||
	    r.number / TIMES <= median)
		return;
	f = accuse(out, odd->code, odd->kind, odd->host->host,
	           odd->kind == LOCUS_GPU
	                   ? look_gpu_name(odd->host, device, gpu)
	                   : device);
	accuse_cite(f, &r);
	accuse_note(f, "median of the host: %lld", (long long)median);
}

void odd_judge(const struct odd *odd, struct check_out *out)
{
	const struct check_host *host = odd->host;
	int64_t *values, median;

	if (!host->n_devices)
		return;
	values = calloc(host->n_devices, sizeof(*values));
	if (!values) {
		out->failed = true;
		return;
	}
	median = median_of(odd, values);
	free(values);
	for (size_t i = 0; i < host->n_devices; i++) {
		if (host->devices[i].kinds & odd->of)
			judge_device(odd, host->devices[i].name, median, out);
	}
}
