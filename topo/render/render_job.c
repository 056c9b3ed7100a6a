// SPDX-License-Identifier: Apache-2.0
// Draws a job's hosts.
#include "topo/render/render_job.h"

#include <stdlib.h>
#include <string.h>

#include "topo/compare/compare.h"
#include "topo/compare/map_differ.h"
#include "topo/model/host_list.h"
#include "topo/model/model_map.h"
#include "topo/render/render.h"

#define ROWS_MAX 40 /* of readings that differ */

/* Whatever is drawn of one job. */
struct drawing {
	const struct topo_job *job;
	uint32_t view;
	struct fp_text *text;
	const char **names; /* room for all hosts */
	struct host_groups groups;
	struct job_verdict verdict;
};

static const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

static enum fp_status write_group_names(struct drawing *d, int32_t group,
                                        struct fp_err *err)
{
	size_t n = 0;

	for (size_t h = 0; h < d->job->n_hosts; h++) {
		if (d->groups.group[h] == group)
			d->names[n++] = d->job->hosts[h].name;
	}
	return host_list_write(d->names, n, d->text, err);
}

static void write_map(struct drawing *d, const struct topo_map *map,
                      const struct path_matrix *matrix,
                      const struct oddities *found)
{
	if (matrix->n) {
		render_smi(map, matrix, d->text);
		fp_text_printf(d->text, "\n");
	}
	if (map->p2p) {
		render_p2p(map, d->text);
		fp_text_printf(d->text, "\n");
	}
	render_summary(map, matrix, d->text);
	render_rates(map, matrix, d->text);
	render_oddities(map, found, d->text);
}

/* @usual: what most hosts look like; NULL where @map is that. */
static enum fp_status draw_map(struct drawing *d, const struct topo_map *map,
                               const struct topo_map *usual, struct fp_err *err)
{
	struct path_matrix matrix = { 0 };
	struct oddities found = { 0 };
	enum fp_status status;

	status = path_matrix_init(map, d->view, &matrix, err);
	if (status == FP_OK)
		status = oddities_find(map, &matrix, &found, err);
	for (size_t i = 0; i < found.n; i++)
		d->verdict.faults += oddity_is_fault(&found.rows[i]);
	d->verdict.partial |= map->partial;
	if (status == FP_OK && !usual)
		write_map(d, map, &matrix, &found);
	if (status == FP_OK && usual)
		status = map_differ_write(usual, map, d->text, err);
	if (status == FP_OK && usual)
		render_oddities(map, &found, d->text);
	oddities_done(&found);
	path_matrix_done(&matrix);
	return status;
}

static enum fp_status draw_group(struct drawing *d, size_t group,
                                 struct fp_err *err)
{
	const struct topo_host *hosts = d->job->hosts;
	const struct topo_map *map = hosts[d->groups.first[group]].map;
	size_t n = d->groups.count[group];
	enum fp_status status;

	if (group > 0)
		fp_text_printf(d->text, "\n");
	if (group > 0)
		fp_text_printf(d->text, "%zu host%s differ%s: ", n, plural(n),
		               n == 1 ? "s" : "");
	else if (n > 1)
		fp_text_printf(d->text, "%zu hosts look the same: ", n);
	else
		fp_text_printf(d->text, "Host ");
	status = write_group_names(d, (int32_t)group, err);
	fp_text_printf(d->text, "\n");
	if (status == FP_OK)
		status = draw_map(d, map,
		                  group ? hosts[d->groups.first[0]].map : NULL,
		                  err);
	return status;
}

static enum fp_status draw_unread(struct drawing *d, struct fp_err *err)
{
	enum fp_status status = FP_OK;
	size_t n = 0;

	for (size_t h = 0; h < d->job->n_hosts; h++)
		n += d->groups.group[h] < 0;
	d->verdict.unread = n;
	if (n) {
		fp_text_printf(d->text, "\n%zu host%s could not be read: ", n,
		               plural(n));
		status = write_group_names(d, -1, err);
		fp_text_printf(d->text, "\n");
	}
	for (size_t r = 0; r < d->job->n_ranks; r++)
		d->verdict.missing += d->job->ranks[r].host < 0;
	if (d->verdict.missing)
		fp_text_printf(d->text,
		               "\n%zu rank%s did not come: no host of "
		               "theirs was read\n",
		               d->verdict.missing, plural(d->verdict.missing));
	return status;
}

/* "  1500 bytes: node07,node[09-10]" for each value that is not usual. */
static enum fp_status
write_odds(struct drawing *d, const struct compare_row *row, struct fp_err *err)
{
	enum fp_status status = FP_OK;
	bool *done = calloc(row->n_odds + 1, sizeof(*done));
	char value[COMPARE_NAME_MAX], other[COMPARE_NAME_MAX];

	if (!done)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory");
	for (size_t i = 0; i < row->n_odds && status == FP_OK; i++) {
		size_t n = 0;

		if (done[i])
			continue;
		compare_value(d->job, row->odds[i].host, row->odds[i].reading,
		              value);
		for (size_t j = i; j < row->n_odds; j++) {
			compare_value(d->job, row->odds[j].host,
			              row->odds[j].reading, other);
			if (strcmp(value, other) != 0)
				continue;
			done[j] = true;
			d->names[n++] = d->job->hosts[row->odds[j].host].name;
		}
		fp_text_printf(d->text, "    %s: ", value);
		status = host_list_write(d->names, n, d->text, err);
		fp_text_printf(d->text, "\n");
	}
	free(done);
	return status;
}

static enum fp_status
write_row(struct drawing *d, const struct compare_row *row, struct fp_err *err)
{
	char value[COMPARE_NAME_MAX];

	fp_text_printf(d->text, "  %s%s%s: %s%s on %zu host%s\n", row->name,
	               row->device[0] ? " of " : "", row->device,
	               row->split ? "no majority; " : "",
	               compare_value(d->job, row->usual_host,
	                             row->usual_reading, value),
	               row->n_usual, plural(row->n_usual));
	return write_odds(d, row, err);
}

static enum fp_status draw_readings(struct drawing *d, struct fp_err *err)
{
	struct compare compare;
	enum fp_status status = compare_readings(d->job, &compare, err);

	if (status != FP_OK)
		return status;
	if (compare.n)
		fp_text_printf(d->text, "\nHosts do not agree on:\n");
	for (size_t i = 0; i < compare.n && i < ROWS_MAX && status == FP_OK;
	     i++)
		status = write_row(d, &compare.rows[i], err);
	if (compare.n > ROWS_MAX)
		fp_text_printf(d->text, "  and %zu more\n",
		               compare.n - ROWS_MAX);
	compare_done(&compare);
	return status;
}

enum fp_status render_job(const struct topo_job *job, uint32_t view,
                          struct fp_text *text, struct job_verdict *ret,
                          struct fp_err *err)
{
	struct drawing d = { .job = job, .view = view, .text = text };
	enum fp_status status;

	d.names = calloc(job->n_hosts + 1, sizeof(*d.names));
	if (!d.names)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for %zu names",
		                  job->n_hosts);
	status = host_groups_init(job, &d.groups, err);
	for (size_t g = 0; g < d.groups.n && status == FP_OK; g++)
		status = draw_group(&d, g, err);
	if (status == FP_OK)
		status = draw_unread(&d, err);
	if (status == FP_OK)
		status = draw_readings(&d, err);
	if (status == FP_OK)
		*ret = d.verdict;
	host_groups_done(&d.groups);
	free(d.names);
	return status;
}
