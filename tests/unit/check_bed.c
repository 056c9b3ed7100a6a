// SPDX-License-Identifier: Apache-2.0
// Builds jobs for checks from lines.
#include "tests/unit/check_bed.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "probes/check/check.h"
#include "topo/base/fmt.h"
#include "topo/discover/discover_text.h"
#include "topo/reading/reading.h"

#define HOSTS_MAX 8
#define RANKS_MAX 16
#define WHEN 1700000000

struct builder {
	struct topo_host hosts[HOSTS_MAX];
	size_t n;
	int32_t ranks[RANKS_MAX]; /* host of each */
	size_t n_ranks;
	int32_t numa; /* of the GPUs that follow */
};

struct words {
	char host[32], device[READING_NAME_MAX], name[READING_NAME_MAX];
	const char *rest;
};

static struct topo_host *host_get(struct builder *b, const char *name)
{
	struct topo_host *host;

	for (size_t i = 0; i < b->n; i++) {
		if (strcmp(b->hosts[i].name, name) == 0)
			return &b->hosts[i];
	}
	assert_true(b->n < HOSTS_MAX);
	host = &b->hosts[b->n];
	*host = (struct topo_host){ .n_cpus = -1,
		                    .readings = readings_new(WHEN) };
	fp_copy(host->name, sizeof(host->name), name);
	fp_copy(host->host_id, sizeof(host->host_id), name);
	b->ranks[b->n_ranks++] = (int32_t)b->n++;
	return host;
}

static struct topo_map *map_get(struct topo_host *host)
{
	if (!host->map)
		host->map = calloc(1, sizeof(*host->map));
	assert_non_null(host->map);
	return host->map;
}

static bool is_number(const char *text)
{
	size_t sign = *text == '-';

	return text[sign] &&
	       text[sign + strspn(text + sign, "0123456789")] == '\0';
}

static void add_reading(struct topo_host *host, const struct words *w)
{
	struct reading r = {
		.device = strcmp(w->device, "-") == 0 ? "" : w->device,
		.name = w->name,
		.kind = READING_TEXT,
		.source = strncmp(w->name, "kmsg.", 5) == 0 ? READ_KMSG
		                                            : READ_SYSFS,
		.text = w->rest,
	};

	if (is_number(w->rest)) {
		r.kind = READING_INT;
		r.number = strtoll(w->rest, NULL, 10);
		r.text = "";
	} else if (strncmp(w->rest, "skip ", 5) == 0) {
		r.kind = READING_SKIP;
		r.text = w->rest + 5;
	}
	assert_int_equal(readings_add(host->readings, &r, NULL), FP_OK);
}

static void add_netdev(struct topo_host *host, const struct words *w)
{
	struct topo_netdev *devs =
		reallocarray(host->netdevs, host->n_netdevs + 1, sizeof(*devs));

	assert_non_null(devs);
	host->netdevs = devs;
	devs[host->n_netdevs] = (struct topo_netdev){
		.speed_bps = -1,
		.mtu_bytes = (int32_t)strtol(w->rest, NULL, 10),
		.up = true,
		.hca = true,
	};
	fp_copy(devs[host->n_netdevs++].name, TOPO_NAME_MAX, w->device);
}

static int32_t add_pci(struct builder *b, struct topo_map *map, const char *bus,
                       const char *parent, int32_t class_code)
{
	struct map_pci *pci;

	assert_int_equal(topo_map_add_pci(map, &pci, NULL), FP_OK);
	fp_copy(pci->bus_id, sizeof(pci->bus_id), bus);
	pci->class_code = class_code;
	pci->numa = b->numa;
	pci->parent = -1;
	if (strcmp(parent, "-") != 0) {
		pci->parent = topo_map_find_pci(map, parent);
		assert_true(pci->parent >= 0);
	}
	map->tree = TREE_PORTS;
	return (int32_t)map->n_pcis - 1;
}

static void add_bridge(struct builder *b, struct topo_host *host,
                       const struct words *w)
{
	(void)add_pci(b, map_get(host), w->device, w->rest, 0x060400);
}

static void add_gpu(struct builder *b, struct topo_host *host,
                    const struct words *w)
{
	struct topo_map *map = map_get(host);
	int32_t pci = add_pci(b, map, w->device, w->rest, 0x030200);
	struct map_gpu *gpu;

	assert_int_equal(topo_map_add_gpu(map, &gpu, NULL), FP_OK);
	gpu->pci = pci;
	gpu->index = (int32_t)map->n_gpus - 1;
}

static void add_hca(struct builder *b, struct topo_host *host,
                    const struct words *w)
{
	struct topo_map *map = map_get(host);
	int32_t pci = strcmp(w->rest, "-") == 0
	                      ? -1
	                      : add_pci(b, map, w->rest, "-", 0x020700);
	struct map_hca *hca;

	assert_int_equal(topo_map_add_hca(map, &hca, NULL), FP_OK);
	fp_copy(hca->name, sizeof(hca->name), w->device);
	hca->pci = pci;
}

static void add_numa(struct builder *b, struct topo_host *host,
                     const struct words *w)
{
	struct topo_map *map = map_get(host);
	struct map_numa *numa;

	assert_int_equal(topo_map_add_numa(map, &numa, NULL), FP_OK);
	numa->id = (int32_t)strtol(w->device, NULL, 10);
	assert_true(topo_set_read(w->rest, strlen(w->rest), &numa->cpus));
	b->numa = (int32_t)map->n_numas - 1;
}

static void add_line(struct builder *b, const struct words *w)
{
	struct topo_host *host = host_get(b, w->host);

	if (strcmp(w->name, "!netdev") == 0)
		add_netdev(host, w);
	else if (strcmp(w->name, "!bridge") == 0)
		add_bridge(b, host, w);
	else if (strcmp(w->name, "!gpu") == 0)
		add_gpu(b, host, w);
	else if (strcmp(w->name, "!hca") == 0)
		add_hca(b, host, w);
	else if (strcmp(w->name, "!numa") == 0)
		add_numa(b, host, w);
	else if (strcmp(w->name, "!rank") == 0)
		b->ranks[b->n_ranks++] = (int32_t)(host - b->hosts);
	else
		add_reading(host, w);
}

static void add_lines(struct builder *b, const char *lines)
{
	char *copy = strdup(lines), *save = NULL;

	assert_non_null(copy);
	for (char *line = strtok_r(copy, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		struct words w;
		int rest = 0;

		if (sscanf(line, "%31s %63s %63s %n", w.host, w.device, w.name,
		           &rest) != 3)
			fail_msg("'%s' is no line", line);
		w.rest = line + rest;
		add_line(b, &w);
	}
	free(copy);
}

static void add_saved(struct builder *b, const char *saved)
{
	struct source_text text = { saved, strlen(saved) };
	struct fp_text kinds = { 0 };
	struct fp_err err = { 0 };

	if (topo_host_from_text(&text, host_get(b, "h0"), &kinds, &err) !=
	    FP_OK)
		fail_msg("%s, in: %s", err.text, saved);
	fp_text_free(&kinds);
}

void check_bed_job(const char *text, struct topo_job *ret)
{
	struct builder b = { .n = 0, .numa = -1 };

	if (strncmp(text, "h0", 2) == 0)
		add_lines(&b, text);
	else
		add_saved(&b, text);
	assert_int_equal(topo_job_init(ret, b.n_ranks, NULL), FP_OK);
	for (size_t i = 0; i < b.n_ranks; i++) {
		assert_int_equal(topo_job_place(ret, (int32_t)i,
		                                &b.hosts[b.ranks[i]], NULL),
		                 FP_OK);
		ret->ranks[i].netdev = -1;
	}
	for (size_t i = 0; i < b.n; i++)
		topo_host_done(&b.hosts[i]);
	topo_job_share(ret);
}

char *check_bed_says(const char *check, const struct topo_job *job)
{
	struct check_out out = { .failed = false };
	struct fp_text text = { 0 };
	char place[256];
	int bit = checks_find(check);

	assert_true(bit >= 0);
	assert_int_equal(checks_run(job, 1u << bit, &out, NULL), FP_OK);
	findings_sort(&out.findings);
	for (size_t i = 0; i < out.findings.n; i++) {
		const struct finding *f = &out.findings.f[i];

		assert_true(f->n_evidence > 0);
		locus_text(&f->locus, place, sizeof(place));
		fp_text_printf(&text, "%s %s at %s\n",
		               finding_severity_name(f->severity),
		               finding_info(f->code)->id, place);
	}
	check_out_done(&out);
	fp_text_append(&text, "", 1);
	assert_false(text.failed);
	return text.data;
}

static void check_one(const char *check, const char *text, const char *want,
                      size_t row)
{
	struct topo_job job;
	char *got;

	check_bed_job(text, &job);
	got = check_bed_says(check, &job);
	if (strcmp(got, want) != 0)
		fail_msg("row %zu: not\n%sbut\n%s", row, want, got);
	free(got);
	topo_job_done(&job);
}

void check_bed_rows(const char *check, const struct check_bed_row *rows,
                    size_t n)
{
	for (size_t i = 0; i < n; i++) {
		check_one(check, rows[i].bad, rows[i].want, i);
		check_one(check, rows[i].clean, "", i);
	}
}
