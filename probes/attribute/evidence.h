/* SPDX-License-Identifier: Apache-2.0 */
/* Tests as they come, with the components that they crossed. */
#ifndef FP_PROBES_ATTRIBUTE_EVIDENCE_H
#define FP_PROBES_ATTRIBUTE_EVIDENCE_H

#include "probes/attribute/attribute.h"
#include "topo/fabric/fabric.h"

/** struct evidence - grows by tests. evidence_init(), evidence_done(). */
struct evidence {
	int32_t n_comps;
	size_t n;
	size_t *first; /* [n + 1] */
	int32_t *comps;
	uint8_t *slow;
	size_t room_tests, room_first, room_comps;
};

/** evidence_init() - none yet, about components 0..@n_comps-1. */
void evidence_init(struct evidence *e, int32_t n_comps);
void evidence_done(struct evidence *e); /* takes NULL */

/** evidence_clear() - forget all, keep the room. */
void evidence_clear(struct evidence *e);

/**
 * evidence_add() - a test that crossed the @n of @ids.
 *
 * Return: FP_OK, FP_ERR_NOMEM, FP_ERR_LIMIT; nothing is added then.
 */
enum fp_status evidence_add(struct evidence *e, const int32_t *ids, size_t n,
                            bool slow, struct fp_err *err);

/** evidence_tests() - as attribute() takes it; valid until the next add. */
struct attribute_tests evidence_tests(const struct evidence *e);

#endif
