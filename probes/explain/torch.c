// SPDX-License-Identifier: Apache-2.0
// Reads the watchdog of PyTorch's process groups (c10d), of all versions.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/explain/reader.h"

static const char *const words[] = {
	"Watchdog caught collective",
	"detected by watchdog at work",
	"Timeout at NCCL work",
	"Last enqueued NCCL work",
	"Received a dump signal",
	"Heartbeat monitor timed out",
	"watchdog got stuck",
	"are the lagging ranks",
	"problematic ranks: [",
	"joined but didn't finish",
	"but didn't join collective",
	"Timeout at collective",
	"started ranks:",
	"finished ranks:",
	"Detected mismatch between collectives",
	"failed to pass monitoredBarrier",
	"missing ranks: ",
	"Culprit rank ",
};

static const char *needle(size_t i)
{
	return i < sizeof(words) / sizeof(words[0]) ? words[i] : NULL;
}

/* A desync report goes on over lines that only its head explains. */
struct torch_state {
	int64_t seq;   /* of the snapshot's heading */
	bool finished; /* of its heading */
	uint32_t lines_left;
};

#define DESYNC_LINES_MAX 64

static int64_t number_behind(const char *text, const char *word)
{
	const char *at = strstr(text, word);
	char *end;
	long long value;

	if (!at)
		return -1;
	at += strlen(word);
	value = strtoll(at, &end, 10);
	return end == at ? -1 : event_number(value);
}

/*
 * The group of "[PG ID 1 PG GUID 2(mesh) Rank 1]" or "[PG 1 Rank 0]", and the
 * rank in it; the global rank is in the prefix "[rank9]:" where there is one.
 */
static void read_group(struct intake *r, const char *text, struct event *e,
                       int64_t *ret_rank)
{
	const char *at = strstr(text, "PG GUID ");
	const char *end;

	*ret_rank = -1;
	if (at) {
		at += 8;
	} else {
		at = strstr(text, "[PG ");
		if (!at)
			return;
		at += 4;
	}
	end = strstr(at, " Rank ");
	if (!end)
		return;
	*ret_rank = number_behind(end, " Rank ");
	e->group = event_name(r->events, at, strcspn(at, "( "));
}

/* "[Rank 3]": global in old versions, where no prefix tells it. */
static void read_rank(const struct logline *line, struct event *e)
{
	int64_t rank = number_behind(line->text, "[Rank ");

	if (e->rank < 0 && rank >= 0 && rank <= INT32_MAX)
		e->rank = (int32_t)rank;
}

/* The file ends in a number, which is another one then. */
static bool is_cut(const struct logline *line)
{
	const char *at = line->text + line->len;

	while (at > line->text && isdigit((unsigned char)at[-1]))
		at--;
	return *at && intake_is_cut(line, at);
}

static enum reader_want add_watchdog(struct intake *r,
                                     const struct logline *line)
{
	static const char *const fields[] = {
		"SeqNum=", "NumelIn=", "NumelOut=", "Timeout(ms)=", "ran for "
	};
	struct event e = intake_event(r, line, KIND_WATCHDOG);
	const char *op = strstr(line->text, "OpType=");
	int64_t in_group;

	if (!strstr(line->text, "before timing out") && !line->last)
		return LINE_JOIN;
	if (is_cut(line)) {
		intake_cut(r, line, "the watchdog's line");
		return LINE_DONE;
	}
	for (size_t i = 0; i < 5; i++)
		e.n[i] = number_behind(line->text, fields[i]);
	if (op)
		e.op = event_name(r->events, op + 7, strcspn(op + 7, ",) "));
	read_group(r, line->text, &e, &in_group);
	read_rank(line, &e);
	intake_add(r, line, &e);
	return LINE_DONE;
}

/* "last enqueued NCCL work: 1582", "last enqueued work: 1582", any case. */
static int64_t work_number(const char *text, const char *what)
{
	static const char *const forms[] = { " NCCL work: ", " work: " };
	char word[48];

	for (size_t i = 0; i < 2; i++) {
		int64_t value;

		(void)snprintf(word, sizeof(word), "ast %s%s", what, forms[i]);
		value = number_behind(text, word);
		if (value >= 0)
			return value;
	}
	return -1;
}

static enum reader_want add_work(struct intake *r, const struct logline *line,
                                 uint32_t kind)
{
	struct event e = intake_event(r, line, kind);
	int64_t in_group;

	if (!strstr(line->text, "ast completed") && !line->last)
		return LINE_JOIN;
	if (is_cut(line)) {
		intake_cut(r, line, "the watchdog's line");
		return LINE_DONE;
	}
	e.n[0] = number_behind(line->text, "at work sequence id: ");
	if (e.n[0] < 0)
		e.n[0] = number_behind(line->text, "at work: ");
	if (e.n[0] < 0)
		e.n[0] = number_behind(line->text, "at NCCL work: ");
	e.n[1] = work_number(line->text, "enqueued");
	e.n[2] = work_number(line->text, "completed");
	read_group(r, line->text, &e, &in_group);
	e.n[3] = in_group;
	read_rank(line, &e);
	if (e.rank < 0 && in_group >= 0)
		e.rank = (int32_t)in_group;
	e.peer = -1;
	intake_add(r, line, &e);
	return LINE_DONE;
}

static void add_repeated(struct intake *r, const struct logline *line)
{
	struct event e = intake_event(r, line, KIND_REPEATED);

	if (!line->repeated)
		return;
	e.n[0] = line->repeated;
	e.rank = -1;
	e.pid = -1;
	intake_add(r, line, &e);
}

/*
 * What other tools have found already: "Rank 3 failed to pass
 * monitoredBarrier", and fr_trace's "missing ranks: {1, 4}", "Culprit rank 2".
 */
static bool add_named(struct intake *r, const struct logline *line,
                      struct event *e)
{
	static const char *const before[] = { "missing ranks: {",
		                              "Culprit rank " };
	const char *at = NULL;

	if (strstr(line->text, " failed to pass monitored")) {
		at = strstr(line->text, "]: Rank");
		at = at ? at + 7 : strstr(line->text, "Rank");
	}
	for (size_t i = 0; !at && i < 2; i++) {
		at = strstr(line->text, before[i]);
		at = at ? at + strlen(before[i]) : NULL;
	}
	if (!at)
		return false;
	intake_ranks(r, line, at + strcspn(at, "0123456789"), e);
	return true;
}

/* Each rank of the line's first list. */
static void add_listed(struct intake *r, const struct logline *line,
                       struct event *e)
{
	const char *list = strchr(line->text, '[');

	if (list)
		intake_ranks(r, line, list, e);
}

/* Sentences of the report that say which ranks lag. */
static bool add_lagging(struct intake *r, const struct logline *line)
{
	struct event e = intake_event(r, line, KIND_DESYNC_LAG);
	const char *lag = strstr(line->text, "are the lagging ranks");
	const char *list =
		strstr(line->text, lag ? "ranks [" : "problematic ranks: [");

	if (list) {
		intake_ranks(r, line, strchr(list, '['), &e);
		return true;
	}
	if (add_named(r, line, &e))
		return true;
	if (!strstr(line->text, "joined but didn't finish") &&
	    !strstr(line->text, "but didn't join collective"))
		return false;
	e.n[0] = number_behind(line->text, "collective #");
	e.n[1] = strstr(line->text, "but didn't join") != NULL;
	add_listed(r, line, &e);
	return true;
}

/* The snapshot: "#5 started ranks:", then "[0, 1] started ALLREDUCE". */
static enum reader_want add_snapshot(struct intake *r,
                                     const struct logline *line)
{
	struct torch_state *s = r->state;
	struct event e = intake_event(r, line, KIND_DESYNC_STATE);
	const char *hash = strchr(line->text, '#');
	const char *op = strstr(line->text, "] started ");

	if (hash && strstr(line->text, " ranks:")) {
		s->seq = event_number(strtoll(hash + 1, NULL, 10));
		s->finished = strstr(line->text, "finished") != NULL;
		s->lines_left = DESYNC_LINES_MAX;
		return LINE_MORE;
	}
	if (!s->lines_left)
		return LINE_DONE;
	s->lines_left--;
	if (op || strstr(line->text, "] finished")) {
		e.n[0] = s->seq;
		e.n[1] = s->finished;
		if (op)
			e.op = intake_name(r, op + 10);
		add_listed(r, line, &e);
	}
	return LINE_MORE;
}

static void add_simple(struct intake *r, const struct logline *line,
                       uint32_t kind)
{
	struct event e = intake_event(r, line, kind);

	read_rank(line, &e);
	intake_add(r, line, &e);
}

/* "Rank 0 is running collective: ..., but Rank 1 is running ..." */
static void add_mismatch(struct intake *r, const struct logline *line)
{
	struct event e = intake_event(r, line, KIND_MISMATCH_CALL);
	int64_t rank = number_behind(line->text, "ranks. Rank ");
	int64_t other = number_behind(line->text, "but Rank ");

	if (rank >= 0 && rank <= INT32_MAX)
		e.rank = (int32_t)rank;
	if (other >= 0 && other <= INT32_MAX)
		e.peer = (int32_t)other;
	intake_add(r, line, &e);
}

static enum reader_want torch_line(struct intake *r, const struct logline *line)
{
	const char *text = line->text;

	add_repeated(r, line);
	if (strstr(text, "Watchdog caught collective"))
		return add_watchdog(r, line);
	if (strstr(text, "detected by watchdog at work") ||
	    strstr(text, "Timeout at NCCL work"))
		return add_work(r, line, KIND_WORK);
	if (strstr(text, "Last enqueued NCCL work") ||
	    strstr(text, "Received a dump signal"))
		return add_work(r, line, KIND_DUMP);
	if (strstr(text, "Heartbeat monitor timed out") ||
	    strstr(text, "watchdog got stuck")) {
		add_simple(r, line, KIND_HEARTBEAT);
		return LINE_DONE;
	}
	if (strstr(text, "Detected mismatch between collectives")) {
		add_mismatch(r, line);
		return LINE_DONE;
	}
	if (add_lagging(r, line))
		return LINE_DONE;
	return add_snapshot(r, line);
}

const struct explain_reader reader_torch = {
	.name = "PyTorch watchdog",
	.help = "c10d's watchdog: time-outs and desync reports",
	.needle = needle,
	.state_size = sizeof(struct torch_state),
	.line = torch_line,
};
