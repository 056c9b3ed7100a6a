// SPDX-License-Identifier: Apache-2.0
// GPUs that were watched, in the report for programs.
#include <stdlib.h>

#include "probes/judge/load.h"
#include "probes/judge/watched.h"
#include "probes/report/json.h"

static void put_values(const struct watch *w, bool counts, json_t *to)
{
	char key[WATCH_KEY_MAX];

	for (uint32_t i = 0; i < w->n; i++)
		if (gpu_value_is_count(w->values[i].id) == counts)
			(void)json_put(to, watch_key(&w->values[i], key),
			               json_integer(w->values[i].value));
}

static json_t *moment(const struct watch *w)
{
	json_t *json = json_object();

	if (json)
		put_values(w, false, json);
	return json;
}

static void put_rise(json_t *to, unsigned id, int32_t link, int64_t rise)
{
	const struct watch_value v = { id, link, rise };
	char key[WATCH_KEY_MAX];

	if (rise)
		(void)json_put(to, watch_key(&v, key), json_integer(rise));
}

/* A number's events may be in several records. */
static void put_xids(json_t *to, const struct watched *w)
{
	char key[WATCH_KEY_MAX];

	for (size_t i = 0; w->xids && i < w->n; i++)
		for (uint32_t k = 0; k < w->records[i]->n; k++) {
			const struct watch_value *v = &w->records[i]->values[k];
			json_int_t had;

			if (v->id != GPU_XIDS)
				continue;
			had = json_integer_value(
				json_object_get(to, watch_key(v, key)));
			(void)json_put(to, key, json_integer(had + v->value));
		}
}

static json_t *rises(const struct watched *w)
{
	json_t *json = json_object();

	for (unsigned id = GPU_VALUE_NONE + 1; json && id < GPU_LINK_FIRST;
	     id++)
		put_rise(json, id, -1, w->rise[id]);
	for (unsigned k = 0; json && k < GPU_LINK_VALUES; k++)
		for (int32_t i = 0; i < GPU_LINKS_MAX; i++)
			put_rise(json, GPU_LINK_FIRST + k, i,
			         w->link_rise[k][i]);
	if (json)
		put_xids(json, w);
	return json;
}

/* What its links carried between the look before and this one. */
static json_t *rates_between(const struct watched *w, size_t i)
{
	struct watched_span s = watched_between(w, i);
	json_t *list = json_array();

	for (size_t k = s.first; k < s.first + s.n; k++)
		json_push(&list, json_pack("{s:I, s:f}", "trial",
		                           (json_int_t)w->rates[k].trial,
		                           "busbw_Bps", w->rates[k].Bps));
	return list;
}

/* Seconds count from the first look at this GPU. */
static json_t *series(const struct watched *w)
{
	double begin_s = w->records[0]->t1_s;
	json_t *list = json_array();

	for (size_t i = 0; i < w->n; i++) {
		const struct watch *r = w->records[i];
		json_t *row =
			json_pack("{s:f, s:I, s:I}", "t_s", r->t1_s - begin_s,
		                  "first_trial", (json_int_t)r->first,
		                  "last_trial", (json_int_t)r->last);

		if (row) {
			put_values(r, false, row);
			put_values(r, true, row);
			(void)json_put(row, "bandwidth", rates_between(w, i));
		}
		json_push(&list, row);
	}
	return list;
}

json_t *json_gpus(const struct results *results)
{
	struct watched_all all;
	json_t *list = json_array();

	if (watched_make(results, &all, NULL)) {
		json_decref(list);
		return NULL;
	}
	for (size_t i = 0; i < all.n; i++) {
		const struct watched *w = &all.ranks[i];

		json_push(&list,
		          json_pack("{s:i, s:o, s:o, s:o, s:o, s:o}", "rank",
		                    (int)w->rank, "device",
		                    json_text(w->records[0]->device), "before",
		                    moment(w->records[0]), "after",
		                    moment(w->records[w->n - 1]), "rose",
		                    rises(w), "series", series(w)));
	}
	watched_done(&all);
	return list;
}

static json_t *rates_of(const struct load *l)
{
	json_t *list = json_array();

	for (size_t i = 0; i < l->n; i++)
		json_push(&list, json_number(l->rates[i]));
	return list;
}

json_t *json_loads_of(const struct results *results)
{
	json_t *list = json_array();
	struct load *loads;
	size_t n;

	if (loads_make(results, &loads, &n, NULL)) {
		json_decref(list);
		return NULL;
	}
	for (size_t i = 0; i < n; i++)
		json_push(&list,
		          json_pack("{s:i, s:I, s:f, s:f, s:o}", "rank",
		                    (int)loads[i].rank, "trial",
		                    (json_int_t)loads[i].trial, "first_FLOPs",
		                    loads[i].first, "last_FLOPs", loads[i].last,
		                    "each_second_FLOPs", rates_of(&loads[i])));
	free(loads);
	return list;
}
