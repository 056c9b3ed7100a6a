// SPDX-License-Identifier: Apache-2.0
// libnccl's double: its log, in NCCL's own words.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "tests/doubles/nccl_impl.h"

static _Thread_local char last_error[256];
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *log_file; /* under log_lock */

/* %h and %p of NCCL_DEBUG_FILE. */
static void log_path(const char *pattern, char *path, size_t size)
{
	size_t used = 0;

	for (; *pattern && used + 1 < size; pattern++) {
		if (pattern[0] == '%' && pattern[1] == 'p') {
			used += (size_t)snprintf(path + used, size - used, "%d",
			                         (int)getpid());
			pattern++;
		} else if (pattern[0] == '%' && pattern[1] == 'h') {
			used += (size_t)snprintf(
				path + used, size - used, "%s",
				fpd_world()->hosts[fpd_host()]);
			pattern++;
		} else {
			path[used++] = *pattern;
		}
	}
	path[used < size ? used : size - 1] = '\0';
}

static FILE *log_open(void)
{
	const char *pattern = getenv("NCCL_DEBUG_FILE");
	char path[512];

	if (log_file)
		return log_file;
	if (pattern) {
		log_path(pattern, path, sizeof(path));
		log_file = fopen(path, "w");
	}
	if (!log_file)
		log_file = stdout;
	return log_file;
}

static bool log_wants(const char *least)
{
	static const char *const levels[] = { "VERSION", "WARN", "INFO",
		                              "ABORT", "TRACE" };
	const char *level = getenv("NCCL_DEBUG");
	int have = -1, need = 0;

	for (int i = 0; level && i < 5; i++) {
		if (strcasecmp(levels[i], level) == 0)
			have = i;
		if (strcmp(levels[i], least) == 0)
			need = i;
	}
	return have >= need;
}

static void log_line(const char *where, const char *text)
{
	int dev = 0;
	FILE *f;

	(void)cudaGetDevice(&dev);
	pthread_mutex_lock(&log_lock);
	f = log_open();
	fprintf(f, "%s:%d:%d [%d] %s %s\n", fpd_world()->hosts[fpd_host()],
	        (int)getpid(), (int)gettid(), dev, where, text);
	fflush(f);
	pthread_mutex_unlock(&log_lock);
}

void nc_info(const char *fmt, ...)
{
	char text[512];
	va_list ap;

	if (!log_wants("INFO"))
		return;
	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	log_line("NCCL INFO", text);
}

ncclResult_t nc_fail(ncclResult_t code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(last_error, sizeof(last_error), fmt, ap);
	va_end(ap);
	if (log_wants("WARN"))
		log_line("init.cc:1 NCCL WARN", last_error);
	return code;
}

const char *nc_last_error(void)
{
	return last_error;
}

static void tell_net(const struct ncclComm *c, int src, int dst, bool sends,
                     const struct fpd_path *p)
{
	const struct nc_seat *s = c->sh->seats;
	bool gdr = sends ? p->gdr_tx : p->gdr_rx;
	const char *side = sends ? "send" : "receive";

	for (int ch = 0; ch < NC_CHANNELS; ch++) {
		if (p->via == FPD_VIA_SOCKET)
			nc_info("Channel %02d/0 : %d[%d] -> %d[%d] [%s] via "
			        "NET/Socket/0",
			        ch, src, s[src].place.gpu, dst,
			        s[dst].place.gpu, side);
		else
			nc_info("Channel %02d/0 : %d[%d] -> %d[%d] [%s] via "
			        "NET/IB/%d%s",
			        ch, src, s[src].place.gpu, dst,
			        s[dst].place.gpu, side, c->place.gpu,
			        gdr ? "/GDRDMA" : "");
	}
}

void nc_tell_path(struct ncclComm *c, int peer, bool sends)
{
	int src = sends ? c->rank : peer, dst = sends ? peer : c->rank;
	const struct nc_seat *s = c->sh->seats;
	struct fpd_path p = nc_path(c, src, dst);
	const char *how =
		p.via == FPD_VIA_SHM ? "SHM/direct/direct" : "P2P/CUMEM";

	if (p.via == FPD_VIA_NET || p.via == FPD_VIA_SOCKET) {
		tell_net(c, src, dst, sends, &p);
		return;
	}
	for (int ch = 0; ch < NC_CHANNELS && sends; ch++)
		nc_info("Channel %02d/0 : %d[%d] -> %d[%d] via %s", ch, src,
		        s[src].place.gpu, dst, s[dst].place.gpu, how);
}
