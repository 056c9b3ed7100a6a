// SPDX-License-Identifier: Apache-2.0
// The readers, a row each, and what they share.
#include <ctype.h>
#include <string.h>

#include "probes/explain/reader.h"

static const struct explain_reader *const readers[] = {
	&reader_nccl,     &reader_torch, &reader_job,         &reader_ras_text,
	&reader_pickle,   &reader_json,  &reader_table,       &reader_matrix,
	&reader_perftest, &reader_ports, &reader_limits,      &reader_kernel,
	&reader_saved,    &reader_ucx,   &reader_coordinator, &reader_mpi,
	&reader_peers,
};

const struct explain_reader *const *explain_readers(size_t *ret_n)
{
	*ret_n = sizeof(readers) / sizeof(readers[0]);
	return readers;
}

uint32_t intake_name(struct intake *r, const char *text)
{
	return event_name(r->events, text, strlen(text));
}

struct event intake_event(struct intake *r, const struct logline *line,
                          unsigned kind)
{
	struct event e = event_blank(kind);

	e.file = r->file;
	e.rank = r->file_rank;
	if (!line)
		return e;
	e.line = line->number;
	e.time_ns = line->time_ns;
	e.last_ns = line->time_ns;
	e.stamp = line->stamp;
	e.pid = line->pid;
	e.host = intake_name(r, line->host);
	if (line->rank >= 0)
		e.rank = line->rank;
	return e;
}

bool intake_is_cut(const struct logline *line, const char *number)
{
	return line->unended && number[strspn(number, "-0123456789")] == '\0';
}

void intake_ranks(struct intake *r, const struct logline *line, const char *at,
                  struct event *e)
{
	e->host = 0;
	e->pid = -1;
	at += strspn(at, ":[{ ");
	while (isdigit((unsigned char)*at)) {
		if (intake_is_cut(line, at)) {
			intake_cut(r, line, "a list of ranks");
			return;
		}
		e->rank = logline_number(at);
		if (e->rank < 0)
			return;
		intake_add(r, line, e);
		at += strspn(at, "0123456789");
		at += strspn(at, ", ");
	}
}

void intake_cut(struct intake *r, const struct logline *line, const char *what)
{
	struct event e = intake_event(r, line, KIND_CUT);

	e.op = intake_name(r, what);
	intake_add(r, line, &e);
}

uint32_t intake_evidence(struct intake *r, const struct logline *line)
{
	static const char more[] = "...";
	char text[EVENT_LINE_MAX];
	size_t room = sizeof(text) - sizeof(more) + 1;

	if (line->len <= sizeof(text) && !line->cut)
		return event_name(r->events, line->text, line->len);
	room = line->len < room ? line->len : room;
	/* Not in the middle of a character of UTF-8. */
	while (room && ((unsigned char)line->text[room] & 0xc0) == 0x80)
		room--;
	memcpy(text, line->text, room);
	memcpy(text + room, more, sizeof(more) - 1);
	return event_name(r->events, text, room + sizeof(more) - 1);
}

void intake_add(struct intake *r, const struct logline *line,
                const struct event *e)
{
	struct event *kept = events_add(r->events, e);

	if (kept && line && !kept->text)
		kept->text = intake_evidence(r, line);
}
