/* SPDX-License-Identifier: Apache-2.0 */
/* A mailbox, agents' links and raw sockets in one event loop, for tests. */
#ifndef FP_TESTS_UNIT_MAILBOX_BED_H
#define FP_TESTS_UNIT_MAILBOX_BED_H

#include <stdbool.h>
#include <stdint.h>

#include "mpi/mailbox/mailbox.h"

#define BED_SIZE 4
#define BED_WAIT_S 30.0 /* for what must happen */

struct event_base;

/** struct bed_link - an agent. */
struct bed_link {
	struct mailbox_link *link;
	unsigned frames;
	uint32_t last_type;
	unsigned lost;
	char why[256];
};

/** struct bed - a mailbox of BED_SIZE ranks and what it told. */
struct bed {
	struct event_base *base;
	struct mailbox *box;
	struct boot_meet meet;
	struct mailbox_opts opts;
	int32_t size;
	int fd; /* bed_listen() gives it to the mailbox; -1: none */
	unsigned hellos, frames, losts, strangers;
	int32_t last_rank;
	uint32_t last_type;
	size_t last_len;
	char why[256];                 /* of the last lost */
	char stranger[256];            /* the last one */
	uint8_t first_byte, last_byte; /* of the last payload */
	/* may be NULL */
	void (*on_hello)(struct bed *bed, int32_t rank);
	void (*on_frame)(struct bed *bed, int32_t rank); /* read after it */
	void (*on_lost)(struct bed *bed, int32_t rank);
};

/** bed_open() - times that suit a test; the mailbox listens on 127.0.0.1. */
void bed_open(struct bed *bed);

/** bed_listen() - (re)open the mailbox of bed->opts and bed->size. */
void bed_listen(struct bed *bed);
void bed_close(struct bed *bed);

/** bed_hello() - a hello of @rank that is taken. */
struct wire_hello bed_hello(const struct bed *bed, int32_t rank);

/** bed_connect() - a raw connection to the mailbox. */
int bed_connect(const struct bed *bed);

/** bed_say() - a raw frame on @fd. */
void bed_say(int fd, enum wire_type type, const void *payload, size_t len);

/**
 * bed_dial() - mailbox_link_dial() with @hello, which is not to succeed.
 */
enum fp_status bed_dial(struct bed *bed, const struct wire_hello *hello,
                        double within_s, struct fp_err *err);

/** bed_take() - mailbox_link_take() of @rank on @fd. */
void bed_take(struct bed *bed, int32_t rank, int fd, struct bed_link *ret);

/** bed_agent() - mailbox_link_dial() of @rank; must succeed. */
void bed_agent(struct bed *bed, int32_t rank, struct bed_link *ret);

/** bed_until() - run the loop until *@counter reaches @value; fails late. */
void bed_until(struct bed *bed, const unsigned *counter, unsigned value);

#endif
