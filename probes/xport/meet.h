/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A meeting: what both sides of connect() do until they have each other. The
 * own door is served all the while, so that members who meet in any order do
 * not wait for each other in a circle.
 */
#ifndef FP_PROBES_XPORT_MEET_H
#define FP_PROBES_XPORT_MEET_H

#include <stdbool.h>

#include "probes/trial/board.h"
#include "probes/xport/door.h"
#include "topo/base/status.h"

#define MEET_KNOCKS_MAX 64

/** struct meet - who waits, where, how long. */
struct meet {
	struct door *door;         /* may be shut */
	const struct board *board; /* may be NULL */
	uint32_t trial, me;
	const char *name; /* of the peer's door, or of the own: for messages */
	int64_t deadline_ns;
};

enum knock_state {
	KNOCK_DIAL,  /* not connected, or to be tried again at again_ns */
	KNOCK_RING,  /* the system connects */
	KNOCK_HELLO, /* words said, welcome awaited */
	KNOCK_IN
};

/** struct knock - one connection to somebody's door. */
struct knock {
	enum knock_state state;
	struct door_words hello, welcome;
	size_t got;
	bool trusts; /* in once the hello is said; the welcome comes later */
	int fd;      /* -1: none; the caller's once KNOCK_IN */
	int pass_fd; /* sent along (AF_UNIX), stays the caller's; -1: none */
	unsigned tries;
	int64_t again_ns;
};

/**
 * struct meet_dial - begins a connection: *@ret_fd is a non-blocking socket
 * that connects, or -1 when it is worth trying again a little later.
 */
struct meet_dial {
	enum fp_status (*dial)(void *arg, int *ret_fd, struct fp_err *err);
	void *arg;
};

/**
 * meet_active() - bring @n knocks (MEET_KNOCKS_MAX at most) to KNOCK_IN. Each
 * comes with hello and pass_fd set, fd -1, all else zero. A door that hangs up
 * before its welcome, as one that is flooded may, is tried a few times more.
 *
 * Return: FP_OK; else no knock has a descriptor any more: FP_ERR_TIMEOUT;
 * FP_ERR_PEER (refused, no route, hung up); FP_ERR_PROTO (it is somebody
 * else's door); FP_ERR_INTR; FP_ERR_SYS.
 */
enum fp_status meet_active(const struct meet *meet,
                           const struct meet_dial *dial, struct knock *knocks,
                           size_t n, struct fp_err *err);

/**
 * meet_passive() - serve the door until all of @from's edge @lane is there,
 * for door_take().
 *
 * Return: as meet_active().
 */
enum fp_status meet_passive(const struct meet *meet, uint32_t from,
                            uint32_t lane, struct fp_err *err);

/**
 * meet_errno() - FP_ERR_TIMEOUT, FP_ERR_PEER or FP_ERR_SYS, as @errnum blames
 * the path, the peer or this host; "@what NAME: strerror" is recorded.
 */
enum fp_status meet_errno(struct fp_err *err, int errnum, const char *what,
                          const char *name);

#endif
