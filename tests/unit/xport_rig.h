/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes that meet over a transport: the test itself is member 0, children
 * are the others. A check that fails ends a child, and fails the test.
 */
#ifndef FP_TESTS_UNIT_XPORT_RIG_H
#define FP_TESTS_UNIT_XPORT_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <cmocka.h>

#include "probes/xport/xport.h"
#include "topo/base/clock.h"

#define RIG_MEMBERS 4
#define RIG_LONG_S 20.0 /* longer than anything that works takes */

struct rig {
	uint32_t me, n;
	struct board *boards; /* of all members, shared */
	int links[RIG_MEMBERS];
	pid_t children[RIG_MEMBERS];
	struct wire_setup setup;
	struct xport_env env;
	struct trial trial;
	const struct xport_ops *ops;
	struct xport *x;
	struct wire_blob blobs[RIG_MEMBERS];
	struct fp_err err;
};

/** struct rig_plan - what the members do; body() runs in each. */
struct rig_plan {
	const struct xport_ops *ops;
	uint32_t n;
	void (*body)(struct rig *r, const void *arg);
	const void *arg;
	/** before the transport opens; or NULL */
	void (*adjust)(struct rig *r, const void *arg);
	int killed; /* a signal that ends the children, expected; or 0 */
};

/**
 * rig_run() - fork, open, listen, swap endpoints, body(), close. Then all
 * children have ended well, no descriptor is left and no file in /dev/shm.
 */
void rig_run(const struct rig_plan *plan);

/** rig_connect() - meet @peer; FP_OK or the test fails. */
struct xport_ep *rig_connect(struct rig *r, uint32_t peer, uint32_t lane,
                             enum xport_side side, size_t tx_bytes);

/** rig_try() - the same, for what is to fail, within @seconds. */
enum fp_status rig_try(struct rig *r, uint32_t peer, enum xport_side side,
                       double seconds);

/** rig_step() - xport_step_run() of @step within @seconds, as rig's err. */
enum fp_status rig_step(struct rig *r, struct xport_step step, double seconds);

/** rig_send(), rig_recv() - half a step that works, or the test fails. */
void rig_send(struct rig *r, struct xport_ep *to, size_t len);
void rig_recv(struct rig *r, struct xport_ep *from, void *buf, size_t len);

/** rig_say(), rig_hear() - one byte between member 0 and @peer, beside the
 * transport, to put things in order. */
void rig_say(struct rig *r, uint32_t peer);
void rig_hear(struct rig *r, uint32_t peer);

/** rig_swap() - everybody gets everybody's r->blobs[own]. */
void rig_swap(struct rig *r);

/** rig_barrier() - members 0 and 1 are both here. */
void rig_barrier(struct rig *r);

/** rig_fill(), rig_wrong() - @len bytes that follow from @seed. */
void rig_fill(uint8_t *data, size_t len, uint32_t seed);
size_t rig_wrong(const uint8_t *data, size_t len, uint32_t seed);

/** rig_fail() - what RIG_CHECK does. */
void rig_fail(const struct rig *r, const char *file, int line,
              const char *what);

#define RIG_CHECK(r, condition) \
	((condition) ? (void)0 : rig_fail(r, __FILE__, __LINE__, #condition))

#endif
