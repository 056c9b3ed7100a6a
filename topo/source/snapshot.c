// SPDX-License-Identifier: Apache-2.0
// Reads the map of a host from a snapshot of a job.
#include "topo/json/snapshot.h"

#include <string.h>

#include "topo/source/source.h"

static bool sniff(const struct source_text *text)
{
	size_t at = 0;

	while (at < text->len && strchr(" \t\r\n", text->data[at]))
		at++;
	return at < text->len && text->data[at] == '{' &&
	       source_has(text, "fabricprobe-snapshot/");
}

static const struct topo_host *first_with_map(const struct topo_job *job)
{
	for (size_t i = 0; i < job->n_hosts; i++) {
		if (job->hosts[i].map)
			return &job->hosts[i];
	}
	return NULL;
}

static enum fp_status read(const struct source_text *text, struct topo_map *map,
                           struct fp_err *err)
{
	const struct topo_host *host;
	struct topo_job job;
	enum fp_status status =
		topo_job_from_json(text->data, text->len, &job, err);

	if (status != FP_OK)
		return status;
	host = first_with_map(&job);
	if (host)
		status = topo_map_copy(map, host->map, err);
	if (host && status == FP_OK && job.n_hosts > 1)
		topo_map_note(map, 0, 0, "host %s, the first of %zu hosts",
		              host->name, job.n_hosts);
	topo_job_done(&job);
	return status;
}

const struct source_ops source_snapshot_ops = {
	.name = "snapshot",
	.help = "what topo --json writes",
	.phase = SOURCE_WHOLE,
	.sniff = sniff,
	.read = read,
};
