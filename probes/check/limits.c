// SPDX-License-Identifier: Apache-2.0
// What the job was given: memory to lock, files, cores, GPUs and who is there.
#include <string.h>

#include "probes/check/accuse.h"
#include "probes/check/look.h"
#include "topo/model/model_set.h"
#include "topo/reading/reading_rank.h"

#define GIB (1LL << 30)
#define MEMLOCK_LEAST GIB       /* NCCL registers buffers of each peer */
#define SHM_LEAST (256LL << 20) /* of each two ranks tens of MB */
#define FILES_BASE 256          /* of libraries and devices */
#define FILES_A_RANK 8          /* sockets of NCCL and MPI */
#define CORES_A_RANK 3          /* itself and two proxy threads */
#define MODE_PROHIBITED 2
#define MODE_EXCLUSIVE 3

static void judge_memlock(const struct check_host *host, struct check_out *out)
{
	struct reading r;
	struct finding *f;

	if (!look_hcas(host) || !look_get(host, "", "limit.memlock", &r) ||
	    r.kind != READING_INT || r.number < 0 || r.number >= MEMLOCK_LEAST)
		return;
	f = accuse(out, FINDING_MEMLOCK, LOCUS_HOST, host->host, "");
	accuse_values(f, (double)r.number, MEMLOCK_LEAST, "bytes");
	accuse_cite(f, &r);
}

static void judge_files(const struct check_input *in,
                        const struct check_host *host, struct check_out *out)
{
	int64_t need = FILES_BASE + FILES_A_RANK * (int64_t)in->job->n_ranks;
	struct reading r;

	if (!look_get(host, "", "limit.nofile", &r) || r.kind != READING_INT ||
	    r.number < 0 || r.number >= need)
		return;
	accuse_cite(accuse(out, FINDING_NOFILE, LOCUS_HOST, host->host, ""),
	            &r);
}

static void judge_shm(const struct check_host *host, struct check_out *out)
{
	struct reading r;
	struct finding *f;

	if (look_gpus(host) < 2 || !look_get(host, "", "shm.size", &r) ||
	    r.kind != READING_INT || r.number >= SHM_LEAST)
		return;
	f = accuse(out, FINDING_SHM_SMALL, LOCUS_HOST, host->host, "");
	accuse_values(f, (double)r.number, SHM_LEAST, "bytes");
	accuse_cite(f, &r);
}

static void judge_cores(const struct check_host *host, struct check_out *out)
{
	int64_t need = CORES_A_RANK * (int64_t)host->n_ranks;
	struct reading r;
	struct finding *f;

	if (!look_gpus(host) || !host->n_ranks ||
	    !look_get(host, "", "cpu.usable", &r) || r.kind != READING_INT ||
	    r.number >= need)
		return;
	f = accuse(out, FINDING_CORES_FEW, LOCUS_HOST, host->host, "");
	accuse_say(f, "%lld cores for %zu ranks, which want %lld",
	           (long long)r.number, host->n_ranks, (long long)need);
	accuse_cite(f, &r);
}

/* Of a list of CPUs in a reading of @device; false where there is none. */
static bool cpus_of(const struct check_host *host, const char *device,
                    const char *name, struct topo_set *ret)
{
	const char *text = look_text(host, device, name);

	return text[0] && topo_set_read(text, strlen(text), ret);
}

/* 0: a CPU near it may be used; 1: none; -1: not known. */
static int gpu_is_cut_off(const struct check_host *host, size_t gpu)
{
	const struct topo_map *map = host->host->map;
	const struct map_gpu *g = &map->gpus[gpu];
	struct topo_set allowed = { .bits = { 0 } };
	int32_t numa = g->pci < 0 ? -1 : map->pcis[g->pci].numa;
	const struct topo_set *near = &g->cpus;

	if (topo_set_first(near) < 0 && numa >= 0)
		near = &map->numas[numa].cpus;
	if (topo_set_first(near) >= 0 &&
	    cpus_of(host, "", "cpu.allowed", &allowed))
		return !topo_set_meet(&allowed, near);
	return g->cpus_known ? topo_set_first(&g->cpus) < 0 : -1;
}

static void judge_cpuset(const struct check_host *host, struct check_out *out)
{
	const struct topo_map *map = host->host->map;
	size_t cut_off = 0, near = 0;
	char gpu[LOOK_NAME_MAX];

	for (size_t i = 0; map && i < map->n_gpus; i++) {
		cut_off += gpu_is_cut_off(host, i) == 1;
		near += gpu_is_cut_off(host, i) == 0;
	}
	/* Of a drawing with no affinity at all nobody can tell. */
	if (!cut_off || (!near && !look_was_read(host)))
		return;
	for (size_t i = 0; i < map->n_gpus; i++) {
		if (gpu_is_cut_off(host, i) == 1)
			accuse_note(accuse(out, FINDING_CPUSET, LOCUS_HOST,
			                   host->host, ""),
			            "%s: no CPU of its NUMA node may be used",
			            look_gpu_place(host, i, gpu));
	}
}

static void judge_mig(const struct check_host *host, struct check_out *out)
{
	const struct topo_map *map = host->host->map;
	char gpu[LOOK_NAME_MAX];

	for (size_t i = 0; map && i < map->n_gpus; i++) {
		if (map->gpus[i].mig)
			accuse_note(accuse(out, FINDING_GPU_MIG, LOCUS_HOST,
			                   host->host, ""),
			            "%s is in MIG mode",
			            look_gpu_place(host, i, gpu));
	}
}

/* Ranks that do not see the GPUs of the host's first. */
static size_t judge_ranks(const struct check_host *host, struct check_out *out)
{
	const char *first = look_text(host, "", "nvml.gpus");
	struct finding *f;
	size_t n = 0;

	for (size_t i = 0; first[0] && i < host->n_devices; i++) {
		const char *rank = host->devices[i].name;
		const char *seen = reading_rank(rank) < 0
		                           ? ""
		                           : look_text(host, rank, "nvml.gpus");

		if (!seen[0])
			continue;
		f = accuse(out, FINDING_GPU_VISIBLE, LOCUS_HOST, host->host,
		           "");
		if (!n++)
			accuse_note(f, "the first rank sees %.120s", first);
		accuse_note(f, "%s sees %.120s", rank, seen);
	}
	return n;
}

/* More ranks than GPUs that the driver shows, where the bus has more. */
static void judge_view(const struct check_host *host, struct check_out *out)
{
	const struct topo_map *map = host->host->map;
	size_t seen = 0;

	if (!map || judge_ranks(host, out))
		return;
	for (size_t i = 0; i < host->n_devices; i++)
		seen += look_text(host, host->devices[i].name, "gpu.uuid")[0] !=
		        '\0';
	if (!seen || seen >= map->n_gpus || host->n_ranks <= seen)
		return;
	accuse_note(
		accuse(out, FINDING_GPU_VISIBLE, LOCUS_HOST, host->host, ""),
		"%zu ranks; the driver shows %zu of the %zu GPUs on the "
		"bus",
		host->n_ranks, seen, map->n_gpus);
}

static void judge_gpu(const struct check_host *host, const char *device,
                      struct check_out *out)
{
	int64_t mode = look_int(host, device, "gpu.compute_mode", 0);
	char gpu[LOOK_NAME_MAX];
	struct reading r;
	struct finding *f;

	look_gpu_name(host, device, gpu);
	if (look_int(host, device, "gpu.processes", 0) > 0 &&
	    look_get(host, device, "gpu.processes", &r)) {
		f = accuse(out, FINDING_GPU_BUSY, LOCUS_GPU, host->host, gpu);
		accuse_cite(f, &r);
		if (look_get(host, device, "gpu.process", &r))
			accuse_cite(f, &r);
	}
	if ((mode == MODE_PROHIBITED || mode == MODE_EXCLUSIVE) &&
	    look_get(host, device, "gpu.compute_mode", &r))
		accuse_cite(accuse(out, FINDING_COMPUTE_MODE, LOCUS_GPU,
		                   host->host, gpu),
		            &r);
}

static void judge(const struct check_input *in, const struct check_host *host,
                  struct check_out *out)
{
	judge_memlock(host, out);
	judge_files(in, host, out);
	judge_shm(host, out);
	judge_cores(host, out);
	judge_cpuset(host, out);
	judge_mig(host, out);
	judge_view(host, out);
	for (size_t i = 0; i < host->n_devices; i++) {
		if (host->devices[i].kinds & KIND_GPU)
			judge_gpu(host, host->devices[i].name, out);
	}
}

const struct check_ops check_limits_ops = {
	.name = "limits",
	.help = "memory to lock, files, /dev/shm, cores, who is on the GPUs",
	.needs = "limit.*, shm.size, cpu.*, gpu.processes, gpu.compute_mode, "
		 "nvml.gpus",
	.host = judge,
};
