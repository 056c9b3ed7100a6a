// SPDX-License-Identifier: Apache-2.0
// Faults on purpose on top of any transport: its steps.
#include "probes/xport/fault.h"

#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "probes/measure/lane.h"
#include "probes/xport/pacer.h"
#include "topo/base/clock.h"

#define US 1000LL
#define MS 1000000LL

#define SLEEP_MAX_NS (2 * MS)    /* between two looks at the abort word */
#define SLEEP_LATE_NS (100 * US) /* what a sleep may oversleep */

struct fault_ep {
	struct xport_ep ep;
	struct xport_ep *inner; /* NULL: closed by a drop */
	const struct fault_set *set;
	struct trial trial; /* xport is the wrapped one's, not auto */
	uint32_t me;
	int32_t peer_rank;
	uint64_t bytes, messages; /* received */
	struct pacer pacer;
};

static const struct inject_rule *rule_of(const struct fault_ep *f,
                                         enum inject_kind kind)
{
	return fault_set_find(f->set, 1u << kind, &f->trial, f->peer_rank,
	                      f->set->rank);
}

/* The same draw for all pieces of a message. */
static const struct inject_rule *rule_drawn(const struct fault_ep *f,
                                            enum inject_kind kind)
{
	const struct inject_rule *rule = rule_of(f, kind);

	if (!rule || !fault_chance(rule, &f->trial, f->peer_rank, f->set->rank,
	                           f->messages))
		return NULL;
	return rule;
}

static enum fp_status waited_enough(const struct fault_ep *f,
                                    int64_t deadline_ns, struct fp_err *err)
{
	if (f->set->board && atomic_load(&f->set->board->abort) == f->trial.id)
		return fp_err_set(err, FP_ERR_INTR, "told to stop");
	if (fp_now_ns() >= deadline_ns)
		return fp_err_set(err, FP_ERR_TIMEOUT,
		                  "deadline passed in an injected fault");
	return FP_OK;
}

static void rest(int64_t ns)
{
	const struct timespec ts = { .tv_nsec = (long)ns };

	if (ns > SLEEP_LATE_NS)
		(void)nanosleep(&ts, NULL);
	else
		(void)sched_yield();
}

static enum fp_status hold_until(const struct fault_ep *f, int64_t until_ns,
                                 int64_t deadline_ns, struct fp_err *err)
{
	enum fp_status status = FP_OK;
	int64_t left_ns;

	while (status == FP_OK && (left_ns = until_ns - fp_now_ns()) > 0) {
		left_ns -= SLEEP_LATE_NS;
		rest(left_ns < SLEEP_MAX_NS ? left_ns : SLEEP_MAX_NS);
		status = waited_enough(f, deadline_ns, err);
	}
	return status;
}

/* As long as the rule holds: until= may end it. */
static enum fp_status hang(const struct fault_ep *f, int64_t deadline_ns,
                           struct fp_err *err)
{
	enum fp_status status = FP_OK;

	while (status == FP_OK && rule_of(f, INJECT_HANG)) {
		rest(SLEEP_MAX_NS);
		status = waited_enough(f, deadline_ns, err);
	}
	return status;
}

static enum fp_status gone(struct fp_err *err)
{
	return fp_err_set(err, FP_ERR_SYS, "dropped by an injected fault");
}

static enum fp_status drop(struct fault_ep *f, struct fp_err *err)
{
	f->inner->ops->ep_close(f->inner);
	f->inner = NULL;
	return gone(err);
}

static void corrupt(const struct fault_ep *f, const struct inject_rule *rule,
                    uint8_t *buf, size_t len)
{
	size_t n = rule->bytes < len ? (size_t)rule->bytes : len;
	uint64_t draw = fault_draw(rule, &f->trial, f->peer_rank, f->set->rank,
	                           ~f->messages);
	size_t at = (size_t)(draw % (len - n + 1));

	for (size_t i = 0; i < n; i++)
		buf[at + i] ^= 0x55;
	fault_acted(f->set, rule);
}

static enum fp_status before(struct fault_ep *f, const struct xport_step *step,
                             struct fp_err *err)
{
	const struct inject_rule *rule = rule_drawn(f, INJECT_DROP);

	if (rule) {
		fault_acted(f->set, rule);
		return drop(f, err);
	}
	rule = rule_drawn(f, INJECT_HANG);
	if (!rule)
		return FP_OK;
	fault_acted(f->set, rule);
	return hang(f, step->deadline_ns, err);
}

/* Pairs: what happens to a message happens when its last piece is in. */
static bool message_ends(struct fault_ep *f, size_t len)
{
	f->bytes += len;
	return !trial_is_pair(&f->trial) || f->bytes % f->trial.bytes == 0;
}

static enum fp_status slow(struct fault_ep *f, const struct inject_rule *rule,
                           const struct xport_step *step, int64_t begin_ns,
                           struct fp_err *err)
{
	int64_t now_ns = fp_now_ns();
	const struct pacer_piece piece = {
		.begin_ns = begin_ns,
		.end_ns = now_ns,
		.bytes = step->rx_len,
		.buffered = f->trial.xport == XPORT_TCP && step->mark,
		.mark = step->mark ? *step->mark : (struct xport_mark){ 0 },
	};
	int64_t until_ns = pacer_hold(&f->pacer, &piece, rule->factor);

	if (until_ns > now_ns)
		fault_acted(f->set, rule);
	return hold_until(f, until_ns, step->deadline_ns, err);
}

static enum fp_status after(struct fault_ep *f, const struct xport_step *step,
                            int64_t begin_ns, struct fp_err *err)
{
	const struct inject_rule *rule = rule_of(f, INJECT_SLOW);
	enum fp_status status = FP_OK;

	if (rule)
		status = slow(f, rule, step, begin_ns, err);
	if (status != FP_OK || !message_ends(f, step->rx_len))
		return status;
	rule = rule_drawn(f, INJECT_CORRUPT);
	if (rule)
		corrupt(f, rule, step->rbuf, step->rx_len);
	rule = rule_drawn(f, INJECT_JITTER);
	if (rule) {
		fault_acted(f->set, rule);
		status = hold_until(f, fp_now_ns() + (int64_t)(rule->ms * MS),
		                    step->deadline_ns, err);
	}
	f->messages++;
	return status;
}

/* Words between batches belong to the measuring, not to what is measured. */
static bool is_data(const struct fault_ep *f, size_t len)
{
	return len > 0 && (len != MEASURE_WORD_BYTES || f->trial.bytes == len);
}

/* The receiving half is the one that suffers. */
static enum fp_status receive_step(struct fault_ep *f,
                                   const struct xport_step *step,
                                   const struct xport_step *inner,
                                   struct fp_err *err)
{
	bool data = is_data(f, step->rx_len);
	enum fp_status status = data ? before(f, step, err) : FP_OK;
	int64_t begin_ns = fp_now_ns();

	if (status == FP_OK)
		status = xport_step_run(inner, f->me, err);
	return status == FP_OK && data ? after(f, step, begin_ns, err) : status;
}

static enum fp_status fault_step(const struct xport_step *step,
                                 struct fp_err *err)
{
	struct fault_ep *to = (struct fault_ep *)step->to;
	struct fault_ep *from = (struct fault_ep *)step->from;
	struct xport_step inner = *step;

	if ((to && !to->inner) || (from && !from->inner))
		return gone(err);
	if (to)
		inner.to = to->inner;
	if (!from)
		return to ? xport_step_run(&inner, to->me, err) : FP_OK;
	inner.from = from->inner;
	return receive_step(from, step, &inner, err);
}

static void *fault_tx_region(struct xport_ep *ep)
{
	struct fault_ep *f = (struct fault_ep *)ep;

	return f->inner ? f->inner->ops->tx_region(f->inner) : NULL;
}

static void *fault_rx_region(struct xport_ep *ep)
{
	struct fault_ep *f = (struct fault_ep *)ep;

	return f->inner && f->inner->ops->rx_region
	               ? f->inner->ops->rx_region(f->inner)
	               : NULL;
}

static void fault_counters(struct xport_ep *ep, struct outcome *o)
{
	struct fault_ep *f = (struct fault_ep *)ep;

	if (f->inner && f->inner->ops->counters)
		f->inner->ops->counters(f->inner, o);
}

static void fault_ep_close(struct xport_ep *ep)
{
	struct fault_ep *f = (struct fault_ep *)ep;

	if (!f)
		return;
	if (f->inner)
		f->inner->ops->ep_close(f->inner);
	free(f);
}

static const struct xport_ops fault_ops = {
	.name = "fault",
	.tx_region = fault_tx_region,
	.rx_region = fault_rx_region,
	.step = fault_step,
	.counters = fault_counters,
	.ep_close = fault_ep_close,
};

enum fp_status fault_wrap(const struct fault_set *set,
                          const struct xport_peer *peer, int32_t peer_rank,
                          struct xport_ep **ep, struct fp_err *err)
{
	struct fault_ep *f;

	if (set->n == 0)
		return FP_OK;
	f = calloc(1, sizeof(*f));
	if (!f)
		return fp_err_set(err, FP_ERR_NOMEM,
		                  "no memory to inject faults");
	f->ep.ops = &fault_ops;
	f->inner = *ep;
	f->set = set;
	f->trial = *peer->trial;
	f->trial.xport = (uint16_t)f->inner->ops->id;
	f->me = peer->me;
	f->peer_rank = peer_rank;
	*ep = &f->ep;
	return FP_OK;
}
