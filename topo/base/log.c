// SPDX-License-Identifier: Apache-2.0
// Log lines on stderr.
#include "topo/base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The one mutable file-scope variable of the program. */
static enum fp_log_level log_level = FP_LOG_WARN;

void fp_log_set_level(enum fp_log_level level)
{
	log_level = level;
}

/* What is logged may come from a peer: it must stay one line, and must not
 * move the cursor of a terminal. */
static void log_flatten(char *text)
{
	for (; *text; text++) {
		if ((unsigned char)*text < 0x20 || *text == 0x7f)
			*text = '?';
	}
}

void fp_log(enum fp_log_level level, const char *fmt, ...)
{
	static const char *const prefixes[] = {
		[FP_LOG_ERROR] = "fabricprobe: ",
		[FP_LOG_WARN] = "fabricprobe: warning: ",
		[FP_LOG_INFO] = "fabricprobe: ",
		[FP_LOG_DEBUG] = "fabricprobe: debug: ",
	};
	char line[1024];
	va_list ap;
	size_t used;
	int n;

	if (level > log_level)
		return;
	used = strlen(prefixes[level]);
	memcpy(line, prefixes[level], used);
	va_start(ap, fmt);
	n = vsnprintf(line + used, sizeof(line) - used - 1, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	log_flatten(line + used);
	used += strlen(line + used);
	line[used++] = '\n';
	if (write(STDERR_FILENO, line, used) < 0)
		return;
}
