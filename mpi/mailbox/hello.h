/* SPDX-License-Identifier: Apache-2.0 */
/* Who is let in: the judgement of a hello, without any socket. */
#ifndef FP_MPI_MAILBOX_HELLO_H
#define FP_MPI_MAILBOX_HELLO_H

#include <stdbool.h>
#include <stdint.h>

#include "mpi/boot/boot.h"
#include "probes/trial/wire.h"

#define MAILBOX_REFUSAL_MAX 160

/** enum mailbox_verdict - on a hello. */
enum mailbox_verdict {
	MAILBOX_TAKE,
	MAILBOX_REFUSE,   /* one of ours that cannot take part: tell it why */
	MAILBOX_STRANGER, /* does not know the token: tell it nothing */
};

/**
 * mailbox_token_equal() - compare two tokens of BOOT_TOKEN_BYTES in a time
 * that does not depend on where they differ.
 */
bool mailbox_token_equal(const uint8_t *a, const uint8_t *b);

/**
 * mailbox_hello_judge() - is the sender of @hello taken?
 * @seen: [size]: ranks that have been taken before.
 * @ret_why: filled unless taken.
 */
enum mailbox_verdict mailbox_hello_judge(const struct wire_hello *hello,
                                         const uint8_t *token, int32_t size,
                                         const bool *seen,
                                         char ret_why[MAILBOX_REFUSAL_MAX]);

/** mailbox_refusal_read() - the text of a WIRE_REFUSE frame, fit for a log. */
void mailbox_refusal_read(const struct wire_frame *f,
                          char ret[MAILBOX_REFUSAL_MAX]);

#endif
