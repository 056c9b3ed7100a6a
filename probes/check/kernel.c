// SPDX-License-Identifier: Apache-2.0
// What the kernel logged since boot: Xid, SXid, AER, links, killed processes.
#include <string.h>

#include "probes/check/accuse.h"
#include "probes/check/look.h"

#define AER_FATAL 2
#define FLAPS_FEW 2 /* a link goes down once or twice at boot */

/* What NVIDIA's "XID Errors" document says each means. */
struct xid_row {
	int16_t first, last;
	unsigned code;
};

static const struct xid_row xids[] = {
	{ 8, 8, FINDING_XID_APPLICATION },
	{ 13, 13, FINDING_XID_APPLICATION },
	{ 31, 31, FINDING_XID_APPLICATION },
	{ 32, 32, FINDING_XID_DRIVER },
	{ 38, 38, FINDING_XID_DRIVER },
	{ 43, 43, FINDING_XID_APPLICATION },
	{ 45, 45, FINDING_XID_APPLICATION },
	{ 46, 46, FINDING_XID_DRIVER },
	{ 48, 48, FINDING_XID_HARDWARE },
	{ 61, 62, FINDING_XID_DRIVER },
	{ 63, 64, FINDING_XID_HARDWARE },
	{ 68, 69, FINDING_XID_APPLICATION },
	{ 74, 74, FINDING_XID_LINK },
	{ 79, 79, FINDING_GPU_LOST },
	{ 92, 92, FINDING_XID_HARDWARE },
	{ 94, 95, FINDING_XID_HARDWARE },
	{ 109, 109, FINDING_XID_APPLICATION },
	{ 119, 120, FINDING_XID_DRIVER },
	{ 121, 121, FINDING_XID_LINK },
	{ 136, 136, FINDING_XID_LINK },
	{ 140, 140, FINDING_XID_HARDWARE },
	{ 143, 143, FINDING_XID_DRIVER },
	{ 144, 150, FINDING_XID_LINK },
	{ 154, 154, FINDING_GPU_RECOVERY },
	{ 155, 156, FINDING_XID_LINK },
	{ 158, 160, FINDING_XID_HARDWARE },
	{ 171, 172, FINDING_XID_HARDWARE },
};

#define XID_REMAPPED 145 /* a link was taken out because of another's fault */

static unsigned xid_code(int64_t number)
{
	for (size_t i = 0; i < sizeof(xids) / sizeof(*xids); i++) {
		if (number >= xids[i].first && number <= xids[i].last)
			return xids[i].code;
	}
	return FINDING_XID_DRIVER;
}

static bool any_xid(const struct check_host *host, int64_t first, int64_t last)
{
	size_t n = readings_count(host->set);

	for (size_t i = 0; i < n; i++) {
		struct reading r = readings_at(host->set, i);

		if (strcmp(r.name, "kmsg.xid") == 0 && r.number >= first &&
		    r.number <= last && r.number != XID_REMAPPED)
			return true;
	}
	return false;
}

/* A recovery action that was set to none is good news. */
static bool is_all_clear(const struct reading *r)
{
	return r->number == 154 && strstr(r->text, "to 0x0 ");
}

static void take_xid(const struct check_host *host, const struct reading *r,
                     struct check_out *out)
{
	unsigned code = xid_code(r->number);
	char gpu[LOOK_NAME_MAX];
	struct finding *f;

	if (is_all_clear(r))
		return;
	f = accuse(out, code, LOCUS_GPU, host->host,
	           look_gpu_name(host, r->device, gpu));
	if (r->number == XID_REMAPPED) {
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
