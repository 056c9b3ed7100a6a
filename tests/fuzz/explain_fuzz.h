/* SPDX-License-Identifier: Apache-2.0 */
/* What fuzz targets of explain share. */
#ifndef FP_TESTS_FUZZ_EXPLAIN_FUZZ_H
#define FP_TESTS_FUZZ_EXPLAIN_FUZZ_H

#include <stdlib.h>

#include "probes/explain/render.h"

/** fuzz_story() - judge what was read, render it, and give it back. */
static inline void fuzz_story(struct gather *gather)
{
	struct fp_text text = { 0 };
	struct fp_err err = { 0 };
	struct story story;

	if (story_make(gather, &story, &err) == FP_OK) {
		render_text(
			&story,
			&(struct render_look){ .columns = 80, .colour = true },
			&text);
		if (render_json(&story, &text, &err) != FP_OK)
			abort();
		story_done(&story);
	}
	fp_text_free(&text);
	gather_done(gather);
}

#endif
