/* SPDX-License-Identifier: Apache-2.0 */
/* Ports that should be alike, summed up. */
#ifndef FP_PROBES_CHECK_TALLY_H
#define FP_PROBES_CHECK_TALLY_H

#include "probes/check/ports.h"

/**
 * struct tally - of ports of one type in one host, or of one name on all
 * hosts. @rate_bps, @layer: of more than half of the active ones, else -1.
 */
struct tally {
	size_t n, active;
	int64_t rate_bps;
	int32_t layer;
};

/** tally_make() - of @n ports. */
struct tally tally_make(const struct check_port *const *ports, size_t n);

/**
 * tally_wants_up() - is a port that is down missed? Ports of the same name on
 * other hosts say more than its neighbours: what is down on most hosts is not
 * used.
 */
bool tally_wants_up(const struct tally *inside, const struct tally *across);

/** tally_rate() - what a port of these should run at; -1: nobody knows. */
int64_t tally_rate(const struct tally *inside, const struct tally *across);

/** tally_layer() - likewise its link layer; -1. */
int32_t tally_layer(const struct tally *inside, const struct tally *across);

#endif
