// SPDX-License-Identifier: Apache-2.0
// Reads what ends a process: signals, exceptions, launchers' last words.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "probes/explain/reader.h"

/* The first row that fits decides. */
static const struct row {
	const char *word, *also;
	uint32_t kind;
} rows[] = {
	{ "Caught signal 11", NULL, KIND_SEGFAULT },
	{ "Segmentation fault", NULL, KIND_SEGFAULT },
	{ "SIGSEGV", NULL, KIND_SEGFAULT },
	{ "Bus error", NULL, KIND_SEGFAULT },
	{ "Unexpected bus error encountered in worker", NULL, KIND_SHM_SMALL },
	{ "DUE TO TIME LIMIT", NULL, KIND_TIME_LIMIT },
	{ "oom-kill", NULL, KIND_HOST_MEMORY },
	{ "OOMKilled", NULL, KIND_HOST_MEMORY },
	{ "oom_kill event", NULL, KIND_HOST_MEMORY },
	{ "Out Of Memory", "killed", KIND_HOST_MEMORY },
	{ "DefaultCPUAllocator: can't allocate", NULL, KIND_HOST_MEMORY },
	{ "OutOfMemoryError: Task was killed", NULL, KIND_HOST_MEMORY },
	{ "exitcode  : -9", NULL, KIND_KILLED },
	{ "exitcode: -9", NULL, KIND_KILLED },
	{ "exitcode  : -11", NULL, KIND_SEGFAULT },
	{ "exitcode: -11", NULL, KIND_SEGFAULT },
	{ "Signal 9 (SIGKILL)", NULL, KIND_KILLED },
	{ "exited on signal 9", NULL, KIND_KILLED },
	{ "exited on signal 11", NULL, KIND_SEGFAULT },
	{ "Signal 11 (SIGSEGV)", NULL, KIND_SEGFAULT },
	{ "exited on signal", NULL, KIND_KILLED },
	{ "died with <Signals.SIGKILL", NULL, KIND_KILLED },
	{ "DataLoader worker", "killed by signal", KIND_KILLED },
	{ "exitcode", "rank", KIND_EXIT },
	{ "ChildFailedError", NULL, KIND_EXIT },
	{ "Signal: Aborted", NULL, KIND_KILLED },
	{ "MPI_ABORT was invoked on rank", NULL, KIND_EXIT },
	{ "NODE FAILURE", NULL, KIND_EXIT },
	{ "Exited with exit code", NULL, KIND_EXIT },
	{ "TCPStore", "imed out", KIND_STORE },
	{ "TCPStore", "imeout", KIND_STORE },
	{ "wait timeout after", NULL, KIND_STORE },
	{ "RendezvousTimeoutError", NULL, KIND_STORE },
	{ "RendezvousConnectionError", NULL, KIND_STORE },
	{ "Broken pipe", "TCPStore", KIND_STORE },
	{ "gloo/transport/tcp", NULL, KIND_GLOO },
	{ "Gloo connectFullMesh failed", NULL, KIND_GLOO },
	{ "retrieving ncclUniqueId from", NULL, KIND_STORE },
	{ "Expected to have finished reduction in", NULL, KIND_MISMATCH_CALL },
	{ "StopIteration", NULL, KIND_EXCEPTION },
	{ "AssertionError", NULL, KIND_EXCEPTION },
	{ "KeyError: ", NULL, KIND_EXCEPTION },
	{ "ValueError: ", NULL, KIND_EXCEPTION },
	{ "IndexError: ", NULL, KIND_EXCEPTION },
	{ "TypeError: ", NULL, KIND_EXCEPTION },
	{ "FileNotFoundError", NULL, KIND_EXCEPTION },
	{ "KeyboardInterrupt", NULL, KIND_EXCEPTION },
	{ "loss is NaN", NULL, KIND_EXCEPTION },
};

#define N_ROWS (sizeof(rows) / sizeof(rows[0]))

/* torchrun's last words: host, rank and exit code on lines of their own. */
static const char root_cause[] = "Root Cause (first observed failure)";

#define ROOT_LINES_MAX 8

struct job_state {
	uint32_t lines_left; /* of torchrun's words */
	uint32_t host;
	int32_t rank;
};

static const char *needle(size_t i)
{
	if (i < N_ROWS)
		return rows[i].word;
	return i == N_ROWS ? root_cause : NULL;
}

/* Behind "name  : "; NULL if the line is of something else. */
static const char *field(const char *text, const char *name)
{
	text += strspn(text, " ");
	if (strncmp(text, name, strlen(name)) != 0)
		return NULL;
	text += strlen(name);
	text += strspn(text, " ");
	return *text == ':' ? text + 1 + strspn(text + 1, " ") : NULL;
}

static enum reader_want root_line(struct intake *r, const struct logline *line)
{
	struct job_state *s = r->state;
	const char *host = field(line->text, "host");
	const char *rank = field(line->text, "rank");
	const char *code = field(line->text, "exitcode");
	struct event e;
	long status;

	s->lines_left--;
	if (host)
		s->host = event_name(r->events, host, strcspn(host, " "));
	if (rank)
		s->rank = (int32_t)strtol(rank, NULL, 10);
	if (!code)
		return s->lines_left ? LINE_MORE : LINE_DONE;
	status = strtol(code, NULL, 10);
	e = intake_event(r, line,
	                 status == -11 ? KIND_SEGFAULT
	                 : status < 0  ? KIND_KILLED
	                               : KIND_EXIT);
	e.host = s->host;
	e.rank = s->rank;
	e.n[0] = status;
	intake_add(r, line, &e);
	s->lines_left = 0;
	return LINE_DONE;
}

/* "[host:01234] *** Process received signal ***" of Open MPI. */
static void read_host(struct intake *r, const char *text, struct event *e)
{
	size_t host = *text == '[' ? strcspn(text + 1, ":] ") : 0;
	const char *pid = text + 1 + host;

	if (!host || *pid != ':' || !isdigit((unsigned char)pid[1]) ||
	    pid[1 + strspn(pid + 1, "0123456789")] != ']')
		return;
	e->host = event_name(r->events, text + 1, host);
	e->pid = (int32_t)strtol(pid + 1, NULL, 10);
}

/* "srun: error: node12: task 3: Killed": a list of several stays unread. */
static void read_task(struct intake *r, const char *text, struct event *e)
{
	static const char head[] = "srun: error: ";
	const char *at = strstr(text, head), *task;
	size_t host;

	if (!at)
		return;
	at += sizeof(head) - 1;
	host = strcspn(at, ": ");
	task = at + host;
	if (strncmp(task, ": task", 6) != 0 || memchr(at, '[', host))
		return;
	e->host = event_name(r->events, at, host);
	task += 6 + (task[6] == 's');
	if (*task == ' ' && isdigit((unsigned char)task[1]))
		e->rank = (int32_t)strtol(task + 1, NULL, 10);
}

/* "rank 12", "rank: 12", "Process rank 3": who the launcher speaks of. */
static void read_rank(const char *text, struct event *e)
{
	static const char *const forms[] = { "rank: ", "rank      : ",
		                             "process rank ", "rank " };

	for (size_t i = 0; e->rank < 0 && i < 4; i++) {
		const char *at = strstr(text, forms[i]);
		char *end;
		long rank;

		if (!at)
			continue;
		at += strlen(forms[i]);
		rank = strtol(at, &end, 10);
		if (end != at && rank >= 0 && rank < (1 << 26))
			e->rank = (int32_t)rank;
	}
}

/* The last line of a traceback begins with the error's name; in the middle of
 * a sentence it is only spoken of. */
static bool is_spoken_of(const struct row *row, const char *text)
{
	const char *at = strstr(text, row->word);

	return row->kind == KIND_EXCEPTION &&
	       memchr(text, ' ', (size_t)(at - text)) != NULL;
}

static enum reader_want job_line(struct intake *r, const struct logline *line)
{
	struct job_state *s = r->state;

	if (strstr(line->text, root_cause)) {
		*s = (struct job_state){ ROOT_LINES_MAX, 0, -1 };
		return LINE_MORE;
	}
	if (s->lines_left)
		return root_line(r, line);
	for (size_t i = 0; i < N_ROWS; i++) {
		struct event e;

		if (!strstr(line->text, rows[i].word) ||
		    (rows[i].also && !strstr(line->text, rows[i].also)))
			continue;
		if (is_spoken_of(&rows[i], line->text))
			continue;
		e = intake_event(r, line, rows[i].kind);
		read_rank(line->text, &e);
		read_host(r, line->text, &e);
		read_task(r, line->text, &e);
		intake_add(r, line, &e);
		break;
	}
	return LINE_DONE;
}

const struct explain_reader reader_job = {
	.bare = true,
	.name = "program and launcher",
	.help = "signals, exceptions, torchrun, Slurm, rendezvous",
	.needle = needle,
	.state_size = sizeof(struct job_state),
	.line = job_line,
};
