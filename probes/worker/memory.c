// SPDX-License-Identifier: Apache-2.0
// How much of this host's memory a trial may take.
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probes/worker/part.h"
#include "topo/base/fmt.h"

#define MEMORY_PART 4 /* several workers share a host */
#define FIELD "MemAvailable:"

/* Bytes; 0: the kernel does not say. */
static uint64_t memory_available(void)
{
	int fd = open("/proc/meminfo", O_RDONLY | O_CLOEXEC);
	char text[1024];
	const char *at;
	ssize_t n;

	if (fd < 0)
		return 0;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	at = strstr(text, FIELD);
	return at ? strtoull(at + strlen(FIELD), NULL, 10) * 1024 : 0;
}

enum fp_status worker_memory_check(uint64_t bytes, struct fp_err *err)
{
	uint64_t available = memory_available(), may = available / MEMORY_PART;

	if (available == 0 || bytes <= may)
		return FP_OK;
	return fp_err_set(err, FP_ERR_LIMIT,
	                  "%llu MiB of buffers: more than a quarter of the "
	                  "%llu MiB available on this host",
	                  (unsigned long long)(bytes >> 20),
	                  (unsigned long long)(available >> 20));
}
