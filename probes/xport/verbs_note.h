/* SPDX-License-Identifier: Apache-2.0 */
/* The verbs transport's records in a peer's memory. */
#ifndef FP_PROBES_XPORT_VERBS_NOTE_H
#define FP_PROBES_XPORT_VERBS_NOTE_H

#include "probes/xport/verbs.h"

/**
 * verbs_seal() - a number that, but for a chance of 2^-64, only these @len
 * bytes have, behind what @seal stands for: a number, or another seal.
 */
uint64_t verbs_seal(uint64_t seal, const void *bytes, size_t len);

/** verbs_note_seal() - of note @number with this @tail and, inside, a message
 * of @len bytes. */
uint64_t verbs_note_seal(const struct verbs_tail *tail, uint64_t number,
                         const void *bytes, size_t len);

/** verbs_peer_taken() - what the peer has consumed, as far as it is known. */
const struct verbs_taken *verbs_peer_taken(struct verbs_ep *ep);

/** verbs_note_room(), verbs_piece_room() - has the peer room for one more? */
bool verbs_note_room(struct verbs_ep *ep);
bool verbs_piece_room(struct verbs_ep *ep);

/** struct verbs_said - what a note is to say. */
struct verbs_said {
	uint32_t kind; /* enum verbs_note_kind */
	uint32_t len;  /* VERBS_SHORT at most */
	const void *bytes;
	bool signal; /* see verbs_post() */
};

/** verbs_note_send() - send a note, if there is room: *@ret_sent. FP_ERR_SYS
 * as verbs_post(). */
enum fp_status verbs_note_send(struct verbs_ep *ep,
                               const struct verbs_said *said, bool *ret_sent,
                               struct fp_err *err);

/** verbs_piece_send() - @len bytes at @off of the send region as a piece; there
 * is room. FP_ERR_SYS as verbs_post(). */
enum fp_status verbs_piece_send(struct verbs_ep *ep, size_t off, uint32_t len,
                                struct fp_err *err);

/** struct verbs_come - a note that came; @bytes: the message, if it is short. */
struct verbs_come {
	struct verbs_tail tail;
	uint8_t bytes[VERBS_SHORT];
};

/** verbs_note_come() - the next note, as *@ret; false: it is not there yet, or
 * not all of it, and *@ret is of no use. */
bool verbs_note_come(const struct verbs_ep *ep, struct verbs_come *ret);

/** verbs_has_left() - is a goodbye what comes next? */
bool verbs_has_left(const struct verbs_ep *ep);

/** verbs_note_done() - the note that came is consumed, and its @piece; the
 * peer is told now and then. FP_ERR_SYS as verbs_post(). */
enum fp_status verbs_note_done(struct verbs_ep *ep, bool piece,
                               struct fp_err *err);

/** verbs_taken_tell() - tell the peer what was consumed; there is room. */
enum fp_status verbs_taken_tell(struct verbs_ep *ep, bool signal,
                                struct fp_err *err);

#endif
