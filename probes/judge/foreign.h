/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Foreign traffic: a port of an HCA that moved more than the trials of its
 * round explain. Such a round is CONTAMINATED: what was slow in it says nothing
 * of the fabric, and is measured again. Pure.
 */
#ifndef FP_PROBES_JUDGE_FOREIGN_H
#define FP_PROBES_JUDGE_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probes/finding/finding.h"
#include "probes/judge/results.h"
#include "probes/judge/test.h"
#include "topo/model/model.h"

/** struct foreign_use - what a port moves, bytes: a trial's own at most, or
 * what it counted. */
struct foreign_use {
	uint64_t tx, rx;
};

/** struct foreign_hit - an end of a trial whose port was used by others. */
struct foreign_hit {
	uint32_t trial;
	int32_t rank, ep; /* the port is that of the rank on this rail */
	struct foreign_use own, seen; /* all trials of the round on that port */
};

/** struct foreign - sorted by trial and rank. */
struct foreign {
	struct foreign_hit *hits;
	size_t n;
};

/**
 * foreign_own() - at most what @payload bytes one way and @back bytes the
 * other, in messages of @message bytes, are on the wire with a path MTU of
 * @mtu bytes (0: not known), seen by the end that sends @payload: headers of
 * each packet (Ethernet or LRH, IPv6 or GRH, UDP, BTH, RETH, ICRC), what the
 * transport writes beside each message, acknowledgements, the meeting.
 */
struct foreign_use foreign_own(uint64_t payload, uint64_t back,
                               uint64_t message, uint32_t mtu);

/**
 * foreign_is() - is @seen more than @own by 1 % (scheduling-and-judging 2.2)
 * and by what ports always hear (neighbours, routing, the control link's)?
 */
bool foreign_is(const struct foreign_use *own, const struct foreign_use *seen);

/**
 * foreign_find() - the ends that were contaminated, from outcome @first on.
 * Trials of one round and port count together. Rounds of a port in which
 * something failed, or whose ports do not count bytes, tell nothing.
 *
 * Return: FP_OK or FP_ERR_NOMEM. foreign_done().
 */
enum fp_status foreign_find(const struct topo_job *job, const struct results *r,
                            size_t first, struct foreign *ret,
                            struct fp_err *err);
void foreign_done(struct foreign *f); /* takes NULL */

/** foreign_has() - was trial @id contaminated at either end? */
bool foreign_has(const struct foreign *f, uint32_t id);

/** foreign_mark() - sets the tests' spoiled. FP_OK or FP_ERR_NOMEM. */
enum fp_status foreign_mark(const struct topo_job *job, const struct results *r,
                            struct judge_test *tests, size_t n,
                            struct fp_err *err);

/** judge_foreign() - a warning for each port: what was seen, and whether the
 * pairs were measured again without. FP_OK or FP_ERR_NOMEM. */
enum fp_status judge_foreign(const struct topo_job *job,
                             const struct results *r, struct findings *list,
                             struct fp_err *err);

#endif
