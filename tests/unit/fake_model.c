// SPDX-License-Identifier: Apache-2.0
// What the model cluster does with data that flows.
#include "tests/unit/fake_model.h"

#define FAKE_SHM_BPS 8e9
#define FAKE_LOOPBACK_BPS 3e9
#define FAKE_WIRE_PART 0.956 /* of the line rate, after headers */
#define FAKE_LATENCY_SHM_S 400e-9
#define FAKE_LATENCY_S 25e-6

/* One-sided noise in [1 - noise, 1]: xorshift64. */
double fake_noise(struct fake_exec *f)
{
	f->rng ^= f->rng << 13;
	f->rng ^= f->rng >> 7;
	f->rng ^= f->rng << 17;
	return 1 - f->noise * (double)(f->rng >> 11) / 0x1p53;
}

bool fake_end_matches(const struct fake_rule *r, const struct topo_job *job,
                      int32_t wanted, int32_t rank)
{
	return wanted == FAKE_ANY ||
	       wanted == (r->by_host ? job->ranks[rank].host : rank);
}

/* By which port of the end that the rule is about? */
static bool port_matches(const struct fake_rule *r,
                         const struct fake_flow *flow)
{
	int32_t rank = r->src == FAKE_ANY ? flow->dst : flow->src;

	return !r->port || trial_ep(flow->t, rank) == r->port - 1;
}

struct fake_rule *fake_find_rule(const struct fake_flow *flow,
                                 enum fake_kind kind)
{
	struct fake_exec *f = flow->f;
	bool same = topo_job_same_host(f->job, flow->src, flow->dst);
	struct fake_rule *r;

	for (r = f->rules; r < f->rules + f->n_rules; r++)
		if (r->kind == kind && f->n_rounds >= r->from && !r->spent &&
		    (!same || r->inside || !r->by_host) &&
		    port_matches(r, flow) &&
		    fake_end_matches(r, f->job, r->src, flow->src) &&
		    fake_end_matches(r, f->job, r->dst, flow->dst))
			return r;
	return NULL;
}

struct fake_flow fake_reversed(const struct fake_flow *flow)
{
	return (struct fake_flow){ flow->f, flow->t, flow->dst, flow->src };
}

bool fake_worker(const struct fake_exec *f, enum fake_kind kind, int32_t rank)
{
	const struct fake_rule *r;

	for (r = f->rules; r < f->rules + f->n_rules; r++)
		if (r->kind == kind && f->n_rounds >= r->from && r->src == rank)
			return true;
	return false;
}

bool fake_is_shared(const struct fake_exec *f, int32_t rank)
{
	const struct fake_rule *r;

	for (r = f->rules; r < f->rules + f->n_rules; r++)
		if (r->kind == FAKE_FOREIGN && r->src == rank &&
		    f->n_rounds >= r->from &&
		    f->n_rounds < r->from + (uint32_t)r->factor)
			return true;
	return false;
}

bool fake_hangs(const struct fake_flow *flow)
{
	struct fake_flow back = fake_reversed(flow);
	struct fake_rule *once = fake_find_rule(flow, FAKE_ONCE);

	if (once) {
		once->spent = true;
		return true;
	}
	if (fake_find_rule(flow, FAKE_HANG) ||
	    fake_worker(flow->f, FAKE_STUCK, flow->src) ||
	    fake_worker(flow->f, FAKE_STUCK, flow->dst))
		return true;
	if (flow->t->xport == XPORT_SHM)
		return false;
	return fake_find_rule(flow, FAKE_HOLE) ||
	       fake_find_rule(&back, FAKE_HOLE) ||
	       (flow->t->bytes > 1400 && fake_find_rule(flow, FAKE_MTU));
}

double fake_rate(const struct fake_flow *flow)
{
	const struct topo_job *job = flow->f->job;
	const struct topo_netdev *dev = topo_job_netdev(job, flow->src);
	const struct fake_rule *slow = fake_find_rule(flow, FAKE_SLOW);
	double rate = FAKE_SHM_BPS;

	if (flow->t->xport == XPORT_TCP) {
		rate = FAKE_LOOPBACK_BPS;
		if (!topo_job_same_host(job, flow->src, flow->dst))
			rate = (dev && dev->speed_bps > 0
			                ? (double)dev->speed_bps
			                : 1e9) /
			       8 * FAKE_WIRE_PART;
	}
	if (fake_is_shared(flow->f, flow->src) ||
	    fake_is_shared(flow->f, flow->dst))
		rate /= 2;
	return rate * fake_noise(flow->f) / (slow ? slow->factor : 1);
}

double fake_latency(const struct fake_flow *flow)
{
	const struct fake_rule *late = fake_find_rule(flow, FAKE_LATE);
	double s = flow->t->xport == XPORT_SHM ? FAKE_LATENCY_SHM_S
	                                       : FAKE_LATENCY_S;

	return s / fake_noise(flow->f) * (late ? late->factor : 1);
}
