// SPDX-License-Identifier: Apache-2.0
// The progress line.
#include "mpi/cmd/progress.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "topo/base/clock.h"
#include "topo/base/fmt.h"

#define PROGRESS_COLUMNS 80
#define PROGRESS_COLUMNS_MAX 240

void progress_init(struct progress *p, bool on)
{
	struct winsize size = { 0 };

	*p = (struct progress){ .on = on, .columns = PROGRESS_COLUMNS };
	p->terminal = isatty(STDERR_FILENO) == 1;
	if (p->terminal && ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 &&
	    size.ws_col >= 20)
		p->columns = size.ws_col < PROGRESS_COLUMNS_MAX
		                     ? size.ws_col
		                     : PROGRESS_COLUMNS_MAX;
	/* The first line of a log comes after the first second. */
	p->next_ns = fp_after_ns(p->terminal ? 0.2 : 2.0);
}

void progress_format(const struct session_progress *now, char *buf, int columns)
{
	char left[FP_FMT_MAX] = "", suspects[32] = "", time[FP_FMT_MAX];
	size_t size = columns > 0 ? (size_t)columns : 1;

	if (now->suspects)
		(void)snprintf(suspects, sizeof(suspects), ", %u suspect",
		               (unsigned)now->suspects);
	if (now->left_s > 0)
		(void)snprintf(left, sizeof(left), ", %s left",
		               fp_fmt_seconds(now->left_s, time));
	(void)snprintf(buf, size, "%s, round %u/%u, %llu trials%s%s",
	               now->stage, (unsigned)now->round,
	               (unsigned)now->n_rounds,
	               (unsigned long long)now->trials_done, suspects, left);
}

void progress_show(struct progress *p, const struct session_progress *now)
{
	char line[PROGRESS_COLUMNS_MAX + 16], text[PROGRESS_COLUMNS_MAX];
	int64_t t = fp_now_ns();
	int n;

	if (!p->on || t < p->next_ns)
		return;
	p->next_ns = t + (p->terminal ? FP_NS_PER_S / 10 : 5 * FP_NS_PER_S);
	progress_format(now, text, p->columns);
	n = snprintf(line, sizeof(line), p->terminal ? "\r%s\033[K" : "%s\n",
	             text);
	if (n > 0 && write(STDERR_FILENO, line, (size_t)n) > 0)
		p->dirty = p->terminal;
}

void progress_clear(struct progress *p)
{
	if (p->dirty && write(STDERR_FILENO, "\r\033[K", 4) > 0)
		p->dirty = false;
}
