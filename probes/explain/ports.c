// SPDX-License-Identifier: Apache-2.0
// Reads perfquery, ibqueryerrors and iblinkinfo: what links counted, and how
// fast they came up.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/explain/reader.h"

struct ports_state {
	char port[64]; /* of the counters that come */
	uint32_t good; /* links that are up at the rate they can do */
	int64_t good_mbps;
};

/* What must not be above: a link that is well shows none, or next to none. */
static const struct {
	const char *query, *errors; /* names in perfquery and ibqueryerrors */
	int64_t most;
} counters[] = {
	{ "SymbolErrorCounter:", "[SymbolErrorCounter == ", 0 },
	{ "LinkErrorRecoveryCounter:", "[LinkErrorRecoveryCounter == ", 0 },
	{ "LinkDownedCounter:", "[LinkDownedCounter == ", 0 },
	{ "PortRcvErrors:", "[PortRcvErrors == ", 100 },
	{ "PortRcvRemotePhysicalErrors:", "[PortRcvRemotePhysicalErrors == ",
	  100 },
	{ "LocalLinkIntegrityErrors:", "[LocalLinkIntegrityErrors == ", 0 },
	{ "ExcessiveBufferOverrunErrors:", "[ExcessiveBufferOverrunErrors == ",
	  0 },
	{ "PortXmitDiscards:", "[PortXmitDiscards == ", 1000 },
};

#define N_COUNTERS (sizeof(counters) / sizeof(counters[0]))

/* Older names of the first ones. */
static const char *const old_names[N_COUNTERS] = {
	"SymbolErrors:",        "LinkRecovers:",        "LinkDowned:",
	"RcvErrors:",           "RcvRemotePhysErrors:", "LinkIntegrityErrors:",
	"ExcBufOverrunErrors:", "XmtDiscards:",
};

static const char *const words[] = {
	"[  ] ==(",    "# Port extended counters", "# Port counters",
	"Errors for ", "stat of IB device '",
};

static const char *needle(size_t i)
{
	size_t n = sizeof(words) / sizeof(words[0]);

	if (i < n)
		return words[i];
	i -= n;
	if (i < N_COUNTERS)
		return counters[i].query;
	i -= N_COUNTERS;
	if (i < N_COUNTERS)
		return counters[i].errors;
	i -= N_COUNTERS;
	return i < N_COUNTERS ? old_names[i] : NULL;
}

static void add_counter(struct intake *r, const struct logline *line,
                        size_t which, int64_t value, const char *port)
{
	struct event e = intake_event(r, line, KIND_PORT_ERRORS);
	char name[40];
	size_t len = strcspn(counters[which].query, ":");

	memcpy(name, counters[which].query, len);
	name[len] = '\0';
	e.op = intake_name(r, name);
	e.device = intake_name(r, port);
	e.n[0] = value;
	intake_add(r, line, &e);
}

/* "SymbolErrorCounter:..............0" */
static bool take_query(struct intake *r, const struct logline *line)
{
	const struct ports_state *s = r->state;

	for (size_t i = 0; i < N_COUNTERS; i++) {
		const char *forms[] = { counters[i].query, old_names[i] };

		for (size_t k = 0; k < 2; k++) {
			size_t len = strlen(forms[k]);
			const char *text = line->text;
			long long value;

			text += strspn(text, " \t");
			if (strncmp(text, forms[k], len) != 0)
				continue;
			text += len;
			text += strspn(text, ".: \t");
			value = strtoll(text, NULL, 10);
			if (value > counters[i].most)
				add_counter(r, line, i, value, s->port);
			return true;
		}
	}
	return false;
}

/* "   GUID 0x... port 12: [SymbolErrorCounter == 65535] [...]" */
static void take_errors(struct intake *r, const struct logline *line)
{
	const struct ports_state *s = r->state;
	const char *colon = strstr(line->text, ": [");
	const char *at = strstr(line->text, "port ");
	char port[96] = "";

	if (!colon || !at || !isdigit((unsigned char)at[5]))
		return; /* "port ALL" sums the others up */
	snprintf(port, sizeof(port), "%s port %ld", s->port,
	         strtol(at + 5, NULL, 10));
	for (size_t i = 0; i < N_COUNTERS; i++) {
		long long value;

		at = strstr(colon, counters[i].errors);
		if (!at)
			continue;
		value = strtoll(at + strlen(counters[i].errors), NULL, 10);
		if (value > counters[i].most)
			add_counter(r, line, i, value, port);
	}
}

/* "( 4X  25.78125 Gbps Active/  LinkUp)" in Mb/s; 0 if it is not up. */
static int64_t lane_rate(const char *text)
{
	char *end;
	long width;
	double lane;

	text += strspn(text, "( \t");
	width = strtol(text, &end, 10);
	if (end == text || *end != 'X' || width < 1 || width > 12)
		return 0;
	lane = strtod(end + 1, &end);
	if (!strstr(end, "Active") || !(lane > 0) || lane > 1000)
		return 0;
	return (int64_t)(lane * 1000 * (double)width);
}

/* What iblinkinfo says of a link: all is well, or "Could be 25.78125 Gbps". */
static void take_link(struct intake *r, const struct logline *line)
{
	struct ports_state *s = r->state;
	const char *state = strstr(line->text, "==(");
	const char *could = strstr(line->text, "Could be ");
	const char *name = strchr(line->text, '"');
	int64_t rate = state ? lane_rate(state + 3) : 0;
	struct event e;

	if (!rate)
		return;
	if (!could) {
		s->good++;
		s->good_mbps = rate;
		return;
	}
	e = intake_event(r, line, KIND_PORT_SLOW);
	if (name)
		e.device = event_name(r->events, name + 1,
		                      strcspn(name + 1, "\""));
	e.n[0] = rate;
	e.n[1] = (int64_t)(strtod(could + 9, NULL) * 4000);
	intake_add(r, line, &e);
}

static void take_port(struct ports_state *s, const char *text)
{
	size_t len = strcspn(text, "(");

	len = len < sizeof(s->port) ? len : sizeof(s->port) - 1;
	while (len && text[len - 1] == ' ')
		len--;
	memcpy(s->port, text, len);
	s->port[len] = '\0';
}

/* "ibpanic: [771] main: stat of IB device 'mlx5_8' failed: No such file" */
static void take_missing(struct intake *r, const struct logline *line,
                         const char *name)
{
	struct event e = intake_event(r, line, KIND_OPEN_DEVICE);
	size_t len = strcspn(name, "'");

	if (!len || strncmp(name + len, "' failed", 8) != 0)
		return;
	e.device = event_name(r->events, name, len);
	intake_add(r, line, &e);
}

static enum reader_want ports_line(struct intake *r, const struct logline *line)
{
	struct ports_state *s = r->state;
	const char *at;

	if ((at = strstr(line->text, "counters: ")))
		take_port(s, at + 10);
	else if ((at = strstr(line->text, "Errors for ")))
		take_port(s, at + 11);
	else if ((at = strstr(line->text, "stat of IB device '")))
		take_missing(r, line, at + 19);
	else if (strstr(line->text, "==("))
		take_link(r, line);
	else if (strstr(line->text, ": ["))
		take_errors(r, line);
	else if (take_query(r, line) && s->port[0])
		s->good++;
	return LINE_DONE;
}

static void ports_end(struct intake *r)
{
	const struct ports_state *s = r->state;
	struct event e = intake_event(r, NULL, KIND_PORT_OK);

	if (!s->good)
		return;
	e.n[0] = s->good_mbps;
	intake_add(r, NULL, &e);
}

const struct explain_reader reader_ports = {
	.bare = true,
	.name = "InfiniBand ports",
	.help = "perfquery, ibqueryerrors and iblinkinfo",
	.needle = needle,
	.state_size = sizeof(struct ports_state),
	.line = ports_line,
	.end = ports_end,
};
