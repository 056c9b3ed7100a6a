/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The star: one TCP connection from every agent to rank 0, frames of
 * probes/trial/wire.h, heartbeats both ways, all inside one libevent loop. Nothing
 * here blocks. Loopback ends of rank 0 itself come in by mailbox_adopt().
 */
#ifndef FP_MPI_MAILBOX_MAILBOX_H
#define FP_MPI_MAILBOX_MAILBOX_H

#include <stddef.h>
#include <stdint.h>

#include "mpi/boot/boot.h"
#include "probes/trial/wire.h"
#include "topo/base/status.h"

struct event_base;

/** struct mailbox_opts - times in seconds. */
struct mailbox_opts {
	double heartbeat_s;   /* 1: sent when nothing else was */
	double dead_s;        /* 15: silent so long: dead */
	double hello_s;       /* 5: a connection must say hello so soon */
	uint32_t max_pending; /* 64: connections that have not said hello */
};

/** struct mailbox_cb - called from the loop, never from inside mailbox_*();
 * each may call all of mailbox_*(), mailbox_close() too. */
struct mailbox_cb {
	void *arg;
	/** a rank said hello (once per rank: a second one is refused, even of
	 * a rank that was lost); it has been answered already */
	void (*hello)(void *arg, const struct wire_hello *hello);
	/** a frame that is neither hello nor heartbeat */
	void (*frame)(void *arg, int32_t rank, const struct wire_frame *f);
	/** the rank's connection closed, broke or went silent; last call */
	void (*lost)(void *arg, int32_t rank, const char *why);
	/** a connection that was not one of ours was dropped */
	void (*stranger)(void *arg, const char *what);
};

struct mailbox; /* rank 0's side */

/** struct mailbox_listen - for mailbox_open(). */
struct mailbox_listen {
	struct event_base *base;
	int fd; /* a listening socket to take over; -1: make one */
	const char *bind_addr;  /* then: to bind to; NULL: all */
	int32_t size;           /* ranks */
	struct boot_meet *meet; /* port is filled in, token must be there */
};

/**
 * mailbox_open() - listen and serve. Takes how->fd over, also when it fails.
 *
 * Return: FP_OK; FP_ERR_LIMIT when RLIMIT_NOFILE does not fit the ranks and
 * cannot be raised, with what to raise; FP_ERR_SYS; FP_ERR_NOMEM.
 */
enum fp_status mailbox_open(const struct mailbox_listen *how,
                            const struct mailbox_opts *opts,
                            const struct mailbox_cb *cb, struct mailbox **ret,
                            struct fp_err *err);

/** mailbox_adopt() - a connected socket whose far end is an agent in this
 * process; it must still say hello. Takes @fd over, also when it fails. */
enum fp_status mailbox_adopt(struct mailbox *m, int fd, struct fp_err *err);

/** mailbox_send() - queue a frame; FP_ERR_PEER if @rank is not connected;
 * FP_ERR_LIMIT if more than 64 MiB wait for it (then it is lost). */
enum fp_status mailbox_send(struct mailbox *m, int32_t rank,
                            enum wire_type type, const void *payload,
                            size_t len, struct fp_err *err);

/** struct mailbox_parts - a payload of two parts. */
struct mailbox_parts {
	const void *a;
	size_t a_len;
	const void *b;
	size_t b_len;
};

/** mailbox_send_parts() - mailbox_send() with a payload of two parts. */
enum fp_status mailbox_send_parts(struct mailbox *m, int32_t rank,
                                  enum wire_type type,
                                  const struct mailbox_parts *parts,
                                  struct fp_err *err);

/** mailbox_silence_s() - since @rank was last heard; -1 if not connected. */
double mailbox_silence_s(const struct mailbox *m, int32_t rank);

/** mailbox_stall_s() - how long this process stood still itself: until now, or
 * until some moment of the heartbeat before. */
double mailbox_stall_s(const struct mailbox *m);

/** mailbox_flush() - until all is sent or @deadline_ns. Does not run the
 * loop: may be called from callbacks, and none is called meanwhile. */
void mailbox_flush(struct mailbox *m, int64_t deadline_ns);

/** mailbox_close() - nobody is told; takes NULL. */
void mailbox_close(struct mailbox *m);

struct mailbox_link; /* an agent's side */

/** struct mailbox_link_cb - called from the loop, once mailbox_link_dial()
 * has returned; each may call all of mailbox_link_*(). */
struct mailbox_link_cb {
	void *arg;
	void (*frame)(void *arg, const struct wire_frame *f);
	/** the conductor is gone, refused us or went silent; last call */
	void (*lost)(void *arg, const char *why);
};

/** struct mailbox_link_how - all but base is copied. */
struct mailbox_link_how {
	struct event_base *base;
	const struct wire_hello *hello;
	const struct mailbox_opts *opts;
	const struct mailbox_link_cb *cb;
};

/**
 * mailbox_link_dial() - connect to @meet, trying its addresses side by side
 * (each begun 200 ms after the one before), say hello on the first that
 * connects, and give up at @deadline_ns. Runs the loop meanwhile. Refused
 * connections are tried again: rank 0 may come later.
 *
 * Return: FP_OK; FP_ERR_TIMEOUT naming what was tried; FP_ERR_PEER with the
 * text of a refusal; FP_ERR_INTR when a callback broke the loop; FP_ERR_NOMEM.
 */
enum fp_status mailbox_link_dial(const struct mailbox_link_how *how,
                                 const struct boot_meet *meet,
                                 int64_t deadline_ns, struct mailbox_link **ret,
                                 struct fp_err *err);

/**
 * mailbox_link_take() - the same on a socket that is connected already; says
 * hello and does not wait for an answer. Takes @fd over, also when it fails.
 */
enum fp_status mailbox_link_take(const struct mailbox_link_how *how, int fd,
                                 struct mailbox_link **ret, struct fp_err *err);

/** mailbox_link_send() - queue a frame; fails as mailbox_send() does. */
enum fp_status mailbox_link_send(struct mailbox_link *l, enum wire_type type,
                                 const void *payload, size_t len,
                                 struct fp_err *err);

/** mailbox_link_addr() - numeric local address of the connection, e.g. to
 * learn the interface of the launcher's route; "" on an adopted one. */
const char *mailbox_link_addr(const struct mailbox_link *l);

/** mailbox_link_flush() - as mailbox_flush(). */
void mailbox_link_flush(struct mailbox_link *l, int64_t deadline_ns);

/** mailbox_link_close() - nobody is told; takes NULL. */
void mailbox_link_close(struct mailbox_link *l);

#endif
