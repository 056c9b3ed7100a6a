// SPDX-License-Identifier: Apache-2.0
// What a blame is called in the catalogue: tables by place, kind, direction.
#include "probes/judge/code.h"

#include "probes/finding/finding.h"

/* How an end is slow depends on the direction: tx, rx, both. */
static const uint8_t slow_codes[BLAME_LEVEL_COUNT][3] = {
	[BLAME_HOST] = { FINDING_HOST_SLOW, FINDING_HOST_SLOW,
	                 FINDING_HOST_SLOW },
	[BLAME_PORT] = { FINDING_NIC_TX_SLOW, FINDING_NIC_RX_SLOW,
	                 FINDING_NIC_SLOW },
	[BLAME_PORT_PAIR] = { FINDING_PAIR_SLOW, FINDING_PAIR_SLOW,
	                      FINDING_PAIR_SLOW },
	[BLAME_RANK] = { FINDING_RANK_TX_SLOW, FINDING_RANK_RX_SLOW,
	                 FINDING_RANK_SLOW },
	[BLAME_PAIR] = { FINDING_PAIR_SLOW, FINDING_PAIR_SLOW,
	                 FINDING_PAIR_SLOW },
};

static const uint8_t dead_nic_codes[3] = {
	FINDING_NIC_TX_DEAD,
	FINDING_NIC_RX_DEAD,
	FINDING_NIC_DEAD,
};

/* How something is dead: what a device, a rank, a pair is called then. A
 * device is just dead where this says NIC_DEAD. */
static const uint8_t dead_codes[MARK_KIND_COUNT][3] = {
	[MARK_BLACKHOLE] = { FINDING_NIC_DEAD, FINDING_RANK_HANG,
	                     FINDING_PAIR_BLACKHOLE },
	[MARK_MTU] = { FINDING_NIC_MTU, FINDING_NIC_MTU, FINDING_PAIR_MTU },
	[MARK_HANG] = { FINDING_NIC_DEAD, FINDING_RANK_HANG,
	                FINDING_PAIR_HANG },
	[MARK_ERROR] = { FINDING_NIC_DEAD, FINDING_RANK_ERROR,
	                 FINDING_PAIR_ERROR },
	[MARK_HANG_ALIVE] = { FINDING_RANK_HANG, FINDING_RANK_HANG,
	                      FINDING_PAIR_HANG },
	[MARK_ERROR_ALIVE] = { FINDING_RANK_ERROR, FINDING_RANK_ERROR,
	                       FINDING_PAIR_ERROR },
};

/* Of the other symptoms: an end, a pair. */
static const uint8_t other_codes[SYMPTOM_COUNT][2] = {
	[SYMPTOM_CORRUPT] = { FINDING_DATA_CORRUPT, FINDING_DATA_CORRUPT },
	[SYMPTOM_LOSS] = { FINDING_NIC_LOSS, FINDING_PAIR_LOSS },
	[SYMPTOM_STALL] = { FINDING_NIC_JITTER, FINDING_PAIR_JITTER },
	[SYMPTOM_JITTER] = { FINDING_NIC_JITTER, FINDING_PAIR_JITTER },
	[SYMPTOM_LATENCY] = { FINDING_PAIR_LATENCY, FINDING_PAIR_LATENCY },
};

bool blame_is_pair(const struct judge_blame *b)
{
	return b->level == BLAME_PAIR || b->level == BLAME_PORT_PAIR;
}

static unsigned direction_index(const struct judge_blame *b)
{
	return b->direction == DIRECTION_TX   ? 0
	       : b->direction == DIRECTION_RX ? 1
	                                      : 2;
}

unsigned blame_code(const struct judge_blame *b)
{
	unsigned code;

	if (b->symptom == SYMPTOM_SLOW)
		return slow_codes[b->level][direction_index(b)];
	if (b->symptom != SYMPTOM_DEAD)
		return other_codes[b->symptom][blame_is_pair(b)];
	code = dead_codes[b->kind][blame_is_pair(b)         ? 2
	                           : b->level == BLAME_RANK ? 1
	                                                    : 0];
	return code == FINDING_NIC_DEAD ? dead_nic_codes[direction_index(b)]
	                                : code;
}

unsigned blame_code_of_gpu(unsigned code)
{
	switch (code) {
	case FINDING_RANK_SLOW:
	case FINDING_RANK_TX_SLOW:
	case FINDING_RANK_RX_SLOW:
		return FINDING_GPU_LINK_SLOW;
	case FINDING_PAIR_SLOW:
		return FINDING_GPU_PAIR_SLOW;
	case FINDING_RANK_HANG:
		return FINDING_GPU_HANG;
	default:
		return code;
	}
}
