// SPDX-License-Identifier: Apache-2.0
// Reads a text wholly.
#include "mpi/cmd/input.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "topo/snapshot.h"

static enum fp_status read_all(FILE *in, struct fp_text *ret,
                               struct fp_err *err)
{
	char chunk[16384];
	size_t n;

	while (ret->len <= TOPO_SNAPSHOT_MAX_BYTES &&
	       (n = fread(chunk, 1, sizeof(chunk), in)) > 0)
		fp_text_append(ret, chunk, n);
	if (ferror(in))
		return fp_err_sys(err, errno, "cannot read");
	if (ret->len > TOPO_SNAPSHOT_MAX_BYTES)
		return fp_err_set(err, FP_ERR_LIMIT, "more than %u bytes",
		                  TOPO_SNAPSHOT_MAX_BYTES);
	return ret->failed ? fp_err_set(err, FP_ERR_NOMEM, "no memory") : FP_OK;
}

enum fp_status input_file(const char *path, struct fp_text *ret,
                          struct fp_err *err)
{
	FILE *in = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
	enum fp_status status;

	if (!in)
		return fp_err_sys(err, errno, "cannot open");
	status = read_all(in, ret, err);
	if (in != stdin)
		(void)fclose(in);
	return status;
}
