// SPDX-License-Identifier: Apache-2.0
// Whose clock it is that told a time, and the year where it told none.
#include <stdlib.h>
#include <time.h>

#include "probes/explain/clock_part.h"
#include "probes/explain/logline.h"
#include "probes/trial/grow.h"

#define RANKS_MAX (1 << 22)
/* Further from the others it is no clock, but a wrong stamp. */
#define APART_MAX_NS (INT64_C(5 * 366 * 86400) * CLOCK_NS_PER_S)
/* Clocks are set back by an hour at the end of summer. */
#define BACK_MIN_NS (INT64_C(1800) * CLOCK_NS_PER_S)
#define BACK_MAX_NS (INT64_C(3660) * CLOCK_NS_PER_S)

/* What is needed while events go by. */
struct owners {
	struct events *events;
	struct clocks *clocks;
	uint32_t *host_of; /* by rank: its host, as any line tells it */
	size_t n_ranks;
	uint32_t file, only; /* the file that goes by; its only host, or 0 */
	uint32_t era;        /* of it */
	int64_t latest_ns;   /* local times of it so far */
};

static int by_value(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

int64_t clock_median(int64_t *x, size_t n)
{
	qsort(x, n, sizeof(*x), by_value);
	return n ? x[(n - 1) / 2] : 0;
}

/* The day of @year on which @ns, of STAMP_YEAR, is. */
static int64_t in_year(int64_t ns, int year)
{
	time_t s = (time_t)(ns / CLOCK_NS_PER_S);
	struct tm when;

	if (!gmtime_r(&s, &when))
		return ns;
	when.tm_year = year - 1900;
	return (int64_t)timegm(&when) * CLOCK_NS_PER_S + ns % CLOCK_NS_PER_S;
}

static int year_of(int64_t ns)
{
	time_t s = (time_t)(ns / CLOCK_NS_PER_S);
	struct tm when;

	return gmtime_r(&s, &when) ? when.tm_year + 1900 : STAMP_YEAR;
}

/* Of the years around @near that one in which @ns is nearest to it. */
static int64_t nearest_year(int64_t ns, int64_t near)
{
	int year = year_of(near);
	int64_t best = in_year(ns, year);

	for (int y = year - 1; y <= year + 1; y += 2) {
		int64_t other = in_year(ns, y);

		if (llabs(other - near) < llabs(best - near))
			best = other;
	}
	return best;
}

enum which { WITH_YEAR, WITHOUT_YEAR, ALL };

/* The median time of the events @which; false: there are none. */
static bool middle_of(const struct events *ev, enum which which, int64_t *ret)
{
	int64_t *x = calloc(ev->n + 1, sizeof(*x));
	size_t n = 0;

	for (size_t i = 0; x && i < ev->n; i++) {
		uint32_t form = ev->e[i].stamp;

		if (form != STAMP_NONE &&
		    (which == ALL ||
		     (form == STAMP_NO_YEAR) == (which == WITHOUT_YEAR)))
			x[n++] = ev->e[i].time_ns;
	}
	if (n)
		*ret = clock_median(x, n);
	free(x);
	return n > 0;
}

/*
 * Without any year all stay in STAMP_YEAR, but for those of January beside
 * others of December.
 */
static void fill_years(struct events *ev)
{
	int64_t near;
	bool known = middle_of(ev, WITH_YEAR, &near);

	if (!known && !middle_of(ev, WITHOUT_YEAR, &near))
		return;
	for (size_t i = 0; i < ev->n; i++) {
		struct event *e = &ev->e[i];

		if (e->stamp != STAMP_NO_YEAR)
			continue;
		e->time_ns = nearest_year(e->time_ns, near);
		if (e->last_ns != EVENT_NO_TIME)
			e->last_ns = nearest_year(e->last_ns, near);
		if (known)
			e->stamp = STAMP_LOCAL;
	}
}

static enum fp_status map_ranks(struct owners *o, struct fp_err *err)
{
	const struct events *ev = o->events;

	for (size_t i = 0; i < ev->n; i++)
		if (ev->e[i].host && ev->e[i].rank < RANKS_MAX &&
		    ev->e[i].rank >= (int64_t)o->n_ranks)
			o->n_ranks = (size_t)ev->e[i].rank + 1;
	o->host_of = calloc(o->n_ranks + 1, sizeof(*o->host_of));
	if (!o->host_of)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory");
	for (size_t i = 0; i < ev->n; i++) {
		const struct event *e = &ev->e[i];

		if (e->host && e->rank >= 0 && (size_t)e->rank < o->n_ranks &&
		    !o->host_of[e->rank])
			o->host_of[e->rank] = e->host;
	}
	return FP_OK;
}

static uint32_t host_of(const struct owners *o, const struct event *e)
{
	if (e->host)
		return e->host;
	return e->rank >= 0 && (size_t)e->rank < o->n_ranks
	               ? o->host_of[e->rank]
	               : 0;
}

/* Events of a file stand together, as files are read one after the other. */
static void begin_file(struct owners *o, size_t at)
{
	const struct events *ev = o->events;

	o->file = ev->e[at].file;
	o->only = 0;
	o->era = 0;
	o->latest_ns = EVENT_NO_TIME;
	for (size_t i = at; i < ev->n && ev->e[i].file == o->file; i++) {
		uint32_t host = host_of(o, &ev->e[i]);

		if (host && o->only && host != o->only) {
			o->only = 0;
			return;
		}
		o->only = host ? host : o->only;
	}
}

/* A file of one host whose local times go back by about an hour. */
static void watch_jump(struct owners *o, const struct event *e)
{
	int64_t back =
		o->latest_ns == EVENT_NO_TIME ? 0 : o->latest_ns - e->time_ns;

	if (!o->only || e->stamp == STAMP_UTC)
		return;
	if (back > BACK_MIN_NS && back < BACK_MAX_NS) {
		o->era++;
		o->latest_ns = e->time_ns;
	}
	if (o->latest_ns == EVENT_NO_TIME || e->time_ns > o->latest_ns)
		o->latest_ns = e->time_ns;
}

static struct clock_row owner_of(const struct owners *o, const struct event *e)
{
	struct clock_row row = {
		.host = host_of(o, e),
		.rank = -1,
		.local = e->stamp != STAMP_UTC,
	};

	if (!row.host)
		row.host = o->only;
	if (!row.host && e->rank >= 0)
		row.rank = e->rank;
	else if (!row.host)
		row.file = e->file;
	if (row.local)
		row.era = o->era;
	return row;
}

static bool is_same(const struct clock_row *a, const struct clock_row *b)
{
	return a->host == b->host && a->rank == b->rank && a->file == b->file &&
	       a->local == b->local && a->era == b->era;
}

struct slots {
	uint32_t *at; /* index from 1 */
	size_t n;
};

static size_t slot_of(const struct slots *s, const struct clocks *clocks,
                      const struct clock_row *row)
{
	uint64_t h = row->host * UINT64_C(0x9e3779b97f4a7c15);

	h ^= ((uint64_t)(uint32_t)row->rank << 20) *
	     UINT64_C(0xbf58476d1ce4e5b);
	h ^= row->file * UINT64_C(0x94d049bb133111eb) + row->local + row->era;
	h ^= h >> 29;
	while (s->at[h % s->n] &&
	       !is_same(&clocks->c[s->at[h % s->n] - 1], row))
		h++;
	return h % s->n;
}

static bool add_row(struct clocks *clocks, const struct clock_row *row)
{
	if (grow_room(&clocks->c, &clocks->room, clocks->n + 1,
	              sizeof(*clocks->c), NULL) != FP_OK)
		return false;
	clocks->c[clocks->n++] = *row;
	return true;
}

static bool name_owner(struct owners *o, const struct slots *s, struct event *e)
{
	struct clock_row row = owner_of(o, e);
	size_t slot = slot_of(s, o->clocks, &row);

	if (!s->at[slot]) {
		if (!add_row(o->clocks, &row))
			return false;
		s->at[slot] = (uint32_t)o->clocks->n;
	}
	e->clock = s->at[slot];
	return true;
}

enum fp_status clock_owners(struct events *events, struct clocks *clocks,
                            struct fp_err *err)
{
	struct owners o = { .events = events, .clocks = clocks };
	struct slots s = { .n = events->n * 2 + 1 };
	enum fp_status status;
	int64_t middle;
	bool good;

	fill_years(events);
	if (!middle_of(events, ALL, &middle))
		return FP_OK;
	status = map_ranks(&o, err);
	if (status != FP_OK)
		return status;
	s.at = calloc(s.n, sizeof(*s.at));
	good = s.at != NULL;
	for (size_t i = 0; good && i < events->n; i++) {
		struct event *e = &events->e[i];

		if (!i || e->file != o.file)
			begin_file(&o, i);
		if (e->stamp == STAMP_NONE ||
		    llabs(e->time_ns - middle) > APART_MAX_NS)
			continue;
		watch_jump(&o, e);
		good = name_owner(&o, &s, e);
	}
	free(s.at);
	free(o.host_of);
	return good ? FP_OK : fp_err_set(err, FP_ERR_NOMEM, "no memory");
}
