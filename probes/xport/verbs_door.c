// SPDX-License-Identifier: Apache-2.0
// Meetings over the fabric itself: an unreliable-datagram queue pair, at which
// peers say who they are and which queue pairs they have, again and again
// until they are answered. The first note then goes through the connection.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "probes/xport/verbs_meet.h"
#include "topo/base/fmt.h"

#define BLOB_MAGIC 0x42563146u /* "F1VB" read little-endian */
#define SENDS 32

/* What a peer needs to know. */
struct verbs_blob {
	uint32_t magic;
	uint16_t version;
	uint16_t ethernet;
	uint32_t lid, qpn, qkey;
	uint8_t gid[GID_BYTES];
	char name[VERBS_PORT_MAX];
};
_Static_assert(sizeof(struct verbs_blob) <= WIRE_BLOB_BYTES, "fits");

enum fp_status verbs_blob_read(const struct verbs *verbs,
                               const struct wire_blob *blob,
                               struct verbs_far *ret, struct fp_err *err)
{
	bool ethernet = verbs_is_ethernet(&verbs->hca);
	struct verbs_blob b;

	memcpy(&b, blob->bytes, sizeof(b));
	b.name[sizeof(b.name) - 1] = '\0';
	if (b.magic != BLOB_MAGIC || b.version != 1)
		return fp_err_set(err, FP_ERR_PROTO,
		                  "the peer's verbs endpoint makes no sense");
	if (b.ethernet != ethernet)
		return fp_err_set(err, FP_ERR_PEER,
		                  "the peer's port %s is %s, this rank's %s %s",
		                  b.name, b.ethernet ? "RoCE" : "InfiniBand",
		                  verbs->hca.name,
		                  ethernet ? "RoCE" : "InfiniBand");
	*ret = (struct verbs_far){
		.lid = b.lid,
		.qpn = b.qpn,
		.qkey = b.qkey,
	};
	memcpy(ret->gid, b.gid, sizeof(b.gid));
	fp_copy(ret->name, sizeof(ret->name), b.name);
	return FP_OK;
}

static struct wire_blob blob_make(const struct verbs *verbs)
{
	const struct verbs_hca *hca = &verbs->hca;
	struct wire_blob blob = { .bytes = { 0 } };
	struct verbs_blob b = {
		.magic = BLOB_MAGIC,
		.version = 1,
		.ethernet = verbs_is_ethernet(hca),
		.lid = hca->attr.lid,
		.qpn = verbs->door->qp->qp_num,
		.qkey = verbs->door->qkey,
	};

	memcpy(b.gid, hca->gid.gid, sizeof(b.gid));
	fp_copy(b.name, sizeof(b.name), hca->name);
	memcpy(blob.bytes, &b, sizeof(b));
	return blob;
}

static enum fp_status recv_post(struct verbs_door *door, uint32_t at,
                                struct fp_err *err)
{
	struct ibv_sge sge = {
		.addr = (uint64_t)(uintptr_t)&door->mail->in[at],
		.length = sizeof(door->mail->in[at]),
		.lkey = door->mr->lkey,
	};
	struct ibv_recv_wr wr = { .wr_id = at, .sg_list = &sge, .num_sge = 1 };
	struct ibv_recv_wr *bad;
	int rc = ibv_post_recv(door->qp, &wr, &bad);

	return rc ? fp_err_sys(err, rc, "post to the door") : FP_OK;
}

static int qp_ready(struct verbs_door *door, const struct verbs_hca *hca)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.pkey_index = hca->pkey_index,
		.port_num = hca->port,
		.qkey = door->qkey,
	};
	int rc = ibv_modify_qp(door->qp, &attr,
	                       IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
	                               IBV_QP_QKEY);

	attr = (struct ibv_qp_attr){ .qp_state = IBV_QPS_RTR };
	if (rc == 0)
		rc = ibv_modify_qp(door->qp, &attr, IBV_QP_STATE);
	attr.qp_state = IBV_QPS_RTS;
	if (rc == 0)
		rc = ibv_modify_qp(door->qp, &attr,
		                   IBV_QP_STATE | IBV_QP_SQ_PSN);
	return rc;
}

static enum fp_status qp_open(struct verbs_door *door,
                              const struct verbs_hca *hca, struct fp_err *err)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_UD,
		.cap = { .max_send_wr = SENDS,
		         .max_recv_wr = VERBS_MAILS,
		         .max_send_sge = 1,
		         .max_recv_sge = 1 },
	};
	enum fp_status status = FP_OK;
	int rc;

	door->cq = ibv_create_cq(hca->ctx, VERBS_MAILS + SENDS, NULL, NULL, 0);
	attr.send_cq = attr.recv_cq = door->cq;
	if (door->cq)
		door->qp = ibv_create_qp(hca->pd, &attr);
	if (!door->qp)
		return fp_err_sys(err, errno, "port %s: open a door",
		                  hca->name);
	rc = qp_ready(door, hca);
	if (rc)
		return fp_err_sys(err, rc, "port %s: open a door", hca->name);
	for (uint32_t i = 0; i < VERBS_MAILS && status == FP_OK; i++)
		status = recv_post(door, i, err);
	return status;
}

static enum fp_status door_fill(struct verbs_door *door,
                                const struct verbs_hca *hca, struct fp_err *err)
{
	door->guests = calloc(door->rules.edges, sizeof(*door->guests));
	door->mail = aligned_alloc(4096, sizeof(*door->mail));
	if (!door->guests || !door->mail)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for a door");
	memset(door->mail, 0, sizeof(*door->mail));
	door->mr = ibv_reg_mr(hca->pd, door->mail, sizeof(*door->mail),
	                      IBV_ACCESS_LOCAL_WRITE);
	if (!door->mr)
		return fp_err_sys(err, errno,
		                  "port %s: register memory for a door",
		                  hca->name);
	if (getrandom(&door->qkey, sizeof(door->qkey), GRND_NONBLOCK) < 0)
		return fp_err_sys(err, errno, "getrandom");
	door->qkey &= INT32_MAX; /* others are the system's */
	return qp_open(door, hca, err);
}

enum fp_status verbs_door_open(struct verbs *verbs, const struct trial *trial,
                               uint32_t edges, struct wire_blob *ret_blob,
                               struct fp_err *err)
{
	struct verbs_door *door = calloc(1, sizeof(*door));
	enum fp_status status;

	if (!door)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for a door");
	door->rules = (struct door_rules){
		.token = verbs->env->setup->data_token,
		.trial = trial->id,
		.edges = edges,
	};
	verbs->door = door;
	status = door_fill(door, &verbs->hca, err);
	if (status != FP_OK) {
		verbs_door_shut(verbs);
		return status;
	}
	*ret_blob = blob_make(verbs);
	return FP_OK;
}

void verbs_door_shut(struct verbs *verbs)
{
	struct verbs_door *door = verbs->door;

	verbs->door = NULL;
	if (!door)
		return;
	for (size_t i = 0; i < door->n_guests; i++) {
		if (door->guests[i].ep)
			verbs_ep_close(&door->guests[i].ep->port.ep);
		if (door->guests[i].ah)
			(void)ibv_destroy_ah(door->guests[i].ah);
	}
	if (door->qp)
		(void)ibv_destroy_qp(door->qp);
	if (door->cq)
		(void)ibv_destroy_cq(door->cq);
	if (door->mr)
		(void)ibv_dereg_mr(door->mr);
	free(door->mail);
	free(door->guests);
	free(door);
}

/* -- mail -------------------------------------------------------------------- */

struct ibv_ah *verbs_far_open(struct verbs *verbs, const struct verbs_far *far)
{
	const struct verbs_hca *hca = &verbs->hca;
	struct ibv_ah_attr attr = {
		.sl = (uint8_t)verbs->opts.sl,
		.dlid = (uint16_t)far->lid,
		.port_num = hca->port,
	};

	if (verbs_is_ethernet(hca)) {
		attr.is_global = 1;
		attr.grh.sgid_index = (uint8_t)hca->gid.index;
		attr.grh.hop_limit = 64;
		attr.grh.traffic_class = (uint8_t)verbs->opts.tc;
		memcpy(attr.grh.dgid.raw, far->gid, GID_BYTES);
	}
	return ibv_create_ah(hca->pd, &attr);
}

/* Lost mail is sent again by whoever misses the answer: room that is not there
 * is no failure. */
enum fp_status verbs_mail_send(struct verbs_door *door, struct ibv_ah *ah,
                               const struct verbs_far *to,
                               const struct verbs_words *words,
                               struct fp_err *err)
{
	struct verbs_words *out;
	struct ibv_sge sge = { .length = sizeof(*out), .lkey = door->mr->lkey };
	struct ibv_send_wr wr = {
		.wr_id = VERBS_MAILS,
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.ud = { .ah = ah,
		           .remote_qpn = to->qpn,
		           .remote_qkey = to->qkey },
	};
	struct ibv_send_wr *bad;
	int rc;

	if (door->out_flying == VERBS_MAILS_OUT)
		return FP_OK;
	out = &door->mail->out[door->out_next++ % VERBS_MAILS_OUT];
	*out = *words;
	sge.addr = (uint64_t)(uintptr_t)out;
	rc = ibv_post_send(door->qp, &wr, &bad);
	if (rc)
		return fp_err_sys(err, rc, "say hello to port %s", to->name);
	door->out_flying++;
	return FP_OK;
}

enum fp_status verbs_mail_take(struct verbs_door *door, struct verbs_words *ret,
                               bool *ret_got, struct fp_err *err)
{
	enum fp_status status = FP_OK;
	struct ibv_wc wc;
	int n;

	*ret_got = false;
	while (status == FP_OK && !*ret_got &&
	       (n = ibv_poll_cq(door->cq, 1, &wc)) != 0) {
		if (n < 0)
			return fp_err_set(err, FP_ERR_LIB,
			                  "the door's queue is broken");
		if (wc.wr_id >= VERBS_MAILS) {
			door->out_flying--;
			continue;
		}
		*ret_got = wc.status == IBV_WC_SUCCESS &&
		           wc.byte_len == VERBS_GRH + sizeof(*ret);
		*ret = door->mail->in[wc.wr_id].words;
		ret->name[sizeof(ret->name) - 1] = '\0';
		door->strangers += !*ret_got;
		status = wc.status == IBV_WC_WR_FLUSH_ERR
		                 ? fp_err_set(
					   err, FP_ERR_PEER,
					   "the door was closed by the device")
		                 : recv_post(door, (uint32_t)wc.wr_id, err);
	}
	return status;
}
