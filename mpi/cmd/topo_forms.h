/* SPDX-License-Identifier: Apache-2.0 */
/* What a map is written as, and where to. */
#ifndef FP_MPI_CMD_TOPO_FORMS_H
#define FP_MPI_CMD_TOPO_FORMS_H

#include "mpi/opts/opts.h"
#include "topo/base/fmt.h"

/** enum topo_form - what a map is written as. */
enum topo_form {
	TOPO_FORM_TEXT,
	TOPO_FORM_JSON,
	TOPO_FORM_XML,
	TOPO_FORM_DOT,
	TOPO_FORM_COUNT
};

/** topo_form_fn - append what @arg draws as @form. */
typedef enum fp_status topo_form_fn(void *arg, uint32_t form,
                                    struct fp_text *text, struct fp_err *err);

/**
 * topo_forms_write() - each form that has a file to its file, all of them into
 * the folder of --out; text to standard output, if no other form goes there.
 *
 * Return: FP_OK, or what @draw or writing failed with.
 */
enum fp_status topo_forms_write(const struct opts *opts, topo_form_fn *draw,
                                void *arg, struct fp_err *err);

#endif
