/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One framed connection in an event loop, the same on both sides of the star.
 * It reads frames, sends at once what the socket takes and queues the rest,
 * and tells its owner when it is broken: always from the loop, never from
 * inside a call of the owner's.
 */
#ifndef FP_MPI_MAILBOX_CONN_H
#define FP_MPI_MAILBOX_CONN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "probes/trial/wire.h"
#include "topo/base/status.h"

struct event;
struct event_base;
struct evbuffer;

#define MAILBOX_CONN_QUEUE_MAX (64u << 20) /* bytes that may wait */
#define MAILBOX_CONN_PARTS_MAX 2           /* of a payload */

/** struct mailbox_conn_ops - the owner's; either may free the connection. */
struct mailbox_conn_ops {
	void (*frame)(void *owner, const struct wire_frame *f);
	/** last call; the owner frees the connection then or later */
	void (*broken)(void *owner, const char *why);
};

/** struct mailbox_conn - fields for the owner to read, but quota and owner. */
struct mailbox_conn {
	const struct mailbox_conn_ops *ops;
	void *owner;
	size_t quota; /* bytes it may still send us; SIZE_MAX: any number */
	int64_t heard_ns, sent_ns;
	int fd;
	bool broken;

	/* the connection's own */
	struct event *readable, *writable;
	struct evbuffer *out;
	struct wire_reader in;
	bool held, busy, freed, mute;
	char why[256];
};

/**
 * mailbox_conn_open() - serve @fd, which must be connected and non-blocking.
 * It is taken over, and closed when this fails.
 *
 * Return: FP_OK; FP_ERR_NOMEM. Undo with mailbox_conn_free().
 */
enum fp_status mailbox_conn_open(struct event_base *base, int fd,
                                 const struct mailbox_conn_ops *ops,
                                 void *owner, struct mailbox_conn **ret,
                                 struct fp_err *err);

/** mailbox_conn_free() - close at once; takes NULL. Safe in callbacks. */
void mailbox_conn_free(struct mailbox_conn *c);

/**
 * mailbox_conn_break() - nothing is read or sent any more, and the loop will
 * tell the owner @why. A connection breaks once: a second call does nothing.
 */
void mailbox_conn_break(struct mailbox_conn *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/** mailbox_conn_hold() - read nothing more and hand out no more frames. */
void mailbox_conn_hold(struct mailbox_conn *c);

/** mailbox_conn_resume() - undo mailbox_conn_hold(); no frame was lost. */
void mailbox_conn_resume(struct mailbox_conn *c);

/**
 * mailbox_conn_send() - send or queue a frame whose payload is @parts.
 * @rank: of the head, for logs.
 * @n: 0..MAILBOX_CONN_PARTS_MAX.
 *
 * Return: FP_OK; FP_ERR_PEER when broken; FP_ERR_LIMIT when the payload is
 * larger than a frame's, or more than MAILBOX_CONN_QUEUE_MAX would wait (then
 * it is broken); FP_ERR_NOMEM (broken too: the stream has a hole).
 */
enum fp_status mailbox_conn_send(struct mailbox_conn *c, enum wire_type type,
                                 uint32_t rank, const struct iovec *parts,
                                 size_t n, struct fp_err *err);

/** mailbox_conn_waiting() - bytes queued; 0 when broken. */
size_t mailbox_conn_waiting(const struct mailbox_conn *c);

/**
 * mailbox_conn_flush() - send what waits in @conns (NULLs are skipped) until
 * nothing waits or @deadline_ns. Does not run the loop: may be called from
 * everywhere, and nobody is called back meanwhile.
 */
void mailbox_conn_flush(struct mailbox_conn *const *conns, size_t n,
                        int64_t deadline_ns);

#endif
