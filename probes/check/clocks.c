// SPDX-License-Identifier: Apache-2.0
// GPUs: heat, throttling, memory errors, rows and pages to be replaced.
#include "probes/check/accuse.h"
#include "probes/check/look.h"
#include "topo/model/gpu_value.h"

/* A reading that is bad from a value on. */
static const struct clocks_row {
	const char *name;
	int64_t least;
	unsigned code;
	uint32_t severity;
} rows[] = {
	{ "gpu.ecc_uncorrected", 1, FINDING_GPU_ECC, SEVERITY_FAULT },
	{ "gpu.ecc_uncorrected_all", 1, FINDING_GPU_ECC, SEVERITY_WARN },
	{ "gpu.remap_pending", 1, FINDING_GPU_REMAP_PENDING, SEVERITY_FAULT },
	{ "gpu.remap_failed", 1, FINDING_GPU_REMAP_FAILED, SEVERITY_FAULT },
	{ "gpu.retired_pending", 1, FINDING_GPU_RETIREMENT, SEVERITY_WARN },
	{ "gpu.retired_dbe", 1, FINDING_GPU_RETIREMENT, SEVERITY_WARN },
	{ "gpu.recovery", 1, FINDING_GPU_RECOVERY, SEVERITY_FAULT },
};

/* What belongs to a pending row is told beside it. */
static void cite_more(const struct check_host *host, const char *device,
                      unsigned code, struct finding *f)
{
	static const struct {
		const char *name;
		unsigned code;
	} more[] = {
		{ "gpu.remap_uncorrected", FINDING_GPU_REMAP_PENDING },
		{ "gpu.remap_corrected", FINDING_GPU_REMAP_PENDING },
		{ "gpu.ecc_corrected", FINDING_GPU_REMAP_PENDING },
		{ "gpu.remap_failed", FINDING_GPU_REMAP_PENDING },
	};
	struct reading r;

	for (size_t i = 0; i < sizeof(more) / sizeof(*more); i++) {
		if (more[i].code == code &&
		    look_get(host, device, more[i].name, &r))
			accuse_cite(f, &r);
	}
}

static void judge_row(const struct check_host *host, const char *device,
                      const struct clocks_row *row, struct check_out *out)
{
	char gpu[LOOK_NAME_MAX];
	struct reading r;
	struct finding *f;
	bool first;

	if (!look_get(host, device, row->name, &r) || r.kind != READING_INT ||
	    r.number < row->least)
		return;
	f = accuse(out, row->code, LOCUS_GPU, host->host,
	           look_gpu_name(host, device, gpu));
	first = f && f->n_evidence == 0;
	if (first)
		accuse_mild(f, row->severity);
	accuse_cite(f, &r);
	if (first)
		cite_more(host, device, row->code, f);
}

static void note_reasons(struct finding *f, int64_t events)
{
	char words[96];

	accuse_note(f, "why its clocks are not higher: %s",
	            gpu_events_words(events, words, sizeof(words)));
}

static void judge_heat(const struct check_host *host, const char *device,
                       struct check_out *out)
{
	int64_t limit = look_int(host, device, "gpu.temperature_slowdown", 0);
	int64_t events = look_int(host, device, "gpu.clock_events", 0);
	char gpu[LOOK_NAME_MAX];
	struct reading heat, r;
	struct finding *f;

	(void)look_get(host, device, "gpu.temperature", &heat);
	if (!(events & GPU_EVENTS_HEAT) &&
	    (limit <= 0 || heat.kind != READING_INT || heat.number < limit))
		return;
	f = accuse(out, FINDING_GPU_HOT, LOCUS_GPU, host->host,
	           look_gpu_name(host, device, gpu));
	if (heat.kind == READING_INT)
		accuse_cite(f, &heat);
	if (look_get(host, device, "gpu.temperature_slowdown", &r))
		accuse_cite(f, &r);
	if (look_get(host, device, "gpu.clock_events", &r)) {
		note_reasons(f, r.number);
		accuse_cite(f, &r);
	}
}

static void judge_brake(const struct check_host *host, const char *device,
                        struct check_out *out)
{
	char gpu[LOOK_NAME_MAX];
	struct reading r;
	struct finding *f;

	if (!look_get(host, device, "gpu.clock_events", &r) ||
	    !(r.number & GPU_EVENTS_HARDWARE) || r.number & GPU_EVENTS_HEAT)
		return;
	f = accuse(out, FINDING_GPU_SLOWDOWN, LOCUS_GPU, host->host,
	           look_gpu_name(host, device, gpu));
	note_reasons(f, r.number);
	accuse_cite(f, &r);
	if (look_get(host, device, "gpu.utilization", &r))
		accuse_cite(f, &r);
}

static void judge(const struct check_input *in, const struct check_host *host,
                  struct check_out *out)
{
	(void)in;
	for (size_t i = 0; i < host->n_devices; i++) {
		const char *device = host->devices[i].name;

		if (!(host->devices[i].kinds & KIND_GPU))
			continue;
		for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++)
			judge_row(host, device, &rows[k], out);
		judge_heat(host, device, out);
		judge_brake(host, device, out);
	}
}

const struct check_ops check_clocks_ops = {
	.name = "clocks",
	.help = "GPUs: heat, throttling, memory errors, rows to be remapped",
	.needs = "gpu.temperature, gpu.clock_events, gpu.ecc_*, gpu.remap_*",
	.host = judge,
};
