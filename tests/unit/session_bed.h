/* SPDX-License-Identifier: Apache-2.0 */
/* A session over the model cluster, for tests of sessions and reports. */
#ifndef FP_TESTS_SESSION_BED_H
#define FP_TESTS_SESSION_BED_H

#include "probes/session/session.h"
#include "tests/unit/build_run.h"
#include "tests/unit/fake_exec.h"

#define BED_RULES 4

/** struct bed_case - a cluster, a run, and what is wrong with it. */
struct bed_case {
	const char *shape; /* ranks of each host: "2 2 1" */
	const char *ports; /* RDMA ports of each rank: "a/1,b/1"; NULL: none */
	uint32_t kind, mode, xport, op;
	uint64_t bytes;
	bool bidirectional;
	double time_limit_s;
	double noise;
	uint32_t stop_round;
	struct fake_rule rules[BED_RULES];
	size_t n_rules;
};

struct bed {
	struct build_run build;
	struct fake_exec fake;
	struct session session;
	enum fp_status status; /* of session_run() */
	size_t n_progress;
	struct session_progress last;
};

/** session_bed_open() - up to session_init(), which must succeed. */
void session_bed_open(struct bed *bed, const struct bed_case *c);

/** bed_run() - session_bed_open() and session_run(); @hooks may be NULL. */
void bed_run(struct bed *bed, const struct bed_case *c,
             const struct session_hooks *hooks);
void session_bed_close(struct bed *bed);

/** bed_matrix() - the matrix of that kind, or NULL. */
const struct matrix *bed_matrix(const struct bed *bed, unsigned xport,
                                unsigned op, unsigned dir);

/** bed_has_skip() - is there a skip whose what or why holds @text? */
bool bed_has_skip(const struct bed *bed, const char *text);

/** bed_find() - the finding of @code, or NULL. */
const struct finding *bed_find(const struct bed *bed, unsigned code);

#endif
