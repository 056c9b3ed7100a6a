// SPDX-License-Identifier: Apache-2.0
// From events to a verdict.
#include "probes/explain/story.h"

#include <string.h>

#include "probes/explain/derive.h"
#include "probes/finding/finding.h"

static void weigh_input(struct story *s)
{
	const struct events *ev = &s->gather->events;

	s->incomplete = ev->dropped > 0;
	for (size_t i = 0; i < s->gather->n; i++)
		s->incomplete |= s->gather->files[i].trouble[0] != '\0';
	for (size_t i = 0; i < ev->n; i++) {
		const struct event *e = &ev->e[i];

		s->incomplete |= e->kind == KIND_CUT || e->kind == KIND_SMI_CUT;
		s->n_known += e->count;
		if (kind_info(e->kind)->role == ROLE_HEALTHY)
			s->n_healthy += e->count;
	}
}

/* Notes are no faults; what is cut, or not known, is not called healthy. */
static uint32_t verdict_of(const struct story *s)
{
	uint32_t first = s->n ? s->causes[0].severity : SEVERITY_INFO;

	if (first == SEVERITY_FAULT)
		return STORY_FAULT;
	if (first == SEVERITY_WARN || s->incomplete)
		return STORY_UNDETERMINED;
	return s->n_healthy || s->n ? STORY_HEALTHY : STORY_UNDETERMINED;
}

enum fp_status story_make(struct gather *gather, struct story *ret,
                          struct fp_err *err)
{
	enum fp_status status;

	*ret = (struct story){ .gather = gather };
	status = clocks_find(&gather->events, &ret->clocks, err);
	if (status == FP_OK)
		status = derive_all(&gather->events, &ret->hangs, err);
	if (status != FP_OK) {
		story_done(ret);
		return status;
	}
	weigh_input(ret);
	story_match(ret);
	for (size_t i = 0; i < ret->n; i++)
		story_place(ret, &ret->causes[i]);
	ret->verdict = verdict_of(ret);
	return FP_OK;
}

void story_done(struct story *story)
{
	if (!story)
		return;
	hangs_done(&story->hangs);
	clocks_done(&story->clocks);
	*story = (struct story){ 0 };
}
