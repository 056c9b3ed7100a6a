// SPDX-License-Identifier: Apache-2.0
// Findings of checks: one of each code at a place, with readings as evidence.
#include "probes/check/accuse.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "probes/trial/grow.h"
#include "topo/base/fmt.h"
#include "topo/reading/reading_names.h"

#define SKIPS_MAX 256

static struct finding *find(struct findings *list, unsigned code,
                            const struct locus *at)
{
	for (size_t i = 0; i < list->n; i++) {
		if (list->f[i].code == code &&
		    locus_cmp(&list->f[i].locus, at) == 0)
			return &list->f[i];
	}
	return NULL;
}

static struct finding *accuse_at(struct check_out *out, unsigned code,
                                 const struct locus *at)
{
	struct finding *f = find(&out->findings, code, at);

	if (f)
		return f;
	f = findings_add(&out->findings, code);
	if (f)
		f->locus = *at;
	else
		out->failed = true;
	return f;
}

struct finding *accuse(struct check_out *out, unsigned code, uint32_t kind,
                       const struct topo_host *host, const char *device)
{
	struct locus at = { .kind = kind, .rank = -1, .peer_rank = -1 };

	if (host)
		fp_copy(at.host, sizeof(at.host), host->name);
	if (kind == LOCUS_NETDEV)
		fp_copy(at.netdev, sizeof(at.netdev), device);
	else
		fp_copy(at.device, sizeof(at.device), device);
	return accuse_at(out, code, &at);
}

struct finding *accuse_rank(struct check_out *out, unsigned code,
                            const struct topo_host *host, int32_t rank)
{
	struct locus at = { .kind = LOCUS_RANK, .rank = rank, .peer_rank = -1 };

	fp_copy(at.host, sizeof(at.host), host->name);
	return accuse_at(out, code, &at);
}

void accuse_say(struct finding *f, const char *fmt, ...)
{
	va_list ap;

	if (!f || f->detail[0])
		return;
	va_start(ap, fmt);
	(void)vsnprintf(f->detail, sizeof(f->detail), fmt, ap);
	va_end(ap);
}

char *reading_words(const struct reading *reading,
                    char buf[static READING_WORDS_MAX])
{
	const struct reading_name *row = reading_name_find(reading->name);
	const char *unit = row ? row->unit : "";
	const char *gap = unit[0] ? " " : "";

	switch (reading->kind) {
	case READING_INT:
		(void)snprintf(buf, READING_WORDS_MAX, "%lld%s%s",
		               (long long)reading->number, gap, unit);
		break;
	case READING_REAL:
		(void)snprintf(buf, READING_WORDS_MAX, "%.6g%s%s",
		               reading->real, gap, unit);
		break;
	case READING_TEXT:
		fp_copy(buf, READING_WORDS_MAX, reading->text);
		break;
	default:
		(void)snprintf(buf, READING_WORDS_MAX, "not set");
	}
	return buf;
}

static void time_words(int64_t time_s, char *buf, size_t size)
{
	time_t when = (time_t)time_s;
	struct tm tm;

	buf[0] = '\0';
	if (when > 0 && gmtime_r(&when, &tm))
		(void)strftime(buf, size, ", %Y-%m-%dT%H:%M:%SZ", &tm);
}

void accuse_cite(struct finding *f, const struct reading *r)
{
	char value[READING_WORDS_MAX], when[32];

	if (!f)
		return;
	time_words(r->time_s, when, sizeof(when));
	if (r->source == READ_KMSG) {
		finding_evidence(f, "%.150s (kernel log%s)", r->text, when);
		return;
	}
	finding_evidence(f, "%s%s%s: %s (%s%s)", r->device,
	                 r->device[0] ? " " : "", r->name,
	                 reading_words(r, value),
	                 reading_source_name(r->source), when);
}

void accuse_note(struct finding *f, const char *fmt, ...)
{
	char line[FINDING_TEXT_MAX];
	va_list ap;

	if (!f)
		return;
	va_start(ap, fmt);
	(void)vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	finding_evidence(f, "%s", line);
}

void accuse_values(struct finding *f, double observed, double expected,
                   const char *unit)
{
	if (!f)
		return;
	f->observed = observed;
	f->expected = expected;
	fp_copy(f->unit, sizeof(f->unit), unit);
}

void accuse_mild(struct finding *f, uint32_t severity)
{
	if (f && severity < f->severity)
		f->severity = severity;
}

static struct check_skip *skip_find(struct check_out *out, const char *what,
                                    const char *why)
{
	for (size_t i = 0; i < out->n_skips; i++) {
		if (strcmp(out->skips[i].what, what) == 0 &&
		    strcmp(out->skips[i].why, why) == 0)
			return &out->skips[i];
	}
	return NULL;
}

void skip_add(struct check_out *out, const struct topo_host *host,
              const char *what, const char *why)
{
	struct check_skip skip = { .n_hosts = host != NULL, .last = host };
	struct check_skip *known;

	fp_copy(skip.what, sizeof(skip.what), what);
	fp_copy(skip.why, sizeof(skip.why), why);
	known = skip_find(out, skip.what, skip.why);
	if (known) {
		known->n_hosts += host && host != known->last;
		known->last = host;
		return;
	}
	if (host)
		fp_copy(skip.host, sizeof(skip.host), host->name);
	if (out->n_skips >= SKIPS_MAX)
		return;
	if (grow_room(&out->skips, &out->room_skips, out->n_skips + 1,
	              sizeof(*out->skips), NULL) != FP_OK) {
		out->failed = true;
		return;
	}
	out->skips[out->n_skips++] = skip;
}
