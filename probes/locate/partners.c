// SPDX-License-Identifier: Apache-2.0
// More tests of whom the accused hid, and of the accused: with partners that
// are clear and were not theirs before.
#include <stdlib.h>

#include "probes/locate/book.h"
#include "probes/stats/rng.h"
#include "probes/trial/trial.h"

#define TRIES 64

#define PARTNERS_ENOUGH 3 /* matchings of the plan */

/* struct seats - hosts by what is known of them. */
struct seats {
	struct locate *l;
	bool *bad, *hidden; /* something of it is accused, or not known */
	int32_t *clear;
	size_t n_clear;
	struct stats_rng rng;
};

static bool is_of_network(const struct fabric_place *at)
{
	return at->host >= 0 && at->kind != FABRIC_NVLINK &&
	       at->kind != FABRIC_NVSWITCH;
}

static void look_around(struct seats *s)
{
	const struct locate *l = s->l;
	struct fabric_place at;
	int32_t id, h;

	for (id = 0; id < fabric_size(l->f); id++) {
		at = fabric_place(l->f, id);
		if (!is_of_network(&at))
			continue;
		s->bad[at.host] |= l->a.state[id] == ATTRIBUTE_BAD;
		s->hidden[at.host] |= l->a.state[id] == ATTRIBUTE_UNKNOWN ||
		                      l->a.state[id] == ATTRIBUTE_OPEN;
	}
	for (h = 0; h < l->f->spec.hosts; h++)
		if (!s->bad[h] && !s->hidden[h])
			s->clear[s->n_clear++] = h;
}

/* Whom its own host's culprit hides no partner can show. */
static bool is_wanted(const struct seats *s, int32_t host)
{
	if (s->bad[host])
		return s->l->opts.extent.matchings < PARTNERS_ENOUGH;
	return s->hidden[host];
}

/* Behind a bad leaf everything stays hidden. */
static bool is_reachable(const struct locate *l, int32_t host, int32_t nic)
{
	int32_t leaf = fabric_leaf(l->f, host, nic);
	static const uint8_t kinds[] = { FABRIC_LEAF, FABRIC_UPLINK,
		                         FABRIC_DOWNLINK };
	int32_t id;
	size_t k;

	for (k = 0; k < sizeof(kinds); k++) {
		id = fabric_id(l->f, kinds[k], leaf);
		if (id >= 0 && l->a.state[id] == ATTRIBUTE_BAD)
			return false;
	}
	return true;
}

static bool have_met(const struct locate *l, int32_t a, int32_t b)
{
	size_t i;

	for (i = 0; i < l->tests.n; i++)
		if (l->tests.t[i].stage == TRIAL_S3_RAIL &&
		    l->tests.t[i].t.src.host == a &&
		    l->tests.t[i].t.dst.host == b)
			return true;
	return false;
}

static int32_t pick(struct seats *s, int32_t host)
{
	int32_t with;
	uint32_t k;

	for (k = 0; k < TRIES; k++) {
		with = s->clear[stats_rng_below(&s->rng, (uint32_t)s->n_clear)];
		if (!have_met(s->l, host, with))
			return with;
	}
	return -1;
}

static enum fp_status add_both_ways(struct locate *l, int32_t a, int32_t b,
                                    struct fp_err *err)
{
	int32_t nics = l->f->spec.nics, gpus = l->f->spec.gpus, n;
	enum fp_status status = FP_OK;
	struct fabric_transfer t, back;

	for (n = 0; !status && n < nics; n++) {
		if (!is_reachable(l, a, n) || !is_reachable(l, b, n))
			continue;
		t.src = (struct fabric_end){ a, gpus ? n * gpus / nics : -1,
			                     n };
		t.dst = t.src;
		t.dst.host = b;
		back = (struct fabric_transfer){ t.dst, t.src };
		status = locate_tests_add(&l->tests, l->f, TRIAL_S3_RAIL, &t,
		                          err);
		if (!status)
			status = locate_tests_add(&l->tests, l->f,
			                          TRIAL_S3_RAIL, &back, err);
	}
	return status;
}

static enum fp_status add_all(struct seats *s, struct fp_err *err)
{
	struct locate *l = s->l;
	enum fp_status status = FP_OK;
	int32_t h, with;
	uint32_t k;

	for (k = 0; k < l->opts.partners; k++, l->tests.n_groups++)
		for (h = 0; !status && h < l->f->spec.hosts; h++) {
			if (!is_wanted(s, h))
				continue;
			with = pick(s, h);
			if (with >= 0)
				status = add_both_ways(l, h, with, err);
		}
	return status;
}

enum fp_status partners_ask(struct locate *l, struct fp_err *err)
{
	size_t hosts = (size_t)l->f->spec.hosts, i;
	struct seats s = {
		.l = l,
		.bad = calloc(hosts, sizeof(*s.bad)),
		.hidden = calloc(hosts, sizeof(*s.hidden)),
		.clear = calloc(hosts, sizeof(*s.clear)),
	};
	enum fp_status status = FP_OK;

	l->at = l->tests.n;
	stats_rng_init(&s.rng, l->opts.seed, 5);
	if (s.bad && s.hidden && s.clear)
		look_around(&s);
	else
		status = fp_err_set(err, FP_ERR_NOMEM, "no memory for tests");
	/* Where few are clear there is nobody to measure them by. */
	if (!status && s.n_clear >= hosts / 2 && s.n_clear < hosts)
		status = add_all(&s, err);
	free(s.bad);
	free(s.hidden);
	free(s.clear);
	if (!status)
		status = book_room(l, err);
	for (i = l->at; !status && i < l->tests.n; i++)
		status = book_ask(l, i, 0, false, err);
	return status;
}
