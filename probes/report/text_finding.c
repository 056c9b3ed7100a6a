// SPDX-License-Identifier: Apache-2.0
// Findings for a terminal: the worst first, each with what to do.
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "probes/report/text.h"

#define FINDINGS_WHOLE 10 /* with evidence; more get a line each */
#define FINDINGS_LINES 30
#define EVIDENCE_LINES 3
#define INDENT 7

static const struct {
	const char *word;
	enum text_tone tone;
} severities[] = {
	[SEVERITY_INFO] = { "note", TEXT_PLAIN },
	[SEVERITY_WARN] = { "WARN", TEXT_WARN },
	[SEVERITY_FAULT] = { "FAULT", TEXT_BAD },
};

/* Says the unit once where both have the same. */
static void drop_unit(char *first, const char *second)
{
	char *unit = strchr(first, ' ');
	const char *other = strchr(second, ' ');

	if (unit && other && strcmp(unit, other) == 0)
		*unit = '\0';
}

/* ": 96 of 119.5 MB/s", ": 3.2 ms instead of 25 us", or "". */
static void values(const struct report *report, const struct finding *f,
                   char *buf, size_t size)
{
	char seen[REPORT_VALUE_MAX], want[REPORT_VALUE_MAX];

	buf[0] = '\0';
	if (!isfinite(f->observed))
		return;
	report_value(f->observed, f->unit, report->gbits, seen);
	report_value(f->expected, f->unit, report->gbits, want);
	if (!isfinite(f->expected) || f->expected == 0) {
		snprintf(buf, size, ": %s", seen);
		return;
	}
	drop_unit(seen, want);
	snprintf(buf, size,
	         strcmp(f->unit, "B/s") == 0 ? ": %s of %s"
	                                     : ": %s instead of %s",
	         seen, want);
}

/* "GPU" keeps its capital. */
static int small_first(const char *title)
{
	unsigned char first = (unsigned char)title[0];

	return isupper((unsigned char)title[1]) ? first : tolower(first);
}

static void headline(const struct report *report, const struct finding *f,
                     struct fp_text *out)
{
	const struct finding_info *info = finding_info(f->code);
	char where[FINDING_TEXT_MAX], how_much[112], text[512];
	unsigned severity =
		f->severity <= SEVERITY_FAULT ? f->severity : SEVERITY_FAULT;

	locus_text(&f->locus, where, sizeof(where));
	values(report, f, how_much, sizeof(how_much));
	snprintf(text, sizeof(text), "%s: %c%s%s", where,
	         small_first(info->title), info->title + 1, how_much);
	text_tone(report, out, severities[severity].tone,
	          severities[severity].word);
	fp_text_printf(out, "%*s",
	               INDENT - (int)strlen(severities[severity].word), "");
	report_wrap(out, report_columns(report), INDENT, INDENT, text);
}

static void paragraph(const struct report *report, struct fp_text *out,
                      const char *head, const char *text)
{
	int at = INDENT + (int)strlen(head);

	if (!text[0])
		return;
	fp_text_printf(out, "%*s%s", INDENT, "", head);
	report_wrap(out, report_columns(report), at, at, text);
}

static void details(const struct report *report, const struct finding *f,
                    struct fp_text *out)
{
	const struct finding_info *info = finding_info(f->code);
	char more[64], id[96];
	uint32_t i;

	paragraph(report, out, "", f->detail);
	for (i = 0; i < f->n_evidence && i < EVIDENCE_LINES; i++)
		paragraph(report, out, "- ", f->evidence[i]);
	if (f->n_evidence > EVIDENCE_LINES) {
		snprintf(more, sizeof(more), "and %u more (all in --json)",
		         f->n_evidence - EVIDENCE_LINES);
		paragraph(report, out, "- ", more);
	}
	paragraph(report, out, "next: ", info->next);
	snprintf(id, sizeof(id), "%s, confidence %.2f", info->id,
	         f->confidence);
	paragraph(report, out, "id: ", id);
}

void text_findings(const struct report *report, struct fp_text *out)
{
	const struct findings *fs = &report->session->findings;
	size_t i, whole = fs->n < FINDINGS_WHOLE ? fs->n : FINDINGS_WHOLE;

	/* With several of them the first screen has them all in short. */
	for (i = 0; i < fs->n && i < FINDINGS_LINES && fs->n > 2; i++)
		headline(report, &fs->f[i], out);
	if (fs->n > FINDINGS_LINES)
		fp_text_printf(out, "%*sand %zu more (all in --json)\n", INDENT,
		               "", fs->n - FINDINGS_LINES);
	for (i = 0; i < whole; i++) {
		if (fs->n > 2 || i)
			fp_text_append(out, "\n", 1);
		headline(report, &fs->f[i], out);
		details(report, &fs->f[i], out);
	}
}
