// SPDX-License-Identifier: Apache-2.0
// Status of NCCL RAS as text, as ncclras prints it.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/explain/reader.h"

static const char *const words[] = {
	"Job summary",          "have launched up to operation",
	"has launched up to",   "have not launched any",
	"managed by process",   "operation counts",
	"Missing communicator", "considered dead",
	"ranks reported ",      "communication timeout",
	"Group     Comms",
};

static const char *needle(size_t i)
{
	return i < sizeof(words) / sizeof(words[0]) ? words[i] : NULL;
}

/* What the lines before told of the one that is read. */
struct ras_state {
	char group[64]; /* "0-0 (fa62ebfb741c090c)" */
	char op[32];    /* "AllGather"; "" for all of them together */
	int64_t count;  /* of ranks that were just counted; -1 none */
	int64_t launched;
	bool missing, dead, table;
	uint32_t quiet; /* lines since the last that was of RAS */
};

#define QUIET_MAX 32

static int64_t number(const char *text)
{
	return event_number(strtoll(text, NULL, 10));
}

/* The status is of the whole job: it says nothing of the rank that printed it,
 * whose label may stand before each line. */
static struct event begin(struct intake *r, const struct logline *line,
                          unsigned kind)
{
	struct event e = intake_event(r, line, kind);

	e.rank = e.pid = e.gpu = -1;
	return e;
}

/* "Rank 12 -- GPU 4 managed by process 326143 on node 10.137.197.24" */
static struct event read_rank(struct intake *r, const struct logline *line,
                              unsigned kind)
{
	const struct ras_state *s = r->state;
	struct event e = begin(r, line, kind);
	const char *rank = strstr(line->text, "Rank ");
	const char *gpu = strstr(line->text, "GPU ");
	const char *pid = strstr(line->text, "process ");
	const char *node = strstr(line->text, "on node ");

	if (rank)
		e.rank = (int32_t)number(rank + 5);
	if (gpu)
		e.gpu = (int32_t)number(gpu + 4);
	if (!strncmp(line->text, "Process ", 8) ||
	    strstr(line->text, "  Process "))
		pid = strstr(line->text, "Process ");
	if (pid)
		e.pid = (int32_t)number(pid + 8);
	if (node)
		e.host = event_name(r->events, node + 8,
		                    strcspn(node + 8, " ,"));
	e.group = intake_name(r, s->group);
	return e;
}

/* "#0-0 (fa62ebfb741c090c) MISMATCH" */
static bool read_head(struct ras_state *s, const char *text)
{
	const char *hash = strchr(text, '#');
	size_t len = hash ? strcspn(hash, ")") : 0;

	if (!hash || !isdigit((unsigned char)hash[1]) || hash[len] != ')' ||
	    len >= sizeof(s->group))
		return false;
	(void)snprintf(s->group, sizeof(s->group), "%.*s)", (int)len - 1,
	               hash + 1);
	s->op[0] = '\0';
	s->count = -1;
	s->missing = strstr(text, "INCOMPLETE") != NULL;
	return true;
}

/* "Communicator ranks have different AllGather operation counts" */
static bool read_mismatch(struct ras_state *s, const char *text)
{
	const char *at = strstr(text, "ranks have different ");
	const char *end = strstr(text, " operation counts");

	if (!at || !end || end < at + 21)
		return false;
	(void)snprintf(s->op, sizeof(s->op), "%.*s", (int)(end - at - 21),
	               at + 21);
	if (!strcmp(s->op, "collective"))
		s->op[0] = '\0';
	return true;
}

/* "30 ranks have launched up to operation 640", or of a single rank. */
static bool add_count(struct intake *r, const struct logline *line)
{
	struct ras_state *s = r->state;
	const char *up = strstr(line->text, "launched up to operation ");
	const char *none = strstr(line->text, "not launched any operations");
	const char *single = strstr(line->text, "Rank ");
	struct event e;

	if (!up && !none)
		return false;
	if (up && intake_is_cut(line, up + 25)) {
		intake_cut(r, line, "the status of RAS");
		return true;
	}
	s->launched = up ? number(up + 25) : 0;
	e = read_rank(r, line, KIND_RAS_COUNT);
	e.op = intake_name(r, s->op);
	e.n[0] = s->launched;
	e.n[1] = single ? 1 : number(line->text + strspn(line->text, " "));
	s->count = single ? -1 : e.n[1];
	intake_add(r, line, &e);
	return true;
}

/* A rank below a heading: of a count, or missing. */
static bool add_listed(struct intake *r, const struct logline *line)
{
	struct ras_state *s = r->state;
	struct event e;

	if (!strstr(line->text, "managed by process") &&
	    !strstr(line->text, "managing GPU"))
		return false;
	if (s->count > 0 && !s->dead) {
		e = read_rank(r, line, KIND_RAS_COUNT);
		e.op = intake_name(r, s->op);
		e.n[0] = s->launched;
		e.n[1] = 1;
		e.n[2] = 1;
	} else {
		e = read_rank(r, line, KIND_RAS_MISSING);
		e.n[0] = s->dead ? 2 : 1;
	}
	intake_add(r, line, &e);
	return true;
}

static bool add_trouble(struct intake *r, const struct logline *line)
{
	static const struct {
		const char *word;
		uint32_t kind;
	} rows[] = {
		{ "considered dead", KIND_RAS_DEAD },
		{ "communication timeout", KIND_RAS_TIMEOUT },
		{ "ranks reported ", KIND_RAS_ERROR },
		{ "Missing communicator data", KIND_RAS_TIMEOUT },
	};
	struct ras_state *s = r->state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct event e;

		if (!strstr(line->text, rows[i].word))
			continue;
		e = begin(r, line, rows[i].kind);
		e.group = intake_name(r, s->group);
		e.n[0] = number(line->text + strspn(line->text, " "));
		s->dead = rows[i].kind == KIND_RAS_DEAD;
		s->missing = rows[i].kind == KIND_RAS_TIMEOUT;
		s->count = -1;
		intake_add(r, line, &e);
		return true;
	}
	return false;
}

/* The word at @*at, which then stands behind it; "" at the end. */
static size_t next_word(const char **at, const char **ret)
{
	size_t len;

	*ret = *at + strspn(*at, " ");
	len = strcspn(*ret, " ");
	*at = *ret + len;
	return len;
}

#define TABLE_WORDS 8 /* six counts, state and errors */

/* A row of the table of communicators: counts, "7-8" among them, two words. */
static bool add_table(struct intake *r, const struct logline *line)
{
	struct ras_state *s = r->state;
	const char *at = line->text, *word[TABLE_WORDS];
	size_t len = 0;
	struct event e;

	if (strstr(line->text, "Group     Comms")) {
		s->table = true;
		return true;
	}
	for (size_t i = 0; i < TABLE_WORDS; i++) {
		len = next_word(&at, &word[i]);
		if (!len || (i < 6) != (isdigit((unsigned char)*word[i]) != 0))
			return false;
	}
	if (!s->table)
		return false;
	e = begin(r, line, KIND_RAS_COMM);
	e.op = event_name(r->events, word[7], len);
	e.n[0] = number(word[4]);
	e.n[1] = number(word[5]);
	if (!strcmp(event_str(r->events, e.op), "OK")) {
		e.kind = KIND_RAS_OK;
		e.n[0] = number(word[1]);
	}
	intake_add(r, line, &e);
	return true;
}

static enum reader_want ras_line(struct intake *r, const struct logline *line)
{
	struct ras_state *s = r->state;

	if (read_head(s, line->text) || read_mismatch(s, line->text) ||
	    add_count(r, line) || add_trouble(r, line) || add_listed(r, line) ||
	    add_table(r, line) || strstr(line->text, "Job summary"))
		s->quiet = 0;
	else
		s->quiet++;
	if (s->quiet > QUIET_MAX) {
		*s = (struct ras_state){ .count = -1 };
		return LINE_DONE;
	}
	return LINE_MORE;
}

const struct explain_reader reader_ras_text = {
	.bare = true,
	.name = "NCCL RAS text",
	.help = "status of NCCL's RAS as ncclras prints it",
	.needle = needle,
	.state_size = sizeof(struct ras_state),
	.line = ras_line,
};
