// SPDX-License-Identifier: Apache-2.0
// A line as readers get it: no colours, no prefixes, times and places beside.
#include "probes/explain/logline.h"

#include <ctype.h>
#include <string.h>

#include "probes/explain/event.h"
#include "probes/explain/logline_part.h"

#define LATE_MAX 120 /* bytes of what a logger puts before a line */

/* Behind ESC: "[4m", "]0;title BEL"; how many bytes. */
static size_t escape_len(const char *p, const char *end)
{
	const char *at = p;

	if (at < end && *at == '[') {
		at++;
		while (at < end && (unsigned char)*at < 0x40)
			at++;
		return (size_t)(at - p) + (at < end);
	}
	if (at < end && *at == ']') {
		while (at < end && *at != '\a' && *at != '\x1b')
			at++;
		return (size_t)(at - p) + (at < end && *at == '\a');
	}
	return at < end;
}

/* Colours off, NULs visible. */
static void copy_plain(struct logline *line, const char *raw, size_t len)
{
	const char *end = raw + len;

	for (const char *p = raw; p < end; p++) {
		if (*p == '\x1b') {
			p += escape_len(p + 1, end);
			continue;
		}
		if (line->len + 1 >= sizeof(line->text)) {
			line->cut = true;
			break;
		}
		line->text[line->len++] = *p ? *p : '?';
	}
}

static void trim_end(struct logline *line)
{
	while (line->len && isspace((unsigned char)line->text[line->len - 1]))
		line->len--;
	line->text[line->len] = '\0';
}

/* "[rank3]:" behind what some logger put before it. */
static void take_late_rank(struct logline *line)
{
	const char *at = line->rank < 0 ? strstr(line->text, "[rank") : NULL;
	size_t n;

	if (!at || at - line->text > LATE_MAX)
		return;
	n = logline_take_rank(at, line);
	if (!n)
		return;
	at += n + (at[n] == ' ');
	line->len -= (size_t)(at - line->text);
	memmove(line->text, at, line->len + 1);
}

/* " [repeated 6x across cluster]" of Ray, behind a line. */
static void take_repeated(struct logline *line)
{
	char *at = strstr(line->text, "[repeated ");

	if (!at || !strstr(at, "across cluster]"))
		return;
	line->repeated = (uint32_t)logline_number(at + 10);
	line->len = (size_t)(at - line->text);
	trim_end(line);
}

/* What is the line's own, and tells the time. */
static void take_glog(struct logline *line)
{
	struct stamp stamp;

	if (logline_glog(line->text, &stamp))
		logline_set_time(line, &stamp);
}

void logline_clean(struct logline *line, const char *raw, size_t len,
                   uint32_t number)
{
	line->len = 0;
	line->raw = raw;
	line->raw_len = len;
	line->number = number;
	line->time_ns = EVENT_NO_TIME;
	line->stamp = STAMP_NONE;
	line->rank = -1;
	line->pid = -1;
	line->host[0] = '\0';
	line->repeated = 0;
	line->cut = false;
	line->last = false;
	line->unended = false;
	copy_plain(line, raw, len);
	trim_end(line);
	logline_take_prefixes(line);
	take_late_rank(line);
	take_glog(line);
	take_repeated(line);
}
