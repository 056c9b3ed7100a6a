// SPDX-License-Identifier: Apache-2.0
// What text and JSON have in common.
#include "probes/explain/render.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "probes/explain/logline.h"
#include "probes/finding/finding.h"

const char *render_verdict_name(uint32_t verdict)
{
	static const char *const names[] = {
		[STORY_HEALTHY] = "healthy",
		[STORY_FAULT] = "fault",
		[STORY_UNDETERMINED] = "incomplete",
	};

	return names[verdict];
}

int render_verdict_exit(uint32_t verdict)
{
	static const int exits[] = {
		[STORY_HEALTHY] = 0,
		[STORY_FAULT] = 1,
		[STORY_UNDETERMINED] = 3,
	};

	return exits[verdict];
}

int render_exit(const struct story *story)
{
	return render_verdict_exit(story->verdict);
}

void render_command(const struct story *story, char *buf, size_t size)
{
	const struct story_cause *c = story->n ? &story->causes[0] : NULL;

	buf[0] = '\0';
	if (c && c->severity != SEVERITY_INFO && c->suspects[0])
		(void)snprintf(buf, size,
		               "mpirun fabricprobe bisect --suspects %s",
		               c->suspects);
}

static void put_time(const struct event *e, struct fp_text *out)
{
	time_t s = (time_t)(e->time_ns / 1000000000);
	char text[32];
	struct tm when;

	if (e->time_ns == EVENT_NO_TIME || !gmtime_r(&s, &when))
		return;
	if (e->stamp != STAMP_NO_YEAR)
		fp_text_printf(out, "%d-", when.tm_year + 1900);
	if (strftime(text, sizeof(text), "%m-%d %H:%M:%S", &when))
		fp_text_printf(out, "%s  ", text);
}

void render_evidence(const struct events *ev, const struct event *e,
                     struct fp_text *out)
{
	char text[EVENT_LINE_MAX + 1];
	const char *slash = strrchr(event_str(ev, e->file), '/');
	const char *file = slash ? slash + 1 : event_str(ev, e->file);

	fp_copy(text, sizeof(text),
	        *event_str(ev, e->text) ? event_str(ev, e->text)
	                                : kind_info(e->kind)->words);
	if (e->line)
		fp_text_printf(out, "%s:%u  ", file, e->line);
	else if (*file)
		fp_text_printf(out, "%s  ", file);
	put_time(e, out);
	fp_text_printf(out, "%s", text);
	if (e->count > 1)
		fp_text_printf(out, "  (%u times)", e->count);
}
