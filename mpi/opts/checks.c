// SPDX-License-Identifier: Apache-2.0
// The names of checks that --only and --skip take.
#include <string.h>

#include "mpi/opts/opts.h"
#include "probes/check/check.h"

#define NAME_MAX_BYTES 32

/* Bits of the checks in @names; with commas between. */
static enum fp_status read_names(const char *option, const char *names,
                                 uint32_t *ret, struct fp_err *err)
{
	const char *at = names;

	*ret = 0;
	while (*at) {
		size_t len = strcspn(at, ",");
		char name[NAME_MAX_BYTES] = "";
		int found;

		if (len < sizeof(name))
			memcpy(name, at, len);
		found = checks_find(name);
		if (found < 0)
			return fp_err_set(err, FP_ERR_USAGE,
			                  "%s '%.40s': use names of checks, "
			                  "which `fabricprobe list` shows",
			                  option, names);
		*ret |= 1u << found;
		at += len;
		at += *at == ',';
	}
	return FP_OK;
}

enum fp_status opts_checks_off(const struct opts *opts, uint32_t *ret,
                               struct fp_err *err)
{
	enum fp_status status;

	*ret = 0;
	if (*opts->skip)
		return read_names("--skip", opts->skip, ret, err);
	if (!*opts->only)
		return FP_OK;
	status = read_names("--only", opts->only, ret, err);
	*ret = ~*ret;
	return status;
}
