/* SPDX-License-Identifier: Apache-2.0 */
/* What happened: events judged together, causes named, culprits placed. */
#ifndef FP_PROBES_EXPLAIN_STORY_H
#define FP_PROBES_EXPLAIN_STORY_H

#include "probes/explain/cause.h"
#include "probes/explain/clock.h"
#include "probes/explain/gather.h"
#include "probes/explain/hang.h"

#define STORY_CAUSES_MAX 8
#define STORY_EVIDENCE_MAX 8
#define STORY_WHO_MAX 320
#define STORY_WHAT_MAX 240
#define STORY_SUSPECTS_MAX 160

/** struct story_cause - a cause that the evidence speaks for. */
struct story_cause {
	const struct cause *cause;
	double confidence;         /* 0..1 */
	uint32_t severity;         /* enum finding_severity */
	char what[STORY_WHAT_MAX]; /* one sentence about this case */
	char who[STORY_WHO_MAX];   /* "rank 12 (host h3, GPU 4)"; "" unknown */
	char suspects[STORY_SUSPECTS_MAX]; /* for --suspects; "" none */
	const struct hang *hang; /* its ranks are the culprits; NULL: none */
	struct event first;      /* the place of the first evidence */
	uint32_t evidence[STORY_EVIDENCE_MAX]; /* indices of events */
	size_t n_evidence, n_events; /* n_events: all that speak for it */
};

/** enum story_verdict - of the whole input. */
enum story_verdict { STORY_HEALTHY, STORY_FAULT, STORY_UNDETERMINED };

/** struct story - zero-initialise; story_done(). */
struct story {
	const struct gather *gather;
	struct clocks clocks;
	struct hangs hangs;
	struct story_cause causes[STORY_CAUSES_MAX]; /* the first is the one */
	size_t n;
	uint32_t verdict; /* enum story_verdict */
	bool incomplete;  /* the input is cut, or part of it was not read */
	size_t n_healthy; /* things that were looked at and are well */
	size_t n_known;   /* events of any kind that a reader knew */
};

/**
 * story_make() - judge what was read. Adds derived events to @gather.
 *
 * Return: FP_OK; FP_ERR_NOMEM.
 */
enum fp_status story_make(struct gather *gather, struct story *ret,
                          struct fp_err *err);

/** story_done() - free; takes NULL. */
void story_done(struct story *story);

/** story_match() - find the causes; part of story_make(). */
void story_match(struct story *story);

/** story_place() - fill @c's words and suspects; part of story_make(). */
void story_place(const struct story *story, struct story_cause *c);

/**
 * story_rank() - the rank that @e is about: its own, or that of the process
 * or the GPU it names, as lines of NCCL's start tell them; -1 if none does,
 * or several could be meant.
 */
int32_t story_rank(const struct events *events, const struct event *e);

/** story_host() - the name of @rank's host, as any line told it; "". */
const char *story_host(const struct events *events, int32_t rank);

/** story_world() - how many ranks the job of the logs has, as communicators
 * and groups tell; 0: they do not. */
size_t story_world(const struct story *story);

/** story_ranks() - "0-3, 7 and 12" of @n ascending ranks, cut to @size. */
void story_ranks(const int32_t *ranks, size_t n, char *buf, size_t size);

#endif
