// SPDX-License-Identifier: Apache-2.0
// The model of links. tests/doubles/model.py has the same sums for the tests.
#include "tests/doubles/path.h"

#include <string.h>

const char *fpd_via_name(enum fpd_via via)
{
	static const char *const names[FPD_VIA_COUNT] = {
		[FPD_VIA_LOCAL] = "local", [FPD_VIA_NVLINK] = "nvlink",
		[FPD_VIA_PCIE] = "pcie",   [FPD_VIA_SHM] = "shm",
		[FPD_VIA_NET] = "net",     [FPD_VIA_SOCKET] = "socket",
	};

	return names[via];
}

unsigned fpd_nvlinks(struct fpd_end g)
{
	unsigned n = fpd_world()->gpu.nvlinks;
	const struct fpd_fault *f;

	if (fpd_fault_find(FPD_OFF_FABRIC, g.host, g.gpu, NULL))
		return 0;
	f = fpd_fault_find(FPD_NVLINK_DOWN, g.host, g.gpu, NULL);
	return f ? n - (f->n < n ? (unsigned)f->n : n) : n;
}

unsigned fpd_pcie_width(struct fpd_end g)
{
	const struct fpd_fault *f =
		fpd_fault_find(FPD_PCIE, g.host, g.gpu, NULL);

	return f ? (unsigned)f->n : fpd_world()->gpu.pcie_width;
}

double fpd_pcie_Bps(struct fpd_end g)
{
	const struct fpd_gpu *gpu = &fpd_world()->gpu;

	return gpu->pcie_Bps * fpd_pcie_width(g) / gpu->pcie_width;
}

static bool ends_match(const struct fpd_fault *f, struct fpd_end a,
                       struct fpd_end b)
{
	return fpd_fault_at(f, a.host, a.gpu) &&
	       (f->to.host < 0 || f->to.host == b.host) &&
	       (f->to.gpu < 0 || f->to.gpu == b.gpu);
}

static bool fault_between(enum fpd_fault_kind kind, struct fpd_end a,
                          struct fpd_end b)
{
	const struct fpd_world *w = fpd_world();

	for (unsigned i = 0; i < w->n_faults; i++)
		if (w->faults[i].kind == kind &&
		    (ends_match(&w->faults[i], a, b) ||
		     ends_match(&w->faults[i], b, a)))
			return true;
	return false;
}

bool fpd_peer_ok(struct fpd_end a, struct fpd_end b)
{
	return a.host == b.host && a.gpu != b.gpu &&
	       !fault_between(FPD_NO_P2P, a, b);
}

double fpd_gpu_factor(struct fpd_end g)
{
	const struct fpd_fault *f =
		fpd_fault_find(FPD_SLOW_GPU, g.host, g.gpu, NULL);

	/* One that heats up is as any other before. */
	return f && fpd_fault_ripe(f) ? f->factor : 1;
}

static double lesser(double a, double b)
{
	return a < b ? a : b;
}

static struct fpd_path inside_host(struct fpd_end a, struct fpd_end b,
                                   struct fpd_switches sw)
{
	const struct fpd_world *w = fpd_world();
	double links = lesser(fpd_nvlinks(a), fpd_nvlinks(b));
	double pcie = lesser(fpd_pcie_Bps(a), fpd_pcie_Bps(b));

	if (a.gpu == b.gpu)
		return (struct fpd_path){ .via = FPD_VIA_LOCAL,
			                  .Bps = w->gpu.hbm_Bps / 2,
			                  .latency_s = w->launch_s };
	if (sw.no_p2p || !fpd_peer_ok(a, b))
		return (struct fpd_path){ .via = FPD_VIA_SHM,
			                  .Bps = pcie * w->shm_share,
			                  .latency_s = w->shm_s };
	if (links > 0)
		return (struct fpd_path){ .via = FPD_VIA_NVLINK,
			                  .Bps = links * w->gpu.nvlink_Bps,
			                  .latency_s = w->nvlink_s };
	return (struct fpd_path){ .via = FPD_VIA_PCIE,
		                  .Bps = pcie,
		                  .latency_s = w->pcie_s };
}

static bool gdr_on(struct fpd_end g, struct fpd_switches sw)
{
	return !sw.no_gdr && !fpd_fault_find(FPD_NO_GDR, g.host, g.gpu, NULL);
}

static bool ib_on(struct fpd_end g, struct fpd_switches sw)
{
	return !sw.no_ib && !fpd_fault_find(FPD_NO_IB, g.host, g.gpu, NULL);
}

static struct fpd_path between_hosts(struct fpd_end a, struct fpd_end b,
                                     struct fpd_switches sw)
{
	const struct fpd_world *w = fpd_world();
	struct fpd_path p = { .via = FPD_VIA_NET, .latency_s = w->net_s };

	if (!ib_on(a, sw) || !ib_on(b, sw))
		return (struct fpd_path){ .via = FPD_VIA_SOCKET,
			                  .Bps = w->socket_Bps,
			                  .latency_s = w->socket_s };
	p.gdr_tx = gdr_on(a, sw);
	p.gdr_rx = gdr_on(b, sw);
	p.Bps = lesser(w->nic_Bps, lesser(fpd_pcie_Bps(a), fpd_pcie_Bps(b)));
	if (!p.gdr_tx || !p.gdr_rx)
		p.Bps *= w->gdr_off;
	return p;
}

/* Each directed pair differs a little from every other. */
static double variety(struct fpd_end a, struct fpd_end b)
{
	const struct fpd_world *w = fpd_world();
	int src = a.host * (int)w->n_gpus + a.gpu;
	int dst = b.host * (int)w->n_gpus + b.gpu;

	return 1 + w->vary * ((src * 7 + dst * 13) % 11 - 5) / 5;
}

static void slow_down(struct fpd_path *p, struct fpd_end a, struct fpd_end b,
                      bool nccl)
{
	const struct fpd_world *w = fpd_world();
	const struct fpd_fault *f;

	for (unsigned i = 0; i < w->n_faults; i++) {
		f = &w->faults[i];
		if (f->kind != FPD_SLOW || !ends_match(f, a, b) ||
		    (f->nccl && !nccl) || !fpd_fault_ripe(f))
			continue;
		if (!f->via[0] || strcmp(f->via, fpd_via_name(p->via)) == 0)
			p->Bps /= f->factor;
	}
}

struct fpd_path fpd_path(struct fpd_end a, struct fpd_end b,
                         struct fpd_switches sw)
{
	struct fpd_path p;

	if (a.host != b.host || (sw.no_p2p && sw.no_shm))
		p = between_hosts(a, b, sw);
	else
		p = inside_host(a, b, sw);
	if (p.via == FPD_VIA_SHM && sw.no_shm)
		p = between_hosts(a, b, sw);
	if (p.via != FPD_VIA_LOCAL)
		p.Bps *= variety(a, b);
	slow_down(&p, a, b, sw.nccl);
	if (fpd_gpu_factor(a) > 1 || fpd_gpu_factor(b) > 1)
		p.Bps = lesser(p.Bps,
		               fpd_world()->gpu.hbm_Bps / 2 /
		                       (fpd_gpu_factor(a) * fpd_gpu_factor(b)));
	return p;
}

double fpd_path_s(const struct fpd_path *p, uint64_t bytes)
{
	return p->latency_s + (double)bytes / p->Bps;
}
