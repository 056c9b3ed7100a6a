/* SPDX-License-Identifier: Apache-2.0 */
/* What logline.c and logline_prefix.c share. */
#ifndef FP_PROBES_EXPLAIN_LOGLINE_PART_H
#define FP_PROBES_EXPLAIN_LOGLINE_PART_H

#include "probes/explain/logline.h"

/** logline_set_time() - unless a prefix further out told one. */
void logline_set_time(struct logline *line, const struct stamp *stamp);

/** logline_take_rank() - "[rank12]:" of PyTorch, "[default0]:" of torchrun at
 * @text: how many bytes, 0 if it is not there. */
size_t logline_take_rank(const char *text, struct logline *line);

/** logline_take_prefixes() - off @line's text; what they tell into @line. */
void logline_take_prefixes(struct logline *line);

#endif
