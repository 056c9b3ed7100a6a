// SPDX-License-Identifier: Apache-2.0
// Environments of the ranks of a host, and GPUs they see: where they differ.
#include "topo/reading/reading_rank.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What each process has its own of. */
static bool is_own(const struct reading *r)
{
	return !r->device[0] && (strncmp(r->name, "env.", 4) == 0 ||
	                         strcmp(r->name, "nvml.gpus") == 0);
}

static enum fp_status add_as(struct readings *to, const char *device,
                             struct reading r, struct fp_err *err)
{
	r.device = device;
	return readings_add(to, &r, err);
}

/* What the rank has and its host has not, or otherwise. */
static enum fp_status add_own(const struct readings *host,
                              const struct readings *own, const char *device,
                              struct readings *to, struct fp_err *err)
{
	size_t n = readings_count(own);
	enum fp_status status = FP_OK;

	for (size_t i = 0; status == FP_OK && i < n; i++) {
		struct reading r = readings_at(own, i), known;

		if (!is_own(&r))
			status = readings_add(to, &r, err);
		else if (host && (!readings_get(host, "", r.name, &known) ||
		                  !reading_equal(&r, &known)))
			status = add_as(to, device, r, err);
	}
	return status;
}

/* What its host has and the rank has not. */
static enum fp_status add_missing(const struct readings *host,
                                  const struct readings *own,
                                  const char *device, struct readings *to,
                                  struct fp_err *err)
{
	size_t n = readings_count(host);
	enum fp_status status = FP_OK;

	for (size_t i = 0; status == FP_OK && i < n; i++) {
		struct reading r = readings_at(host, i);

		if (!is_own(&r) ||
		    readings_find(own, "", r.name, i) != READINGS_NONE)
			continue;
		r.kind = READING_SKIP;
		r.text = "not set";
		status = add_as(to, device, r, err);
	}
	return status;
}

enum fp_status readings_of_rank(const struct readings *host,
                                const struct readings *own, int32_t rank,
                                struct readings **ret, struct fp_err *err)
{
	struct readings *to = readings_new(readings_time_s(own));
	char device[READING_NAME_MAX];
	enum fp_status status;

	if (!to)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for readings");
	(void)snprintf(device, sizeof(device), "rank%d", (int)rank);
	status = add_own(host, own, device, to, err);
	if (status == FP_OK)
		status = add_missing(host, own, device, to, err);
	if (status == FP_OK)
		*ret = to;
	else
		readings_unref(to);
	return status;
}

int32_t reading_rank(const char *device)
{
	long rank;
	char *end;

	if (strncmp(device, "rank", 4) != 0 ||
	    !isdigit((unsigned char)device[4]))
		return -1;
	rank = strtol(device + 4, &end, 10);
	return *end || rank > INT32_MAX ? -1 : (int32_t)rank;
}
