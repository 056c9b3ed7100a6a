/* SPDX-License-Identifier: Apache-2.0 */
/* All hosts of a job as text: what looks the same is drawn once. */
#ifndef FP_TOPO_RENDER_RENDER_JOB_H
#define FP_TOPO_RENDER_RENDER_JOB_H

#include "topo/base/fmt.h"
#include "topo/model/model.h"

/** struct job_verdict - what was seen while drawing. */
struct job_verdict {
	size_t faults;  /* oddities that are faults, over all looks */
	size_t unread;  /* hosts without a map */
	size_t missing; /* ranks that never came */
	bool partial;   /* some map is */
};

/**
 * render_job() - append each look with the names of its hosts: the largest
 * group in full, of each other one what sets it apart; then the readings on
 * which hosts do not agree.
 * @view: enum path_view.
 *
 * Return: FP_OK, FP_ERR_NOMEM.
 */
enum fp_status render_job(const struct topo_job *job, uint32_t view,
                          struct fp_text *text, struct job_verdict *ret,
                          struct fp_err *err);

#endif
