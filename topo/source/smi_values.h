/* SPDX-License-Identifier: Apache-2.0 */
/* The values that nvidia-smi prints beside what a map is made of. */
#ifndef FP_TOPO_SOURCE_SMI_VALUES_H
#define FP_TOPO_SOURCE_SMI_VALUES_H

#include "topo/source/source.h"

/**
 * smi_query_tell() - readings of each GPU of nvidia-smi -q.
 *
 * Return: FP_OK, FP_ERR_LIMIT, FP_ERR_NOMEM.
 */
enum fp_status smi_query_tell(const struct source_text *text,
                              struct readings *set, struct fp_err *err);

/** smi_nvlink_tell() - the counters of nvidia-smi nvlink -e, likewise. */
enum fp_status smi_nvlink_tell(const struct source_text *text,
                               struct readings *set, struct fp_err *err);

/** smi_query_missing() - a section that every full nvidia-smi -q has and that
 * this one lacks, where it is a full one; else NULL. */
const char *smi_query_missing(const struct source_text *text);

#endif
