/* SPDX-License-Identifier: Apache-2.0 */
/* The table of options as argp wants it, and what argp does not say. */
#ifndef FP_MPI_OPTS_ARGP_H
#define FP_MPI_OPTS_ARGP_H

#include <argp.h>

#include "mpi/opts/table.h"

#define OPTS_ARGP_MAX 128 /* room for the table, headings and the end */

/** opts_argp_list() - @command's options under their headings. */
void opts_argp_list(unsigned command, struct argp_option list[OPTS_ARGP_MAX]);

/** opts_argp_row() - the row of argp's @key, or NULL. */
const struct opt_row *opts_argp_row(int key);

/**
 * opts_explain() - argp refused a word without a word: say what is wrong with
 * it. Does nothing if @err holds a cause already.
 * @next: index of the word that argp would have read next.
 */
void opts_explain(unsigned command, char *const argv[], int argc, int next,
                  struct fp_err *err);

#endif
