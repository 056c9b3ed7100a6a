/* SPDX-License-Identifier: Apache-2.0 */
/* A whole search on a model: the real machine, answered by the model. */
#ifndef FP_PROBES_SIM_RUN_H
#define FP_PROBES_SIM_RUN_H

#include "probes/locate/locate.h"
#include "probes/sim/model.h"

/**
 * sim_run() - answer all that @l asks for by @m, to its end. Where flows
 * collide, @m->share is set here and freed again.
 *
 * Return: FP_OK, FP_ERR_NOMEM, FP_ERR_INPUT.
 */
enum fp_status sim_run(struct sim_model *m, struct locate *l,
                       struct fp_err *err);

#endif
