// SPDX-License-Identifier: Apache-2.0
// Peer access between GPUs, and what stands between GPUs and HCAs.
#include <stdlib.h>
#include <string.h>

#include "probes/check/accuse.h"
#include "probes/check/known.h"
#include "probes/check/look.h"
#include "topo/path/path.h"

#define ACS_REDIRECT 0xc /* request and completion redirect, PCIe 7.7.11.3 */

static uint8_t p2p_of(const struct topo_map *map, size_t a, size_t b)
{
	return map->p2p[a * map->n_gpus + b];
}

static bool p2p_known(uint8_t status)
{
	return status >= P2P_OK && status < P2P_U;
}

/* Of @gpu's pairs, both directions: which offer peer access. */
static size_t count_ok(const struct topo_map *map, size_t gpu, size_t *ret_n)
{
	size_t ok = 0, n = 0;

	for (size_t i = 0; i < map->n_gpus; i++) {
		uint8_t there = p2p_of(map, gpu, i), back = p2p_of(map, i, gpu);

		if (i == gpu || !p2p_known(there) || !p2p_known(back))
			continue;
		n++;
		ok += there == P2P_OK && back == P2P_OK;
	}
	*ret_n = n;
	return ok;
}

static void accuse_all(const struct check_host *host, struct check_out *out)
{
	const struct topo_map *map = host->host->map;
	struct finding *f =
		accuse(out, FINDING_P2P_OFF, LOCUS_HOST, host->host, "");

	accuse_note(f, "none of the %zu ordered pairs of GPUs has it",
	            map->n_gpus * (map->n_gpus - 1));
	if (!known_is_consumer(map->gpus[0].name))
		return;
	accuse_say(f, "%s is sold without peer access: no fault",
	           map->gpus[0].name);
	accuse_mild(f, SEVERITY_INFO);
}

/* More than half of the others' pairs have it, and none of its own. */
static bool is_left_out(const struct topo_map *map, size_t gpu)
{
	size_t n, ok = count_ok(map, gpu, &n), others = 0, others_ok = 0;

	if (ok || !n)
		return false;
	for (size_t i = 0; i < map->n_gpus; i++) {
		size_t n_i, ok_i = count_ok(map, i, &n_i);

		if (i == gpu)
			continue;
		others += n_i - 1;
		others_ok += ok_i;
	}
	return others > 1 && 2 * others_ok > others;
}

static void judge_status(const struct check_host *host, struct check_out *out)
{
	const struct topo_map *map = host->host->map;
	size_t ok = 0, n = 0, pairs;
	char gpu[LOOK_NAME_MAX];

	if (!map || !map->p2p || map->n_gpus < 2)
		return;
	for (size_t i = 0; i < map->n_gpus; i++) {
		ok += count_ok(map, i, &pairs);
		n += pairs;
	}
	if (n && !ok)
		accuse_all(host, out);
	for (size_t i = 0; ok && i < map->n_gpus; i++) {
		if (is_left_out(map, i))
			accuse_note(accuse(out, FINDING_P2P_PAIR, LOCUS_GPU,
			                   host->host,
			                   look_gpu_place(host, i, gpu)),
			            "GPU%d: peer access with none of the "
			            "others, which have it",
			            map->gpus[i].index);
	}
}

/* Is a GPU or HCA below @pci? */
static bool carries_peers(const struct topo_map *map, int32_t bridge)
{
	size_t n = map->n_gpus + map->n_hcas;

	for (size_t i = 0; i < n; i++) {
		int32_t at = i < map->n_gpus ? map->gpus[i].pci
		                             : map->hcas[i - map->n_gpus].pci;

		for (size_t deep = 0; at >= 0 && deep < map->n_pcis; deep++) {
			at = map->pcis[at].parent;
			if (at == bridge)
				return true;
		}
	}
	return false;
}

static void judge_acs(const struct check_host *host, struct check_out *out)
{
	const struct topo_map *map = host->host->map;
	struct reading r;

	for (size_t i = 0; map && i < map->n_pcis; i++) {
		const char *bridge = map->pcis[i].bus_id;

		if (!look_get(host, bridge, "pcie.acs", &r) ||
		    r.kind != READING_INT || !(r.number & ACS_REDIRECT) ||
		    !carries_peers(map, (int32_t)i))
			continue;
		accuse_cite(accuse(out, FINDING_P2P_ACS, LOCUS_HOST, host->host,
		                   ""),
		            &r);
	}
}

static void judge_iommu(const struct check_host *host, struct check_out *out)
{
	const struct topo_map *map = host->host->map;
	struct reading r;

	for (size_t i = 0; map && i < map->n_gpus; i++) {
		int32_t pci = map->gpus[i].pci;

		if (pci < 0 ||
		    !look_get(host, map->pcis[pci].bus_id, "pcie.iommu_type",
		              &r) ||
		    r.kind != READING_TEXT || strncmp(r.text, "DMA", 3) != 0)
			continue;
		accuse_cite(accuse(out, FINDING_P2P_IOMMU, LOCUS_HOST,
		                   host->host, ""),
		            &r);
	}
}

/* The module of old drivers, of new ones, and of those before. */
static bool has_peermem(const struct check_host *host)
{
	static const char *const names[] = { "module.nvidia_peermem",
		                             "module.nv_peer_mem",
		                             "module.gdrdrv_peermem" };
	struct reading r;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (look_get(host, "", names[i], &r))
			return true;
	}
	return false;
}

/* DMA-BUF needs no module, but a kernel that has it. */
static bool kernel_has_dmabuf(const char *release)
{
	char *end;
	long major = strtol(release, &end, 10);
	long minor = *end == '.' ? strtol(end + 1, NULL, 10) : 0;

	return major > 5 || (major == 5 && minor >= 12);
}

static void judge_gdr(const struct check_host *host, struct check_out *out)
{
	struct reading nvidia, kernel;
	struct finding *f;

	if (!look_gpus(host) || !look_hcas(host) || has_peermem(host) ||
	    !look_get(host, "", "module.nvidia", &nvidia) ||
	    !look_get(host, "", "kernel.release", &kernel))
		return;
	f = accuse(out, FINDING_GDR_OFF, LOCUS_HOST, host->host, "");
	accuse_note(f, "neither nvidia_peermem nor nv_peer_mem is loaded");
	accuse_cite(f, &kernel);
	if (kernel.kind == READING_TEXT && kernel_has_dmabuf(kernel.text)) {
		accuse_say(f, "DMA-BUF may do it with the open kernel modules "
		              "and CUDA 11.7 or later");
		accuse_mild(f, SEVERITY_INFO);
	}
}

static void judge(const struct check_input *in, const struct check_host *host,
                  struct check_out *out)
{
	(void)in;
	judge_status(host, out);
	judge_gdr(host, out);
	if (look_is_virtual(host))
		return;
	judge_acs(host, out);
	judge_iommu(host, out);
}

const struct check_ops check_p2p_ops = {
	.name = "p2p",
	.help = "peer access of GPUs, ACS, IOMMU, GPUDirect RDMA",
	.needs = "pcie.acs, pcie.iommu_type, module.*, the map",
	.host = judge,
};
