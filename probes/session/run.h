/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of session_run(): its state, and the rooms it is made of. */
#ifndef FP_PROBES_SESSION_RUN_H
#define FP_PROBES_SESSION_RUN_H

#include <stdbool.h>

#include "probes/session/hang.h"
#include "probes/session/session.h"
#include "probes/session/stage.h"

/* A worker's failures, in parts of what makes its rank sick. */
#define SESSION_SICK 6
#define SESSION_STRAIN_KILLED 3
#define SESSION_STRAIN_DIED 2

/** struct session_pace - what is known of a stage once some of it ran. */
struct session_pace {
	double typical_s; /* longest good trial; 0: none yet */
	uint32_t width;   /* most pairs in a round */
};

/** struct session_put_off - a pair that waits because of a hang. */
struct session_put_off {
	uint32_t stage; /* index */
	int32_t src, dst;
	uint8_t advice; /* enum hang_advice */
	bool done;
};

/** struct session_run - lives as long as session_run() runs. */
struct session_run {
	struct session *s;
	const struct exec_ops *exec;
	void *exec_self;
	const struct session_hooks *hooks;
	struct session_stages stages;
	struct session_pace *pace; /* per stage */
	struct topo_job *views; /* [n_rails] the job as each rail sees it; NULL:
	                           there are none but the job itself */
	struct hang_log *hangs; /* [n_rails] */
	uint32_t n_rails;
	bool *lost;      /* per rank: gets no more trials */
	uint8_t *strain; /* per rank: what its worker did wrong so far */
	bool *failing;   /* per rank: its worker failed, and did no trial well
	                    since */
	struct session_put_off *put_off;
	size_t n_put_off, room_put_off;

	double ahead_s; /* of the clock, by a model's time */
	double wall_s;  /* of the round in hand */
	uint32_t round; /* next one's number */
	bool stop;      /* told to stop, or failed */
	bool coll_hung; /* a collective hung: no more of them */
	bool coll_late; /* the latest one ran out of time, but moved on */
	bool round_cut; /* the run's end is the deadline of the round in hand */

	/* progress */
	const char *title;
	uint32_t stage_round, stage_rounds;
	uint64_t trials_done, trials_planned;
	uint32_t suspects;
	double suspects_at_s;

	/* first failure inside a sink, which cannot return one */
	enum fp_status status;
	struct fp_err err;
};

/** session_run_hangs() - what hung on the rail of stage @idx. */
static inline struct hang_log *session_run_hangs(const struct session_run *run,
                                                 uint32_t idx)
{
	int32_t ep = run->stages.s[idx].src_ep;

	return &run->hangs[ep > 0 ? ep : 0];
}

/** session_run_any_hang() - did anything, on any rail? */
bool session_run_any_hang(const struct session_run *run);

/** session_run_rails() - nothing hung yet, on any rail. FP_OK, FP_ERR_NOMEM.
 * session_run_rails_done(), also after a failure. */
enum fp_status session_run_rails(struct session_run *run, struct fp_err *err);
void session_run_rails_done(struct session_run *run);

/** session_run_job() - the job as the rail of @st sees it. */
const struct topo_job *session_run_job(const struct session_run *run,
                                       const struct session_stage *st);

/** session_run_elapsed_s() - since the session's start, in the executor's
 * time: a model's rounds count as long as they say. */
double session_run_elapsed_s(const struct session_run *run);

/** session_run_left_s() - until the time limit; INFINITY without one. */
double session_run_left_s(const struct session_run *run);

/** session_run_event() - add an event of the session's own to the results. */
void session_run_event(struct session_run *run, uint32_t kind, int64_t value,
                       const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/** session_run_add_batch() - into the results and to the hook. */
enum fp_status session_run_add_batch(struct session_run *run,
                                     struct batch *batch, struct fp_err *err);

/**
 * session_run_execute() - hand a recorded batch of one round to the executor;
 * its outcomes and events go into the results and to the hooks. When it was
 * told to stop or cannot go on, @run->stop and @run->status are set.
 */
void session_run_execute(struct session_run *run, struct batch *batch);

/** session_run_look() - have watched GPUs looked at once more: after the last
 * trial, so that all that was counted is known. */
void session_run_look(struct session_run *run);

/** session_run_deadline_s() - of a trial of stage @idx: shortened once the
 * stage's pace is known. */
double session_run_deadline_s(const struct session_run *run, uint32_t idx);

/** session_run_limit() - shorten @t's deadline to what is left of the run's
 * time; true if that cuts it. Whatever ends by such a deadline is no hang. */
bool session_run_limit(const struct session_run *run, struct trial *t);

/** session_run_fits() - is there time for another round of @st, keeping
 * @reserve_s for what has to follow? */
bool session_run_fits(const struct session_run *run, uint32_t idx,
                      double reserve_s);

/** session_run_is_sick() - does a rank fail whatever it does? Its worker had
 * to be killed twice, or ended by itself three times: one more try would cost
 * one more deadline. */
bool session_run_is_sick(const struct session_run *run, int32_t rank);

/** session_run_is_out() - is an end of the pair lost or sick? */
bool session_run_is_out(const struct session_run *run, int32_t src,
                        int32_t dst);

/** session_run_is_lost() - is an end of the pair lost? */
bool session_run_is_lost(const struct session_run *run, int32_t src,
                         int32_t dst);

/** session_run_not_run() - record that @rank did not take part in @t, which
 * is recorded already: NOTRUN because of @why, or LOST. */
enum fp_status session_run_not_run(struct session_run *run,
                                   const struct trial *t, int32_t rank,
                                   const char *why, struct fp_err *err);

/**
 * session_run_skip() - put a pair that will not run into the results: NOTRUN
 * because of @why, or LOST for an end that is.
 */
enum fp_status session_run_skip(struct session_run *run, uint32_t idx,
                                int32_t src, int32_t dst, const char *why,
                                struct fp_err *err);

/**
 * session_run_round() - execute one round and learn from it.
 * @idx: the stage it belongs to, for its pace.
 * @st:  what to do; need not be that stage as it is.
 * Pairs with a lost end are recorded as such. Those whose port others used
 * meanwhile (probes/judge/foreign.h) run again, up to twice, as long as there
 * is time.
 *
 * Return: FP_OK, also when the run was told to stop (@run->stop).
 */
enum fp_status session_run_round(struct session_run *run, uint32_t idx,
                                 const struct session_stage *st,
                                 const struct plan_pair *pairs, size_t n,
                                 struct fp_err *err);

/** session_run_round_once() - the same, but what others spoiled stays so. */
enum fp_status session_run_round_once(struct session_run *run, uint32_t idx,
                                      const struct session_stage *st,
                                      const struct plan_pair *pairs, size_t n,
                                      struct fp_err *err);

/** session_run_round_checked() - the same, but pairs that the hangs so far
 * advise against are put off. */
enum fp_status session_run_round_checked(struct session_run *run, uint32_t idx,
                                         const struct session_stage *st,
                                         const struct plan_pair *pairs,
                                         size_t n, struct fp_err *err);

/** session_run_full() - a collective over all ranks but those that are lost,
 * whose worker fails, or that are known to hang: as a whole, or with another
 * rank. Such a rank would cost everybody a deadline and tell nothing new. */
enum fp_status session_run_full(struct session_run *run, uint32_t idx,
                                struct fp_err *err);

/** session_run_count_suspects() - judge what there is, for progress and for
 * the time to keep for retests. */
enum fp_status session_run_count_suspects(struct session_run *run,
                                          struct fp_err *err);

/** session_run_reserve_s() - time to keep for what hung and is suspect. */
double session_run_reserve_s(const struct session_run *run, uint32_t idx);

/** session_run_leaves_reserve_s() - of the run's time, for the search for a
 * leaf that follows the tests of pairs: a slow leaf makes many pairs suspect,
 * whose further tests would else use it up. 0 where no leaves are known. */
double session_run_leaves_reserve_s(const struct session_run *run);

/**
 * struct session_listed - pairs of stage @idx to be run.
 * @checked: put off what the hangs so far advise against, and keep time for
 * the retests.
 */
struct session_listed {
	uint32_t idx;
	const struct session_stage *st;
	const struct plan_pair *pairs;
	size_t n;
	uint32_t per_round; /* 0: no limit */
	bool checked;
};

/** session_run_listed() - in as few rounds as they fit in. */
enum fp_status session_run_listed(struct session_run *run,
                                  const struct session_listed *what,
                                  struct fp_err *err);

/** session_run_planned() - the rounds of a plan of such pairs, as long as
 * there is time; @what's pairs are not looked at. */
enum fp_status session_run_planned(struct session_run *run,
                                   const struct session_listed *what,
                                   const struct plan_pairs *plan,
                                   struct fp_err *err);

/** session_run_family() - where pairs of stage @idx belong in the hang log. */
unsigned session_run_family(const struct session_run *run, uint32_t idx,
                            int32_t src, int32_t dst);

/** struct session_todo - pairs to run of one stage. */
struct session_todo {
	struct plan_pair *pairs;
	size_t n, room;
};

/** session_todos_make() - an empty one per stage; session_todos_done(). */
enum fp_status session_todos_make(const struct session_run *run,
                                  struct session_todo **ret,
                                  struct fp_err *err);
enum fp_status session_todo_add(struct session_todo *todo, int32_t src,
                                int32_t dst, struct fp_err *err);
void session_todos_done(struct session_todo *todos, size_t n); /* takes NULL */

/** session_retest_stage() - stage @idx as a retest: samples are kept. */
struct session_stage session_retest_stage(const struct session_run *run,
                                          uint32_t idx);

/**
 * session_run_todos() - run them, stage by stage.
 * @again: as retests, whatever hung; else as the stages are, checked.
 * @halvings: how often to halve the stage's concurrency.
 */
enum fp_status session_run_todos(struct session_run *run,
                                 const struct session_todo *todos, bool again,
                                 uint32_t halvings, struct fp_err *err);

/** session_retest_suspects() - as often as the judge wants them again. */
enum fp_status session_retest_suspects(struct session_run *run,
                                       struct fp_err *err);

/** session_retest_edges() - if a collective hung: its neighbours as pairs,
 * those that no stage has tried. */
enum fp_status session_retest_edges(struct session_run *run,
                                    struct fp_err *err);

/** session_retest_partners() - if a pair hung, and one of its ends has had no
 * other partner: one, so that it can be told from the pair. */
enum fp_status session_retest_partners(struct session_run *run,
                                       struct fp_err *err);

/** session_retest_grams() - datagrams both ways where tcp hung, and between
 * its ends and others that work. */
enum fp_status session_retest_grams(struct session_run *run,
                                    struct fp_err *err);

/** session_run_local() - each GPU by itself, one of a host at a time; those
 * that fall behind their peers again. */
enum fp_status session_run_local(struct session_run *run, struct fp_err *err);

/** session_run_arms() - what NCCL does badly once more, by a plain copy and by
 * control arms: see probes/trial/variant.h. */
enum fp_status session_run_arms(struct session_run *run, struct fp_err *err);

/** session_run_swaps() - what is bad by one rail once more with a port of
 * another rail at one end, then at the other: see probes/judge/swaps.h. */
enum fp_status session_run_swaps(struct session_run *run, struct fp_err *err);

/** session_retest_hung() - what hung or was put off gets its second chance;
 * what never ran is put on record. */
enum fp_status session_retest_hung(struct session_run *run, struct fp_err *err);

#endif
