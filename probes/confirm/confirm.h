/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What logs suspect, tried where this job runs: suspects as ranks of the job,
 * and after a bisection what became of the suspicion.
 */
#ifndef FP_PROBES_CONFIRM_CONFIRM_H
#define FP_PROBES_CONFIRM_CONFIRM_H

#include "probes/confirm/beside.h"
#include "probes/explain/story.h"
#include "probes/session/session.h"
#include "topo/base/fmt.h"

#define CONFIRM_WHY_MAX 320
#define CONFIRM_AWAY_MAX 200

/** enum confirm_outcome - what became of the suspicion. */
enum confirm_outcome {
	CONFIRM_UNTESTED,  /* this probe cannot tell, and why */
	CONFIRM_CONFIRMED, /* a fault, at those that were suspected */
	CONFIRM_REFUTED,   /* the fabric is healthy for these ranks */
	CONFIRM_ELSEWHERE, /* a fault, but not at those */
	CONFIRM_NOTHING,   /* nothing was suspected, nothing is wrong */
	CONFIRM_COUNT
};

/** enum confirm_fabric - what the probe says by itself. */
enum confirm_fabric { FABRIC_UNKNOWN, FABRIC_HEALTHY, FABRIC_FAULTY };

/** struct confirm - zero-initialise; confirm_done(). */
struct confirm {
	const struct story *story; /* borrowed */
	struct beside beside;      /* whom the probe had to spare */
	bool drill;                /* faults are injected; set by the caller */
	uint32_t outcome;          /* enum confirm_outcome */
	uint32_t fabric;           /* enum confirm_fabric */
	char why[CONFIRM_WHY_MAX]; /* a sentence or two */
	int32_t *ranks;            /* suspects of this job, ascending */
	size_t n, room;
	char away[CONFIRM_AWAY_MAX]; /* suspects that are not in this job */
};

/**
 * confirm_plan() - who of @job is suspected by @story's first cause. A host is
 * known by its name, with or without a domain, or by an address of its
 * devices; all its ranks are meant then. A rank's number is taken where its
 * host is in the job, or is not told, and the job has as many ranks as that of
 * the logs, as far as they tell.
 *
 * Return: FP_OK; FP_ERR_NOMEM.
 */
enum fp_status confirm_plan(const struct story *story,
                            const struct topo_job *job, struct confirm *ret,
                            struct fp_err *err);

/** confirm_suspects() - for session_opts.suspects: "3,7"; of a job of several
 * hosts a rank of each is enough. Whoever has no room is left out. */
void confirm_suspects(const struct confirm *c, const struct topo_job *job,
                      char *buf, size_t size);

/**
 * confirm_judge() - fill outcome, fabric and why.
 * @s:   the bisection that ended; NULL: there was none, for the reason @why.
 */
void confirm_judge(struct confirm *c, const struct session *s, const char *why);

/** confirm_verdict() - enum story_verdict of logs and probe together: what the
 * probe found is a fault, what it refuted is undetermined. */
uint32_t confirm_verdict(const struct confirm *c);

/** confirm_outcome_name() - "confirmed", ... as in JSON. */
const char *confirm_outcome_name(unsigned outcome);

/** confirm_fabric_name() - "healthy", "fault", "not measured". */
const char *confirm_fabric_name(unsigned fabric);

/** confirm_done() - free; takes NULL. */
void confirm_done(struct confirm *c);

/**
 * confirm_json() - @story_json (of render_json()) with verdict and exit of
 * both, and a member "probed" that holds the outcome and @report_json, NULL
 * where there was no run.
 *
 * Return: FP_OK, FP_ERR_NOMEM.
 */
enum fp_status confirm_json(const struct confirm *c, const char *story_json,
                            const char *report_json, struct fp_text *out,
                            struct fp_err *err);

#endif
