// SPDX-License-Identifier: Apache-2.0
// Which of the job's own NCCL_* settings makes a collective fail: those without
// which it passes.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/session/bisect_part.h"
#include "topo/base/fmt.h"
#include "topo/reading/reading.h"
#include "topo/reading/reading_rank.h"

#define PREFIX "env.NCCL_"
#define ROUNDS_MAX 48

/* struct names - of settings, sorted. */
struct names {
	const char *name[VARIANT_OWN_MAX];
	size_t n;
};

/* Keeps the first of them, each once. */
static void names_add(struct names *to, const char *name)
{
	size_t at = 0;

	while (at < to->n && strcmp(to->name[at], name) < 0)
		at++;
	if (at == VARIANT_OWN_MAX ||
	    (at < to->n && strcmp(to->name[at], name) == 0))
		return;
	to->n -= to->n == VARIANT_OWN_MAX;
	memmove(to->name + at + 1, to->name + at,
	        (to->n - at) * sizeof(*to->name));
	to->name[at] = name;
	to->n++;
}

/* What @host has; false: not all of its ranks have them. */
static bool names_of(const struct topo_host *host, struct names *ret)
{
	size_t n = host->readings ? readings_count(host->readings) : 0, i;

	*ret = (struct names){ .n = 0 };
	for (i = 0; i < n; i++) {
		struct reading r = readings_at(host->readings, i), first;

		if (strncmp(r.name, PREFIX, strlen(PREFIX)) != 0)
			continue;
		if (!r.device[0])
			names_add(ret, r.name);
		else if (reading_rank(r.device) >= 0 &&
		         (r.kind == READING_SKIP ||
		          !readings_get(host->readings, "", r.name, &first)))
			return false;
	}
	return true;
}

static bool is_same(const struct names *a, const struct names *b)
{
	size_t i;

	for (i = 0; a->n == b->n && i < a->n; i++)
		if (strcmp(a->name[i], b->name[i]) != 0)
			return false;
	return a->n == b->n;
}

static const struct topo_host *host_of(const struct inquest *q, size_t member)
{
	const struct topo_job *job = q->s->job;

	return &job->hosts[job->ranks[q->members[member]].host];
}

/* The same everywhere, or nobody knows which the k-th is. */
static void find_own(const struct inquest *q, struct bisect_own *own)
{
	const struct topo_host *first = host_of(q, 0), *host = first;
	struct names names, others;
	struct reading r;
	size_t i;

	own->mixed = !names_of(first, &names);
	for (i = 1; !own->mixed && i < q->like.member_count; i++) {
		if (host_of(q, i) == host)
			continue;
		host = host_of(q, i);
		own->mixed =
			!names_of(host, &others) || !is_same(&names, &others);
	}
	for (i = 0; !own->mixed && i < names.n; i++) {
		(void)readings_get(first->readings, "", names.name[i], &r);
		(void)snprintf(own->words[own->n++], BISECT_OWN_WORDS_MAX,
		               "%s=%s", names.name[i] + strlen("env."),
		               r.kind == READING_TEXT ? r.text : "");
	}
}

/* struct trier - what a group's try needs. */
struct trier {
	const struct inquest *q;
	struct bisect_own *own;
};

/* A set "fails" if the collective passes without it: so the search for the
 * smallest set that fails finds what there must not be. */
static bool try_without(void *arg, struct bisect_group *groups, size_t n)
{
	struct trier *t = arg;
	struct bisect_setting with = { .xport = t->q->like.xport };
	bool fails;
	size_t i, k;

	for (i = 0; i < n; i++) {
		with.variant = VARIANT_WITHOUT;
		for (k = 0; k < groups[i].n; k++)
			with.variant |= 1u << groups[i].units[k];
		if (!bisect_try_setting(t->q, &with, groups[i].again, &fails))
			return false;
		groups[i].fails = !fails;
		if (groups[i].n > 1)
			continue;
		t->own->tried[groups[i].units[0]] = true;
		t->own->fails[groups[i].units[0]] = fails;
	}
	return true;
}

/* Without all of them it fails too, which may be for the lack of one. */
static void try_each(struct trier *t)
{
	struct bisect_group g = { .n = 1 };
	int32_t unit;

	for (unit = 0; (size_t)unit < t->own->n; unit++) {
		g = (struct bisect_group){ .units = &unit, .n = 1 };
		if (!try_without(t, &g, 1))
			return;
		g.again = true;
		if (g.fails && !try_without(t, &g, 1))
			t->own->tried[unit] = false;
	}
}

/* Found by the search for sets, or one by one. */
static bool is_found(const struct bisect_own *own)
{
	size_t i;

	if (own->r.failed)
		return own->r.n_found &&
		       own->r.found[0].kind != BISECT_UNRESOLVED;
	for (i = 0; i < own->n; i++)
		if (own->tried[i] && !own->fails[i])
			return true;
	return false;
}

enum fp_status bisect_own(const struct inquest *q, struct bisect_own *ret)
{
	struct trier t = { q, ret };
	const struct bisect_try how = { &t, try_without };
	struct bisect_opts opts = { .least = 1, .rounds = ROUNDS_MAX };
	enum fp_status status;
	bool still;

	*ret = (struct bisect_own){ .n = 0 };
	if (q->like.xport != XPORT_NCCL)
		return FP_OK;
	find_own(q, ret);
	if (!ret->n)
		return FP_OK;
	opts.n = (int32_t)ret->n;
	status = bisect_run(&opts, &how, &ret->r, q->err);
	if (!status && !ret->r.failed && !ret->r.stopped)
		try_each(&t);
	/* It might just have passed this time. */
	ret->cured = !status && is_found(ret) &&
	             bisect_try_setting(q, NULL, true, &still) && still;
	return status;
}

void bisect_own_done(struct bisect_own *own)
{
	bisect_result_done(&own->r);
}

/* "Without A=1 it runs", "without A=1 and B=2", or another way to the same. */
static void add_set(const struct bisect_own *own, const int32_t *units,
                    size_t n, const char *runs, struct fp_text *out)
{
	size_t i;

	fp_text_printf(out,
	               out->len ? ", and so it does without " : "Without ");
	for (i = 0; i < n; i++)
		fp_text_printf(out, "%s%s", i ? " and " : "",
		               own->words[units[i]]);
	if (runs)
		fp_text_printf(out, " %s", runs);
}

/* Where whatever is left out helps, each of them alone does. */
static void add_sets(const struct bisect_own *own, const char *runs,
                     struct fp_text *out)
{
	const struct bisect_result *r = &own->r;
	size_t i, k;

	for (i = 0; i < r->n_found; i++) {
		const int32_t *units = r->units + r->found[i].first;
		size_t n = r->found[i].n;

		if (r->found[i].kind != BISECT_EVERYTHING) {
			add_set(own, units, n, out->len ? NULL : runs, out);
			continue;
		}
		for (k = 0; k < n; k++)
			add_set(own, units + k, 1, out->len ? NULL : runs, out);
	}
}

void bisect_own_detail(const struct bisect_own *own, const char *runs,
                       struct finding *f)
{
	struct fp_text text = { 0 };
	int32_t unit;

	if (own->r.failed)
		add_sets(own, runs, &text);
	for (unit = 0; !own->r.failed && (size_t)unit < own->n; unit++)
		if (own->tried[unit] && !own->fails[unit])
			add_set(own, &unit, 1, text.len ? NULL : runs, &text);
	fp_copy(f->detail, sizeof(f->detail), fp_text_str(&text));
	fp_text_free(&text);
}

void bisect_own_evidence(const struct bisect_own *own, struct finding *f)
{
	const char *how;
	size_t i;

	if (own->mixed)
		finding_evidence(f, "the job's NCCL_* settings are not the "
		                    "same everywhere: none was left out");
	for (i = 0; i < own->n; i++) {
		if (!own->tried[i])
			continue;
		how = own->fails[i] ? "fails too"
		      : own->cured  ? "passes, and with it fails again"
		                    : "passes, but then so it does with it";
		finding_evidence(f, "without %s: %s", own->words[i], how);
	}
}
