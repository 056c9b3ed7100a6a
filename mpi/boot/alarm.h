/* SPDX-License-Identifier: Apache-2.0 */
/* A deadline on calls that may never return: the process ends itself. */
#ifndef FP_MPI_BOOT_ALARM_H
#define FP_MPI_BOOT_ALARM_H

#include <stddef.h>
#include <time.h>

#include "topo/base/status.h"

/** struct boot_alarm - must stay where it is while armed. */
struct boot_alarm {
	timer_t timer;
	int exit_status;
	size_t len;
	char line[256];
};

/**
 * boot_alarm_start() - unless boot_alarm_stop() comes within @seconds, write
 * "fabricprobe: @what within @seconds s; @remedy" to stderr and _exit() with
 * @exit_status. Uses SIGALRM; one alarm at a time.
 *
 * Return: FP_OK or FP_ERR_SYS.
 */
enum fp_status boot_alarm_start(struct boot_alarm *a, double seconds,
                                int exit_status, const char *what,
                                const char *remedy, struct fp_err *err);

/** boot_alarm_stop() - in time. */
void boot_alarm_stop(struct boot_alarm *a);

#endif
