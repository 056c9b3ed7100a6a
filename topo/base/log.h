/* SPDX-License-Identifier: Apache-2.0 */
/* One line per message on stderr, for the programs' top level only. */
#ifndef FP_TOPO_BASE_LOG_H
#define FP_TOPO_BASE_LOG_H

enum fp_log_level { FP_LOG_ERROR, FP_LOG_WARN, FP_LOG_INFO, FP_LOG_DEBUG };

/** fp_log_set_level() - messages above @level are dropped; default WARN. */
void fp_log_set_level(enum fp_log_level level);

/**
 * fp_log() - write "fabricprobe: @fmt" as one line to stderr, in one write(2)
 * so that lines of several processes do not mix. Longer than 1 KiB: cut.
 */
void fp_log(enum fp_log_level level, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
