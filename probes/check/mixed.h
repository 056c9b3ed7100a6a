/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts that should agree: the majority, and who is not of it. */
#ifndef FP_PROBES_CHECK_MIXED_H
#define FP_PROBES_CHECK_MIXED_H

#include "probes/check/check.h"
#include "topo/reading/reading.h"

/**
 * struct mixed - one thing that hosts should agree on.
 * @values: of each host of the job; what votes has another kind than
 *          READING_KIND_COUNT, and READING_SKIP is "not set"
 * @what:   in words, such as "env.NCCL_ALGO"
 * @device: of the odd host that is accused; "" for the host
 * @kind:   enum locus_kind, of that device
 */
struct mixed {
	const struct check_input *in;
	const struct reading *values;
	const char *what, *device;
	unsigned code;
	uint32_t kind;
};

/**
 * mixed_majority() - the value that more than half of the voting hosts have.
 *
 * Return: a host that has it, or -1; *@ret_votes of them vote.
 */
int32_t mixed_majority(const struct reading *values, size_t n,
                       size_t *ret_votes, size_t *ret_agree);

/**
 * mixed_judge() - accuse those that are not of the majority; the job, where
 * there is none: two hosts alone do not say which of them is right.
 */
void mixed_judge(const struct mixed *m, struct check_out *out);

#endif
