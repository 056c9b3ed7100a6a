/* SPDX-License-Identifier: Apache-2.0 */
/* Coverage in the making: what its rooms share. */
#ifndef FP_PROBES_SESSION_COVER_PART_H
#define FP_PROBES_SESSION_COVER_PART_H

#include "probes/session/seen.h"
#include "probes/session/stage.h"

struct cover {
	struct session *s;
	struct session_seen seen, hosts; /* pairs of ranks, of hosts */
	struct session_stages stages;
	bool missing; /* something that a healthy verdict needs */
	size_t room;
};

/** cover_skip() - say that something was not looked at, and @why.
 * @missing: a healthy verdict would need it. FP_OK or FP_ERR_NOMEM. */
enum fp_status cover_skip(struct cover *c, bool missing, const char *why,
                          const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/** cover_why_untried() - why stage @st left no outcome at all. */
const char *cover_why_untried(const struct session *s,
                              const struct session_stage *st);

/** cover_collective() - of a stage that is one. FP_OK or FP_ERR_NOMEM. */
enum fp_status cover_collective(struct cover *c,
                                const struct session_stage *st);

#endif
