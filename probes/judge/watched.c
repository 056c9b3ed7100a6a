// SPDX-License-Identifier: Apache-2.0
// Sorts the records of watched GPUs, and adds up what rose.
#include "probes/judge/watched.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topo/base/fmt.h"
#include "topo/reading/reading.h"

static int by_rank(const void *pa, const void *pb)
{
	const struct watch *a = *(const struct watch *const *)pa;
	const struct watch *b = *(const struct watch *const *)pb;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return (a > b) - (a < b); /* as they came */
}

static void add_value(struct watched *w, const struct watch_value *v)
{
	if (v->id == GPU_XIDS)
		w->xids += v->value;
	else if (gpu_value_of_link(v->id))
		w->link_rise[v->id - GPU_LINK_FIRST][v->link] += v->value;
	else if (gpu_value_is_count(v->id))
		w->rise[v->id] += v->value;
}

static void add(struct watched *w, const struct watch *record)
{
	int64_t heat = watch_get(record, GPU_TEMPERATURE, -1);

	w->n++;
	for (uint32_t i = 0; i < record->n; i++)
		add_value(w, &record->values[i]);
	/* What holds the clocks of an idle GPU down is no matter. */
	if (record->last)
		w->events |= watch_get(record, GPU_CLOCK_EVENTS, 0);
	if (heat > w->hottest)
		w->hottest = heat;
}

static int by_start(const void *pa, const void *pb)
{
	const struct watched_rate *a = pa, *b = pb;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return (a->start_s > b->start_s) - (a->start_s < b->start_s);
}

/* By trial; who only sends does not know it himself. */
static void note_trials(const struct results *r, double *ret_Bps)
{
	for (size_t i = 0; i < r->n_outcomes; i++) {
		const struct outcome *o = &r->outcomes[i];

		if (o->trial <= r->n_trials && o->busbw_Bps > ret_Bps[o->trial])
			ret_Bps[o->trial] = o->busbw_Bps;
	}
}

/* A GPU alone has no start of its own. */
static size_t rates_collect(const struct results *r, const double *Bps,
                            struct watched_rate *ret)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_outcomes; i++) {
		const struct outcome *o = &r->outcomes[i];

		if (o->state == OUTCOME_OK && o->start_s > 0 &&
		    o->trial <= r->n_trials && Bps[o->trial] > 0)
			ret[n++] = (struct watched_rate){ o->rank, o->trial,
				                          o->start_s,
				                          Bps[o->trial] };
	}
	qsort(ret, n, sizeof(*ret), by_start);
	return n;
}

/* Both are sorted by rank. */
static void rates_share(struct watched_all *all, size_t n)
{
	size_t at = 0;

	for (size_t i = 0; i < all->n; i++) {
		struct watched *w = &all->ranks[i];

		while (at < n && all->rates[at].rank < w->rank)
			at++;
		w->rates = &all->rates[at];
		while (at < n && all->rates[at].rank == w->rank) {
			w->n_rates++;
			at++;
		}
	}
}

struct watched_span watched_between(const struct watched *w, size_t i)
{
	struct watched_span s = { 0 };

	while (i > 0 && s.first < w->n_rates &&
	       w->rates[s.first].start_s <= w->records[i - 1]->t1_s)
		s.first++;
	while (s.first + s.n < w->n_rates &&
	       w->rates[s.first + s.n].start_s <= w->records[i]->t1_s)
		s.n++;
	return s;
}

static void fill(const struct results *r, struct watched_all *all)
{
	struct watched *w = NULL;

	for (size_t i = 0; i < r->n_watches; i++) {
		if (!w || w->rank != all->records[i]->rank) {
			w = &all->ranks[all->n++];
			w->rank = all->records[i]->rank;
			w->records = &all->records[i];
			w->hottest = -1;
		}
		add(w, all->records[i]);
	}
}

static size_t count_ranks(const struct results *r,
                          const struct watch *const *records)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_watches; i++)
		n += i == 0 || records[i]->rank != records[i - 1]->rank;
	return n;
}

static enum fp_status rates_make(const struct results *r,
                                 struct watched_all *all, struct fp_err *err)
{
	double *Bps = calloc(r->n_trials + 1, sizeof(*Bps));

	all->rates = calloc(r->n_outcomes + 1, sizeof(*all->rates));
	if (Bps && all->rates) {
		note_trials(r, Bps);
		rates_share(all, rates_collect(r, Bps, all->rates));
	}
	free(Bps);
	return Bps && all->rates
	               ? FP_OK
	               : fp_err_set(err, FP_ERR_NOMEM, "no memory to judge");
}

enum fp_status watched_make(const struct results *r, struct watched_all *ret,
                            struct fp_err *err)
{
	struct watched_all all = {
		.records = calloc(r->n_watches + 1, sizeof(*all.records)),
	};
	enum fp_status status;

	if (!all.records)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory to judge");
	for (size_t i = 0; i < r->n_watches; i++)
		all.records[i] = &r->watches[i];
	qsort(all.records, r->n_watches, sizeof(*all.records), by_rank);
	all.ranks = calloc(count_ranks(r, all.records) + 1, sizeof(*all.ranks));
	if (all.ranks) {
		fill(r, &all);
		status = rates_make(r, &all, err);
	} else {
		status = fp_err_set(err, FP_ERR_NOMEM, "no memory to judge");
	}
	if (status)
		watched_done(&all);
	else
		*ret = all;
	return status;
}

void watched_done(struct watched_all *all)
{
	free(all->ranks);
	free(all->records);
	free(all->rates);
	*all = (struct watched_all){ .n = 0 };
}

void watched_place(const struct topo_job *job, const struct watched *w,
                   int32_t link, struct locus *ret)
{
	const struct topo_host *host = &job->hosts[job->ranks[w->rank].host];
	const char *bus = w->records[0]->device;
	long long index =
		readings_get_int(host->readings, bus, "gpu.index", -1);

	*ret = (struct locus){ .rank = -1,
		               .peer_rank = -1,
		               .kind = link >= 0 ? LOCUS_NVLINK : LOCUS_GPU };
	fp_copy(ret->host, sizeof(ret->host), host->name);
	if (link >= 0)
		(void)snprintf(ret->device, sizeof(ret->device), "%s/nvlink%d",
		               bus, (int)link);
	else if (index >= 0)
		(void)snprintf(ret->device, sizeof(ret->device), "GPU%lld (%s)",
		               index, bus);
	else
		fp_copy(ret->device, sizeof(ret->device), bus);
}

struct finding *watched_known(struct findings *list, unsigned code,
                              const struct locus *place)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->f[i].code == code &&
		    strcmp(list->f[i].locus.host, place->host) == 0 &&
		    strcmp(list->f[i].locus.device, place->device) == 0)
			return &list->f[i];
	return NULL;
}

void watched_while(uint32_t first, uint32_t last, char *buf, size_t size)
{
	if (!last)
		(void)snprintf(buf, size, "while it was measured");
	else if (first == last)
		(void)snprintf(buf, size, "while trial %u ran", last);
	else
		(void)snprintf(buf, size, "while trials %u to %u ran", first,
		               last);
}

int64_t watched_last(const struct watched *w, unsigned id, int64_t none)
{
	for (size_t i = w->n; i > 0; i--) {
		int64_t value = watch_get(w->records[i - 1], id, -1);

		if (value >= 0)
			return value;
	}
	return none;
}
