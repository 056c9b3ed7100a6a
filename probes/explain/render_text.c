// SPDX-License-Identifier: Apache-2.0
// A story for a person: what, who, why, how sure, what next; then evidence.
#include <stdio.h>
#include <string.h>

#include "probes/explain/render.h"
#include "probes/finding/finding.h"
#include "probes/report/parts.h"

#define INDENT 6
#define ALSO_MAX 4
#define FILES_MAX 6

static const struct {
	const char *word, *colour;
} verdicts[] = {
	[STORY_HEALTHY] = { "Nothing wrong here", "\033[32m" },
	[STORY_FAULT] = { "Fault", "\033[31m" },
	[STORY_UNDETERMINED] = { "Undetermined", "\033[33m" },
};

static void paragraph(const struct render_look *look, struct fp_text *out,
                      const char *head, const char *text)
{
	if (!*text)
		return;
	fp_text_printf(out, "%-*s", INDENT, head);
	report_wrap(out, look->columns, INDENT, INDENT, text);
}

static uint32_t verdict_of(const struct story *s,
                           const struct render_look *look)
{
	return look->probe ? look->probe->verdict : s->verdict;
}

/* Why the verdict is what it is where no cause is named. */
static const char *unnamed(const struct story *s,
                           const struct render_look *look)
{
	if (look->probe && look->probe->verdict != s->verdict)
		return look->probe->verdict == STORY_FAULT
		               ? "found by the probe; the logs do not tell of "
		                 "it"
		               : "the logs are well, and the probe could not "
		                 "measure";
	return s->n_known ? "nothing in it says that something is wrong, but "
	                    "it is not all there"
	                  : "nothing in it is of a kind that is known here";
}

static void put_verdict(const struct story *s, const struct render_look *look,
                        struct fp_text *out)
{
	uint32_t verdict = verdict_of(s, look);
	const char *word = verdicts[verdict].word;
	char text[256];

	if (s->n)
		(void)snprintf(text, sizeof(text), "%s: %s", word,
		               s->causes[0].cause->title);
	else if (verdict == STORY_HEALTHY)
		(void)snprintf(text, sizeof(text),
		               "%s, in what was read and as far as it goes",
		               word);
	else
		(void)snprintf(text, sizeof(text), "%s: %s", word,
		               unnamed(s, look));
	if (look->colour)
		fp_text_printf(out, "%s", verdicts[verdict].colour);
	fp_text_printf(out, "%-*s", INDENT, "What");
	report_wrap(out, look->columns, INDENT, INDENT, text);
	if (look->colour)
		fp_text_printf(out, "\033[0m");
}

static void put_sure(const struct story_cause *c,
                     const struct render_look *look, struct fp_text *out)
{
	char text[320];

	(void)snprintf(text, sizeof(text), "%.0f %%%s%s", 100 * c->confidence,
	               *c->cause->disprove ? "; it is something else if " : "",
	               c->cause->disprove);
	paragraph(look, out, "Sure", text);
}

/* What would prove it, or what came of trying. */
static void put_probe(const struct story *s, const struct render_look *look,
                      struct fp_text *out)
{
	char text[STORY_SUSPECTS_MAX + 512];

	if (look->probe)
		(void)snprintf(text, sizeof(text), "%s: %s",
		               look->probe->outcome, look->probe->why);
	else
		render_command(s, text, sizeof(text));
	paragraph(look, out, "Probe", text);
	if (look->probe)
		paragraph(look, out, "Light", look->probe->light);
}

static void put_first(const struct story *s, const struct render_look *look,
                      struct fp_text *out)
{
	const struct story_cause *c = &s->causes[0];

	paragraph(look, out, "Who", c->who);
	paragraph(look, out, "Why", c->what);
	put_sure(c, look, out);
	paragraph(look, out, "Next", c->cause->next);
}

static void put_evidence(const struct story *s, const struct story_cause *c,
                         const struct render_look *look, struct fp_text *out)
{
	const struct events *ev = &s->gather->events;

	if (!c->n_evidence)
		return;
	fp_text_printf(out, "\nEvidence\n");
	for (size_t i = 0; i < c->n_evidence; i++) {
		struct fp_text line = { 0 };

		render_evidence(ev, &ev->e[c->evidence[i]], &line);
		fp_text_printf(out, "  ");
		report_wrap(out, look->columns, 2, 4, fp_text_str(&line));
		fp_text_free(&line);
	}
}

static void put_also(const struct story *s, const struct render_look *look,
                     struct fp_text *out)
{
	if (s->n < 2)
		return;
	fp_text_printf(out, "\nAlso\n");
	for (size_t i = 1; i < s->n && i <= ALSO_MAX; i++) {
		const struct story_cause *c = &s->causes[i];
		char text[STORY_WHO_MAX + 256];

		(void)snprintf(text, sizeof(text), "%s%s%s (%.0f %%)",
		               c->cause->title, *c->who ? ": " : "", c->who,
		               100 * c->confidence);
		fp_text_printf(out, "  ");
		report_wrap(out, look->columns, 2, 4, text);
	}
}

static void put_file(const struct story *s, const struct gather_file *f,
                     const struct render_look *look, struct fp_text *out)
{
	char text[512], name[256], size[FP_FMT_MAX];

	fp_copy(name, sizeof(name), event_str(&s->gather->events, f->name));
	(void)snprintf(text, sizeof(text), "%s, %s bytes%s%s", name,
	               fp_fmt_bytes(f->bytes, size), f->trouble[0] ? ": " : "",
	               f->trouble);
	fp_text_printf(out, "  ");
	report_wrap(out, look->columns, 2, 4, text);
}

/* What was read, files in trouble first; and what was counted. */
static void put_read(const struct story *s, const struct render_look *look,
                     struct fp_text *out)
{
	const struct gather *g = s->gather;
	size_t left = FILES_MAX;

	fp_text_printf(out,
	               "\nRead: %zu file%s, %zu thing%s known, %zu of them "
	               "well%s\n",
	               g->n, g->n == 1 ? "" : "s", s->n_known,
	               s->n_known == 1 ? "" : "s", s->n_healthy,
	               s->incomplete ? "; not all of it could be read" : "");
	for (int trouble = 1; trouble >= 0; trouble--)
		for (size_t i = 0; i < g->n && left; i++)
			if ((g->files[i].trouble[0] != 0) == trouble) {
				put_file(s, &g->files[i], look, out);
				left--;
			}
	if (g->n > FILES_MAX)
		fp_text_printf(out, "  ... and %zu more\n", g->n - FILES_MAX);
	if (g->events.dropped)
		fp_text_printf(out, "  %zu more things had no room\n",
		               g->events.dropped);
}

void render_text(const struct story *s, const struct render_look *look,
                 struct fp_text *out)
{
	put_verdict(s, look, out);
	if (s->n)
		put_first(s, look, out);
	put_probe(s, look, out);
	if (s->n) {
		put_evidence(s, &s->causes[0], look, out);
		render_then(s, look, out);
		put_also(s, look, out);
	}
	render_clocks(s, look, out);
	put_read(s, look, out);
	if (look->probe && *look->probe->beside)
		fp_text_printf(out, "\nProcesses with a GPU open\n%s",
		               look->probe->beside);
	if (look->probe && *look->probe->report)
		fp_text_printf(out, "\nThe probe\n%s", look->probe->report);
	fp_text_printf(out, "fabricprobe: verdict=%s exit=%d\n",
	               render_verdict_name(verdict_of(s, look)),
	               render_verdict_exit(verdict_of(s, look)));
}
