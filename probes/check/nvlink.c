// SPDX-License-Identifier: Apache-2.0
// NVLinks: those that are down or missing, their counters, the fabric's state.
#include "probes/check/accuse.h"
#include "probes/check/imex.h"
#include "probes/check/look.h"
#include "probes/check/odd.h"
#include "topo/compare/oddity.h"

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

#define FABRIC_DONE 3 /* of NVML's states; 0: there is none */

/* Between these two a job would fail with CUDA's error 802. */
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
	if (state.number >= FABRIC_DONE &&
	    (status.kind != READING_INT || status.number == 0))
		return;
	f = accuse(out, FINDING_FABRIC_STATE, LOCUS_GPU, host->host,
	           look_gpu_name(host, device, gpu));
	accuse_cite(f, &state);
	if (status.kind == READING_INT)
		accuse_cite(f, &status);
}

/* Two bits for each thing that may be wrong, 1: it is; then one number, from
 * 2 on: what the configuration lacks. By NVML's header. */
static void judge_health(const struct check_host *host, const char *device,
                         struct check_out *out)
{
	static const char *const what[] = { "bandwidth is degraded",
		                            "routes are being recovered",
		                            "a route is unhealthy",
		                            "accesses time out" };
	static const char *const config[] = { "",
		                              "",
		                              "system GUID",
		                              "chassis",
		                              "no partition",
		                              "too few NVLinks",
		                              "firmware",
		                              "location",
		                              "GPU state" };
	int64_t mask = look_int(host, device, "gpu.fabric_health", 0);
	uint64_t wrong = (uint64_t)mask >> 8 & 0xf;
	char gpu[LOOK_NAME_MAX];

	look_gpu_name(host, device, gpu);
	for (unsigned i = 0; i < 4; i++) {
		if (((uint64_t)mask >> 2 * i & 3) == 1)
			accuse_note(accuse(out, FINDING_FABRIC_HEALTH,
			                   LOCUS_GPU, host->host, gpu),
			            "%s: %s (health mask 0x%llx of NVML)", gpu,
			            what[i], (unsigned long long)mask);
	}
	if (wrong > 1)
		accuse_note(accuse(out, FINDING_FABRIC_HEALTH, LOCUS_GPU,
		                   host->host, gpu),
		            "%s: incorrect configuration: %s (health mask "
		            "0x%llx of NVML)",
		            gpu,
		            wrong < sizeof(config) / sizeof(*config)
		                    ? config[wrong]
		                    : "unknown",
		            (unsigned long long)mask);
}

static void judge_c2c(const struct check_host *host, const char *device,
                      struct check_out *out)
{
	char gpu[LOOK_NAME_MAX];
	struct reading all, up;
	struct finding *f;

	if (!look_get(host, device, "gpu.c2c", &all) ||
	    !look_get(host, device, "gpu.c2c_up", &up) ||
	    all.kind != READING_INT || up.kind != READING_INT ||
	    up.number >= all.number)
		return;
	f = accuse(out, FINDING_C2C_DOWN, LOCUS_GPU, host->host,
	           look_gpu_name(host, device, gpu));
	accuse_values(f, (double)up.number, (double)all.number, "links");
	accuse_cite(f, &all);
	accuse_cite(f, &up);
}

/* Domain and clique of all GPUs of a host are one. One that is not registered
 * has neither, and a finding of its own. */
static void judge_domain(const struct check_host *host, const char *name,
                         struct check_out *out)
{
	struct reading first = { .kind = READING_SKIP }, r;
	struct finding *f;
	size_t said = 0;

	for (size_t i = 0; i < host->n_devices; i++) {
		const char *device = host->devices[i].name;

		if (look_int(host, device, "gpu.fabric_state", FABRIC_DONE) <
		            FABRIC_DONE ||
		    !look_get(host, device, name, &r))
			continue;
		if (first.kind == READING_SKIP)
			first = r;
		if (reading_equal(&first, &r))
			continue;
		f = accuse(out, FINDING_FABRIC_SPLIT, LOCUS_HOST, host->host,
		           "");
		if (!said++)
			accuse_cite(f, &first);
		accuse_cite(f, &r);
	}
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
		const char *device = host->devices[i].name;

		if (!(host->devices[i].kinds & KIND_GPU))
			continue;
		judge_fabric(host, device, out);
		judge_health(host, device, out);
		judge_c2c(host, device, out);
	}
	judge_domain(host, "gpu.fabric_cluster", out);
	judge_domain(host, "gpu.fabric_clique", out);
}

const struct check_ops check_nvlink_ops = {
	.name = "nvlink",
	.help = "NVLinks that are down, fewer than the peers', or count errors",
	.needs = "gpu.fabric_*, gpu.c2c*, nvlink.*, imex.channels, the map",
	.host = judge,
	.job = imex_judge,
};
