// SPDX-License-Identifier: Apache-2.0
// Reads NCCL's lines: who wrote it, and which of the known messages it is.
#include "probes/explain/nccl.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Words of what nccl_info() reads, and the mark of any warning. */
static const char *const words[] = {
	" WARN ",        "Got completion", "Init START",    "Init COMPLETE",
	"via NET/",      "NET/IB : Using", "NET/IB: Using", "by environment",
	"NCCL version ", "Using network ", "bootstrap.cc:", "transport.cc:",
	"enqueue.cc:",   "socket.cc:",     "group.cc:",     "proxy.cc:",
	"init.cc:",      "net_ib.cc:",
};

#define N_WORDS (sizeof(words) / sizeof(words[0]))

static const char *needle(size_t i)
{
	size_t n;
	const struct nccl_message *rows = nccl_messages(&n);

	if (i < N_WORDS)
		return words[i];
	return i - N_WORDS < n ? rows[i - N_WORDS].word : NULL;
}

/* The text of an error, and its number on Linux. */
static const struct {
	const char *words;
	int number;
} errors[] = {
	{ "Connection timed out", ETIMEDOUT },
	{ "Connection refused", ECONNREFUSED },
	{ "No route to host", EHOSTUNREACH },
	{ "Network is unreachable", ENETUNREACH },
	{ "caused connection abort", ECONNABORTED },
	{ "Connection reset", ECONNRESET },
	{ "Broken pipe", EPIPE },
	{ "Cannot allocate memory", ENOMEM },
	{ "Invalid argument", EINVAL },
	{ "No such device", ENODEV },
	{ "Bad address", EFAULT },
	{ "Operation not permitted", EPERM },
	{ "Permission denied", EACCES },
	{ "No data available", ENODATA },
};

int nccl_errno(const char *msg)
{
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		if (strstr(msg, errors[i].words))
			return errors[i].number;
	return 0;
}

/* "host:pid:tid [gpu] " ends at @end, which is behind the bracket. */
static void read_place(struct intake *r, const char *text, const char *end,
                       struct event *e)
{
	const char *open = memrchr(text, '[', (size_t)(end - text));
	const char *at = open, *tid, *pid;
	char *stop;
	long gpu;

	if (!open)
		return;
	gpu = strtol(open + 1, &stop, 10);
	if (*stop != ']' || stop == open + 1)
		return;
	e->gpu = gpu >= 0 && gpu < 4096 ? (int32_t)gpu : -1;
	while (at > text && at[-1] == ' ')
		at--;
	tid = memrchr(text, ':', (size_t)(at - text));
	pid = tid ? memrchr(text, ':', (size_t)(tid - text)) : NULL;
	if (!pid)
		return;
	e->pid = (int32_t)strtol(pid + 1, NULL, 10);
	at = pid;
	while (at > text && !isspace((unsigned char)at[-1]))
		at--;
	/* a page's quoting before it */
	at += strspn(at, "`'\"*(");
	if (at < pid)
		e->host = event_name(r->events, at, (size_t)(pid - at));
}

bool nccl_place(struct intake *r, const struct logline *line, struct event *e,
                const char **ret_msg)
{
	static const struct {
		const char *mark;
		bool warn, anybodys; /* many a program says so */
	} marks[] = {
		{ "NCCL WARN ", true, false },
		{ "NCCL INFO ", false, false },
		{ " WARN ", true, true },
	};
	const char *text = line->text;

	*ret_msg = text;
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		const char *mark = strstr(text, marks[i].mark);
		const char *close;

		if (!mark)
			continue;
		*ret_msg = mark + strlen(marks[i].mark);
		close = strchr(text, ']');
		while (close && close < mark) {
			read_place(r, text, close + 1, e);
			if (e->host)
				break;
			close = strchr(close + 1, ']');
		}
		return marks[i].warn && (e->host || !marks[i].anybodys);
	}
	return false;
}

static const struct nccl_message *find_message(const char *text)
{
	size_t n;
	const struct nccl_message *rows = nccl_messages(&n);

	for (size_t i = 0; i < n; i++)
		if (strstr(text, rows[i].word) &&
		    (!rows[i].also || strstr(text, rows[i].also)))
			return &rows[i];
	return NULL;
}

/* "rank 6 and rank 4 both on CUDA device 31000": bus, rank, peer. */
static void read_duplicate(struct intake *r, const char *msg, struct event *e)
{
	const char *a = strstr(msg, "rank "), *b, *bus;

	if (!a)
		return;
	e->rank = (int32_t)strtol(a + 5, NULL, 10);
	b = strstr(a + 5, "rank ");
	if (b)
		e->peer = (int32_t)strtol(b + 5, NULL, 10);
	bus = strstr(msg, "device ");
	if (bus)
		e->bus = intake_name(r, bus + 7);
}

/* "rank 1 of 8 ranks has already checked in". */
static void read_claimed(const char *msg, struct event *e)
{
	const char *at = strstr(msg, ": rank ");

	if (at && isdigit((unsigned char)at[7]))
		e->rank = logline_number(at + 7);
}

/* Container networks are private to a host: a peer elsewhere cannot reach
 * Docker's default bridge. */
static bool is_container_address(const char *peer)
{
	return !strncmp(peer, "172.17.", 7) || !strncmp(peer, "127.", 4) ||
	       !strncmp(peer, "169.254.", 8) || !strncmp(peer, "10.88.", 6);
}

static void add_message(struct intake *r, const struct logline *line,
                        struct event *e, const char *msg)
{
	nccl_addresses(r, msg, e);
	if (e->kind == KIND_SOCK_CONNECT)
		e->n[1] = is_container_address(
			event_str(r->events, e->peer_host));
	if (e->kind == KIND_DUPLICATE_GPU)
		read_duplicate(r, msg, e);
	if (e->kind == KIND_RANK_TWICE)
		read_claimed(msg, e);
	if (e->kind == KIND_MISMATCH_CALL) {
		const char *rank = strstr(msg, "rank ");

		e->peer = rank ? (int32_t)strtol(rank + 5, NULL, 10) : -1;
	}
	e->n[0] = nccl_errno(msg);
	intake_add(r, line, e);
}

/* "misc/socket.cc:564 -> 2 (Connection refused)": a code that is handed up
 * from call to call; 0: it is no such line, or a socket's 3, which is what
 * ncclCommAbort() makes at the end of every job of PyTorch. */
static int64_t chain_code(const char *msg)
{
	const char *at = strstr(msg, ".cc:");
	int64_t code;

	if (!at)
		return 0;
	at += 4 + strspn(at + 4, "0123456789");
	code = strncmp(at, " -> ", 4) ? 0 : strtol(at + 4, NULL, 10);
	return code == 3 && strstr(msg, "misc/socket.cc:") ? 0 : code;
}

/* Whose call failed; each code is kept once for each process. */
static void add_chain(struct intake *r, const struct logline *line,
                      struct event *e, const char *msg)
{
	e->kind = KIND_CHAIN;
	e->n[0] = chain_code(msg);
	if (e->n[0] > 0)
		intake_add(r, line, e);
}

static enum reader_want nccl_line(struct intake *r, const struct logline *line)
{
	struct event e = intake_event(r, line, KIND_WARN_OTHER);
	const struct nccl_message *found;
	const char *msg;
	bool warn = nccl_place(r, line, &e, &msg);

	if (strstr(msg, "Got completion"))
		return nccl_completion(r, line, &e, msg);
	if (!warn && nccl_info(r, line, &e, msg))
		return LINE_DONE;
	/* The file's name stands before the mark, and can be what tells. */
	found = find_message(line->text);
	if (!found && !warn) {
		add_chain(r, line, &e, msg);
		return LINE_DONE;
	}
	if (found && found->kind == KIND_NONE)
		return LINE_DONE;
	if (found)
		e.kind = found->kind;
	add_message(r, line, &e, msg);
	return LINE_DONE;
}

const struct explain_reader reader_nccl = {
	.name = "NCCL log",
	.help = "NCCL_DEBUG=INFO or WARN, of all versions",
	.needle = needle,
	.line = nccl_line,
};
