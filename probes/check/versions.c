// SPDX-License-Identifier: Apache-2.0
// Software and hardware that must be equal on all hosts of a job.
#include <stdlib.h>
#include <string.h>

#include "probes/check/accuse.h"
#include "probes/check/known.h"
#include "probes/check/look.h"
#include "probes/check/mixed.h"
#include "probes/check/versions.h"
#include "topo/base/fmt.h"

/*
 * What is compared, by the beginning of a host's reading. @absent: a host
 * that was read and has none counts as one that has another value.
 */
static const struct versions_row {
	const char *prefix;
	unsigned code;
	uint32_t severity;
	bool absent;
} rows[] = {
	{ "lib.libnccl.version", FINDING_NCCL_MIXED, SEVERITY_FAULT, true },
	{ "lib.libnccl-net", FINDING_NCCL_MIXED, SEVERITY_FAULT, true },
	{ "lib.libnccl-tuner", FINDING_NCCL_MIXED, SEVERITY_FAULT, true },
	{ "lib.libnccl.path", FINDING_NCCL_MIXED, SEVERITY_WARN, false },
	{ "lib.", FINDING_SOFTWARE_MIXED, SEVERITY_WARN, false },
	{ "driver.", FINDING_SOFTWARE_MIXED, SEVERITY_WARN, true },
	{ "kernel.release", FINDING_SOFTWARE_MIXED, SEVERITY_WARN, false },
	{ "os.name", FINDING_SOFTWARE_MIXED, SEVERITY_WARN, false },
	{ "module.nvidia_peermem", FINDING_GDR_OFF, SEVERITY_WARN, true },
	{ "module.", FINDING_SOFTWARE_MIXED, SEVERITY_WARN, false },
	{ "cpu.vendor", FINDING_CPU_MIXED, SEVERITY_WARN, false },
	{ "cpu.name", FINDING_CPU_MIXED, SEVERITY_INFO, false },
};

struct versions {
	const struct check_input *in;
	struct check_out *out;
	struct reading *values;
};

/* Each host its reading of @name, then the vote. */
static void judge_name(const struct versions *v, const char *name,
                       unsigned code, uint32_t severity, bool absent)
{
	const struct mixed m = {
		.in = v->in,
		.values = v->values,
		.what = name,
		.device = "",
		.code = code,
		.kind = LOCUS_HOST,
	};
	size_t before = v->out->findings.n;

	for (size_t i = 0; i < v->in->n_hosts; i++) {
		const struct check_host *host = &v->in->hosts[i];
		struct reading *r = &v->values[i];

		if (look_get(host, "", name, r))
			continue;
		r->name = name;
		r->text = "";
		r->number = 0;
		r->kind = absent && look_was_read(host) ? READING_SKIP
		                                        : READING_KIND_COUNT;
	}
	mixed_judge(&m, v->out);
	for (size_t i = before; i < v->out->findings.n; i++)
		accuse_mild(&v->out->findings.f[i], severity);
}

/* Names of readings that some host has, each once. */
struct name_list {
	const char **name;
	size_t n, room;
};

static bool name_is_new(const struct check_input *in, size_t host,
                        const char *name)
{
	struct reading r;

	/* Nearly all hosts have what the first has. */
	if (host &&
	    (look_get(&in->hosts[0], "", name, &r) || r.kind == READING_SKIP))
		return false;
	for (size_t i = 1; i < host; i++) {
		if (look_get(&in->hosts[i], "", name, &r))
			return false;
	}
	return true;
}

static const struct versions_row *row_of(const char *name)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (strncmp(name, rows[i].prefix, strlen(rows[i].prefix)) == 0)
			return &rows[i];
	}
	return NULL;
}

static void judge_one(const struct versions *v, size_t host, const char *name)
{
	const struct versions_row *row = row_of(name);
	const struct env_row *env = env_row_of(name);

	if ((!row && !env) || !name_is_new(v->in, host, name))
		return;
	if (row)
		judge_name(v, name, row->code, row->severity, row->absent);
	else
		judge_name(v, name, FINDING_ENV_MIXED, env->severity, true);
}

static void judge_names(const struct versions *v)
{
	for (size_t h = 0; h < v->in->n_hosts; h++) {
		const struct readings *set = v->in->hosts[h].set;
		const struct readings *base = readings_base(set);
		size_t i = base ? readings_count(base) : 0;

		/* The names of what is shared were judged with its owner. */
		for (i = base == v->in->hosts[0].set ? i : 0;
		     i < readings_count(set); i++) {
			struct reading r = readings_at(set, i);

			if (!r.device[0])
				judge_one(v, h, r.name);
		}
	}
}

/* "8 x NVIDIA H100 80GB HBM3": of each model how many. */
static void gpu_models(const struct topo_map *map, struct fp_text *text)
{
	for (size_t i = 0; map && i < map->n_gpus; i++) {
		size_t n = 0;
		bool first = true;

		for (size_t k = 0; k < map->n_gpus; k++) {
			bool same = strcmp(map->gpus[k].name,
			                   map->gpus[i].name) == 0;

			n += same;
			first &= !same || k >= i;
		}
		if (first)
			fp_text_printf(text, "%s%zu x %s",
			               text->len ? ", " : "", n,
			               map->gpus[i].name[0] ? map->gpus[i].name
			                                    : "GPU");
	}
}

static void judge_gpus(const struct versions *v)
{
	size_t n = v->in->n_hosts;
	const struct mixed m = {
		.in = v->in,
		.values = v->values,
		.what = "GPUs",
		.device = "",
		.code = FINDING_GPU_MIXED,
		.kind = LOCUS_HOST,
	};
	struct fp_text *texts = calloc(n + 1, sizeof(*texts));

	v->out->failed |= !texts;
	for (size_t i = 0; texts && i < n; i++) {
		const struct check_host *host = &v->in->hosts[i];

		gpu_models(host->host->map, &texts[i]);
		v->out->failed |= texts[i].failed;
		v->values[i] = (struct reading){ .kind = READING_KIND_COUNT };
		if (!texts[i].len && !look_was_read(host))
			continue;
		v->values[i].kind = READING_TEXT;
		v->values[i].name = "gpu.name";
		v->values[i].text = texts[i].len ? texts[i].data : "none";
	}
	if (texts)
		mixed_judge(&m, v->out);
	for (size_t i = 0; texts && i < n; i++)
		fp_text_free(&texts[i]);
	free(texts);
}

/* "12.2" and 12020 are 12. */
static int64_t major_of(const struct reading *r)
{
	if (r->kind == READING_INT)
		return r->number / 1000;
	return r->kind == READING_TEXT ? strtol(r->text, NULL, 10) : 0;
}

static void judge_driver(const struct check_host *host, struct check_out *out)
{
	struct reading driver, runtime;
	struct finding *f;

	if (!look_get(host, "", "driver.cuda", &driver) ||
	    !look_get(host, "", "lib.libcudart.version", &runtime) ||
	    major_of(&driver) <= 0 || major_of(&runtime) <= major_of(&driver))
		return;
	f = accuse(out, FINDING_DRIVER_OLD, LOCUS_HOST, host->host, "");
	accuse_cite(f, &driver);
	accuse_cite(f, &runtime);
}

static void judge_host(const struct check_input *in,
                       const struct check_host *host, struct check_out *out)
{
	(void)in;
	judge_driver(host, out);
	env_judge(host, out);
	env_judge_ranks(host, out);
}

static void judge(const struct check_input *in, struct check_out *out)
{
	struct versions v = {
		.in = in,
		.out = out,
		.values = calloc(in->n_hosts + 1, sizeof(*v.values)),
	};

	if (!v.values) {
		out->failed = true;
		return;
	}
	if (in->n_hosts > 1) {
		judge_names(&v);
		judge_gpus(&v);
	}
	known_judge(in, out);
	free(v.values);
}

const struct check_ops check_versions_ops = {
	.name = "versions",
	.help = "software, environment and models, equal on all hosts",
	.needs = "lib.*, driver.*, module.*, kernel.*, cpu.*, env.*",
	.host = judge_host,
	.job = judge,
};
