// SPDX-License-Identifier: Apache-2.0
// Reads UCX: completions with errors, and what it cannot set up.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "probes/explain/nccl.h"

/* "Transport retry count exceeded on mlx5_0:1/IB (synd 0x15 vend 0x81 ...": its
 * words for enum ibv_wc_status. */
static const struct {
	const char *words;
	int64_t status;
} completions[] = {
	{ "Transport retry count exceeded", 12 },
	{ "Transport retry exceeded", 12 },
	{ "no-ready retry count exceeded", 13 },
	{ "Local protection", 4 },
	{ "Local length", 1 },
	{ "Local QP operation", 2 },
	{ "Local access", 8 },
	{ "nvalid request", 9 },
	{ "Remote access", 10 },
	{ "Remote OP", 11 },
	{ "Remote operation", 11 },
	{ "flushed", 5 },
};

#define N_COMPLETIONS (sizeof(completions) / sizeof(completions[0]))

static const char syndrome[] = "(synd 0x";

/* What else it says; the first row that fits decides. */
static const struct {
	const char *word, *also;
	uint32_t kind;
} rows[] = {
	{ "no active messages transport to", NULL, KIND_SOCK_NONE },
	{ "network device '", "is not available", KIND_OPEN_DEVICE },
	{ "UCX  ERROR", "onnection refused", KIND_SOCK_CONNECT },
	{ "UCX  ERROR", "No route to host", KIND_SOCK_CONNECT },
	{ "UCX  ERROR", "onnection timed out", KIND_SOCK_CONNECT },
	{ "UCX  ERROR", "onnection reset", KIND_SOCK_RESET },
	{ "UCX  ERROR", "Cannot allocate memory", KIND_REG_MEMORY },
	{ "UCX  ERROR", "ibv_reg_mr", KIND_REG_ADDRESS },
	{ "UCX  ERROR", "Async event", KIND_IB_FATAL },
	{ "UCX  ERROR", NULL, KIND_STACK_ERROR },
};

#define N_ROWS (sizeof(rows) / sizeof(rows[0]))

static const char *needle(size_t i)
{
	if (i < N_ROWS)
		return rows[i].word;
	return i == N_ROWS ? syndrome : NULL;
}

/* "node3:19546:0:19546]" before @end, whose first bracket may be lost. */
static bool take_place_at(struct intake *r, const char *text, const char *end,
                          struct event *e)
{
	const char *at = memrchr(text, '[', (size_t)(end - text)), *colon;

	at = at ? at + 1 : text;
	colon = memchr(at, ':', (size_t)(end - at));
	if (!colon || !isdigit((unsigned char)colon[1]) ||
	    strcspn(at, " ") < (size_t)(colon - at))
		return false;
	e->host = event_name(r->events, at, (size_t)(colon - at));
	e->pid = logline_number(colon + 1);
	return true;
}

static void take_place(struct intake *r, const char *text, struct event *e)
{
	const char *end = strchr(text, ']');

	while (end && !take_place_at(r, text, end, e))
		end = strchr(end + 1, ']');
}

/* " on mlx5_0:1/IB" */
static void take_device(struct intake *r, const char *text, struct event *e)
{
	const char *at = strstr(text, " on ");
	size_t len;

	if (!at)
		return;
	at += 4;
	len = strcspn(at, ": /");
	if (at[len] == ':' && isdigit((unsigned char)at[len + 1]))
		e->device = event_name(r->events, at, len);
}

static bool take_completion(struct intake *r, const struct logline *line)
{
	const char *synd = strstr(line->text, syndrome), *vend;
	int64_t status = 0;
	struct event e;

	if (!synd)
		return false;
	for (size_t i = 0; !status && i < N_COMPLETIONS; i++)
		if (strstr(line->text, completions[i].words))
			status = completions[i].status;
	e = intake_event(r, line, nccl_wc_kind(status));
	vend = strstr(synd, "vend ");
	e.n[0] = status;
	e.n[1] = vend ? strtol(vend + 5, NULL, 16) : 0;
	take_place(r, line->text, &e);
	take_device(r, line->text, &e);
	intake_add(r, line, &e);
	return true;
}

static enum reader_want ucx_line(struct intake *r, const struct logline *line)
{
	struct event e;

	if (take_completion(r, line))
		return LINE_DONE;
	for (size_t i = 0; i < N_ROWS; i++) {
		if (!strstr(line->text, rows[i].word) ||
		    (rows[i].also && !strstr(line->text, rows[i].also)))
			continue;
		e = intake_event(r, line, rows[i].kind);
		take_place(r, line->text, &e);
		intake_add(r, line, &e);
		break;
	}
	return LINE_DONE;
}

const struct explain_reader reader_ucx = {
	.name = "UCX",
	.help = "completions with errors and failed set-up of UCX",
	.needle = needle,
	.line = ucx_line,
};
