// SPDX-License-Identifier: Apache-2.0
// Which pairs belong together, and what is usual among them.
#include "probes/judge/class.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "probes/judge/center.h"
#include "probes/stats/stats.h"
#include "probes/trial/grow.h"
#include "topo/model/rails.h"

#define SIGMA_TURNS 5
#define SIGMA_REACH 3.5
#define LONE_CHANCE 1e-3
#define CROWDED_RATIO 0.7 /* rate over the pace of messages */
#define CROWDED_SHARE 0.3

double judge_test_x(const struct judge_test *t)
{
	if (!(t->value > 0))
		return NAN;
	return t->trial->op == OP_LATENCY ? -log(t->value) : log(t->value);
}

double judge_test_y(const struct judge_test *t)
{
	if (!(t->value > 0) || !(t->low > 0))
		return NAN;
	return t->trial->op == OP_LATENCY ? -log(t->low)
	                                  : log(t->low / t->value);
}

double judge_test_loss(const struct judge_test *t,
                       const struct judge_opts *opts)
{
	if (t->segs < (int64_t)opts->loss_min_segs || t->retrans < 0)
		return NAN;
	return (double)t->retrans / (double)t->segs;
}

static int64_t slower_speed(const struct topo_job *job, int32_t a, int32_t b)
{
	const struct topo_netdev *at_a = topo_job_netdev(job, a);
	const struct topo_netdev *at_b = topo_job_netdev(job, b);
	int64_t x = at_a ? at_a->speed_bps : -1;
	int64_t y = at_b ? at_b->speed_bps : -1;

	return x < y ? x : y;
}

/* The same of RDMA ports. */
static int64_t slower_rate(const struct topo_job *job, int32_t a, int32_t b)
{
	int64_t x = topo_rank_rate_bps(job, a), y = topo_rank_rate_bps(job, b);

	return x < y ? x : y;
}

static struct judge_class class_of(const struct judge_group *g,
                                   const struct matrix_cell *c)
{
	struct judge_class k = { .kind = KIND_BETWEEN, .speed_bps = -1 };

	if (topo_job_same_host(g->job, c->src, c->dst))
		k.kind = KIND_SAME_HOST;
	else if (judge_ports_is_loopback(g->job, c->src, c->dst))
		k.kind = KIND_LOOPBACK;
	else if (g->m->xport == XPORT_VERBS)
		k.speed_bps = slower_rate(g->job, c->src, c->dst);
	else
		k.speed_bps = slower_speed(g->job, c->src, c->dst);
	k.local = k.kind != KIND_BETWEEN;
	return k;
}

static enum fp_status class_find(struct judge_group *g, size_t *room,
                                 const struct judge_class *want,
                                 int32_t *ret_cls, struct fp_err *err)
{
	enum fp_status status;
	size_t i;

	for (i = 0; i < g->m->n_classes; i++)
		if (g->classes[i].kind == want->kind &&
		    g->classes[i].speed_bps == want->speed_bps)
			break;
	if (i == g->m->n_classes) {
		status = grow_room(&g->classes, room, i + 1,
		                   sizeof(*g->classes), err);
		if (status)
			return status;
		g->classes[g->m->n_classes++] = *want;
	}
	*ret_cls = (int32_t)i;
	return FP_OK;
}

static enum fp_status classes_assign(struct judge_group *g, struct fp_err *err)
{
	enum fp_status status = FP_OK;
	struct judge_class want;
	size_t i, room = 0;

	for (i = 0; !status && i < g->m->n_cells; i++) {
		want = class_of(g, &g->m->cells[i]);
		status = class_find(g, &room, &want, &g->m->cells[i].cls, err);
	}
	return status;
}

/* What is usual comes from first tests: retests of a few, the best of which
 * counts, would move it under the others. */
static const struct judge_test *first_good(const struct judge_group *g,
                                           size_t cell)
{
	const struct judge_test *spoiled = NULL;
	size_t i;

	for (i = g->first[cell]; i < g->first[cell + 1]; i++) {
		if (!(g->tests[i].value > 0))
			continue;
		if (!g->tests[i].spoiled)
			return &g->tests[i];
		if (!spoiled)
			spoiled = &g->tests[i];
	}
	return spoiled;
}

/* struct samples - what the cells of one class measured. */
struct samples {
	struct judge_point *x, *y, *loss, *pace, *scratch;
	double *flat;
	size_t n;
};

static bool samples_alloc(struct samples *s, size_t n)
{
	s->x = calloc(n + 1, sizeof(*s->x));
	s->y = calloc(n + 1, sizeof(*s->y));
	s->loss = calloc(n + 1, sizeof(*s->loss));
	s->pace = calloc(n + 1, sizeof(*s->pace));
	s->scratch = calloc(2 * n + 1, sizeof(*s->scratch));
	s->flat = calloc(2 * n + 1, sizeof(*s->flat));
	return s->x && s->y && s->loss && s->pace && s->scratch && s->flat;
}

static void samples_free(struct samples *s)
{
	free(s->x);
	free(s->y);
	free(s->loss);
	free(s->pace);
	free(s->scratch);
	free(s->flat);
}

static void samples_take(const struct judge_group *g, int32_t cls,
                         struct samples *s)
{
	bool local = g->classes[cls].local;
	const struct matrix_cell *c;
	const struct judge_test *t;
	int32_t tx, rx;
	size_t i;

	s->n = 0;
	for (i = 0; i < g->m->n_cells; i++) {
		c = &g->m->cells[i];
		t = first_good(g, i);
		if (c->cls != cls || !t)
			continue;
		tx = local ? c->src : g->ports->of_rank[c->src];
		rx = local ? c->dst : g->ports->of_rank[c->dst];
		s->x[s->n] = (struct judge_point){ tx, rx, judge_test_x(t) };
		s->y[s->n] = (struct judge_point){ tx, rx, judge_test_y(t) };
		s->loss[s->n] =
			(struct judge_point){ tx, rx,
			                      -judge_test_loss(t, g->opts) };
		s->pace[s->n] = (struct judge_point){ tx, rx,
			                              t->pace > 0 ? log(t->pace)
			                                          : NAN };
		s->n++;
	}
}

static double sigma_floor(const struct judge_group *g,
                          const struct judge_class *k)
{
	const struct judge_opts *o = g->opts;
	double floor = k->local ? o->sigma_floor_local : o->sigma_floor;

	return g->latency ? fmax(floor, o->sigma_floor_latency) : floor;
}

/* Spread of what is not far below the center. That set is not known before the
 * spread is: begin with the few above the center, and let it grow. */
static double class_sigma(const struct judge_group *g,
                          const struct judge_class *k, struct samples *s)
{
	double *good = s->flat, *scratch = s->flat + s->n;
	double sigma = sigma_floor(g, k), wider;
	size_t i, n, turn;

	for (i = 0; i < s->n; i++)
		good[i] = s->x[i].v;
	wider = stats_sigma_up(good, s->n, k->usual.x, scratch);
	for (turn = 0; turn < SIGMA_TURNS && wider > sigma; turn++) {
		sigma = wider;
		for (i = n = 0; i < s->n; i++)
			if (s->x[i].v >= k->usual.x - SIGMA_REACH * sigma)
				good[n++] = s->x[i].v;
		wider = stats_mad(good, n, stats_median(good, n), scratch);
	}
	return sigma;
}

/* Does the time of many tests go to waiting, and not to messages? */
static bool is_crowded(const struct judge_class *k, const struct samples *s)
{
	size_t i, n = 0, waited = 0;

	for (i = 0; k->local && i < s->n; i++) {
		if (isnan(s->pace[i].v))
			continue;
		n++;
		waited += s->x[i].v - s->pace[i].v < log(CROWDED_RATIO);
	}
	return (double)waited > CROWDED_SHARE * (double)n;
}

static void class_measure(const struct judge_group *g, struct judge_class *k,
                          struct samples *s)
{
	k->n = s->n;
	k->mirrored = s->n == 2 && s->x[0].tx == s->x[1].rx &&
	              s->x[0].rx == s->x[1].tx;
	k->usual.x = judge_center(s->x, s->n, s->scratch);
	k->usual.y = judge_center(s->y, s->n, s->scratch);
	k->usual.loss = -judge_center(s->loss, s->n, s->scratch);
	k->pace = judge_center(s->pace, s->n, s->scratch);
	k->crowded = is_crowded(k, s);
	k->sigma = class_sigma(g, k, s);
	k->floor_x = NAN;
}

/* "10 Gb/s" behind a space, or nothing. */
static void speed_text(int64_t bps, char *buf, size_t size)
{
	buf[0] = '\0';
	if (bps >= 1000000000)
		(void)snprintf(buf, size, " %g Gb/s", (double)bps / 1e9);
	else if (bps > 0)
		(void)snprintf(buf, size, " %g Mb/s", (double)bps / 1e6);
}

static void class_publish(const struct judge_group *g,
                          const struct judge_class *k, struct matrix_class *ret)
{
	static const char *const where[KIND_COUNT] = {
		[KIND_SAME_HOST] = "same host",
		[KIND_LOOPBACK] = "loopback",
		[KIND_BETWEEN] = "between hosts",
	};
	char speed[32];

	*ret = (struct matrix_class){
		.n = (uint32_t)k->n,
		.sigma = k->sigma,
		.local = k->local,
	};
	speed_text(k->speed_bps, speed, sizeof(speed));
	(void)snprintf(ret->name, sizeof(ret->name), "%s %s%s",
	               trial_xport_name(g->m->xport), where[k->kind], speed);
	if (isnan(k->usual.x))
		return;
	ret->median = exp(g->latency ? -k->usual.x : k->usual.x);
	if (!isnan(k->usual.y))
		ret->low = g->latency ? exp(-k->usual.y)
		                      : exp(k->usual.x + k->usual.y);
	if (!isnan(k->usual.loss))
		ret->loss = k->usual.loss;
	if (!isnan(k->pace))
		ret->pace = exp(k->pace);
}

enum fp_status judge_classes_make(struct judge_group *g, struct fp_err *err)
{
	struct samples s = { 0 };
	enum fp_status status;
	size_t k;

	status = classes_assign(g, err);
	if (status)
		return status;
	g->m->classes = calloc(g->m->n_classes + 1, sizeof(*g->m->classes));
	if (!g->m->classes || !samples_alloc(&s, g->m->n_cells)) {
		samples_free(&s);
		return fp_err_set(err, FP_ERR_NOMEM, "no memory to judge");
	}
	for (k = 0; k < g->m->n_classes; k++) {
		samples_take(g, (int32_t)k, &s);
		class_measure(g, &g->classes[k], &s);
		class_publish(g, &g->classes[k], &g->m->classes[k]);
	}
	samples_free(&s);
	return FP_OK;
}

uint32_t judge_class_lone(const struct judge_group *g, int32_t cls,
                          size_t n_bad)
{
	const struct judge_class *k = &g->classes[cls];
	uint32_t least = judge_class_limit(g, cls).of;
	double n = (double)k->n, bad = n_bad > 1 ? (double)n_bad - 1 : 0;
	double tests; /* the first one as well: n (bad / n)^tests = LONE_CHANCE */

	if (bad <= 0 || bad >= n)
		return bad <= 0 ? least : JUDGE_LONE_MAX;
	tests = ceil(log(n / LONE_CHANCE) / log(n / bad));
	if (tests - 1 <= least)
		return least;
	return tests - 1 < JUDGE_LONE_MAX ? (uint32_t)tests - 1
	                                  : JUDGE_LONE_MAX;
}

struct judge_limit judge_class_limit(const struct judge_group *g, int32_t cls)
{
	const struct judge_class *k = &g->classes[cls];
	const struct judge_opts *o = g->opts;
	double small = k->local ? o->small_drop_local : o->small_drop;
	double factor = k->local ? o->latency_factor_local : o->latency_factor;
	struct judge_limit l = {
		.suspect_drop = k->local ? o->slow_drop_local : o->suspect_drop,
		.slow_drop = k->local ? o->slow_drop_local : o->slow_drop,
		.retests = k->local ? o->retests_local : o->retest_flags,
		.of = k->local ? o->retests_local : o->retests,
		.able = (k->n > 2 || k->mirrored) && !k->crowded,
	};

	if (g->latency) {
		l.suspect_drop = l.slow_drop = 1 - 1 / factor;
		l.excess_s = o->latency_excess_s;
	} else if (k->n < o->small_class) {
		l.slow_drop = fmax(small, l.slow_drop);
		l.suspect_drop = l.slow_drop;
	}
	return l;
}
