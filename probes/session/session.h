/* SPDX-License-Identifier: Apache-2.0 */
/* The sequence of a run: the same for real, replayed and modelled ones. */
#ifndef FP_PROBES_SESSION_SESSION_H
#define FP_PROBES_SESSION_SESSION_H

#include <stdbool.h>

#include "probes/finding/finding.h"
#include "probes/judge/judge.h"
#include "probes/judge/matrix.h"
#include "probes/judge/results.h"
#include "probes/judge/since.h"
#include "probes/session/exec.h"
#include "topo/fabric/fabric.h"
#include "topo/model/model.h"

struct locate;

enum session_mode { MODE_QUICK, MODE_STANDARD, MODE_DEEP, MODE_COUNT };
enum session_kind {
	SESSION_RUN,
	SESSION_PAIRS,
	SESSION_SWEEP,
	SESSION_CHECK, /* checks, and the MTU of paths */
	SESSION_BISECT,
	SESSION_KIND_COUNT
};
enum session_verdict { VERDICT_HEALTHY, VERDICT_FAULT, VERDICT_INCOMPLETE };

/** struct session_opts - what decides a run's plan. In the report. */
struct session_opts {
	uint32_t kind, mode; /* enum session_kind, session_mode */
	uint32_t xport;      /* XPORT_AUTO: shm and tcp as they apply */
	uint32_t op;         /* pairs: OP_WRITE or OP_LATENCY; sweep: its op */
	uint64_t bytes;      /* pairs and matrices; 0: the mode's */
	uint64_t min_bytes, max_bytes, step_bytes; /* sweep: -b -e -i */
	uint32_t factor;                           /* sweep: -f */
	uint32_t iters, warmup;                    /* sweep: -n -w */
	uint32_t datatype; /* sweep: -d; enum trial_type */
	uint32_t redop;    /* sweep: -o; enum trial_redop */
	bool registered;   /* sweep: -R */
	bool check;        /* sweep: -c */
	bool bidirectional;
	bool offline;         /* judge what was saved: no trials at all */
	uint32_t checks_off;  /* bit i: not the i-th of checks_all() */
	double time_limit_s;  /* of the whole run, 0: the mode's */
	double trial_s;       /* measuring time of a pair, 0: the mode's */
	double local_trial_s; /* the same inside a host, 0: trial_s if that is
	                         given, else the mode's */
	double deadline_s;    /* of a trial, 0: the mode's */
	double load_s;        /* S0: GPUs are kept busy for so long; 0: not */
	uint64_t seed;
	char suspects[128]; /* bisect: ranks and hosts, "3,h2" */
	double floor_Bps;   /* bisect: busbw below that fails; 0: any will do */
	struct judge_opts judge;
};

/** struct session_skip - something not looked at, and why. */
struct session_skip {
	char what[96], why[160];
	bool missing; /* a healthy verdict would need it */
};

/** struct session_coverage - what was looked at. Directed pairs. */
struct session_coverage {
	uint64_t pairs_measured, pairs_total;
	struct session_skip *skips;
	size_t n_skips;
};

/** struct session_progress - for one line on stderr. */
struct session_progress {
	const char *stage; /* "S1 inside hosts" */
	uint32_t round, n_rounds;
	uint64_t trials_done, trials_planned;
	uint32_t suspects;
	double elapsed_s;
	double left_s; /* to the time limit; -1: there is none */
};

/** struct session_hooks - told as a run goes; any may be NULL. */
struct session_hooks {
	void *arg;
	void (*progress)(void *arg, const struct session_progress *p);
	/** every batch before it is executed: for the journal */
	void (*batch)(void *arg, const struct batch *batch);
	void (*outcome)(void *arg, const struct trial *t,
	                const struct outcome *o, const double *samples,
	                size_t n);
	void (*event)(void *arg, const struct run_event *e);
	void (*watch)(void *arg, const struct watch *w);
};

/** struct session - a run and all that came of it. */
struct session {
	struct session_opts opts;
	const struct topo_job *job; /* borrowed */
	struct results results;
	struct matrices matrices;
	struct findings findings;
	struct session_coverage coverage;
	struct session_skip *check_skips; /* what checks could not look at */
	size_t n_check_skips;
	enum session_verdict verdict;
	bool interrupted;
	int64_t start_ns;
	double elapsed_s;
	const struct fabric *fabric; /* borrowed; NULL: not known. Set it after
	                                session_init() */
	const struct judge_run *before; /* borrowed: an earlier run to be held
	                                   against; NULL. As fabric */
	struct locate *locate; /* who looked for culprits; NULL: nobody did */
	double *round_overhead_s; /* wall - work of each round, for --timing */
	size_t n_rounds, room_rounds;
};

void session_defaults(struct session_opts *opts);

/**
 * session_opts_fill() - put the mode's values where @opts has zeros.
 */
void session_opts_fill(struct session_opts *opts);

/**
 * session_init() - an empty run over @job (borrowed until session_done()).
 * @opts is copied; zeros in it become the mode's values.
 *
 * Return: FP_OK; FP_ERR_USAGE for options that do not fit the job, naming
 * the option and the accepted values.
 */
enum fp_status session_init(struct session *s, const struct topo_job *job,
                            const struct session_opts *opts,
                            struct fp_err *err);

/**
 * session_run() - plan, execute, judge, until nothing is open or the time is
 * up; then session_judge(). What ran before a failure is kept and judged.
 *
 * Return: FP_OK whatever was found; FP_ERR_INTR after a signal (judged too);
 * FP_ERR_NOMEM.
 */
enum fp_status session_run(struct session *s, const struct exec_ops *exec,
                           void *exec_self, const struct session_hooks *hooks,
                           struct fp_err *err);

/** session_judge() - matrices, findings, coverage and verdict from results. */
enum fp_status session_judge(struct session *s, struct fp_err *err);

/**
 * session_replay() - session_judge() of saved results: whom a machine looked
 * for is found again, from the outcomes that it had then. Of a record that was
 * cut, as far as it goes.
 */
enum fp_status session_replay(struct session *s, struct fp_err *err);

/** session_exit_status() - 0 healthy, 1 fault, 3 incomplete. */
int session_exit_status(const struct session *s);

/** session_verdict_name() - "healthy", "fault", "incomplete". */
const char *session_verdict_name(unsigned verdict);
const char *session_mode_name(unsigned mode);
const char *session_kind_name(unsigned kind);

/** session_done() - free all; takes NULL and half-built ones. */
void session_done(struct session *s);

#endif
