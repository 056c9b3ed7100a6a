/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the ends of a verbs connection write into each other's memory.
 *
 * In which order the words of one write appear there, nobody promises; soft-RoCE
 * copies some from the end. So no word says that the others are there: every
 * record has a seal over all of it, see verbs_seal(), and is not there before
 * that fits.
 */
#ifndef FP_PROBES_XPORT_VERBS_BOX_H
#define FP_PROBES_XPORT_VERBS_BOX_H

#include <stddef.h>
#include <stdint.h>

#include "probes/xport/verbs_limits.h"

#define VERBS_NOTES 64
#define VERBS_NOTE_BYTES 256
#define VERBS_PIECES 15
#define VERBS_PIECE_BYTES ((size_t)64 << 10)
#define VERBS_OFFERS 64
#define VERBS_DEPTH 128 /* of a send queue */

enum verbs_note_kind {
	NOTE_SHORT = 1, /* the message lies before the tail */
	NOTE_PIECE,     /* it lies in the next piece */
	NOTE_REGION,    /* a struct verbs_region: where the peer receives */
	NOTE_BYE,       /* nothing comes behind it, nothing is awaited */
};

/** struct verbs_tail - the end of a note. */
struct verbs_tail {
	uint32_t len;
	uint16_t kind;   /* enum verbs_note_kind */
	uint16_t number; /* of the note, from 1: its last bits, quick to see */
	uint64_t seal;   /* of the whole number, the words above, the message */
};

#define VERBS_SHORT (VERBS_NOTE_BYTES - sizeof(struct verbs_tail))

struct verbs_note {
	uint8_t bytes[VERBS_SHORT];
	struct verbs_tail tail;
};
_Static_assert(sizeof(struct verbs_note) == VERBS_NOTE_BYTES, "a note");

/** struct verbs_taken - what an end has consumed so far. */
struct verbs_taken {
	uint64_t notes, pieces;
	uint64_t offers; /* read; or a receive is posted for all of it */
	uint64_t seal;
};

/** struct verbs_placed - how much was written to its place so far. */
struct verbs_placed {
	uint64_t bytes;
	uint64_t seal;
};

/** struct verbs_offer - a message that has a place, as its sender tells. */
struct verbs_offer {
	uint64_t from; /* address at the sender */
	uint64_t at;   /* offset in the receive region */
	uint32_t len, rkey;
	uint64_t seal; /* with its number, from 1 */
};

/** struct verbs_region - memory that a peer may write to, or read from. */
struct verbs_region {
	uint64_t addr, bytes;
	uint32_t rkey, pad;
};

/** struct verbs_box - written by the peer alone. */
struct verbs_box {
	struct verbs_note notes[VERBS_NOTES];
	struct verbs_placed placed[VERBS_QPS_MAX];
	struct verbs_taken taken;
	struct verbs_offer offers[VERBS_OFFERS];
	_Alignas(4096) uint8_t pieces[VERBS_PIECES][VERBS_PIECE_BYTES];
};

/** struct verbs_desk - where this end writes what it sends to a box. */
struct verbs_desk {
	struct verbs_note notes[VERBS_NOTES];
	struct verbs_placed placed[VERBS_QPS_MAX][VERBS_DEPTH];
	struct verbs_taken taken[VERBS_DEPTH];
	struct verbs_offer offers[VERBS_OFFERS];
};

#endif
