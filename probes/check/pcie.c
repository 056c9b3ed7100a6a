// SPDX-License-Identifier: Apache-2.0
// PCIe links: lanes and speed against what both ends allow, and errors.
#include <stdio.h>
#include <string.h>

#include "probes/check/accuse.h"
#include "probes/check/look.h"
#include "probes/check/odd.h"

#define EMULATED_MTPS 2500 /* of a virtual machine's bridge, x1 */
#define GPU_IDLE_EVENT 0x1
#define GPU_IDLE_PERCENT 5
#define CORRECTABLE_MANY 1000
#define ADAPTER_GBPS 100 /* ports of today need as much */

/* An end of a link: what it can, what it does; 0: not known. */
struct link_end {
	int64_t speed, width, max_speed, max_width;
};

static struct link_end end_of(const struct check_host *host, const char *device)
{
	return (struct link_end){
		.speed = look_int(host, device, "pcie.speed", 0),
		.width = look_int(host, device, "pcie.width", 0),
		.max_speed = look_int(host, device, "pcie.max_speed", 0),
		.max_width = look_int(host, device, "pcie.max_width", 0),
	};
}

static bool is_emulated(const struct link_end *end)
{
	return end->max_speed == EMULATED_MTPS && end->max_width == 1;
}

static int64_t smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* The bridge above @pci, as readings call it; "" where it is not known. */
static const char *bridge_of(const struct topo_map *map, size_t pci)
{
	int32_t parent = map->pcis[pci].parent;

	return parent < 0 || map->tree != TREE_PORTS ? ""
	                                             : map->pcis[parent].bus_id;
}

static bool is_gpu(const struct topo_map *map, size_t pci)
{
	for (size_t i = 0; i < map->n_gpus; i++) {
		if (map->gpus[i].pci == (int32_t)pci)
			return true;
	}
	return false;
}

static bool is_hca(const struct topo_map *map, size_t pci)
{
	for (size_t i = 0; i < map->n_hcas; i++) {
		if (map->hcas[i].pci == (int32_t)pci)
			return true;
	}
	return false;
}

/* An idle GPU lowers its speed, never its width; one of which nobody knows
 * whether it works may be idle. */
static bool gpu_is_idle(const struct check_host *host, const char *device)
{
	int64_t busy = look_int(host, device, "gpu.utilization", -1);
	int64_t events = look_int(host, device, "gpu.clock_events", 0);

	return events & GPU_IDLE_EVENT || busy < GPU_IDLE_PERCENT;
}

static void say_idle(const struct check_host *host, struct check_out *out)
{
	skip_add(out, host->host, "PCIe speed of idle GPUs",
	         "an idle GPU lowers it: look again under load");
}

static void accuse_link(const struct check_host *host, const char *device,
                        const char *bridge, bool width,
                        const struct link_end ends[2], struct check_out *out)
{
	const char *name = width ? "pcie.width" : "pcie.speed";
	struct reading r;
	struct finding *f;

	f = accuse(out, width ? FINDING_PCIE_WIDTH : FINDING_PCIE_SPEED,
	           LOCUS_PCIE, host->host, device);
	if (look_get(host, device, name, &r))
		accuse_cite(f, &r);
	accuse_note(f, "%s can %.1f GT/s x%lld", device,
	            (double)ends[0].max_speed / 1000,
	            (long long)ends[0].max_width);
	if (ends[1].max_width > 0)
		accuse_note(f, "%s above it can %.1f GT/s x%lld", bridge,
		            (double)ends[1].max_speed / 1000,
		            (long long)ends[1].max_width);
	else
		accuse_mild(f, SEVERITY_WARN);
}

static void judge_link(const struct check_host *host, size_t pci,
                       struct check_out *out)
{
	const struct topo_map *map = host->host->map;
	const char *device = map->pcis[pci].bus_id;
	const char *bridge = bridge_of(map, pci);
	struct link_end ends[2] = { end_of(host, device),
		                    end_of(host, bridge) };
	int64_t width = ends[0].max_width, speed = ends[0].max_speed;

	if (ends[0].width <= 0 || is_emulated(&ends[1]))
		return;
	if (ends[1].max_width > 0) {
		width = smaller(width, ends[1].max_width);
		speed = smaller(speed, ends[1].max_speed);
	}
	if (ends[0].width < width)
		accuse_link(host, device, bridge, true, ends, out);
	if (ends[0].speed <= 0 || ends[0].speed >= speed)
		return;
	if (is_gpu(map, pci) && gpu_is_idle(host, device))
		say_idle(host, out);
	else
		accuse_link(host, device, bridge, false, ends, out);
}

static void judge_map(const struct check_host *host, struct check_out *out)
{
	const struct topo_map *map = host->host->map;

	if (!map || !host->n_slots)
		return;
	if (look_is_virtual(host)) {
		if (map->n_gpus + map->n_hcas)
			skip_add(out, host->host, "PCIe links",
			         "what a virtual machine shows of them is made "
			         "up");
		return;
	}
	for (size_t i = 0; i < map->n_pcis; i++) {
		if (is_gpu(map, i) || is_hca(map, i))
			judge_link(host, i, out);
	}
}

/* What the driver says knows of the slot already. */
static void judge_gpu(const struct check_host *host, const char *device,
                      struct check_out *out)
{
	int64_t width = look_int(host, device, "gpu.pcie_width", 0);
	int64_t most = look_int(host, device, "gpu.pcie_width_max", 0);
	int64_t gen = look_int(host, device, "gpu.pcie_gen", 0);
	int64_t gen_max = look_int(host, device, "gpu.pcie_gen_max", 0);
	char gpu[LOOK_NAME_MAX];
	struct finding *f;

	if (look_is_virtual(host))
		return;
	look_gpu_name(host, device, gpu);
	if (width > 0 && width < most) {
		f = accuse(out, FINDING_PCIE_WIDTH, LOCUS_GPU, host->host, gpu);
		accuse_values(f, (double)width, (double)most, "");
		accuse_note(f, "%s: x%lld in use, x%lld with this slot", device,
		            (long long)width, (long long)most);
	}
	if (gen > 0 && gen < gen_max && gpu_is_idle(host, device)) {
		say_idle(host, out);
	} else if (gen > 0 && gen < gen_max) {
		f = accuse(out, FINDING_PCIE_SPEED, LOCUS_GPU, host->host, gpu);
		accuse_values(f, (double)gen, (double)gen_max, "");
		accuse_note(f,
		            "%s: generation %lld under load, %lld with this "
		            "slot",
		            device, (long long)gen, (long long)gen_max);
	}
}

static void judge_aer(const struct check_host *host, const char *device,
                      struct check_out *out)
{
	static const struct {
		const char *name;
		int64_t least;
	} rows[] = {
		{ "pcie.aer_fatal", 1 },
		{ "pcie.aer_nonfatal", 1 },
		{ "pcie.aer_correctable", CORRECTABLE_MANY },
	};
	struct reading r;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (look_int(host, device, rows[i].name, 0) < rows[i].least ||
		    !look_get(host, device, rows[i].name, &r))
			continue;
		accuse_cite(accuse(out, FINDING_PCIE_AER, LOCUS_PCIE,
		                   host->host, device),
		            &r);
	}
}

/* What the kernel said of an adapter's link at boot: the number is Mb/s. */
static void judge_adapter(const struct check_host *host, const char *device,
                          struct check_out *out)
{
	struct reading r;
	struct finding *f;

	if (!look_get(host, device, "kmsg.pcie_bandwidth", &r) ||
	    r.kind != READING_INT || r.number >= ADAPTER_GBPS * 1000)
		return;
	f = accuse(out, FINDING_PCIE_NARROW_SLOT, LOCUS_PCIE, host->host,
	           device);
	accuse_say(f,
	           "%.0f Gb/s: enough for 25G ports, a bottleneck for those "
	           "of %d Gb/s and more",
	           (double)r.number / 1000, ADAPTER_GBPS);
	if (!strstr(r.text, "limited by"))
		accuse_mild(f, SEVERITY_INFO);
	accuse_cite(f, &r);
}

static void judge(const struct check_input *in, const struct check_host *host,
                  struct check_out *out)
{
	const struct odd replays = {
		.host = host,
		.name = "gpu.pcie_replays",
		.of = KIND_GPU,
		.least = CORRECTABLE_MANY,
		.code = FINDING_PCIE_REPLAYS,
		.kind = LOCUS_GPU,
	};

	(void)in;
	judge_map(host, out);
	odd_judge(&replays, out);
	for (size_t i = 0; i < host->n_devices; i++) {
		const struct check_device *d = &host->devices[i];

		if (d->kinds & KIND_GPU)
			judge_gpu(host, d->name, out);
		if (d->kinds & KIND_PCI)
			judge_aer(host, d->name, out);
		if (d->kinds & KIND_KMSG)
			judge_adapter(host, d->name, out);
	}
}

const struct check_ops check_pcie_ops = {
	.name = "pcie",
	.help = "PCIe links: lanes, speed, errors, repeats",
	.needs = "pcie.*, gpu.pcie_*, kmsg.pcie_bandwidth, the map",
	.host = judge,
};
