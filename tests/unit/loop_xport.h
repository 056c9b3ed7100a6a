/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A transport between threads of a test: bounded byte queues in memory, as a
 * socket is, so that whoever waits for the wrong end first locks up.
 */
#ifndef FP_TESTS_UNIT_LOOP_XPORT_H
#define FP_TESTS_UNIT_LOOP_XPORT_H

#include "probes/xport/xport.h"

extern const struct xport_ops loop_xport_ops;

/** struct loop_net - owns its eps. */
struct loop_net;

/**
 * loop_net_open() - no ep yet.
 * @board:       whose abort word stops the steps of @trial; may be NULL.
 * @queue_bytes: what a connection takes before its sender waits.
 *
 * Return: NULL without memory.
 */
struct loop_net *loop_net_open(const struct board *board, uint32_t trial,
                               size_t queue_bytes);

/**
 * loop_net_pair() - two connected eps with send regions of @a_bytes and
 * @b_bytes. Closing one shows at the other once its queue is drained.
 */
void loop_net_pair(struct loop_net *net, size_t a_bytes, size_t b_bytes,
                   struct xport_ep **ret_a, struct xport_ep **ret_b);

/** loop_net_close() - frees all eps, closed or not. Takes NULL. */
void loop_net_close(struct loop_net *net);

#endif
