/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A door: a listening stream socket at which the peers of one trial say who
 * they are. Whoever does not know the words is turned away and counted, and
 * keeps nobody waiting. Served inside connect(), open only as long as it must.
 */
#ifndef FP_PROBES_XPORT_DOOR_H
#define FP_PROBES_XPORT_DOOR_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probes/trial/wire.h"
#include "topo/base/status.h"

#define DOOR_PENDING_MAX 64 /* connections that have not said all */
#define DOOR_FDS (1 + DOOR_PENDING_MAX)
#define DOOR_HELLO_NS 3000000000LL /* to say it: a lost segment's time */

enum door_kind { DOOR_HELLO = 1, DOOR_WELCOME = 2 };

/** struct door_words - said by who comes, and back by who lets in. */
struct door_words {
	uint32_t magic;
	uint16_t version;
	uint16_t kind; /* enum door_kind */
	uint8_t token[WIRE_TOKEN_BYTES];
	uint32_t trial;
	uint32_t from, to; /* member indices */
	uint32_t lane;
	uint16_t part, parts; /* connection @part of @parts of this edge */
	uint32_t pad;
};
_Static_assert(sizeof(struct door_words) == 48, "door_words cross hosts");

/**
 * door_words_make() - what the connection @part of @parts says that brings
 * @from's edge @lane to @to.
 */
struct door_words door_words_make(const uint8_t token[static WIRE_TOKEN_BYTES],
                                  uint32_t trial, uint32_t from, uint32_t to,
                                  uint32_t lane);

/** door_words_answer() - the words that let @hello in. */
struct door_words door_words_answer(const struct door_words *hello);

/** door_words_equal() - the same words? In a time that tells nothing. */
bool door_words_equal(const struct door_words *a, const struct door_words *b);

/** struct door_guest - a connection that was let in. */
struct door_guest {
	struct door_words hello;
	int fd;
	int passed_fd; /* came with the hello (AF_UNIX); -1: none */
};

struct door_pending {
	struct door_words hello;
	size_t got;
	int64_t until_ns;
	int fd, passed_fd;
};

/** struct door_rules - whom to let in. */
struct door_rules {
	const uint8_t *token; /* lent for the door's life */
	uint32_t trial;
	uint32_t parts; /* connections of an edge */
	uint32_t edges; /* that are expected at most */
};

/** struct door - initialise with DOOR_SHUT. */
struct door {
	int fd;
	struct door_rules rules;
	struct door_guest *guests;
	size_t n_guests, max_guests;
	struct door_pending pending[DOOR_PENDING_MAX];
	size_t n_pending;
	uint32_t strangers; /* turned away since it was opened */
};

#define DOOR_SHUT ((struct door){ .fd = -1 })

/**
 * door_open() - serve the listening, non-blocking socket @fd, which belongs to
 * the door from now on, even on failure. The count of strangers starts anew.
 *
 * Return: FP_OK, FP_ERR_NOMEM; FP_ERR_LIMIT when the edges are too many.
 */
enum fp_status door_open(struct door *door, int fd,
                         const struct door_rules *rules, struct fp_err *err);

/** door_fds() - what to poll(2) for, DOOR_FDS at most; 0 of a shut door. */
unsigned door_fds(const struct door *door, struct pollfd *fds);

/**
 * door_serve() - let in who is there for member @me, after poll(2) has filled
 * @fds as door_fds() laid them out.
 *
 * Return: FP_OK; FP_ERR_SYS when nobody can be let in any more.
 */
enum fp_status door_serve(struct door *door, uint32_t me,
                          const struct pollfd *fds, struct fp_err *err);

/** door_complete() - have all connections of @from's edge @lane come? */
bool door_complete(const struct door *door, uint32_t from, uint32_t lane);

/**
 * door_take() - take one guest out; its descriptors belong to the caller.
 *
 * Return: was it there?
 */
bool door_take(struct door *door, uint32_t from, uint32_t lane, uint32_t part,
               struct door_guest *ret_guest);

/** door_shut() - close all that nobody took. Takes a shut door. */
void door_shut(struct door *door);

/** door_strangers() - add how many were turned away to @o, once. */
void door_strangers(struct door *door, struct outcome *o);

#endif
