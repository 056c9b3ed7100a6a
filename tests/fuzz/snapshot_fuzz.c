// SPDX-License-Identifier: Apache-2.0
// Fuzzes snapshots: what can be read can be written, and read again as the
// same; and a job that was read can be asked anything.
#include <stdlib.h>
#include <string.h>

#include "topo/json/snapshot.h"

/* Not assert(3): a release build must check, too. */
#define CHECK(what)              \
	do {                     \
		if (!(what))     \
			abort(); \
	} while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_host(const char *text, size_t len)
{
	struct topo_host host, again;
	char *first, *second;

	if (topo_host_from_json(text, len, &host, NULL) != FP_OK)
		return;
	CHECK(host.n_netdevs <= TOPO_MAX_NETDEVS);
	CHECK(topo_host_default_netdev(&host) < (int32_t)host.n_netdevs);
	first = topo_host_to_json(&host);
	CHECK(first);
	CHECK(topo_host_from_json(first, strlen(first), &again, NULL) == FP_OK);
	second = topo_host_to_json(&again);
	CHECK(second && strcmp(first, second) == 0);
	free(second);
	free(first);
	topo_host_done(&again);
	topo_host_done(&host);
}

static void ask_job(const struct topo_job *job)
{
	for (int32_t r = -1; r <= (int32_t)job->n_ranks; r++) {
		(void)topo_job_netdev(job, r);
		CHECK(strlen(topo_job_host_name(job, r)) < TOPO_NAME_MAX);
		CHECK(topo_job_same_host(job, r, 0) ==
		      topo_job_same_host(job, 0, r));
	}
}

static void check_job(const char *text, size_t len)
{
	struct topo_job job, again;
	char *first, *second;

	if (topo_job_from_json(text, len, &job, NULL) != FP_OK)
		return;
	ask_job(&job);
	first = topo_job_to_json(&job);
	CHECK(first);
	CHECK(topo_job_from_json(first, strlen(first), &again, NULL) == FP_OK);
	CHECK(again.n_ranks == job.n_ranks);
	CHECK(again.placed_end == job.placed_end);
	second = topo_job_to_json(&again);
	CHECK(second && strcmp(first, second) == 0);
	free(second);
	free(first);
	topo_job_done(&again);
	topo_job_done(&job);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	check_host((const char *)data, size);
	check_job((const char *)data, size);
	return 0;
}
