// SPDX-License-Identifier: Apache-2.0
// The verbs transport's records in a peer's memory: notes, and what of them
// was taken.
#include <string.h>

#include "probes/xport/verbs_note.h"
#include "topo/base/clock.h"

#define LEAVE_NS (1 * FP_NS_PER_S)
#define LEAVE_NAP_NS 20000L
#define TELL_NOTES (VERBS_NOTES / 4)
#define TELL_PIECES (VERBS_PIECES / 4)
#define SEAL_STEP 0x9e3779b97f4a7c15u /* odd, bits without a pattern */

static uint64_t seal_add(uint64_t seal, uint64_t word)
{
	seal = (seal ^ word) * SEAL_STEP;
	return seal ^ seal >> 32;
}

uint64_t verbs_seal(uint64_t seal, const void *bytes, size_t len)
{
	const uint8_t *at = bytes;
	uint64_t word;

	seal = seal_add(seal + SEAL_STEP, len);
	for (; len >= sizeof(word); at += sizeof(word), len -= sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		seal = seal_add(seal, word);
	}
	word = 0;
	if (len > 0) /* a message may be none at all */
		memcpy(&word, at, len);
	return seal_add(seal, word);
}

/* A tail's own words count as one: its message makes the rest. */
uint64_t verbs_note_seal(const struct verbs_tail *tail, uint64_t number,
                         const void *bytes, size_t len)
{
	uint64_t seal =
		verbs_seal(number, tail, offsetof(struct verbs_tail, seal));

	return verbs_seal(seal, bytes, len);
}

static uint64_t note_at(uint64_t number)
{
	return offsetof(struct verbs_box, notes) +
	       number % VERBS_NOTES * sizeof(struct verbs_note);
}

static struct verbs_work note_write(struct verbs_ep *ep, uint32_t kind,
                                    const void *bytes, uint32_t len)
{
	struct verbs_note *n = &ep->desk->notes[ep->notes_sent % VERBS_NOTES];
	uint32_t inside = kind == NOTE_PIECE ? 0 : len;
	uint32_t off = (uint32_t)VERBS_SHORT - inside;
	uint64_t to = ep->peer_box.addr + note_at(ep->notes_sent) + off;

	n->tail = (struct verbs_tail){
		.len = len,
		.kind = (uint16_t)kind,
		.number = (uint16_t)++ep->notes_sent,
	};
	if (inside)
		memcpy(n->bytes + off, bytes, inside);
	n->tail.seal = verbs_note_seal(&n->tail, ep->notes_sent, n->bytes + off,
	                               inside);
	return (struct verbs_work){
		.from = n->bytes + off,
		.lkey = ep->desk_mr->lkey,
		.rkey = ep->peer_box.rkey,
		.to = to,
		.len = inside + (uint32_t)sizeof(n->tail),
	};
}

/* Written over again and again: what does not fit is a later one, half. */
const struct verbs_taken *verbs_peer_taken(struct verbs_ep *ep)
{
	struct verbs_taken seen;

	seen.seal = verbs_seen(&ep->box->taken.seal);
	seen.notes = verbs_seen(&ep->box->taken.notes);
	seen.pieces = verbs_seen(&ep->box->taken.pieces);
	seen.offers = verbs_seen(&ep->box->taken.offers);
	if (seen.seal ==
	    verbs_seal(0, &seen, offsetof(struct verbs_taken, seal)))
		ep->peer_taken = seen;
	return &ep->peer_taken;
}

bool verbs_note_room(struct verbs_ep *ep)
{
	return ep->notes_sent - verbs_peer_taken(ep)->notes < VERBS_NOTES;
}

bool verbs_piece_room(struct verbs_ep *ep)
{
	return ep->pieces_sent - verbs_peer_taken(ep)->pieces < VERBS_PIECES;
}

enum fp_status verbs_note_send(struct verbs_ep *ep,
                               const struct verbs_said *said, bool *ret_sent,
                               struct fp_err *err)
{
	struct verbs_work write;

	*ret_sent = verbs_note_room(ep) && verbs_room(ep, 0, 1);
	if (!*ret_sent)
		return FP_OK;
	write = note_write(ep, said->kind, said->bytes, said->len);
	return verbs_post(ep, 0, &write, 1, said->signal, err);
}

/* The piece is there before its note is: one queue pair, in order. */
enum fp_status verbs_piece_send(struct verbs_ep *ep, size_t off, uint32_t len,
                                struct fp_err *err)
{
	uint64_t at = ep->pieces_sent++ % VERBS_PIECES;
	const struct verbs_work writes[2] = {
		{ .from = ep->tx + off,
		  .lkey = ep->tx_mr->lkey,
		  .rkey = ep->peer_box.rkey,
		  .to = ep->peer_box.addr + offsetof(struct verbs_box, pieces) +
		        at * VERBS_PIECE_BYTES,
		  .len = len },
		note_write(ep, NOTE_PIECE, NULL, len),
	};

	enum fp_status status = verbs_post(ep, 0, writes, 2, true, err);

	ep->tx_last = ep->qps[0].posted;
	return status;
}

/* A message of which a part lies in its note: where, and how much. */
static size_t part_inside(const struct verbs_tail *tail)
{
	return tail->kind == NOTE_PIECE || tail->len > VERBS_SHORT ? 0
	                                                           : tail->len;
}

/* What the peer writes is read once, then checked. */
bool verbs_note_come(const struct verbs_ep *ep, struct verbs_come *ret)
{
	const struct verbs_note *n =
		&ep->box->notes[ep->taken.notes % VERBS_NOTES];
	const uint64_t number = ep->taken.notes + 1;
	size_t inside;

	if (*(const volatile uint16_t *)&n->tail.number != (uint16_t)number)
		return false;
	ret->tail.seal = verbs_seen(&n->tail.seal);
	ret->tail.len = *(const volatile uint32_t *)&n->tail.len;
	ret->tail.kind = *(const volatile uint16_t *)&n->tail.kind;
	ret->tail.number = (uint16_t)number;
	inside = part_inside(&ret->tail);
	memcpy(ret->bytes, n->bytes + VERBS_SHORT - inside, inside);
	return ret->tail.seal ==
	       verbs_note_seal(&ret->tail, number, ret->bytes, inside);
}

static bool is_taken_told(const struct verbs_ep *ep)
{
	return ep->taken.notes - ep->taken_told.notes < TELL_NOTES &&
	       ep->taken.pieces - ep->taken_told.pieces < TELL_PIECES;
}

enum fp_status verbs_taken_tell(struct verbs_ep *ep, bool signal,
                                struct fp_err *err)
{
	struct verbs_taken *desk =
		&ep->desk->taken[ep->taken_at++ % VERBS_DEPTH];
	const struct verbs_work write = {
		.from = desk,
		.lkey = ep->desk_mr->lkey,
		.rkey = ep->peer_box.rkey,
		.to = ep->peer_box.addr + offsetof(struct verbs_box, taken),
		.len = sizeof(*desk),
	};

	*desk = ep->taken;
	desk->seal = verbs_seal(0, desk, offsetof(struct verbs_taken, seal));
	ep->taken_told = ep->taken;
	return verbs_post(ep, 0, &write, 1, signal, err);
}

enum fp_status verbs_note_done(struct verbs_ep *ep, bool piece,
                               struct fp_err *err)
{
	enum fp_status status = FP_OK;

	ep->taken.notes++;
	ep->taken.pieces += piece;
	if (is_taken_told(ep))
		return FP_OK;
	if (!verbs_room(ep, 0, 1))
		status = verbs_reap(ep, err);
	if (status == FP_OK && verbs_room(ep, 0, 1))
		status = verbs_taken_tell(ep, false, err);
	return status;
}

bool verbs_has_left(const struct verbs_ep *ep)
{
	struct verbs_come come;

	return verbs_note_come(ep, &come) && come.tail.kind == NOTE_BYE;
}

/* What was said last has got through when the device says so, or when the
 * peer has said goodbye, too; a queue pair that goes takes with it what has
 * not left yet. */
static bool is_through(const struct verbs_ep *ep, uint32_t bye)
{
	return (int32_t)(ep->qps[0].done - bye) >= 0 || verbs_has_left(ep);
}

static void say_goodbye(struct verbs_ep *ep)
{
	static const struct verbs_said bye_note = { .kind = NOTE_BYE,
		                                    .signal = true };
	const struct timespec nap = { .tv_nsec = LEAVE_NAP_NS };
	const int64_t until_ns = fp_now_ns() + LEAVE_NS;
	enum fp_status status;
	bool sent = false;
	uint32_t bye;

	status = verbs_note_send(ep, &bye_note, &sent, NULL);
	bye = ep->qps[0].posted;
	while (status == FP_OK && sent && !is_through(ep, bye) &&
	       fp_now_ns() < until_ns) {
		(void)nanosleep(&nap, NULL);
		status = verbs_reap(ep, NULL);
	}
}

void verbs_ep_leave(struct xport_ep *xep)
{
	struct verbs_ep *ep = (struct verbs_ep *)xep;

	if (ep && !ep->port.broken)
		say_goodbye(ep);
	verbs_ep_close(xep);
}
