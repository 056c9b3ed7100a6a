/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Insides of the shared-memory transport. One copy: the receiver copies out
 * of the sender's region, which it can only read. The two directions of a
 * control segment, each line written by one side alone:
 *
 *   slots[64]   sender:   one cache line a message; it goes on line by line,
 *                         a message is there when its stamp is
 *   taken       receiver: how many messages and how many bytes of the region
 *
 * A message of SHM_INLINE bytes or less lies in its slot and is sent when it
 * is written there; a longer one when the receiver has copied it.
 */
#ifndef FP_PROBES_XPORT_SHM_EP_H
#define FP_PROBES_XPORT_SHM_EP_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "probes/xport/door.h"
#include "probes/xport/flow.h"
#include "probes/xport/shm_segment.h"

#define SHM_SLOTS 64
#define SHM_INLINE 48

struct shm_slot {
	_Alignas(64) _Atomic uint64_t stamp; /* its message's number, from 1 */
	uint64_t len;
	union {
		uint64_t off; /* in the sender's region */
		uint8_t bytes[SHM_INLINE];
	};
};
_Static_assert(sizeof(struct shm_slot) == 64, "a slot is a cache line");

struct shm_taken {
	_Alignas(128) _Atomic uint64_t messages;
	_Atomic uint64_t bytes;
};

struct shm_way {
	struct shm_slot slots[SHM_SLOTS];
	struct shm_taken taken;
};

/** struct shm_control - made by the active side, for both. */
struct shm_control {
	struct shm_way ways[2]; /* [0]: from the active side */
};

/** struct shm - the transport, opened. */
struct shm {
	struct xport x;
	const struct xport_env *env;
	uint64_t host; /* a hash, equal where memory can be shared */
	struct door door;
};

/** struct shm_sender - what only the sender knows of its way. */
struct shm_sender {
	struct shm_way *way;
	uint64_t messages, bytes; /* sent so far, the posted one included */
	uint64_t taken;           /* messages, when it was last looked */
	bool posted;              /* one that the receiver is to copy */
};

struct shm_receiver {
	struct shm_way *way;
	uint64_t messages, bytes; /* taken so far */
	size_t pos;               /* in the message that is there */
};

struct shm_ep {
	struct xport_port port;
	struct shm *shm;
	int sock; /* to the peer: tells when it is gone */
	bool gone;
	bool welcome_due; /* still to be read */
	struct door_words welcome;
	struct shm_segment control, region, theirs;
	struct shm_sender tx;
	struct shm_receiver rx;
};

extern const struct xport_flow_ops shm_flow_ops;

/** struct shm_meeting - what connect() has in hand when it is done. */
struct shm_meeting {
	int sock;
	struct shm_segment control;
	bool active;
	struct door_words welcome; /* that the active side will find */
};

/**
 * shm_ep_open() - an ep of what @met, which belongs to it from now on, even on
 * failure. Passes the own region to the peer.
 *
 * Return: FP_OK, FP_ERR_NOMEM, FP_ERR_SYS, FP_ERR_PEER. Undo with
 * shm_ep_close().
 */
enum fp_status shm_ep_open(struct shm *shm, const struct xport_peer *peer,
                           const struct shm_meeting *met,
                           struct shm_ep **ret_ep, struct fp_err *err);

/** shm_peer_name() - "member 1 (shared memory)". */
void shm_peer_name(const struct xport_peer *peer, char *buf, size_t size);

/* Operations of struct xport_ops. */
void shm_ep_close(struct xport_ep *ep);
void *shm_tx_region(struct xport_ep *ep);
void shm_counters(struct xport_ep *ep, struct outcome *o);

#endif
