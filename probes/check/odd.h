/* SPDX-License-Identifier: Apache-2.0 */
/* Counters that are not zero anywhere: devices that count far more than the
 * other devices of their host. */
#ifndef FP_PROBES_CHECK_ODD_H
#define FP_PROBES_CHECK_ODD_H

#include <stdbool.h>

#include "probes/check/check.h"
#include "probes/check/look.h"

/**
 * struct odd - what is compared.
 * @of:    enum check_kind: which devices
 * @least: a count below is not accused
 * @kind:  enum locus_kind of the device
 */
struct odd {
	const struct check_host *host;
	const char *name;
	uint32_t of;
	int64_t least;
	bool peers; /* without others there is nothing to judge by */
	unsigned code;
	uint32_t kind;
};

/**
 * odd_judge() - accuse devices whose reading is at least @odd->least and more
 * than ten times the median of the other devices', or of none where there are
 * none, but for @odd->peers.
 */
void odd_judge(const struct odd *odd, struct check_out *out);

#endif
