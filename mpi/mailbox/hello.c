// SPDX-License-Identifier: Apache-2.0
// Judges hellos.
#include "mpi/mailbox/hello.h"

#include <stdio.h>
#include <string.h>

#include "topo/base/fmt.h"
#include "topo/base/version.h"

bool mailbox_token_equal(const uint8_t *a, const uint8_t *b)
{
	volatile uint8_t differ = 0;

	for (size_t i = 0; i < BOOT_TOKEN_BYTES; i++)
		differ = (uint8_t)(differ | (a[i] ^ b[i]));
	return differ == 0;
}

enum mailbox_verdict mailbox_hello_judge(const struct wire_hello *hello,
                                         const uint8_t *token, int32_t size,
                                         const bool *seen,
                                         char ret_why[MAILBOX_REFUSAL_MAX])
{
	char version[sizeof(hello->version)];
	int32_t rank = hello->rank;
	int n = 0;

	if (!mailbox_token_equal(hello->token, token)) {
		(void)snprintf(ret_why, MAILBOX_REFUSAL_MAX,
		               "does not know this run's token");
		return MAILBOX_STRANGER;
	}
	fp_copy(version, sizeof(version), hello->version);
	if (strcmp(version, FP_VERSION) != 0)
		n = snprintf(ret_why, MAILBOX_REFUSAL_MAX,
		             "rank %d runs fabricprobe %s, rank 0 runs %s: "
		             "install one version on all hosts",
		             rank, version, FP_VERSION);
	else if (hello->size != size)
		n = snprintf(ret_why, MAILBOX_REFUSAL_MAX,
		             "rank %d was started as one of %d ranks, rank 0 "
		             "as one of %d",
		             rank, hello->size, size);
	else if (rank < 0 || rank >= size)
		n = snprintf(ret_why, MAILBOX_REFUSAL_MAX,
		             "rank %d is not in 0..%d", rank, size - 1);
	else if (seen[rank])
		n = snprintf(ret_why, MAILBOX_REFUSAL_MAX,
		             "rank %d has said hello before: do two processes "
		             "have the same rank?",
		             rank);
	return n ? MAILBOX_REFUSE : MAILBOX_TAKE;
}

void mailbox_refusal_read(const struct wire_frame *f,
                          char ret[MAILBOX_REFUSAL_MAX])
{
	char text[MAILBOX_REFUSAL_MAX] = "";
	size_t len = f->head.length;

	memcpy(text, f->payload, len < sizeof(text) ? len : sizeof(text) - 1);
	fp_copy(ret, MAILBOX_REFUSAL_MAX, text);
}
