// SPDX-License-Identifier: Apache-2.0
// Readings on which hosts do not agree.
#include "topo/compare/compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topo/base/fmt.h"
#include "topo/reading/reading_names.h"

/* A reading's values over all hosts, while they are counted. */
struct tally {
	const struct topo_job *job;
	size_t *of;     /* row of each host; READINGS_NONE */
	uint8_t *value; /* which value each host has; SKIPPED */
	struct {
		size_t host, reading, count;
	} values[COMPARE_VALUES_MAX];
	size_t n_values;
	bool full;
	bool *differs; /* rows of the first host's set that need a look */
};

#define SKIPPED UINT8_MAX

static const struct readings *set_of(const struct topo_job *job, size_t host)
{
	return job->hosts[host].readings;
}

static bool same_value(const struct tally *t, size_t a, size_t row_a, size_t b,
                       size_t row_b)
{
	struct reading ra, rb;

	if (row_a == READINGS_NONE || row_b == READINGS_NONE)
		return row_a == row_b;
	ra = readings_at(set_of(t->job, a), row_a);
	rb = readings_at(set_of(t->job, b), row_b);
	return reading_equal(&ra, &rb);
}

/* Give @host the number of the value that it has. */
static void count_value(struct tally *t, size_t host)
{
	size_t row = t->of[host], v = 0;

	while (v < t->n_values && !same_value(t, t->values[v].host,
	                                      t->values[v].reading, host, row))
		v++;
	if (v == COMPARE_VALUES_MAX) {
		t->full = true;
		v = COMPARE_VALUES_MAX - 1;
	}
	if (v == t->n_values) {
		t->values[v].host = host;
		t->values[v].reading = row;
		t->values[v].count = 0;
		t->n_values++;
	}
	t->values[v].count++;
	t->value[host] = (uint8_t)v;
}

static bool is_skip(const struct readings *set, size_t row)
{
	return row != READINGS_NONE &&
	       readings_at(set, row).kind == READING_SKIP;
}

/*
 * Hosts that share with the first one and do not differ in this row have its
 * value: most of a large job.
 */
static void tally_host(struct tally *t, size_t first, size_t host, size_t row,
                       const struct reading *key)
{
	const struct readings *set = set_of(t->job, host);
	const struct readings *base = set_of(t->job, first);

	t->value[host] = SKIPPED;
	if (!set)
		return;
	if (host != first && readings_base(set) == base &&
	    row < readings_count(base) && !readings_differs(set, row) &&
	    t->value[first] != SKIPPED) {
		t->of[host] = row;
		t->value[host] = t->value[first];
		t->values[t->value[first]].count++;
		return;
	}
	t->of[host] = readings_find(set, key->device, key->name, row);
	if (!is_skip(set, t->of[host]))
		count_value(t, host);
}

static size_t usual_value(const struct tally *t)
{
	size_t usual = 0;

	for (size_t v = 1; v < t->n_values; v++) {
		if (t->values[v].count > t->values[usual].count)
			usual = v;
	}
	return usual;
}

static enum fp_status fill_odds(const struct tally *t, size_t usual,
                                struct compare_row *row, struct fp_err *err)
{
	size_t n = 0;

	for (size_t h = 0; h < t->job->n_hosts; h++)
		n += t->value[h] != SKIPPED && t->value[h] != usual;
	row->odds = calloc(n + 1, sizeof(*row->odds));
	if (!row->odds)
		return fp_err_set(err, FP_ERR_NOMEM,
		                  "no memory to compare hosts");
	for (size_t h = 0; h < t->job->n_hosts; h++) {
		if (t->value[h] == SKIPPED || t->value[h] == usual)
			continue;
		row->odds[row->n_odds++] =
			(struct compare_odd){ .host = h, .reading = t->of[h] };
	}
	return FP_OK;
}

static enum fp_status add_row(struct compare *c, const struct tally *t,
                              const struct reading *key, struct fp_err *err)
{
	size_t room = c->room ? 2 * c->room : 16, usual = usual_value(t);
	struct compare_row *row;
	size_t counted = 0;

	if (c->n == c->room) {
		row = reallocarray(c->rows, room, sizeof(*row));
		if (!row)
			return fp_err_set(err, FP_ERR_NOMEM,
			                  "no memory to compare hosts");
		c->rows = row;
		c->room = room;
	}
	for (size_t v = 0; v < t->n_values; v++)
		counted += t->values[v].count;
	row = &c->rows[c->n++];
	*row = (struct compare_row){
		.n_usual = t->values[usual].count,
		.usual_host = t->values[usual].host,
		.usual_reading = t->values[usual].reading,
		.split = 2 * t->values[usual].count <= counted,
	};
	fp_copy(row->device, sizeof(row->device), key->device);
	fp_copy(row->name, sizeof(row->name), key->name);
	c->capped |= t->full;
	return fill_odds(t, usual, row, err);
}

/* @first, @row: where the reading is that is looked for on all hosts. */
static enum fp_status compare_one(struct compare *c, struct tally *t,
                                  size_t first, size_t row, struct fp_err *err)
{
	struct reading key = readings_at(set_of(t->job, first), row);

	t->n_values = 0;
	t->full = false;
	/* The first host's value is number 0, if it has one. */
	tally_host(t, first, first, row, &key);
	for (size_t h = 0; h < t->job->n_hosts; h++) {
		if (h != first)
			tally_host(t, first, h, row, &key);
	}
	return t->n_values > 1 ? add_row(c, t, &key, err) : FP_OK;
}

/* Was this reading looked for already, for a host before @host has it? */
static bool is_known(const struct tally *t, size_t first, size_t host,
                     size_t row, const struct reading *key)
{
	const struct readings *set = set_of(t->job, host);

	if (readings_base(set) == set_of(t->job, first) &&
	    row < readings_count(readings_base(set)))
		return true;
	for (size_t h = first; h < host; h++) {
		if (set_of(t->job, h) &&
		    readings_find(set_of(t->job, h), key->device, key->name,
		                  row) != READINGS_NONE)
			return true;
	}
	return false;
}

/*
 * Which rows of @first's set any host has otherwise. Hosts that share with it
 * know what they have otherwise; one that does not share may have anything.
 */
static bool find_differing(struct tally *t, size_t first)
{
	const struct readings *base = set_of(t->job, first);
	size_t n = readings_count(base);

	t->differs = calloc(n + 1, sizeof(*t->differs));
	if (!t->differs)
		return false;
	for (size_t h = first + 1; h < t->job->n_hosts; h++) {
		const struct readings *set = set_of(t->job, h);
		size_t i = 0;

		if (!set)
			continue;
		if (readings_base(set) != base) {
			memset(t->differs, true, n);
			return true;
		}
		while ((i = readings_next_change(set, i)) != READINGS_NONE)
			t->differs[i++] = true;
	}
	return true;
}

static enum fp_status compare_host(struct compare *c, struct tally *t,
                                   size_t first, size_t host,
                                   struct fp_err *err)
{
	const struct readings *set = set_of(t->job, host);
	enum fp_status status = FP_OK;
	size_t i = 0, n = readings_count(set);

	if (host != first && readings_base(set) == set_of(t->job, first))
		i = readings_count(readings_base(set));
	for (; i < n && status == FP_OK; i++) {
		struct reading key = readings_at(set, i);

		if ((host == first && !t->differs[i]) ||
		    (host != first && is_known(t, first, host, i, &key)) ||
		    readings_find(set, key.device, key.name, i) != i ||
		    reading_use(key.name) != READING_SAME)
			continue;
		status = compare_one(c, t, host, i, err);
	}
	return status;
}

enum fp_status compare_readings(const struct topo_job *job, struct compare *ret,
                                struct fp_err *err)
{
	struct tally t = {
		.job = job,
		.of = calloc(job->n_hosts + 1, sizeof(*t.of)),
		.value = calloc(job->n_hosts + 1, sizeof(*t.value)),
	};
	struct compare c = { .n = 0 };
	enum fp_status status = FP_OK;
	size_t first = 0;

	while (first < job->n_hosts && !set_of(job, first))
		first++;
	if (!t.of || !t.value ||
	    (first < job->n_hosts && !find_differing(&t, first)))
		status = fp_err_set(err, FP_ERR_NOMEM,
		                    "no memory to compare hosts");
	for (size_t h = first; h < job->n_hosts && status == FP_OK; h++) {
		if (!set_of(job, h))
			continue;
		c.n_hosts++;
		status = compare_host(&c, &t, first, h, err);
	}
	free(t.differs);
	free(t.value);
	free(t.of);
	if (status == FP_OK)
		*ret = c;
	else
		compare_done(&c);
	return status;
}

void compare_done(struct compare *compare)
{
	if (!compare)
		return;
	for (size_t i = 0; i < compare->n; i++)
		free(compare->rows[i].odds);
	free(compare->rows);
	*compare = (struct compare){ 0 };
}

char *compare_value(const struct topo_job *job, size_t host, size_t reading,
                    char buf[static COMPARE_NAME_MAX])
{
	const struct reading_name *row;
	struct reading r;

	if (reading == READINGS_NONE) {
		fp_copy(buf, COMPARE_NAME_MAX, "none");
		return buf;
	}
	r = readings_at(set_of(job, host), reading);
	row = reading_name_find(r.name);
	if (r.kind == READING_INT)
		(void)snprintf(
			buf, COMPARE_NAME_MAX, "%lld%s%s", (long long)r.number,
			row && row->unit[0] ? " " : "", row ? row->unit : "");
	else if (r.kind == READING_REAL)
		(void)snprintf(buf, COMPARE_NAME_MAX, "%g", r.real);
	else
		fp_copy(buf, COMPARE_NAME_MAX, r.text[0] ? r.text : "''");
	return buf;
}
