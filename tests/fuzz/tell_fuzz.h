/* SPDX-License-Identifier: Apache-2.0 */
/* What must hold of readings that a reader of text made, and their checks. */
#ifndef FP_TESTS_FUZZ_TELL_FUZZ_H
#define FP_TESTS_FUZZ_TELL_FUZZ_H

#include <stdlib.h>

#include "probes/check/check.h"
#include "topo/reading/reading.h"
#include "topo/source/source.h"

/** fuzz_check() - all checks of one host of these readings. */
static inline void fuzz_check(struct readings *set)
{
	struct topo_host host = { .name = "host",
		                  .host_id = "host",
		                  .readings = set };
	struct check_out out = { .failed = false };
	struct topo_job job;

	if (topo_job_init(&job, 1, NULL) != FP_OK ||
	    topo_job_place(&job, 0, &host, NULL) != FP_OK ||
	    checks_run(&job, ~0u, &out, NULL) != FP_OK)
		abort();
	for (size_t i = 0; i < out.findings.n; i++) {
		if (!out.findings.f[i].n_evidence)
			abort();
	}
	check_out_done(&out);
	topo_job_done(&job);
}

/** fuzz_tell() - let @source read values of these bytes, and check them. */
static inline void fuzz_tell(const struct source_ops *source,
                             const uint8_t *data, size_t size)
{
	struct source_text text = { (const char *)data, size };
	struct readings *set = readings_new(0);

	if (!set)
		return;
	(void)source->sniff(&text);
	if (source->tell(&text, set, NULL) == FP_OK)
		fuzz_check(set);
	readings_unref(set);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
