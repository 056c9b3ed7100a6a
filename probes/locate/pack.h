/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rounds in which no two tests stand in each other's way. In one round
 * - a GPU sends once and receives once, as does each port of an HCA,
 * - a PCIe switch carries one flow up to the CPU and one down,
 * - a leaf carries no more flows up or down than it has links to spines,
 * - all tests are of one class, unless few run at all.
 */
#ifndef FP_PROBES_LOCATE_PACK_H
#define FP_PROBES_LOCATE_PACK_H

#include "probes/locate/plan.h"

/** struct locate_ask - a test to be run, and when. */
struct locate_ask {
	uint32_t test;  /* index of the plan's */
	uint32_t round; /* asks of one round run at the same time */
	uint32_t look;  /* 0: the first of this test */
	bool solo;      /* few others run */
};

/** struct locate_pack - scratch of one fabric. locate_pack_init(). */
struct locate_pack {
	const struct fabric *f;
	const struct locate_tests *tests; /* borrowed */
	int32_t *used;                    /* [slots] in the round in hand */
	int32_t *dirty;                   /* slots that are not 0 */
	size_t n_dirty, room_dirty;
	int32_t first[4]; /* slots of GPUs, ports, PCIe switches, leaves */
};

/** locate_pack_init() - for tests of @tests, which may grow. FP_OK or
 * FP_ERR_NOMEM; undo with _done(), which takes half-built ones. */
enum fp_status locate_pack_init(struct locate_pack *p, const struct fabric *f,
                                const struct locate_tests *tests,
                                struct fp_err *err);
void locate_pack_done(struct locate_pack *p);

/**
 * locate_pack() - put the @n of @asks into rounds from *@io_round on, first
 * come first served, and sort them by round.
 * @most: asks between hosts of one round at most, and as many inside them, or
 * one for each host; 0: no limit.
 *
 * Return: FP_OK with *@io_round behind the last one; FP_ERR_NOMEM.
 */
enum fp_status locate_pack(struct locate_pack *p, struct locate_ask *asks,
                           size_t n, uint32_t most, uint32_t *io_round,
                           struct fp_err *err);

#endif
