// SPDX-License-Identifier: Apache-2.0
// Reads a captured host, makes a cluster of hosts like it, compares them, lets
// every check judge them, and prints what each cost: "discover SECONDS BYTES",
// "compare SECONDS BYTES", "check SECONDS BYTES".
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/check/check.h"
#include "topo/base/clock.h"
#include "topo/compare/compare.h"
#include "topo/discover/discover.h"
#include "topo/model/model_map.h"
#include "topo/reading/reading_names.h"

#define RUNS 5 /* the best one counts: others use this machine, too */

static const char usage[] = "usage: topo_bench TREE HOSTS\n";

static double seconds_since(int64_t start_ns)
{
	return (double)(fp_now_ns() - start_ns) / 1e9;
}

/* The most memory that this program has had so far; what getrusage(2) says
 * begins with that of the program which started it. */
static long peak_bytes(void)
{
	FILE *in = fopen("/proc/self/status", "re");
	char line[128];
	long kib = 0;

	while (in && fgets(line, sizeof(line), in)) {
		if (strncmp(line, "VmHWM:", 6) == 0)
			kib = strtol(line + 6, NULL, 10);
	}
	if (in)
		(void)fclose(in);
	return kib * 1024;
}

static enum fp_status discover(const char *tree, struct topo_host *ret,
                               double *ret_s, struct fp_err *err)
{
	const struct topo_env env = { .sysroot = tree,
		                      .reads = TOPO_READ_HOST };
	enum fp_status status = FP_OK;

	for (int i = 0; i < RUNS && status == FP_OK; i++) {
		int64_t start_ns = fp_now_ns();
		double s;

		if (i > 0)
			topo_host_done(ret);
		status = topo_discover_host(&env, ret, err);
		s = seconds_since(start_ns);
		if (i == 0 || s < *ret_s)
			*ret_s = s;
	}
	return status;
}

/* What each host has of its own: names, addresses, counters. */
static struct readings *vary(const struct readings *set, unsigned number)
{
	struct readings *made = readings_new(readings_time_s(set) + number % 7);
	char text[READING_TEXT_MAX];

	for (size_t i = 0; made && i < readings_count(set); i++) {
		struct reading r = readings_at(set, i);

		r.time_s = 0;
		if (reading_use(r.name) != READING_SAME) {
			r.number += number;
			(void)snprintf(text, sizeof(text), "%.900s-%u", r.text,
			               number);
			r.text = text;
		}
		if (readings_add(made, &r, NULL) != FP_OK) {
			readings_unref(made);
			return NULL;
		}
	}
	return made;
}

static void rename_host(struct topo_host *host, unsigned number)
{
	(void)snprintf(host->name, sizeof(host->name), "node%05u", number);
	(void)snprintf(host->host_id, sizeof(host->host_id), "node%05u/%u",
	               number, number);
	for (size_t i = 0; i < host->map->n_gpus; i++)
		(void)snprintf(host->map->gpus[i].uuid, MAP_NAME_MAX,
		               "GPU-%08x-0000-0000-0000-%012zx", number, i);
}

static enum fp_status make_cluster(const struct topo_host *host, unsigned n,
                                   struct topo_job *job, struct fp_err *err)
{
	enum fp_status status = topo_job_init(job, n, err);

	for (unsigned i = 0; i < n && status == FP_OK; i++) {
		struct topo_host one;

		status = topo_host_copy(&one, host, err);
		if (status != FP_OK)
			break;
		rename_host(&one, i);
		readings_unref(one.readings);
		one.readings = vary(host->readings, i);
		status = topo_job_place(job, (int32_t)i, &one, err);
		topo_host_done(&one);
	}
	return status;
}

/* The best of some runs; all hosts must be found alike. */
static enum fp_status compare(const struct topo_job *job, double *ret_s,
                              struct fp_err *err)
{
	enum fp_status status = FP_OK;

	for (int i = 0; i < RUNS && status == FP_OK; i++) {
		int64_t start_ns = fp_now_ns();
		struct host_groups groups = { 0 };
		struct compare rows = { 0 };
		double s;

		status = host_groups_init(job, &groups, err);
		if (status == FP_OK)
			status = compare_readings(job, &rows, err);
		s = seconds_since(start_ns);
		if (i == 0 || s < *ret_s)
			*ret_s = s;
		if (status == FP_OK && (groups.n != 1 || rows.n != 0))
			status = fp_err_set(err, FP_ERR_INPUT,
			                    "%zu looks and %zu readings "
			                    "differ among equal hosts",
			                    groups.n, rows.n);
		host_groups_done(&groups);
		compare_done(&rows);
	}
	return status;
}

static enum fp_status check(const struct topo_job *job, double *ret_s,
                            struct fp_err *err)
{
	enum fp_status status = FP_OK;

	for (int i = 0; i < RUNS && status == FP_OK; i++) {
		struct check_out out = { .failed = false };
		int64_t start_ns = fp_now_ns();
		double s;

		status = checks_run(job, UINT32_MAX, &out, err);
		s = seconds_since(start_ns);
		if (i == 0 || s < *ret_s)
			*ret_s = s;
		check_out_done(&out);
	}
	return status;
}

int main(int argc, char **argv)
{
	unsigned n = argc == 3 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
	struct topo_host host = { 0 };
	struct topo_job job = { 0 };
	struct fp_err err = { 0 };
	enum fp_status status;
	double s = 0;

	if (n == 0 || n > TOPO_MAX_RANKS) {
		(void)fputs(usage, stderr);
		return 2;
	}
	status = discover(argv[1], &host, &s, &err);
	if (status == FP_OK) {
		printf("discover %.6f %ld\n", s, peak_bytes());
		printf("readings %zu\n", readings_count(host.readings));
		status = make_cluster(&host, n, &job, &err);
	}
	if (status == FP_OK)
		status = compare(&job, &s, &err);
	if (status == FP_OK)
		printf("compare %.6f %ld\n", s, peak_bytes());
	if (status == FP_OK)
		status = check(&job, &s, &err);
	if (status == FP_OK)
		printf("check %.6f %ld\n", s, peak_bytes());
	else
		(void)fprintf(stderr, "topo_bench: %s\n", err.text);
	topo_job_done(&job);
	topo_host_done(&host);
	return status == FP_OK ? 0 : 1;
}
