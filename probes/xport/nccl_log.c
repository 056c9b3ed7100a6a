// SPDX-License-Identifier: Apache-2.0
// Reads NCCL's own log: what each channel goes through, and its warnings.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "probes/xport/nccl_impl.h"
#include "topo/base/fmt.h"

#define READ_BYTES 65536
#define LOG_PATH "/proc/self/fd/"

void nccl_log_prepare(void)
{
	char path[64];
	int fd;

	if (getenv("NCCL_DEBUG_FILE"))
		return;
	/* Nothing in a file system, so nothing is left. */
	fd = memfd_create("fabricprobe-nccl-log", MFD_CLOEXEC);
	if (fd < 0)
		return;
	(void)snprintf(path, sizeof(path), LOG_PATH "%d", fd);
	(void)setenv("NCCL_DEBUG_FILE", path, 1);
	(void)setenv("NCCL_DEBUG", "INFO", 1);
	(void)setenv("NCCL_DEBUG_SUBSYS", "INIT,NET,P2P,SHM,GRAPH,ENV", 0);
}

static void net_channel(struct nccl_log *log, const char *via)
{
	log->ib++;
	log->gdr += strstr(via, "/GDRDMA") != NULL;
}

void nccl_log_open(struct nccl_log *log)
{
	const char *path = getenv("NCCL_DEBUG_FILE");

	*log = (struct nccl_log){ .fd = -1 };
	if (path && strncmp(path, LOG_PATH, sizeof(LOG_PATH) - 1) == 0)
		log->fd = (int)strtol(path + sizeof(LOG_PATH) - 1, NULL, 10);
}

/* "Channel 00/0 : 3[3] -> 4[0] [send] via NET/IB/3/GDRDMA". Older ones have
 * no "/0", plug-ins have names of their own instead of IB. */
static void channel(struct nccl_log *log, const char *via)
{
	if (strncmp(via, "P2P", 3) == 0)
		log->p2p++;
	else if (strncmp(via, "SHM", 3) == 0)
		log->shm++;
	else if (strncmp(via, "NET/Socket", 10) == 0)
		log->socket++;
	else if (strncmp(via, "NET/", 4) == 0)
		net_channel(log, via);
}

void nccl_log_line(struct nccl_log *log, const char *line)
{
	static const char warn[] = "NCCL WARN ", via[] = " via ";
	const char *at = strstr(line, warn);

	if (at) {
		fp_copy(log->warning, sizeof(log->warning),
		        at + sizeof(warn) - 1);
		return;
	}
	at = strstr(line, "Channel ");
	at = at ? strstr(at, via) : NULL;
	if (at)
		channel(log, at + sizeof(via) - 1);
}

void nccl_log_read(struct nccl_log *log)
{
	char text[READ_BYTES + 1], *line, *end;
	ssize_t n;

	while (log->fd >= 0) {
		n = pread(log->fd, text, READ_BYTES, log->read);
		if (n <= 0)
			return;
		text[n] = '\0';
		for (line = text; (end = strchr(line, '\n')); line = end + 1) {
			*end = '\0';
			nccl_log_line(log, line);
		}
		if (line == text)
			return; /* no whole line yet */
		/* What was read need not be kept. */
		(void)fallocate(log->fd,
		                FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
		                log->read, line - text);
		log->read += line - text;
	}
}

void nccl_log_close(struct nccl_log *log)
{
	if (log->fd >= 0)
		close(log->fd);
	log->fd = -1;
}
