// SPDX-License-Identifier: Apache-2.0
// NVLinks: those that are down or missing, their counters, the fabric's state.
#include "probes/check/accuse.h"
#include "probes/check/look.h"
#include "probes/check/odd.h"
#include "topo/oddity.h"

#include <stdio.h>

static const unsigned codes[ODDITY_REMARK] = {
	[ODDITY_NVLINK_NONE] = FINDING_NVLINK_NONE,
	[ODDITY_NVLINK_FEWER] = FINDING_NVLINK_FEWER,
	[ODDITY_NVLINK_PAIR] = FINDING_NVLINK_PAIR,
	[ODDITY_NVLINK_DOWN] = FINDING_NVLINK_DOWN,
};

static void place_of(const struct check_host *host, const struct oddity *row,
                     char buf[static 2 * LOOK_NAME_MAX])
{
	char a[LOOK_NAME_MAX], b[LOOK_NAME_MAX];

	look_gpu_place(host, (size_t)row->gpu, a);
	if (row->other < 0)
		(void)snprintf(buf, 2 * LOOK_NAME_MAX, "%s", a);
	else
		(void)snprintf(buf, 2 * LOOK_NAME_MAX, "%s and %s", a,
		               look_gpu_place(host, (size_t)row->other, b));
}

static void accuse_row(const struct check_host *host, const struct oddity *row,
                       struct check_out *out)
{
	char place[2 * LOOK_NAME_MAX];
	struct finding *f;

	place_of(host, row, place);
	f = accuse(out, codes[row->kind], LOCUS_GPU, host->host, place);
	accuse_note(f, "%s", row->text);
}

static void judge_map(const struct check_host *host, struct check_out *out)
{
	const struct topo_map *map = host->host->map;
	struct path_matrix matrix = { 0 };
	struct oddities found = { 0 };

	if (!map || map->n_gpus < 1)
		return;
	if (path_matrix_init(map, PATH_VIEW_SMI, &matrix, NULL) == FP_OK)
		oddities_nvlink(map, &matrix, &found);
	else
		out->failed = true;
	out->failed |= found.failed;
	for (size_t i = 0; i < found.n; i++)
		accuse_row(host, &found.rows[i], out);
	oddities_done(&found);
	path_matrix_done(&matrix);
}

/* 0: has none; 3: done. Between: a job would fail with CUDA's error 802. */
static void judge_fabric(const struct check_host *host, const char *device,
                         struct check_out *out)
{
	char gpu[LOOK_NAME_MAX];
	struct reading state, status;
	struct finding *f;

	if (!look_get(host, device, "gpu.fabric_state", &state) ||
	    state.number <= 0)
		return;
	(void)look_get(host, device, "gpu.fabric_status", &status);
	if (state.number >= 3 &&
	    (status.kind != READING_INT || status.number == 0))
		return;
	f = accuse(out, FINDING_FABRIC_STATE, LOCUS_GPU, host->host,
	           look_gpu_name(host, device, gpu));
	accuse_cite(f, &state);
	if (status.kind == READING_INT)
		accuse_cite(f, &status);
}

static void judge_counters(const struct check_host *host, struct check_out *out)
{
	static const struct {
		const char *name;
		int64_t least;
	} rows[] = {
		{ "nvlink.recoveries", 10 },
		{ "nvlink.replays", 1000 },
		{ "nvlink.crc_errors", 1000 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct odd odd = {
			.host = host,
			.name = rows[i].name,
			.of = KIND_NVLINK,
			.least = rows[i].least,
			.code = FINDING_NVLINK_ERRORS,
			.kind = LOCUS_NVLINK,
		};

		odd_judge(&odd, out);
	}
}

static void judge(const struct check_input *in, const struct check_host *host,
                  struct check_out *out)
{
	(void)in;
	judge_map(host, out);
	judge_counters(host, out);
	for (size_t i = 0; i < host->n_devices; i++) {
		if (host->devices[i].kinds & KIND_GPU)
			judge_fabric(host, host->devices[i].name, out);
	}
}

const struct check_ops check_nvlink_ops = {
	.name = "nvlink",
	.help = "NVLinks that are down, fewer than the peers', or count errors",
	.needs = "gpu.fabric_*, nvlink.*, the map",
	.host = judge,
};
