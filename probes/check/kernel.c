// SPDX-License-Identifier: Apache-2.0
// What the kernel logged since boot: Xid, SXid, AER, links, killed processes.
#include <string.h>

#include "probes/check/accuse.h"
#include "probes/check/look.h"
#include "probes/finding/xid.h"

#define AER_FATAL 2
#define FLAPS_FEW 2 /* a link goes down once or twice at boot */

static bool any_xid(const struct check_host *host, int64_t first, int64_t last)
{
	size_t n = readings_count(host->set);

	for (size_t i = 0; i < n; i++) {
		struct reading r = readings_at(host->set, i);

		if (strcmp(r.name, "kmsg.xid") == 0 && r.number >= first &&
		    r.number <= last && r.number != FINDING_XID_REMAPPED)
			return true;
	}
	return false;
}

/* A recovery action that was set to none is good news. */
static bool is_all_clear(const struct reading *r)
{
	return r->number == FINDING_XID_RECOVERY && strstr(r->text, "to 0x0 ");
}

static void take_xid(const struct check_host *host, const struct reading *r,
                     struct check_out *out)
{
	unsigned code = finding_of_xid(r->number);
	char gpu[LOOK_NAME_MAX];
	struct finding *f;

	if (is_all_clear(r))
		return;
	f = accuse(out, code, LOCUS_GPU, host->host,
	           look_gpu_name(host, r->device, gpu));
	if (r->number == FINDING_XID_REMAPPED) {
		accuse_mild(f, any_xid(host, 144, 150) ? SEVERITY_INFO
		                                       : SEVERITY_WARN);
		accuse_say(f, "Xid 145 alone: it lost a way through another "
		              "device's fault");
	}
	accuse_cite(f, r);
}

static void take_lost(const struct check_host *host, const struct reading *r,
                      struct check_out *out)
{
	char gpu[LOOK_NAME_MAX];

	accuse_cite(accuse(out, FINDING_GPU_LOST, LOCUS_GPU, host->host,
	                   look_gpu_name(host, r->device, gpu)),
	            r);
}

static void take_sxid(const struct check_host *host, const struct reading *r,
                      struct check_out *out)
{
	struct finding *f =
		accuse(out, FINDING_SXID, LOCUS_PCIE, host->host, r->device);

	if (strcasestr(r->text, "non-fatal"))
		accuse_mild(f, SEVERITY_WARN);
	accuse_cite(f, r);
}

/* The number is the severity: 0 corrected, 1 not fatal, 2 fatal. */
static void take_aer(const struct check_host *host, const struct reading *r,
                     struct check_out *out)
{
	struct finding *f =
		accuse(out, FINDING_AER_LOG, LOCUS_PCIE, host->host, r->device);

	if (f && r->number >= AER_FATAL)
		f->severity = SEVERITY_FAULT;
	accuse_cite(f, r);
}

static void take_oom(const struct check_host *host, const struct reading *r,
                     struct check_out *out)
{
	accuse_cite(accuse(out, FINDING_OOM_KILL, LOCUS_HOST, host->host, ""),
	            r);
}

static void take_mce(const struct check_host *host, const struct reading *r,
                     struct check_out *out)
{
	accuse_cite(
		accuse(out, FINDING_MACHINE_CHECK, LOCUS_HOST, host->host, ""),
		r);
}

static size_t count_downs(const struct check_host *host, const char *device)
{
	size_t n = 0, all = readings_count(host->set);

	for (size_t i = 0; i < all; i++) {
		struct reading r = readings_at(host->set, i);

		n += strcmp(r.name, "kmsg.link_down") == 0 &&
		     strcmp(r.device, device) == 0;
	}
	return n;
}

static void take_down(const struct check_host *host, const struct reading *r,
                      struct check_out *out)
{
	size_t n = count_downs(host, r->device);
	struct finding *f;

	if (n <= FLAPS_FEW)
		return;
	f = accuse(out, FINDING_LINK_FLAP, LOCUS_NETDEV, host->host, r->device);
	accuse_say(f, "%s went down %zu times since boot", r->device, n);
	accuse_cite(f, r);
}

static void take(const struct check_host *host, const struct reading *r,
                 struct check_out *out)
{
	static const struct {
		const char *name;
		void (*take)(const struct check_host *, const struct reading *,
		             struct check_out *);
	} rows[] = {
		{ "kmsg.xid", take_xid },        { "kmsg.bus_lost", take_lost },
		{ "kmsg.sxid", take_sxid },      { "kmsg.aer", take_aer },
		{ "kmsg.oom", take_oom },        { "kmsg.mce", take_mce },
		{ "kmsg.link_down", take_down },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (strcmp(r->name, rows[i].name) == 0)
			rows[i].take(host, r, out);
	}
}

static void judge(const struct check_input *in, const struct check_host *host,
                  struct check_out *out)
{
	size_t n = look_count(host, KIND_KMSG) ? readings_count(host->set) : 0;

	(void)in;
	for (size_t i = 0; i < n; i++) {
		struct reading r = readings_at(host->set, i);

		if (strncmp(r.name, "kmsg.", 5) != 0)
			continue;
		if (r.kind == READING_SKIP)
			skip_add(out, host->host, "kernel log", r.text);
		else
			take(host, &r, out);
	}
}

const struct check_ops check_kernel_ops = {
	.name = "kernel",
	.help = "the kernel log: Xid, SXid, AER, link flaps, killed processes",
	.needs = "kmsg.*",
	.host = judge,
};
