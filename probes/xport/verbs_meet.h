/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Meetings of the verbs transport: who calls says HELLO by datagrams until the
 * peer's WELCOME comes; both describe their queue pairs in it. A welcome that
 * is lost is given again. Then the first note goes through the connection,
 * and neither side is done before it has.
 */
#ifndef FP_PROBES_XPORT_VERBS_MEET_H
#define FP_PROBES_XPORT_VERBS_MEET_H

#include "probes/xport/door.h"
#include "probes/xport/verbs.h"

#define VERBS_MAILS 64 /* datagrams that may wait to be read */
#define VERBS_MAILS_OUT 16
#define VERBS_GRH 40 /* before a datagram that came */

/** struct verbs_words - a datagram. */
struct verbs_words {
	struct door_words who; /* of the edge; its kind says which way */
	struct verbs_end end;  /* of who sends it */
	uint32_t door_qpn, door_qkey;
	char name[VERBS_PORT_MAX];
};

struct verbs_mail {
	struct {
		uint8_t grh[VERBS_GRH];
		struct verbs_words words;
	} in[VERBS_MAILS];
	_Alignas(4096) struct verbs_words out[VERBS_MAILS_OUT];
};

/** struct verbs_far - a peer's door. */
struct verbs_far {
	uint8_t gid[GID_BYTES];
	uint32_t lid, qpn, qkey;
	char name[VERBS_PORT_MAX];
};

/** struct verbs_guest - who said hello here, and was let in. */
struct verbs_guest {
	struct door_words hello;
	struct verbs_far far;
	struct ibv_ah *ah;
	struct verbs_ep *ep; /* NULL: taken */
	struct verbs_words welcome;
};

struct verbs_door {
	struct door_rules rules;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	struct verbs_mail *mail;
	uint32_t qkey;
	uint32_t out_next, out_flying;
	uint32_t strangers;
	struct verbs_guest *guests;
	size_t n_guests;
};

/** verbs_blob_read() - a peer's door from its endpoint. FP_OK; FP_ERR_PROTO;
 * FP_ERR_PEER: its link is another kind. */
enum fp_status verbs_blob_read(const struct verbs *verbs,
                               const struct wire_blob *blob,
                               struct verbs_far *ret, struct fp_err *err);

/** verbs_far_open() - the way to a door; NULL with errno set. For
 * ibv_destroy_ah(). */
struct ibv_ah *verbs_far_open(struct verbs *verbs, const struct verbs_far *far);

/** verbs_mail_send() - a datagram; dropped when too many are under way. */
enum fp_status verbs_mail_send(struct verbs_door *door, struct ibv_ah *ah,
                               const struct verbs_far *to,
                               const struct verbs_words *words,
                               struct fp_err *err);

/** verbs_mail_take() - the next datagram of the right size; *@ret_got: there
 * was one. Whether it can be believed is not looked at. */
enum fp_status verbs_mail_take(struct verbs_door *door, struct verbs_words *ret,
                               bool *ret_got, struct fp_err *err);

#endif
