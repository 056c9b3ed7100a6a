/* SPDX-License-Identifier: Apache-2.0 */
/* Members of a trial as threads over the loop transport. */
#ifndef FP_TESTS_UNIT_MEASURE_PARTY_H
#define FP_TESTS_UNIT_MEASURE_PARTY_H

#include "probes/measure/measure.h"
#include "tests/unit/loop_xport.h"

#define PARTY_MAX 6
#define PARTY_ROOM 4096
#define PARTY_FIRST_RANK 10 /* ranks are not member indices */

struct party_member {
	struct measure m;
	struct board board;
	struct outcome o;
	struct fp_err err;
	enum fp_status status;
	struct xport_ep *mesh[PARTY_MAX];
	double samples[PARTY_ROOM], rates[PARTY_ROOM];
};

struct party {
	struct trial trial;
	int32_t ranks[PARTY_MAX];
	uint32_t n;
	struct loop_net *net;
	struct party_member *members;
};

/** party_trial() - a short one between the first two members. */
struct trial party_trial(uint16_t op, uint64_t bytes);

/** party_open() - @n members of @t, connected. Undo with party_close(). */
void party_open(struct party *p, const struct trial *t, uint32_t n);

/** party_member_run() - measure_run() of a struct party_member; a thread's
 * function. */
void *party_member_run(void *arg);

/** party_run() - all members at once, until the last one is done. */
void party_run(struct party *p);
void party_close(struct party *p);

#endif
