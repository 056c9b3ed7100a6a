// SPDX-License-Identifier: Apache-2.0
// Who is furthest behind in a collective that did not end well.
#include "probes/judge/behind.h"

#include "topo/base/fmt.h"

static bool took_part(const struct outcome *o)
{
	return o->state != OUTCOME_NOTRUN && o->state != OUTCOME_NONE;
}

/* Less far than? Members wait for data, so the one that got the least is next
 * to the place where it stopped; the others only miss what it did not send. */
static bool is_behind(const struct outcome *a, const struct outcome *b)
{
	if (a->stage != b->stage)
		return a->stage < b->stage;
	return a->moved_bytes < b->moved_bytes;
}

static const struct outcome *least(const struct coll *c)
{
	const struct outcome *o = NULL;
	size_t i;

	for (i = 0; i < c->n; i++)
		if (took_part(c->o[i]) && (!o || is_behind(c->o[i], o)))
			o = c->o[i];
	return o;
}

/* Is member @o one of those to be listed? @data: by what it got, too. */
static bool is_at(const struct outcome *o, const struct outcome *like,
                  bool data)
{
	return took_part(o) && o->stage == like->stage &&
	       (!data || o->moved_bytes == like->moved_bytes);
}

/* Members that are where @like is, as "0-2,4": by rank, so runs are
 * neighbours. */
static size_t ranks_at(const struct coll *c, const struct outcome *like,
                       bool data, struct fp_text *text)
{
	int32_t first = -1, last = -1;
	size_t i, n = 0;
	bool here;

	for (i = 0; i <= c->n; i++) {
		here = i < c->n && is_at(c->o[i], like, data);
		n += here;
		if (here && first >= 0 && c->o[i]->rank == last + 1) {
			last++;
			continue;
		}
		if (first >= 0 && (here || i == c->n))
			fp_text_printf(text, last > first ? "%s%d-%d" : "%s%d",
			               text->len ? "," : "", (int)first,
			               (int)last);
		if (here)
			first = last = c->o[i]->rank;
	}
	return n;
}

/* Where not all that are behind are so by the same data. */
static void say_least(const struct coll *c, struct finding *f)
{
	const struct outcome *o = least(c);
	struct fp_text text = { 0 }, all = { 0 };
	char bytes[FP_FMT_MAX];
	size_t n;

	if (!o)
		return;
	n = ranks_at(c, o, true, &text);
	if (n < ranks_at(c, o, false, &all))
		finding_evidence(f,
		                 "trial %u, got the least data (%s%s): "
		                 "rank%s %s",
		                 c->trial->id,
		                 fp_fmt_bytes(o->moved_bytes, bytes),
		                 o->moved_bytes < 1024 ? " B" : "",
		                 n > 1 ? "s" : "", fp_text_str(&text));
	fp_text_free(&text);
	fp_text_free(&all);
}

void coll_say_stages(const struct coll *c, struct finding *f)
{
	struct outcome like = { 0 };
	struct fp_text text;
	size_t n;

	for (; like.stage < OUTCOME_STAGE_COUNT; like.stage++) {
		text = (struct fp_text){ 0 };
		n = ranks_at(c, &like, false, &text);
		if (n)
			finding_evidence(f, "trial %u, reached %s: rank%s %s",
			                 c->trial->id,
			                 outcome_stage_name(like.stage),
			                 n > 1 ? "s" : "", fp_text_str(&text));
		fp_text_free(&text);
	}
	say_least(c, f);
}

int32_t coll_furthest_behind(const struct coll *c)
{
	const struct outcome *o = least(c);
	size_t i, n = 0;

	for (i = 0; o && i < c->n; i++)
		n += is_at(c->o[i], o, true);
	return n == 1 ? o->rank : -1;
}
