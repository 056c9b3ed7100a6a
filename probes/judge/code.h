/* SPDX-License-Identifier: Apache-2.0 */
/* What a blame is called in the catalogue. */
#ifndef FP_PROBES_JUDGE_CODE_H
#define FP_PROBES_JUDGE_CODE_H

#include <stdbool.h>

#include "probes/judge/blame.h"

/** blame_is_pair() - is it a pair of ranks or of devices that is blamed? */
bool blame_is_pair(const struct judge_blame *b);

/** blame_code() - the finding's code, by symptom, level and direction. */
unsigned blame_code(const struct judge_blame *b);

/**
 * blame_code_of_gpu() - what @code is called of ranks that drive GPUs: other
 * things are to be done then.
 */
unsigned blame_code_of_gpu(unsigned code);

#endif
