/* SPDX-License-Identifier: Apache-2.0 */
/* An index over results: which pair was measured by what, or why it was not. */
#ifndef FP_PROBES_SESSION_SEEN_H
#define FP_PROBES_SESSION_SEEN_H

#include "probes/session/stage.h"

struct session_sight;

/** struct session_seen - zero-initialise; session_seen_done() at the end. */
struct session_seen {
	struct session_sight *sights; /* sorted */
	size_t n;
	uint64_t n_pairs; /* directed, measured by anything but datagrams */
	uint64_t n_grams; /* by datagrams */
};

/**
 * session_seen_make() - an index of @r, which is borrowed.
 * @by_host: NULL, or the job: then pairs are those of hosts, not of ranks.
 *
 * Return: FP_OK, FP_ERR_NOMEM.
 */
enum fp_status session_seen_make(const struct results *r,
                                 const struct topo_job *by_host,
                                 struct session_seen *ret, struct fp_err *err);
void session_seen_done(struct session_seen *seen); /* takes NULL */

/**
 * session_seen_why_not() - NULL if @src -> @dst (ranks, or hosts) was measured
 * as @st does; else why not, in the words of its outcome, or "".
 */
const char *session_seen_why_not(const struct session_seen *seen,
                                 const struct session_stage *st, int32_t src,
                                 int32_t dst);

#endif
