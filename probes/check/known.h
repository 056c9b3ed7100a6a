/* SPDX-License-Identifier: Apache-2.0 */
/* What is known to hang: a table of combinations, with who says so. */
#ifndef FP_PROBES_CHECK_KNOWN_H
#define FP_PROBES_CHECK_KNOWN_H

#include "probes/check/check.h"

/** known_judge() - does any row of the table fit a host of the job? */
void known_judge(const struct check_input *in, struct check_out *out);

/** known_is_consumer() - a GPU for displays, sold without peer access? */
bool known_is_consumer(const char *name);

#endif
