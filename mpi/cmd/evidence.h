/* SPDX-License-Identifier: Apache-2.0 */
/* The bundle of --evidence: what a vendor's ticket needs. */
#ifndef FP_MPI_CMD_EVIDENCE_H
#define FP_MPI_CMD_EVIDENCE_H

#include "probes/report/report.h"

/**
 * evidence_write() - into folder @dir, which is made: report.txt, report.json,
 * snapshot.json (`check --from` judges it again), and of each host readings
 * and log lines as text, in readings.txt and kernel.txt.
 * @mask: no names, addresses and serial numbers in any of them.
 *
 * Return: FP_OK, FP_ERR_SYS naming the file, FP_ERR_NOMEM.
 */
enum fp_status evidence_write(const char *dir, bool mask,
                              const struct report *report, struct fp_err *err);

#endif
