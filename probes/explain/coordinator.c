// SPDX-License-Identifier: Apache-2.0
// Reads those who watch over a job's processes: Horovod's stall inspector,
// the coordination service of JAX and TensorFlow, rendezvous of XLA.
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/explain/reader.h"

#define RANKS_MAX 4096 /* of a list "ready ranks" */
#define LIST_LINES_MAX 64

struct coordinator_state {
	uint32_t left; /* lines of a list that may still come */
	bool tasks;    /* of tasks, else of ranks with their tensors */
};

static const char *const words[] = {
	"[missing ranks:",
	"[ready ranks:",
	"Missing ranks:",
	"in coordination service",
	"timed out task names",
	"# of tasks that reached the barrier",
	"tasks have crashed",
	"heartbeat timeout",
	"join the rendezvous, but only",
	"seconds and may be stuck",
	"CoordinationService/",
	"detected fatal errors",
};

static const char *needle(size_t i)
{
	return i < sizeof(words) / sizeof(words[0]) ? words[i] : NULL;
}

static void add_rank(struct intake *r, const struct logline *line,
                     uint32_t kind, int32_t rank)
{
	struct event e = intake_event(r, line, kind);

	e.host = 0; /* one that is spoken of need not be on the writer's */
	e.pid = -1;
	e.rank = rank;
	intake_add(r, line, &e);
}

/*
 * "ready ranks: 5, 1, 4]": those that are not in it are missing. How many there
 * are is not told: below the highest they are known to be there.
 */
static void take_ready(struct intake *r, const struct logline *line,
                       const char *at)
{
	uint8_t ready[RANKS_MAX] = { 0 };
	long most = -1;
	bool any = false;

	at += strspn(at, ": ");
	while (isdigit((unsigned char)*at)) {
		char *end;
		long rank = strtol(at, &end, 10);

		if (rank >= RANKS_MAX)
			return;
		ready[rank] = 1;
		most = rank > most ? rank : most;
		at = end + strspn(end, ", ");
	}
	if (*at != ']')
		return; /* cut: it may be any of them */
	for (long rank = 0; rank < most; rank++) {
		if (ready[rank])
			continue;
		any = true;
		add_rank(r, line, KIND_DESYNC_LAG, (int32_t)rank);
	}
	if (!any)
		add_rank(r, line, KIND_WATCHDOG, -1);
}

/* "/job:jax_worker/replica:0/task:5": each behind @at. */
static bool take_tasks(struct intake *r, const struct logline *line,
                       const char *at, uint32_t kind)
{
	bool any = false;

	while ((at = strstr(at, "/task:"))) {
		char *end;
		long task;

		at += 6;
		task = strtol(at, &end, 10);
		if (end == at || task < 0 || task > INT32_MAX ||
		    intake_is_cut(line, at))
			continue;
		add_rank(r, line, kind, (int32_t)task);
		any = true;
	}
	return any;
}

static enum reader_want begin_list(struct coordinator_state *s, bool tasks)
{
	*s = (struct coordinator_state){ LIST_LINES_MAX, tasks };
	return LINE_MORE;
}

/* What the coordination service says of its tasks. */
static enum reader_want take_service(struct intake *r,
                                     const struct logline *line)
{
	const char *text = line->text, *late = strstr(text, "timed out task");

	if (late)
		return take_tasks(r, line, late, KIND_DESYNC_LAG)
		               ? LINE_DONE
		               : begin_list(r->state, true);
	if (strstr(text, "heartbeat timeout") ||
	    strstr(text, "set to ERROR in coordination") ||
	    strstr(text, "tasks have crashed")) {
		const char *dead = strstr(text, "Task /job:");

		(void)take_tasks(r, line, dead ? dead : text, KIND_EXIT);
		return LINE_DONE;
	}
	if (strstr(text, "DEADLINE_EXCEEDED"))
		add_rank(r, line, KIND_STORE, line->rank);
	else if (strstr(text, "join the rendezvous") || strstr(text, "stuck"))
		add_rank(r, line, KIND_WATCHDOG, -1);
	return LINE_DONE;
}

/* Was "3: " before the text, and taken off as a launcher's? */
static bool was_label(const struct logline *line)
{
	char item[24];
	int n = snprintf(item, sizeof(item), "%" PRId32 ": [", line->rank);

	return line->rank >= 0 &&
	       memmem(line->raw, line->raw_len, item, (size_t)n);
}

/* An item of a list of tasks, and not news of one. */
static bool is_task(const char *text)
{
	return strncmp(text, "/job:", 5) == 0 &&
	       !strstr(text, " has been set to ");
}

/* A list on lines of its own: "0: [tensor, ...]", "/job:w/replica:0/task:1". */
static enum reader_want take_listed(struct intake *r,
                                    const struct logline *line)
{
	struct coordinator_state *s = r->state;
	const char *text = line->text + strspn(line->text, " ");

	s->left--;
	if (s->tasks && is_task(text))
		return take_tasks(r, line, text, KIND_DESYNC_LAG) && s->left
		               ? LINE_MORE
		               : LINE_DONE;
	if (s->tasks) { /* what ends the list tells for itself */
		s->left = 0;
		return take_service(r, line);
	}
	/* "2: [" looks like a launcher's label, and is taken off as one. */
	if (*text != '[' || !was_label(line)) {
		s->left = 0;
		return LINE_DONE;
	}
	add_rank(r, line, KIND_DESYNC_LAG, line->rank);
	return s->left ? LINE_MORE : LINE_DONE;
}

static enum reader_want coordinator_line(struct intake *r,
                                         const struct logline *line)
{
	struct coordinator_state *s = r->state;
	const char *at = line->text, *list;
	struct event e;
	bool any = false;

	for (; (list = strstr(at, "[missing ranks:")); any = true) {
		at = list + 14;
		e = intake_event(r, line, KIND_DESYNC_LAG);
		intake_ranks(r, line, at, &e);
	}
	for (; (list = strstr(at, "[ready ranks:")); any = true) {
		at = list + 12;
		take_ready(r, line, at);
	}
	if (any)
		return LINE_DONE;
	if (strstr(line->text, "Missing ranks:"))
		return begin_list(s, false);
	return s->left ? take_listed(r, line) : take_service(r, line);
}

const struct explain_reader reader_coordinator = {
	.bare = true,
	.name = "coordinators",
	.help = "Horovod's stalled tensors, tasks of JAX and TensorFlow",
	.needle = needle,
	.state_size = sizeof(struct coordinator_state),
	.line = coordinator_line,
};
