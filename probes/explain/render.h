/* SPDX-License-Identifier: Apache-2.0 */
/* A story as text and as JSON. */
#ifndef FP_PROBES_EXPLAIN_RENDER_H
#define FP_PROBES_EXPLAIN_RENDER_H

#include "probes/explain/story.h"
#include "topo/base/fmt.h"

/** struct render_probe - what a run said of the suspicion since. */
struct render_probe {
	const char *outcome, *why; /* "confirmed" and a sentence */
	uint32_t verdict;          /* enum story_verdict of both */
	const char *light;  /* what was left out for a job beside it, or "" */
	const char *beside; /* lines about that job's processes, or "" */
	const char *report; /* the run's, without its last line */
};

/** struct render_look - for a terminal or a file. */
struct render_look {
	int columns;
	bool colour;
	const struct render_probe *probe; /* NULL: there was none */
};

/** render_text() - ten lines that say it, then what it rests on. */
void render_text(const struct story *story, const struct render_look *look,
                 struct fp_text *out);

/**
 * render_json() - the same with the findings of a report's schema.
 *
 * Return: FP_OK, FP_ERR_NOMEM.
 */
enum fp_status render_json(const struct story *story, struct fp_text *out,
                           struct fp_err *err);

/** render_then() - what followed the first cause; part of render_text(). */
void render_then(const struct story *story, const struct render_look *look,
                 struct fp_text *out);

/** render_clocks() - clocks that are off by more than is uncertain, and what
 * they leave open; part of render_text(). */
void render_clocks(const struct story *story, const struct render_look *look,
                   struct fp_text *out);

/** render_clock_is_off() - by more than is uncertain. */
bool render_clock_is_off(const struct clock_row *row);

/** render_clock_name() - whose it is: "node3", "rank 4", a file. */
void render_clock_name(const struct events *events, const struct clock_row *row,
                       struct fp_text *out);

/** render_exit() - exit status: 0 healthy, 1 a fault, 3 undetermined. */
int render_exit(const struct story *story);

/** render_verdict_exit() - the same of an enum story_verdict. */
int render_verdict_exit(uint32_t verdict);

/** render_verdict_name() - "healthy", "fault", "incomplete". */
const char *render_verdict_name(uint32_t verdict);

/** render_command() - what would prove it, or "" where nothing can. */
void render_command(const struct story *story, char *buf, size_t size);

/** render_evidence() - "file:12  2026-03-13 23:33:02  the line" of @e. */
void render_evidence(const struct events *ev, const struct event *e,
                     struct fp_text *out);

#endif
