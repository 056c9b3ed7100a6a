// SPDX-License-Identifier: Apache-2.0
// Faults as a person writes them.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/sim/fault.h"
#include "probes/trial/trial.h"
#include "topo/base/fmt.h"

#define WORD_MAX 96

/* struct reader - what is left of the text, and the word in hand. */
struct reader {
	const struct fabric *f;
	const char *left;
	char word[WORD_MAX];
	struct fp_err *err;
};

static bool next_word(struct reader *r)
{
	size_t len;

	r->left += strspn(r->left, " \t");
	len = strcspn(r->left, " \t");
	if (len == 0)
		return false;
	fp_copy(r->word, len < WORD_MAX ? len + 1 : WORD_MAX, r->left);
	r->left += len;
	return true;
}

static enum fp_status wrong(const struct reader *r, const char *accepted)
{
	return fp_err_set(r->err, FP_ERR_USAGE, "'%s': use %s", r->word,
	                  accepted);
}

/* A number below @n, or the place of a name in @names. */
static int32_t read_index(const char *text, int32_t n,
                          char (*names)[TOPO_NAME_MAX])
{
	char *end;
	long v;
	int32_t i;

	for (i = 0; names && i < n; i++)
		if (strcmp(names[i], text) == 0)
			return i;
	v = strtol(text, &end, 10);
	return end == text || *end || v < 0 || v >= n ? -1 : (int32_t)v;
}

static enum fp_status read_device(struct reader *r, struct sim_fault *ret)
{
	int32_t each = r->f->each[ret->info.at], host, local = 0;
	char *slash = strchr(r->word, '/');

	if (slash) {
		*slash = '\0';
		local = read_index(slash + 1, each, NULL);
	}
	host = read_index(r->word, r->f->spec.hosts, r->f->host_names);
	if (slash)
		*slash = '/';
	if (host < 0 || local < 0 || (!slash && each > 1))
		return wrong(r, each > 1 ? "HOST/N, a device of a host"
		                         : "HOST, its number or name");
	ret->comp = fabric_host_id(r->f, ret->info.at, host, local);
	return FP_OK;
}

static enum fp_status read_two(struct reader *r, struct sim_fault *ret)
{
	char *comma = strchr(r->word, ',');
	int32_t a = -1, b = -1;

	if (comma) {
		*comma = '\0';
		a = read_index(r->word, r->f->spec.hosts, r->f->host_names);
		b = read_index(comma + 1, r->f->spec.hosts, r->f->host_names);
		*comma = ',';
	}
	if (a < 0 || b < 0 || a == b)
		return wrong(r, "HOST,HOST: two hosts");
	ret->comp = fabric_host_id(r->f, FABRIC_HOST, a, 0);
	ret->with = fabric_host_id(r->f, FABRIC_HOST, b, 0);
	return FP_OK;
}

static enum fp_status read_leaf(struct reader *r, struct sim_fault *ret)
{
	int32_t leaf = read_index(r->word, r->f->n_leaves, r->f->leaf_names);

	if (leaf < 0)
		return wrong(r, "a leaf, its number or name");
	ret->comp = fabric_id(r->f, ret->info.at, leaf);
	return FP_OK;
}

static enum fp_status read_place(struct reader *r, struct sim_fault *ret)
{
	enum fp_status status = FP_OK;

	if (ret->info.at == FABRIC_CLUSTER) {
		ret->comp = fabric_id(r->f, FABRIC_CLUSTER, 0);
		return FP_OK;
	}
	if (!next_word(r))
		return fp_err_set(r->err, FP_ERR_USAGE,
		                  "%s needs a place: a %s", ret->info.name,
		                  fabric_kind_name(ret->info.at));
	if (ret->kind == SIM_COLL_PAIR)
		status = read_two(r, ret);
	else if (r->f->each[ret->info.at])
		status = read_device(r, ret);
	else
		status = read_leaf(r, ret);
	if (!status && ret->comp < 0)
		return fp_err_set(r->err, FP_ERR_USAGE,
		                  "%s: this cluster has no %s", ret->info.name,
		                  fabric_kind_name(ret->info.at));
	return status;
}

static bool read_real(const char *text, double max, double *ret)
{
	char *end;
	double v = strtod(text, &end);

	if (end == text || *end || !(v > 0 && v <= max))
		return false;
	*ret = v;
	return true;
}

static bool read_state(const char *text, uint32_t *ret)
{
	static const uint8_t states[] = { OUTCOME_OK, OUTCOME_ERROR,
		                          OUTCOME_HANG };
	size_t i;

	for (i = 0; i < sizeof(states); i++)
		if (strcmp(text, outcome_state_name(states[i])) == 0) {
			*ret = states[i];
			return true;
		}
	return false;
}

static bool read_stage(const char *text, uint32_t *ret)
{
	uint32_t s;

	for (s = STAGE_INIT; s < OUTCOME_STAGE_COUNT; s++)
		if (strcmp(text, outcome_stage_name(s)) == 0) {
			*ret = s;
			return true;
		}
	return false;
}

static bool read_from(const struct fabric *f, const char *text, int32_t *ret)
{
	int32_t n = read_index(text, f->spec.hosts + 1, NULL);

	*ret = n;
	return n >= 2;
}

static enum fp_status read_key(struct reader *r, struct sim_fault *ret)
{
	char *eq = strchr(r->word, '=');
	const char *v = eq ? eq + 1 : "";
	size_t len = eq ? (size_t)(eq - r->word) : 0;
	bool good = false;

	if (len == 5 && memcmp(r->word, "ratio", 5) == 0)
		good = read_real(v, 1, &ret->info.ratio);
	else if (len == 4 && memcmp(r->word, "duty", 4) == 0)
		good = read_real(v, 1, &ret->info.duty);
	else if (len == 7 && memcmp(r->word, "latency", 7) == 0)
		good = read_real(v, 1e6, &ret->info.latency);
	else if (len == 5 && memcmp(r->word, "state", 5) == 0)
		good = read_state(v, &ret->info.state);
	else if (len == 5 && memcmp(r->word, "stage", 5) == 0)
		good = read_stage(v, &ret->info.stage);
	else if (len == 4 && memcmp(r->word, "from", 4) == 0)
		good = read_from(r->f, v, &ret->from);
	return good ? FP_OK
	            : wrong(r, "ratio=0..1, duty=0..1, latency=TIMES, "
	                       "state=OK, ERROR or HANG, stage=INIT, CONNECT, "
	                       "XFER..., from=HOSTS");
}

static enum fp_status read_kind(struct reader *r, struct sim_fault *ret)
{
	struct fp_text names = { 0 };
	enum fp_status status;
	unsigned kind, k;

	if (!next_word(r))
		return fp_err_set(r->err, FP_ERR_USAGE,
		                  "use KIND PLACE, e.g. 'cable-tx 3/5'");
	kind = sim_fault_find(r->word);
	if (kind < SIM_KIND_COUNT) {
		*ret = sim_fault_make(kind, -1);
		return FP_OK;
	}
	for (k = 0; k < SIM_KIND_COUNT; k++)
		fp_text_printf(&names, "%s%s", k ? ", " : "",
		               sim_fault_info(k)->name);
	status = fp_err_set(r->err, FP_ERR_USAGE, "'%s' is no fault: use %s",
	                    r->word, fp_text_str(&names));
	fp_text_free(&names);
	return status;
}

enum fp_status sim_fault_parse(const struct fabric *f, const char *text,
                               struct sim_fault *ret, struct fp_err *err)
{
	struct reader r = { .f = f, .left = text, .err = err };
	struct sim_fault fault;
	enum fp_status status;

	status = read_kind(&r, &fault);
	if (!status)
		status = read_place(&r, &fault);
	while (!status && next_word(&r))
		status = read_key(&r, &fault);
	if (!status && fault.kind == SIM_COLL_SCALE && fault.from < 2)
		status = fp_err_set(err, FP_ERR_USAGE,
		                    "coll-scale needs from=HOSTS");
	if (!status)
		*ret = fault;
	return status;
}
