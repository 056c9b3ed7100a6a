/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Insides of the verbs transport, shared by its files: one port of one HCA,
 * reliable connections to the peers.
 *
 * Everything goes by RDMA writes, and what came is seen in memory, as the
 * latency test of perftest does: no receive queue, no receive completions. A
 * peer writes into this end's box (struct verbs_box):
 *
 *   notes    a ring of small records, each with its seal behind it; a short
 *            message lies in its note, right before that, so that it is one
 *            write; a longer one lies in a piece, which was written before
 *   pieces   a ring of buffers
 *   placed   bytes that were written to their place in the receive region, one
 *            count for each queue pair
 *   taken    how many notes, pieces and offers the peer has consumed
 *   offers   what the peer has for a place, where it does not write it there
 *
 * What has a place (struct xport_step) is written there, and never copied; or
 * by wish read or sent, as applications do: see verbs_offer.c.
 */
#ifndef FP_PROBES_XPORT_VERBS_H
#define FP_PROBES_XPORT_VERBS_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probes/xport/flow.h"
#include "probes/xport/verbs_box.h"
#include "probes/xport/verbs_env.h"
#include "probes/xport/verbs_limits.h"
#include "probes/xport/xport.h"
#include "topo/model/gid.h"
#include "topo/model/hca_list.h"

#define VERBS_RECVS 64                       /* of a receive queue, for sends */
#define VERBS_WORK_BYTES ((size_t)256 << 10) /* of one work request */
#define VERBS_SIGNAL 16 /* every so many have a completion */
#define VERBS_INLINE 64 /* wished; what there is may be less */
#define VERBS_PORT_MAX 64

/** struct verbs_hca - the chosen port, opened. */
struct verbs_hca {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_port_attr attr;
	struct ibv_device_attr dev_attr;
	struct gid_row gid;
	uint32_t max_inline;
	uint8_t port;
	uint16_t pkey_index;
	char name[VERBS_PORT_MAX]; /* "mlx5_0/1" */
};

/** struct verbs_events - what the device told by itself. */
struct verbs_events {
	uint32_t n;
	uint32_t worst; /* enum ibv_event_type + 1; 0: none */
};

/** struct verbs_ece - options of a connection; vendor 0: none. */
struct verbs_ece {
	uint32_t vendor, options;
};

/** struct verbs_end - an end of a connection as its other end needs it. */
struct verbs_end {
	uint8_t gid[GID_BYTES];
	uint32_t lid;
	uint32_t mtu; /* enum ibv_mtu */
	uint32_t n_qps;
	uint32_t qpn[VERBS_QPS_MAX];
	uint32_t psn;
	struct verbs_ece ece;
	struct verbs_region box;
};

struct verbs_door;

/** struct verbs_why - what is known of a failure, in codes; 0: nothing. */
struct verbs_why {
	int setup_errno, wc_status;
};

/** struct verbs - the transport, opened. */
struct verbs {
	struct xport x;
	const struct xport_env *env;
	struct verbs_env opts;
	struct verbs_hca hca;
	struct verbs_events events;
	struct verbs_door *door; /* NULL: does not listen */
	uint32_t last_psn;
	struct verbs_why why;              /* of this trial */
	uint64_t counters[VERBS_COUNTERS]; /* when the door was opened */
};

/** struct verbs_qp - a queue pair, and what it has under way. */
struct verbs_qp {
	struct ibv_qp *qp;
	uint32_t posted, done; /* work requests */
	uint32_t quiet;        /* of them since one asked for a completion */
	uint64_t quiet_bytes;  /* in these */
	uint64_t placed;       /* bytes sent, of what has a place */
	uint64_t placed_done;  /* of them, known to have arrived */
	uint64_t fetched;      /* bytes asked for, by reads and receives */
	uint64_t fetched_done; /* of them, here */
	struct {
		uint64_t placed, fetched;
	} at[VERBS_DEPTH];          /* when that one was posted */
	uint32_t recvs, recvs_done; /* receives posted, and completed */
	size_t part;   /* bytes sent of the placed message at hand */
	uint64_t told; /* of them, the peer was told of */
	uint64_t here; /* bytes received of such, as the peer told */
	uint64_t came; /* of them, consumed */
};

/** struct verbs_ep - the connection to one peer. */
struct verbs_ep {
	struct xport_port port;
	struct verbs *verbs;
	struct verbs_qp qps[VERBS_QPS_MAX];
	uint32_t n_qps;
	struct ibv_cq *cq;
	struct verbs_box *box;
	struct verbs_desk *desk;
	struct ibv_mr *box_mr, *desk_mr;
	struct verbs_region peer_box, peer_rx;
	uint8_t *tx, *rx;
	size_t tx_bytes, rx_bytes;
	struct ibv_mr *tx_mr, *rx_mr;
	uint64_t notes_sent, pieces_sent;
	uint64_t offers_made, offers_sent; /* sending */
	uint64_t offers_open;              /* receiving: taken up */
	struct verbs_taken peer_taken;     /* by the peer, as last told */
	struct verbs_taken taken;          /* by this end */
	struct verbs_taken taken_told;     /* of it, the peer was told of */
	uint32_t taken_at;
	size_t tx_done;   /* bytes posted of the message at hand */
	uint32_t tx_last; /* its last work request */
	size_t rx_done;   /* bytes consumed of the note at hand */
	uint32_t dry_turns;
	int64_t sign_ns; /* when the path last was asked for a sign of life */
	uint32_t mtu_bytes;
	struct verbs_ece ece; /* what its device has; once joined, what is in
	                         use */
	struct verbs_why why; /* wc_status: of the first bad completion */
};

extern const struct xport_flow_ops verbs_flow_ops;

/* -- verbs_hca.c ----------------------------------------------------------- */

/**
 * verbs_hca_ports() - the ports that @opts give this rank, as topo_rank.ports
 * lists them; TOPO_RAILS_MAX at most.
 *
 * Return: FP_OK; FP_ERR_NOTSUP: no HCA, none that fits; FP_ERR_SYS.
 */
enum fp_status verbs_hca_ports(const struct verbs_env *opts,
                               char ret[static TOPO_PORTS_MAX],
                               struct fp_err *err);

/**
 * verbs_hca_open() - open port @name ("mlx5_0/1"), or with "" the first that
 * @opts give this rank.
 *
 * Return: FP_OK; FP_ERR_NOTSUP: no HCA, none that fits, or no permission;
 * FP_ERR_USAGE: a name or GID that makes no sense; FP_ERR_SYS. Undo with
 * verbs_hca_close().
 */
enum fp_status verbs_hca_open(const struct verbs_env *opts, const char *name,
                              struct verbs_hca *ret, struct fp_err *err);
void verbs_hca_close(struct verbs_hca *hca); /* takes one that is zero */

/**
 * verbs_hca_ready() - look at the port again: is it active, and which GID does
 * it use now?
 *
 * Return: FP_OK; FP_ERR_LIB naming the port and its state; FP_ERR_INPUT as
 * gid_choose().
 */
enum fp_status verbs_hca_ready(const struct verbs_env *opts,
                               struct verbs_hca *hca, struct fp_err *err);

/** verbs_is_ethernet() - is the port's link RoCE's? */
static inline bool verbs_is_ethernet(const struct verbs_hca *hca)
{
	return hca->attr.link_layer == IBV_LINK_LAYER_ETHERNET;
}

/* -- verbs_witness.c ------------------------------------------------------- */

/** verbs_events_read() - take what the device has to say; never waits. */
void verbs_events_read(struct verbs *verbs);

/** verbs_count() - what the port has counted up to now. */
void verbs_count(const struct verbs *verbs,
                 uint64_t ret[static VERBS_COUNTERS]);

/* -- verbs_conn.c ---------------------------------------------------------- */

/**
 * verbs_conn_open() - queue pairs that can be described to a peer.
 *
 * Return: FP_OK; FP_ERR_SYS naming what could not be had, with the limit on
 * locked memory where that is why; FP_ERR_NOMEM. verbs_ep_close().
 */
enum fp_status verbs_conn_open(struct verbs *verbs, struct verbs_ep **ret,
                               struct fp_err *err);

/** verbs_conn_end() - this end, for the peer. */
struct verbs_end verbs_conn_end(const struct verbs_ep *ep, uint32_t psn);

/**
 * verbs_conn_join() - connect the queue pairs with the peer's.
 * @psn: own first sequence number.
 *
 * Return: FP_OK; FP_ERR_LIB with ep->why.setup_errno set.
 */
enum fp_status verbs_conn_join(struct verbs_ep *ep, const struct verbs_end *to,
                               uint32_t psn, struct fp_err *err);

/**
 * verbs_conn_regions() - what data is sent from and placed in, @tx_bytes and
 * @rx_bytes of it.
 *
 * Return: FP_OK; FP_ERR_SYS, FP_ERR_NOMEM.
 */
enum fp_status verbs_conn_regions(struct verbs_ep *ep, size_t tx_bytes,
                                  size_t rx_bytes, struct fp_err *err);

/* Operations of struct xport_ops. */
void verbs_ep_leave(struct xport_ep *ep); /* ep_close() of a whole one */
void verbs_ep_close(struct xport_ep *ep);
void *verbs_tx_region(struct xport_ep *ep);
void *verbs_rx_region(struct xport_ep *ep);
void verbs_counters(struct xport_ep *ep, struct outcome *o);
void verbs_witness(struct xport *x, struct outcome *o);

/* -- verbs_ece.c ----------------------------------------------------------- */

/** verbs_ece_ask() - what the device of @ep's queue pairs offers. */
void verbs_ece_ask(struct verbs_ep *ep);

/** verbs_ece_take() - before RTR: take the peer's wish @to, where both ends
 * have any; none, if the device does not. */
void verbs_ece_take(struct verbs_ep *ep, const struct verbs_ece *to);

/** verbs_ece_settle() - after RTR: of what was taken, what is in use. */
void verbs_ece_settle(struct verbs_ep *ep);

/* -- verbs_post.c ---------------------------------------------------------- */

/** struct verbs_work - one RDMA write, or what @op says. */
struct verbs_work {
	const void *from; /* own memory; of a read, where to */
	uint32_t lkey, rkey;
	uint64_t to; /* peer's memory */
	uint32_t len;
	enum ibv_wr_opcode op;
};

/** verbs_room() - may @n more be posted on queue pair @q? */
static inline bool verbs_room(const struct verbs_ep *ep, uint32_t q, uint32_t n)
{
	return ep->qps[q].posted - ep->qps[q].done + n <= VERBS_DEPTH;
}

/**
 * verbs_post() - post the @n writes (VERBS_BURST at most) with one call.
 * @signal: with a completion, whether it is time or not.
 *
 * Return: FP_OK, FP_ERR_SYS.
 */
#define VERBS_BURST 4
enum fp_status verbs_post(struct verbs_ep *ep, uint32_t q,
                          const struct verbs_work *writes, uint32_t n,
                          bool signal, struct fp_err *err);

/**
 * verbs_reap() - take completions that are there.
 *
 * Return: FP_OK; FP_ERR_LIB for a bad one, which ep->why keeps.
 */
enum fp_status verbs_reap(struct verbs_ep *ep, struct fp_err *err);

/* -- verbs_flow.c ---------------------------------------------------------- */

/** verbs_stripe() - queue pair @q's part of a message of @len bytes; begins at
 * *@ret_off. */
size_t verbs_stripe(const struct verbs_ep *ep, size_t len, uint32_t q,
                    size_t *ret_off);

/** verbs_placed_room() - may more placed data be posted on queue pair @q? */
bool verbs_placed_room(const struct verbs_ep *ep, uint32_t q);

/**
 * verbs_seen() - a word of memory that the device writes; what it wrote before
 * that can be read after. (ThreadSanitizer knows loads, but no fences.)
 */
uint64_t verbs_seen(const uint64_t *p);

/* -- verbs_offer.c --------------------------------------------------------- */

/** verbs_offers() - do placed messages go by offers? */
static inline bool verbs_offers(const struct verbs_ep *ep)
{
	return ep->verbs->opts.op != WIRE_RDMA_WRITE;
}

/** verbs_offer_seal() - of offer @number. */
uint64_t verbs_offer_seal(const struct verbs_offer *offer, uint64_t number);

/** verbs_offer_make() - the sender's half of a placed message: done when it is
 * offered. FP_ERR_SYS as verbs_post(). */
enum fp_status verbs_offer_make(struct xport_flow *flow, struct fp_err *err);

/** verbs_offers_gone() - has everything offered left for good? */
bool verbs_offers_gone(struct verbs_ep *ep);

/**
 * verbs_offers_turn() - what offers ask for now, of either end: see what is
 * complete, send what the peer has room for, take up what it offers.
 * @idle: nothing else is to be done; the peer is told then of all that was
 * taken up, otherwise before it runs out of room.
 *
 * Return: FP_OK; FP_ERR_PROTO: an offer has no place in the receive region;
 * FP_ERR_SYS, FP_ERR_LIB as verbs_post() and verbs_reap().
 */
enum fp_status verbs_offers_turn(struct verbs_ep *ep, bool idle,
                                 struct fp_err *err);

/* -- verbs_door.c ---------------------------------------------------------- */

/**
 * verbs_door_open() - a door for the peers of @trial, @edges at most, and what
 * the peers must know of it.
 *
 * Return: FP_OK, FP_ERR_SYS, FP_ERR_NOMEM. verbs_door_shut().
 */
enum fp_status verbs_door_open(struct verbs *verbs, const struct trial *trial,
                               uint32_t edges, struct wire_blob *ret_blob,
                               struct fp_err *err);
void verbs_door_shut(struct verbs *verbs); /* takes one that has none */

/**
 * verbs_door_call(), verbs_door_await() - the two sides of a meeting: *@ret_ep
 * is connected, and its first note has gone through.
 *
 * Return: FP_OK; FP_ERR_TIMEOUT, FP_ERR_PEER, FP_ERR_PROTO, FP_ERR_INTR,
 * FP_ERR_SYS; @ret_why then has what is known in codes.
 */
enum fp_status verbs_door_call(struct verbs *verbs,
                               const struct xport_peer *peer,
                               struct verbs_ep **ret_ep,
                               struct verbs_why *ret_why, struct fp_err *err);
enum fp_status verbs_door_await(struct verbs *verbs,
                                const struct xport_peer *peer,
                                struct verbs_ep **ret_ep,
                                struct verbs_why *ret_why, struct fp_err *err);

#endif
