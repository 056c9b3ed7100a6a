/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Faults on purpose on top of any transport: the receiving end of a
 * connection holds back, damages or loses what comes, as --inject rules say.
 * Without rules nothing is wrapped and nothing costs.
 */
#ifndef FP_PROBES_XPORT_FAULT_H
#define FP_PROBES_XPORT_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probes/xport/inject.h"
#include "probes/xport/xport.h"

/** struct fault_set - the rules of a worker, and the worker's age. */
struct fault_set {
	struct inject_rule *rules;
	size_t n;
	int32_t rank;         /* this worker's */
	int64_t start_ns;     /* of the worker */
	uint32_t trials_done; /* by it */
	struct board *board;  /* or NULL */
};

/**
 * fault_set_parse() - rules from @lines, one a line; empty lines are none.
 * The other fields of @ret are left as they are.
 *
 * Return: FP_OK; FP_ERR_USAGE as inject_parse(); FP_ERR_NOMEM. Undo with
 * fault_set_done().
 */
enum fp_status fault_set_parse(const char *lines, struct fault_set *ret,
                               struct fp_err *err);

/** fault_set_done() - free the rules; takes NULL. */
void fault_set_done(struct fault_set *set);

/**
 * fault_set_find() - the first rule of one of @kinds (bits of enum
 * inject_kind) that applies to @trial and data from rank @from to rank @to
 * now, p left aside; -1, -1 for none in particular.
 *
 * Return: the rule, or NULL.
 */
const struct inject_rule *fault_set_find(const struct fault_set *set,
                                         uint32_t kinds,
                                         const struct trial *trial,
                                         int32_t from, int32_t to);

/** fault_draw() - 64 random bits, the same for the same rule's seed, trial,
 * ends and @count, whenever they are asked for. */
uint64_t fault_draw(const struct inject_rule *rule, const struct trial *trial,
                    int32_t from, int32_t to, uint64_t count);

/** fault_chance() - does such a draw say yes with @rule's p? */
bool fault_chance(const struct inject_rule *rule, const struct trial *trial,
                  int32_t from, int32_t to, uint64_t count);

/**
 * fault_wrap() - put the faults of @set on *@ep, connected to @peer, whose
 * rank is @peer_rank. Nothing is done when @set has no rules. @set
 * must outlive the ep; the wrapped one is closed with it.
 *
 * Return: FP_OK, FP_ERR_NOMEM (then *@ep is as it was).
 */
enum fp_status fault_wrap(const struct fault_set *set,
                          const struct xport_peer *peer, int32_t peer_rank,
                          struct xport_ep **ep, struct fp_err *err);

/** fault_acted() - note on the board that @rule of @set made a difference. */
void fault_acted(const struct fault_set *set, const struct inject_rule *rule);

/** fault_note() - tell in @o which rules acted in the trial in hand. */
void fault_note(const struct fault_set *set, struct outcome *o);

/** fault_datagram() - what a hang or drop between @from and this worker means
 * for datagrams: none of @o's have arrived. */
void fault_datagram(const struct fault_set *set, const struct trial *trial,
                    int32_t from, struct outcome *o);

#endif
