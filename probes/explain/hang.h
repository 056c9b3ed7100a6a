/* SPDX-License-Identifier: Apache-2.0 */
/* Who everybody waits for, out of where each rank stands in each group. */
#ifndef FP_PROBES_EXPLAIN_HANG_H
#define FP_PROBES_EXPLAIN_HANG_H

#include "probes/explain/event.h"

/** enum hang_class - what keeps a collective from ending. */
enum hang_class {
	HANG_NONE,
	HANG_ABSENT,   /* these ranks never launched it: their host side */
	HANG_MISMATCH, /* these ranks call something else */
	HANG_PARTIAL,  /* it ended on some ranks and not on these */
	HANG_STUCK,    /* all launched it, none ended: data path */
	HANG_ORDER,    /* these ranks launch groups in different orders */
	HANG_DESYNC,   /* these ranks are at another one than the rest */
	HANG_SILENT,   /* nothing is known of these ranks */
	HANG_CLASS_COUNT
};

/** struct hang - one root: of all that wait, somebody waits for these. */
struct hang {
	uint32_t class;          /* enum hang_class */
	uint32_t group, op, op2; /* names; op2: what the culprits call */
	int64_t seq, seq2;       /* where the rest and the culprits are */
	int32_t *ranks;          /* culprits, ascending */
	size_t n, room;
	size_t n_waiting;       /* ranks that wait */
	bool from_ras, all_but; /* all_but: all ranks except these */
	size_t n_behind;        /* RAS: ranks behind, listed or not */
	int64_t ahead;  /* STUCK: operations enqueued beyond it at most */
	uint32_t event; /* index of the event that shows it */
};

/** struct hangs - all roots, the surest class first. hangs_done(). */
struct hangs {
	struct hang *h;
	size_t n, room;
	size_t n_dumps, n_members; /* ranks heard, ranks there should be */
};

/**
 * hangs_find() - from Flight Recorder dumps, else from the watchdog's lines.
 * A rank waits for whoever has not launched what it has launched, and for
 * those that are busy with something else first; roots wait for nobody.
 *
 * Return: FP_OK, perhaps with none; FP_ERR_NOMEM.
 */
enum fp_status hangs_find(const struct events *events, struct hangs *ret,
                          struct fp_err *err);

/** hang_add_rank() - one more culprit, unless it is there. */
enum fp_status hang_add_rank(struct hang *hang, int32_t rank,
                             struct fp_err *err);

/** hangs_new() - one more root of @class; NULL without memory. */
struct hang *hangs_new(struct hangs *hangs, unsigned class);

/** hangs_done() - free; takes NULL. */
void hangs_done(struct hangs *hangs);

/** hang_class_name() - "absent", ...; never NULL. */
const char *hang_class_name(unsigned class);

#endif
