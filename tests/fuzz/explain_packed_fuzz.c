// SPDX-License-Identifier: Apache-2.0
// Fuzzes unpacking: the bytes are a file of their own, packed or not.
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "probes/explain/input.h"
#include "tests/fuzz/explain_fuzz.h"

#define READ_MAX (4u << 20) /* enough of what one input unpacks to */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void unpack(const char *path)
{
	static struct input in;
	static char buf[65536];
	struct fp_err err = { 0 };
	size_t n = 1, all = 0;

	if (input_open(&in, path, &err) != FP_OK)
		return;
	while (n && all < READ_MAX &&
	       input_read(&in, buf, sizeof(buf), &n, &err) == FP_OK)
		all += n;
	input_close(&in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("packed", MFD_CLOEXEC);
	char path[64];

	if (fd < 0)
		return 0;
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (write(fd, data, size) == (ssize_t)size)
		unpack(path);
	(void)close(fd);
	return 0;
}
