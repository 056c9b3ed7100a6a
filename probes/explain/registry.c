// SPDX-License-Identifier: Apache-2.0
// The readers, a row each, and what they share.
#include <string.h>

#include "probes/explain/reader.h"

static const struct explain_reader *const readers[] = {
	&reader_nccl,     &reader_torch, &reader_job,    &reader_ras_text,
	&reader_pickle,   &reader_json,  &reader_table,  &reader_matrix,
	&reader_perftest, &reader_ports, &reader_limits, &reader_kernel,
	&reader_saved,
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

void intake_add(struct intake *r, const struct logline *line,
                const struct event *e)
{
	struct event *kept = events_add(r->events, e);

	if (kept && line && !kept->text)
		kept->text = event_name(r->events, line->text, line->len);
}
