// SPDX-License-Identifier: Apache-2.0
// Reads the saved output of tools by the readers of topologies, and has the
// checks judge it: what they find are events here.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/check/check.h"
#include "probes/explain/reader.h"
#include "topo/discover/discover_text.h"
#include "topo/model/model_map.h"

/* Kernel logs are read line by line, by another reader. */
#define KERNEL "kernel"

/* What a finding of a check is called here. */
static const struct {
	uint32_t code, kind;
	int64_t n;
	uint32_t least; /* enum finding_severity; milder ones are remarks */
} rows[] = {
	{ FINDING_MTU_MIXED, KIND_MTU_DIFFERS, 0, SEVERITY_FAULT },
	{ FINDING_PORT_MTU_MIXED, KIND_MTU_DIFFERS, 0, SEVERITY_FAULT },
	{ FINDING_P2P_ACS, KIND_ACS_ON, 0, SEVERITY_FAULT },
	{ FINDING_P2P_IOMMU, KIND_ACS_ON, 0, SEVERITY_FAULT },
	{ FINDING_GDR_OFF, KIND_GDR_OFF, 0, SEVERITY_FAULT },
	{ FINDING_PCIE_WIDTH, KIND_SLOT_SLOW, 0, SEVERITY_FAULT },
	{ FINDING_PCIE_SPEED, KIND_SLOT_SLOW, 0, SEVERITY_FAULT },
	{ FINDING_PCIE_NARROW_SLOT, KIND_SLOT_SLOW, 0, SEVERITY_FAULT },
	{ FINDING_PCIE_AER, KIND_AER_CORRECTED, 0, SEVERITY_FAULT },
	{ FINDING_PCIE_REPLAYS, KIND_AER_CORRECTED, 0, SEVERITY_FAULT },
	{ FINDING_NVLINK_NONE, KIND_TOPO_FAULT, 0, SEVERITY_FAULT },
	{ FINDING_NVLINK_FEWER, KIND_TOPO_FAULT, 0, SEVERITY_FAULT },
	{ FINDING_NVLINK_PAIR, KIND_TOPO_FAULT, 0, SEVERITY_FAULT },
	{ FINDING_NVLINK_DOWN, KIND_NVLINK_DOWN, 0, SEVERITY_FAULT },
	{ FINDING_NVLINK_ERRORS, KIND_NVLINK_ERRORS, 0, SEVERITY_FAULT },
	{ FINDING_FABRIC_STATE, KIND_SMI_FABRIC, 0, SEVERITY_FAULT },
	{ FINDING_PORT_POLLING, KIND_PORT_POLLING, 0, SEVERITY_FAULT },
	{ FINDING_PORT_DISABLED, KIND_PORT_DISABLED, 0, SEVERITY_INFO },
	{ FINDING_PORT_DOWN, KIND_PORT_DOWN, 0, SEVERITY_FAULT },
	{ FINDING_PORT_INIT, KIND_PORT_DOWN, 0, SEVERITY_FAULT },
	{ FINDING_PORT_RATE, KIND_PORT_SLOW, 0, SEVERITY_FAULT },
	{ FINDING_PORT_GID, KIND_PORT_NO_GID, 0, SEVERITY_WARN },
	{ FINDING_PORT_ERRORS, KIND_PORT_ERRORS, 0, SEVERITY_FAULT },
	{ FINDING_GPU_LOST, KIND_GPU_LOST, 0, SEVERITY_FAULT },
	{ FINDING_GPU_HOT, KIND_SMI_THROTTLE, 0, SEVERITY_FAULT },
	{ FINDING_GPU_SLOWDOWN, KIND_SMI_BRAKE, 0, SEVERITY_WARN },
	{ FINDING_GPU_ECC, KIND_SMI_ECC, 0, SEVERITY_FAULT },
	{ FINDING_GPU_REMAP_PENDING, KIND_SMI_REMAP, 1, SEVERITY_FAULT },
	{ FINDING_GPU_REMAP_FAILED, KIND_SMI_REMAP, 2, SEVERITY_FAULT },
	{ FINDING_GPU_RETIREMENT, KIND_SMI_REMAP, 1, SEVERITY_FAULT },
	{ FINDING_GPU_RECOVERY, KIND_SMI_RECOVERY, 0, SEVERITY_FAULT },
};

static int saved_sniff(const char *head, size_t len)
{
	struct source_text text = { .data = head, .len = len };
	size_t n;
	const struct source_ops *const *sources = topo_sources(&n);

	for (size_t i = 0; i < n; i++)
		if (sources[i] != &source_kmsg_ops && sources[i]->sniff(&text))
			return 40;
	return 0;
}

/* Its own name where it is a port or a GPU, and the bus where it has one. */
static void take_place(struct intake *r, const struct locus *at,
                       struct event *e)
{
	const char *name = at->netdev[0] ? at->netdev : at->device;

	if (at->kind == LOCUS_GPU || at->kind == LOCUS_NVLINK ||
	    at->kind == LOCUS_PCIE)
		e->bus = intake_name(r, name);
	else
		e->device = intake_name(r, name);
	e->host = intake_name(r, at->host);
}

static void take_finding(struct intake *r, const struct finding *f)
{
	struct event e = intake_event(r, NULL, KIND_TOPO_REMARK);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].code == f->code && f->severity >= rows[i].least) {
			e.kind = rows[i].kind;
			e.n[0] = rows[i].n;
		}
	take_place(r, &f->locus, &e);
	e.op = intake_name(r, f->detail[0] ? f->detail
	                                   : finding_info(f->code)->title);
	e.text = f->n_evidence ? intake_name(r, f->evidence[0]) : e.op;
	intake_add(r, NULL, &e);
}

/* Ports that are well, and those that somebody switched off. */
static void take_ports(struct intake *r, const struct topo_map *map)
{
	for (size_t i = 0; i < map->n_ports; i++) {
		const struct map_port *port = &map->ports[i];
		bool active = port->state == PORT_ACTIVE;
		char name[MAP_NAME_MAX + 16];
		struct event e = intake_event(
			r, NULL, active ? KIND_PORT_OK : KIND_PORT_DISABLED);

		if (port->hca < 0 || (!active && port->phys != PHYS_DISABLED))
			continue;
		(void)snprintf(name, sizeof(name), "%s/%d",
		               map->hcas[port->hca].name, port->port);
		e.device = intake_name(r, name);
		if (active) {
			e.n[0] = port->rate_bps / 1000000;
			e.n[1] = port->layer == PORT_LAYER_ETHERNET;
		}
		intake_add(r, NULL, &e);
	}
}

static void take_map(struct intake *r, const struct topo_host *host,
                     const char *kinds)
{
	const struct topo_map *map = host->map;
	struct event e = intake_event(r, NULL, KIND_TOPO_READ);

	e.op = intake_name(r, kinds);
	e.n[0] = map ? (int64_t)map->n_gpus : 0;
	e.n[1] = map ? (int64_t)map->n_hcas : 0;
	intake_add(r, NULL, &e);
	if (map)
		take_ports(r, map);
	if (map && map->partial && !map->excerpt) {
		e.kind = KIND_SMI_CUT;
		intake_add(r, NULL, &e);
	}
}

static uint32_t checks(void)
{
	size_t n;
	int kernel = checks_find(KERNEL);

	(void)checks_all(&n);
	return (uint32_t)((UINT64_C(1) << n) - 1) &
	       ~(kernel < 0 ? 0 : UINT32_C(1) << kernel);
}

static enum fp_status judge(struct intake *r, const struct topo_host *host,
                            struct fp_err *err)
{
	struct check_out out = { 0 };
	struct topo_job job = { 0 };
	enum fp_status status = topo_job_init(&job, 1, err);

	if (status == FP_OK)
		status = topo_job_place(&job, 0, host, err);
	if (status == FP_OK)
		status = checks_run(&job, checks(), &out, err);
	for (size_t i = 0; status == FP_OK && i < out.findings.n; i++)
		take_finding(r, &out.findings.f[i]);
	check_out_done(&out);
	topo_job_done(&job);
	return status;
}

/* Is @text one document of a kind that is known, which has to read? */
static bool is_document(const struct source_text *text)
{
	size_t n;
	const struct source_ops *const *sources = topo_sources(&n);

	for (size_t i = 0; i < n; i++)
		if (sources[i]->phase == SOURCE_WHOLE &&
		    sources[i]->sniff(text))
			return true;
	return false;
}

/*
 * A document that tells nothing is said; in other texts a few words may look
 * like a tool's, and the readers of lines have them too.
 */
static enum fp_status take_failure(struct intake *r,
                                   const struct source_text *text,
                                   struct fp_err *err)
{
	struct event e = intake_event(r, NULL, KIND_FOREIGN);

	if (err->status != FP_ERR_INPUT)
		return err->status;
	e.op = intake_name(r, err->text);
	e.text = e.op;
	if (is_document(text))
		intake_add(r, NULL, &e);
	*err = (struct fp_err){ 0 };
	return FP_OK;
}

static enum fp_status saved_whole(struct intake *r, const char *data,
                                  size_t len, struct fp_err *err)
{
	struct source_text text = { .data = data, .len = len };
	struct topo_host host = { 0 };
	struct fp_text kinds = { 0 };
	enum fp_status status;

	status = topo_host_from_text(&text, &host, &kinds, err);
	if (status != FP_OK) {
		status = take_failure(r, &text, err);
	} else if (host.map || readings_count(host.readings) > 0) {
		take_map(r, &host, kinds.data ? kinds.data : "");
		status = judge(r, &host, err);
	}
	topo_host_done(&host);
	fp_text_free(&kinds);
	return status;
}

const struct explain_reader reader_saved = {
	.name = "saved tool output",
	.help = "nvidia-smi, ibstat, ibv_devinfo; XML of NCCL and hwloc",
	.sniff = saved_sniff,
	.whole = saved_whole,
	.also = true,
};
