/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What hung so far, and what that says about trials still to come: so that a
 * dead thing costs a run about one deadline, not one per pair. Pure.
 *
 * Between hosts an endpoint is a network device of a host, inside a host it is
 * a rank. Endpoints are numbered by the lowest rank that uses them.
 */
#ifndef FP_PROBES_SESSION_HANG_H
#define FP_PROBES_SESSION_HANG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probes/trial/trial.h"
#include "topo/model/model.h"

/**
 * enum hang_family - paths that fail together. Latency is apart: that small
 * messages pass does not say that big ones do, but not the other way round.
 */
enum hang_family {
	HANG_SHM,
	HANG_TCP_LOCAL, /* over loopback */
	HANG_TCP_NET,
	HANG_SHM_SMALL,
	HANG_TCP_LOCAL_SMALL,
	HANG_TCP_NET_SMALL,
	HANG_FAMILY_COUNT
};

/** enum hang_advice - whether a pair should be tried now. */
enum hang_advice {
	HANG_GO,
	HANG_DEFER,      /* it hung, in this or the other direction */
	HANG_QUARANTINE, /* an end of it hung with two partners */
	HANG_HOPELESS,   /* nothing at all gets through */
	HANG_SICK,       /* an end's worker fails whatever it does; the log
	                    itself never says so */
};

/** enum hang_role - an endpoint as a sender, a receiver, or as either. */
enum hang_role { HANG_TX, HANG_RX, HANG_ANY, HANG_ROLE_COUNT };

#define HANG_PARTNERS 8

/** struct hang_side - an endpoint in one of its roles. */
struct hang_side {
	int32_t partners[HANG_PARTNERS]; /* it hung with, since its last OK */
	uint8_t n_partners;
	bool convicted, quarantined;
	bool tried;  /* has had its second chance */
	bool probed; /* has been tried though it hangs over another transport */
	bool passed; /* got through since its last hang */
};

/** struct hang_pair - a directed pair of ranks that hung at least once. */
struct hang_pair {
	uint8_t family;
	int32_t src, dst;
	uint32_t stage; /* the session's index of the stage it hung in */
	uint32_t hangs, passes;
	bool turned; /* its other direction has had its chance */
	bool unmet;  /* the ends never met, each time: of both directions */
};

/** struct hang_gram - what a datagram trial said. */
struct hang_gram {
	uint8_t family;
	int32_t src, dst; /* endpoints */
	bool small, full; /* got through */
};

struct hang_log {
	const struct topo_job *job;
	int32_t *leader;         /* rank -> endpoint between hosts */
	struct hang_side *sides; /* [family][endpoint][role] */
	struct hang_pair *pairs;
	size_t n_pairs, room_pairs;
	struct hang_gram *grams;
	size_t n_grams, room_grams;
	uint32_t
		barren[HANG_FAMILY_COUNT]; /* rounds in a row with hangs only */
	/* seen since the last settling */
	bool round_ok[HANG_FAMILY_COUNT], round_hang[HANG_FAMILY_COUNT];
};

/** hang_log_init() - nothing hung yet. @job is borrowed. FP_ERR_NOMEM. */
enum fp_status hang_log_init(struct hang_log *log, const struct topo_job *job,
                             struct fp_err *err);
void hang_log_done(struct hang_log *log); /* takes NULL */

/** hang_family() - the family of a pair's trials; HANG_FAMILY_COUNT: none. */
unsigned hang_family(const struct topo_job *job, const struct trial *t);

/** hang_endpoint() - number of the endpoint of @rank in @family. */
int32_t hang_endpoint(const struct hang_log *log, unsigned family,
                      int32_t rank);

/** hang_big_family() - the family of big messages over the same path. */
unsigned hang_big_family(unsigned family);

/** hang_log_side() - an endpoint in a role; to be changed by its owners. */
struct hang_side *hang_log_side(const struct hang_log *log, unsigned family,
                                int32_t endpoint, enum hang_role role);

/** hang_log_pair() - a pair of ranks that hung, or NULL. */
struct hang_pair *hang_log_pair(const struct hang_log *log, unsigned family,
                                int32_t src, int32_t dst);

/** hang_log_pass() - @t of @family got through. Before the round's hangs. */
void hang_log_pass(struct hang_log *log, unsigned family,
                   const struct trial *t);

/**
 * hang_log_hang() - it hung; @stage is kept with the pair. @met: data had its
 * turn. What hangs before is the same in both directions, for to meet takes
 * both, so that one second chance stands for them. FP_ERR_NOMEM.
 */
enum fp_status hang_log_hang(struct hang_log *log, unsigned family,
                             const struct trial *t, uint32_t stage, bool met,
                             struct fp_err *err);

/**
 * hang_log_settle() - a round is over: quarantine whoever hung with two
 * partners that hung with nobody else; in one role only, if it gets through
 * in the other.
 */
void hang_log_settle(struct hang_log *log);

/** hang_log_gram() - a datagram trial's result. FP_ERR_NOMEM. @family is one
 * of big messages, as is its own. */
enum fp_status hang_log_gram(struct hang_log *log, unsigned family,
                             const struct trial *t, bool small, bool full,
                             struct fp_err *err);

/** hang_log_is_blocked() - is rank @rank known to hang as a whole, over any
 * transport inside its host or with its device? */
bool hang_log_is_blocked(const struct hang_log *log, int32_t rank);

/**
 * hang_log_advice() - may @src -> @dst be tried? What hung over one transport
 * inside a host is put off over the other, until that is known to work. Small
 * messages go both ways, so they are as bad as the worse way.
 */
enum hang_advice hang_log_advice(const struct hang_log *log, unsigned family,
                                 int32_t src, int32_t dst);

/** hang_log_is_hung_elsewhere() - does @src -> @dst, or an end of it, hang over
 * another transport, but not (or not yet) over this one? */
bool hang_log_is_hung_elsewhere(const struct hang_log *log, unsigned family,
                                int32_t src, int32_t dst);

/** hang_log_is_ruled_out() - do datagrams say that a stream cannot work? */
bool hang_log_is_ruled_out(const struct hang_log *log, unsigned family,
                           int32_t src, int32_t dst);

/**
 * hang_log_second_chance() - may a pair that hung or was put off be tried
 * (again)? Remembers that it was, so that of those that would fail for one
 * reason only one is tried, and the rest only if it got through. A pair that
 * hung is settled by a second hang or by two passes.
 */
bool hang_log_second_chance(struct hang_log *log, unsigned family, int32_t src,
                            int32_t dst);

/** hang_log_is_clean() - nothing hung with this endpoint since its last OK. */
bool hang_log_is_clean(const struct hang_log *log, unsigned family,
                       int32_t endpoint);

/** hang_log_any() - did anything hang? */
bool hang_log_any(const struct hang_log *log);

#endif
