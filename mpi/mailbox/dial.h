/* SPDX-License-Identifier: Apache-2.0 */
/* Finding rank 0 when it has several addresses, of which some may be dead. */
#ifndef FP_MPI_MAILBOX_DIAL_H
#define FP_MPI_MAILBOX_DIAL_H

#include <stdint.h>

#include "mpi/boot/boot.h"
#include "mpi/mailbox/conn.h"
#include "probes/trial/wire.h"
#include "topo/base/status.h"

struct event_base;

/** struct mailbox_dial_how - all lent for the call. */
struct mailbox_dial_how {
	struct event_base *base;
	const struct boot_meet *meet;
	const struct wire_hello *hello;
	double answer_s; /* unanswered so long, another address is tried too */
	double dead_s;
	int64_t deadline_ns;
};

/**
 * mailbox_dial() - connect, say hello and wait for the answer. Addresses are
 * begun 200 ms apart, or at once when one fails; failed ones are tried again,
 * for rank 0 may come later. The hello goes out on the first that connects;
 * should it stay unanswered, on others as well. Runs the loop meanwhile.
 * @ret: a held connection (mailbox_conn_hold()) without ops and owner yet.
 *
 * Return: FP_OK; FP_ERR_PEER with the text of a refusal; FP_ERR_TIMEOUT with
 * what became of each address; FP_ERR_USAGE if an address cannot be read;
 * FP_ERR_INTR when a callback broke the loop; FP_ERR_NOMEM.
 */
enum fp_status mailbox_dial(const struct mailbox_dial_how *how,
                            struct mailbox_conn **ret, struct fp_err *err);

#endif
