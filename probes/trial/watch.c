// SPDX-License-Identifier: Apache-2.0
// Records of a GPU that is watched: made from samples, and checked.
#include "probes/trial/watch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

int64_t watch_get(const struct watch *w, unsigned id, int64_t none)
{
	for (uint32_t i = 0; i < w->n && i < WATCH_VALUES; i++)
		if (w->values[i].id == id && w->values[i].link < 0)
			return w->values[i].value;
	return none;
}

const char *watch_key(const struct watch_value *v,
                      char buf[static WATCH_KEY_MAX])
{
	if (v->link < 0)
		(void)snprintf(buf, WATCH_KEY_MAX, "%s", gpu_value_name(v->id));
	else
		(void)snprintf(buf, WATCH_KEY_MAX, "%s/%d",
		               gpu_value_name(v->id), (int)v->link);
	return buf;
}

bool watch_has_news(const struct watch *w)
{
	for (uint32_t i = 0; i < w->n && i < WATCH_VALUES; i++)
		if (gpu_value_is_error(w->values[i].id))
			return true;
	return watch_get(w, GPU_CLOCK_EVENTS, 0) &
	       (GPU_EVENTS_HEAT | GPU_EVENTS_HARDWARE);
}

static void put(struct watch *w, unsigned id, int32_t link, int64_t value)
{
	if (w->n < WATCH_VALUES)
		w->values[w->n++] = (struct watch_value){ id, link, value };
}

static int64_t rise(int64_t before, int64_t now)
{
	return before < 0 || now <= before ? 0 : now - before;
}

void watch_fill(const struct gpu_sample *before, const struct gpu_sample *now,
                struct watch *ret)
{
	int64_t more;

	ret->n = 0;
	for (unsigned id = GPU_VALUE_NONE + 1; id < GPU_LINK_FIRST; id++) {
		if (!gpu_value_is_count(id)) {
			if (now->value[id] >= 0)
				put(ret, id, -1, now->value[id]);
			continue;
		}
		more = before ? rise(before->value[id], now->value[id]) : 0;
		if (more)
			put(ret, id, -1, more);
	}
	for (unsigned k = 0; before && k < GPU_LINK_VALUES; k++)
		for (int32_t i = 0; i < GPU_LINKS_MAX; i++) {
			more = rise(before->link[k][i], now->link[k][i]);
			if (more)
				put(ret, GPU_LINK_FIRST + k, i, more);
		}
}

void watch_add_xid(struct watch *w, int64_t number)
{
	if (number < 1 || number > GPU_XID_MAX)
		return;
	for (uint32_t i = 0; i < w->n; i++) {
		if (w->values[i].id != GPU_XIDS || w->values[i].link != number)
			continue;
		w->values[i].value++;
		return;
	}
	/* What a GPU says of itself is worth more than its last counter. */
	if (w->n == WATCH_VALUES)
		w->n--;
	put(w, GPU_XIDS, (int32_t)number, 1);
}

static const char *value_check(const struct watch_value *v)
{
	if (v->id <= GPU_VALUE_NONE || v->id >= GPU_VALUE_COUNT)
		return "an unknown value";
	if (v->id == GPU_XIDS)
		return v->link < 1 || v->link > GPU_XID_MAX || v->value < 1
		               ? "no such Xid"
		               : NULL;
	if (gpu_value_of_link(v->id) ? v->link < 0 || v->link >= GPU_LINKS_MAX
	                             : v->link != -1)
		return "a value of no such NVLink";
	return v->value < 0 ? "a value below zero" : NULL;
}

const char *watch_check(const struct watch *w, size_t n_ranks)
{
	const char *wrong = NULL;

	if (w->rank < 0 || (size_t)w->rank >= n_ranks)
		return "no such rank";
	if (w->n > WATCH_VALUES)
		return "too many values";
	if (w->first > w->last)
		return "its trials are not in order";
	if (!isfinite(w->t0_s) || !isfinite(w->t1_s) || w->t0_s < 0 ||
	    w->t1_s < w->t0_s)
		return "its times make no sense";
	if (!memchr(w->device, '\0', sizeof(w->device)))
		return "its device has no end";
	for (uint32_t i = 0; i < w->n && !wrong; i++)
		wrong = value_check(&w->values[i]);
	return wrong;
}
