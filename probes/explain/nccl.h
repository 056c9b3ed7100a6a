/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the reader of NCCL's own log lines. */
#ifndef FP_PROBES_EXPLAIN_NCCL_H
#define FP_PROBES_EXPLAIN_NCCL_H

#include "probes/explain/reader.h"

/** struct nccl_message - a message: its words, and what it is. */
struct nccl_message {
	const char *word; /* searched for in the whole log */
	const char *also; /* and this in the same line; NULL: no more */
	uint32_t kind;
};

/** nccl_messages() - the table, *@ret_n rows; the first that fits decides. */
const struct nccl_message *nccl_messages(size_t *ret_n);

/**
 * nccl_place() - host, pid, GPU from "host:pid:tid [gpu]" before the words
 * "NCCL WARN", "NCCL INFO" or "WARN", wherever in the line they stand.
 * @ret_msg: what stands behind them; all of @text without them.
 *
 * Return: whether it is a warning.
 */
bool nccl_place(struct intake *r, const struct logline *line, struct event *e,
                const char **ret_msg);

/** enum nccl_gids - how the addresses of the two ends of a QP stand. */
enum nccl_gids {
	NCCL_GIDS_UNKNOWN,
	NCCL_GIDS_SAME, /* one subnet */
	NCCL_GIDS_APART,
	NCCL_GIDS_LOCAL /* link-local: not to be routed */
};

/** nccl_gids() - by the texts of both GIDs. */
unsigned nccl_gids(const char *local, const char *remote);

/**
 * nccl_addresses() - peer ("10.0.0.2<45832>"), NIC and GIDs, as far as @msg
 * names them: peer_host, device, group (the local GID), op (the remote one),
 * n[3] (enum nccl_gids).
 */
void nccl_addresses(struct intake *r, const char *msg, struct event *e);

/**
 * nccl_completion() - "Got completion ..." in any of its grammars.
 *
 * Return: LINE_JOIN if it is cut, else LINE_DONE with an event added.
 */
enum reader_want nccl_completion(struct intake *r, const struct logline *line,
                                 struct event *e, const char *msg);

/** nccl_wc_kind() - of a number of enum ibv_wc_status. */
uint32_t nccl_wc_kind(int64_t status);

/**
 * nccl_info() - channels, initialisation, NICs, settings.
 *
 * Return: whether it was one of these.
 */
bool nccl_info(struct intake *r, const struct logline *line, struct event *e,
               const char *msg);

/** nccl_errno() - the error number that @msg spells or gives; 0: none. */
int nccl_errno(const char *msg);

#endif
