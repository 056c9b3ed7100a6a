/* SPDX-License-Identifier: Apache-2.0 */
/* What mailbox.c (who is in) and mailbox_door.c (who comes in) share. */
#ifndef FP_MPI_MAILBOX_IMPL_H
#define FP_MPI_MAILBOX_IMPL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "mpi/mailbox/conn.h"
#include "mpi/mailbox/mailbox.h"
#include "mpi/mailbox/pulse.h"
#include "mpi/mailbox/sock.h"

struct event;

struct mailbox_peer {
	TAILQ_ENTRY(mailbox_peer) pending;
	struct mailbox *box;
	struct mailbox_conn *conn;
	int32_t rank; /* -1: has not said hello */
	int64_t since_ns;
	bool adopted;
	bool spare; /* an agent's second connection, which it does not use */
	char from[MAILBOX_SOCK_NAME_MAX];
};

TAILQ_HEAD(mailbox_peers, mailbox_peer);

struct mailbox {
	struct event_base *base;
	struct mailbox_opts opts;
	struct mailbox_cb cb;
	uint8_t token[BOOT_TOKEN_BYTES];
	int fd;
	struct event *accept, *tick;
	struct mailbox_pulse pulse;
	struct mailbox_peers pending; /* oldest first */
	uint32_t n_pending;
	bool pressed; /* not accepting for want of room */
	int32_t size;
	bool *seen;                  /* [size] */
	struct mailbox_peer **peers; /* [size] */
};

/**
 * mailbox_peer_new() - a connection that has not said hello. Takes @fd over.
 *
 * Return: FP_OK with @ret, which belongs to @m; FP_ERR_NOMEM.
 */
enum fp_status mailbox_peer_new(struct mailbox *m, int fd,
                                struct mailbox_peer **ret, struct fp_err *err);

/** mailbox_door_set() - accept connections, or not for now. */
void mailbox_door_set(struct mailbox *m, bool open);

/** mailbox_door_accept() - libevent's callback of the listening socket. */
void mailbox_door_accept(int listen_fd, short what, void *mailbox);

/** mailbox_door_greet() - @f is the first frame of @p: take it or not. */
void mailbox_door_greet(struct mailbox_peer *p, const struct wire_frame *f);

/** mailbox_door_tick() - put out who has waited too long without a hello. */
void mailbox_door_tick(struct mailbox *m, int64_t now_ns);

#endif
