// SPDX-License-Identifier: Apache-2.0
// The two sides of a meeting of the verbs transport.
#include "probes/xport/verbs_meet.h"
#include "probes/xport/verbs_note.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "topo/base/clock.h"
#include "topo/base/fmt.h"

#define NAP_NS 50000LL
#define HELLO_NS 20000000LL /* until it is said again, doubled each time */
#define HELLO_MAX_NS 320000000LL
#define LOOK_NAPS 64

static uint32_t psn_next(struct verbs *verbs)
{
	verbs->last_psn = verbs->last_psn * 1664525u + 1013904223u;
	return verbs->last_psn >> 8;
}

static struct verbs_words words_of(const struct verbs *verbs,
                                   const struct verbs_ep *ep,
                                   const struct door_words *who, uint32_t psn)
{
	struct verbs_words words = {
		.who = *who,
		.end = verbs_conn_end(ep, psn),
		.door_qpn = verbs->door->qp->qp_num,
		.door_qkey = verbs->door->qkey,
	};

	fp_copy(words.name, sizeof(words.name), verbs->hca.name);
	return words;
}

/* A hello for this door, of somebody who knows the token? */
static bool is_for_me(const struct verbs_door *door,
                      const struct door_words *who, uint32_t me)
{
	const struct door_words want = door_words_make(
		door->rules.token, door->rules.trial, who->from, me, who->lane);

	return door_words_equal(who, &want);
}

static struct verbs_guest *guest_find(struct verbs_door *door,
                                      const struct door_words *hello)
{
	for (size_t i = 0; i < door->n_guests; i++)
		if (door_words_equal(&door->guests[i].hello, hello))
			return &door->guests[i];
	return NULL;
}

static enum fp_status guest_welcome(struct verbs *verbs, struct verbs_guest *g,
                                    struct fp_err *err)
{
	return verbs_mail_send(verbs->door, g->ah, &g->far, &g->welcome, err);
}

static enum fp_status guest_let_in(struct verbs *verbs,
                                   const struct verbs_words *words,
                                   struct verbs_why *why, struct fp_err *err)
{
	struct verbs_door *door = verbs->door;
	const struct door_words answer = door_words_answer(&words->who);
	struct verbs_guest g = { .hello = words->who };
	uint32_t psn = psn_next(verbs);
	enum fp_status status;

	g.far = (struct verbs_far){
		.lid = words->end.lid,
		.qpn = words->door_qpn,
		.qkey = words->door_qkey,
	};
	memcpy(g.far.gid, words->end.gid, GID_BYTES);
	fp_copy(g.far.name, sizeof(g.far.name), words->name);
	status = verbs_conn_open(verbs, &g.ep, err);
	if (status != FP_OK)
		return status;
	fp_copy(g.ep->port.name, sizeof(g.ep->port.name), g.far.name);
	status = verbs_conn_join(g.ep, &words->end, psn, err);
	if (status == FP_OK) {
		g.ah = verbs_far_open(verbs, &g.far);
		g.ep->why.setup_errno = g.ah ? 0 : errno;
		if (!g.ah)
			status = fp_err_sys(err, errno, "no way to port %s",
			                    g.far.name);
	}
	why->setup_errno = g.ep->why.setup_errno;
	if (status != FP_OK) {
		verbs_ep_close(&g.ep->port.ep);
		return status;
	}
	g.welcome = words_of(verbs, g.ep, &answer, psn);
	door->guests[door->n_guests] = g;
	return guest_welcome(verbs, &door->guests[door->n_guests++], err);
}

static enum fp_status hello_hear(struct verbs *verbs,
                                 const struct verbs_words *words, uint32_t me,
                                 struct verbs_why *why, struct fp_err *err)
{
	struct verbs_door *door = verbs->door;
	struct verbs_guest *g = guest_find(door, &words->who);

	if (g)
		return guest_welcome(verbs, g, err);
	if (!is_for_me(door, &words->who, me) || !door->guests ||
	    door->n_guests == door->rules.edges) {
		door->strangers++;
		return FP_OK;
	}
	return guest_let_in(verbs, words, why, err);
}

/* A meeting, as one side sees it. */
struct meeting {
	struct verbs *verbs;
	const struct xport_peer *peer;
	struct door_words hello, welcome; /* of a caller */
	struct verbs_words answer;        /* that came */
	bool answered;
	unsigned naps;
	struct verbs_why *why;
};

static enum fp_status mail_hear(struct meeting *m, struct fp_err *err)
{
	enum fp_status status;
	struct verbs_words words;
	bool got = true;

	do {
		status = verbs_mail_take(m->verbs->door, &words, &got, err);
		if (status != FP_OK || !got)
			return status;
		if (words.who.kind == DOOR_HELLO) {
			status = hello_hear(m->verbs, &words, m->peer->me,
			                    m->why, err);
		} else if (door_words_equal(&words.who, &m->welcome)) {
			m->answer = words;
			m->answered = true;
		}
	} while (status == FP_OK);
	return status;
}

/* A little sleep; then: called off, too late, or go on? */
static enum fp_status meeting_nap(struct meeting *m, struct fp_err *err)
{
	const struct timespec ts = { .tv_nsec = NAP_NS };
	const struct board *board = m->verbs->env->board;
	const uint32_t trial = m->peer->trial->id;

	(void)nanosleep(&ts, NULL);
	if (++m->naps % LOOK_NAPS == 0)
		verbs_events_read(m->verbs);
	if (board &&
	    atomic_load_explicit(&board->abort, memory_order_relaxed) == trial)
		return fp_err_set(err, FP_ERR_INTR, "trial %u was called off",
		                  trial);
	return mail_hear(m, err);
}

static bool is_late(const struct meeting *m)
{
	return fp_now_ns() >= m->peer->deadline_ns;
}

/* Say hello until there is a welcome. */
static enum fp_status call_out(struct meeting *m, const struct verbs_far *far,
                               const struct verbs_words *hello,
                               struct fp_err *err)
{
	struct ibv_ah *ah = verbs_far_open(m->verbs, far);
	int64_t again_ns = 0, wait_ns = HELLO_NS;
	enum fp_status status = FP_OK;
	char gid[GID_TEXT_MAX];

	if (!ah) {
		m->why->setup_errno = errno;
		return fp_err_set(err, FP_ERR_LIB,
		                  "no path from port %s to %s: %s",
		                  m->verbs->hca.name, gid_text(far->gid, gid),
		                  strerrordesc_np(m->why->setup_errno));
	}
	while (status == FP_OK && !m->answered) {
		if (fp_now_ns() >= again_ns) {
			status = verbs_mail_send(m->verbs->door, ah, far, hello,
			                         err);
			again_ns = fp_now_ns() + wait_ns;
			wait_ns =
				wait_ns < HELLO_MAX_NS ? 2 * wait_ns : wait_ns;
		}
		if (status == FP_OK)
			status = meeting_nap(m, err);
		if (status == FP_OK && !m->answered && is_late(m))
			status = fp_err_set(err, FP_ERR_TIMEOUT,
			                    "no answer to the hello of port %s "
			                    "from port %s (%s)",
			                    m->verbs->hca.name, far->name,
			                    gid_text(far->gid, gid));
	}
	(void)ibv_destroy_ah(ah);
	return status;
}

static enum fp_status note_region(struct verbs_ep *ep, struct fp_err *err)
{
	const struct verbs_region region = {
		.addr = (uint64_t)(uintptr_t)ep->rx,
		.bytes = ep->rx_bytes,
		.rkey = ep->rx_mr ? ep->rx_mr->rkey : 0,
	};
	const struct verbs_said said = {
		.kind = NOTE_REGION,
		.bytes = &region,
		.len = sizeof(region),
		.signal = true,
	};
	bool sent;

	return verbs_note_send(ep, &said, &sent, err);
}

/* The first note: it is through when the device says so. */
static enum fp_status caller_begin(struct meeting *m, struct verbs_ep *ep,
                                   struct fp_err *err)
{
	enum fp_status status = note_region(ep, err);

	while (status == FP_OK && ep->qps[0].done != ep->qps[0].posted) {
		status = meeting_nap(m, err);
		if (status == FP_OK)
			status = verbs_reap(ep, err);
		if (status == FP_OK && is_late(m) &&
		    ep->qps[0].done != ep->qps[0].posted)
			status = fp_err_set(err, FP_ERR_TIMEOUT,
			                    "connected to port %s, but "
			                    "nothing gets through",
			                    ep->port.name);
	}
	return status;
}

static void why_of(const struct verbs_ep *ep, struct verbs_why *why)
{
	if (ep->why.setup_errno)
		why->setup_errno = ep->why.setup_errno;
	if (ep->why.wc_status)
		why->wc_status = ep->why.wc_status;
}

static enum fp_status call_with(struct meeting *m, const struct verbs_far *far,
                                struct verbs_ep *ep, struct fp_err *err)
{
	const struct xport_peer *peer = m->peer;
	const uint32_t psn = psn_next(m->verbs);
	const struct verbs_words hello = words_of(m->verbs, ep, &m->hello, psn);
	enum fp_status status;

	fp_copy(ep->port.name, sizeof(ep->port.name), far->name);
	status = verbs_conn_regions(ep, peer->tx_bytes, peer->rx_bytes, err);
	if (status == FP_OK)
		status = call_out(m, far, &hello, err);
	if (status == FP_OK)
		status = verbs_conn_join(ep, &m->answer.end, psn, err);
	return status == FP_OK ? caller_begin(m, ep, err) : status;
}

enum fp_status verbs_door_call(struct verbs *verbs,
                               const struct xport_peer *peer,
                               struct verbs_ep **ret_ep,
                               struct verbs_why *ret_why, struct fp_err *err)
{
	struct meeting m = {
		.verbs = verbs,
		.peer = peer,
		.hello = door_words_make(verbs->env->setup->data_token,
		                         peer->trial->id, peer->me, peer->peer,
		                         peer->lane),
		.why = ret_why,
	};
	struct verbs_far far;
	struct verbs_ep *ep;
	enum fp_status status = verbs_blob_read(verbs, peer->blob, &far, err);

	m.welcome = door_words_answer(&m.hello);
	if (status == FP_OK)
		status = verbs_conn_open(verbs, &ep, err);
	if (status != FP_OK)
		return status;
	status = call_with(&m, &far, ep, err);
	why_of(ep, ret_why);
	if (status != FP_OK) {
		verbs_ep_close(&ep->port.ep);
		return status;
	}
	*ret_ep = ep;
	return FP_OK;
}

static struct verbs_guest *guest_of(struct verbs_door *door,
                                    const struct xport_peer *peer)
{
	for (size_t i = 0; i < door->n_guests; i++)
		if (door->guests[i].ep &&
		    door->guests[i].hello.from == peer->peer &&
		    door->guests[i].hello.lane == peer->lane)
			return &door->guests[i];
	return NULL;
}

static enum fp_status await_late(const struct meeting *m,
                                 const struct verbs_guest *g,
                                 struct fp_err *err)
{
	if (g)
		return fp_err_set(err, FP_ERR_TIMEOUT,
		                  "port %s said hello to port %s, but nothing "
		                  "gets through",
		                  g->far.name, m->verbs->hca.name);
	return fp_err_set(err, FP_ERR_TIMEOUT,
	                  "nobody came to port %s (%u strangers turned away)",
	                  m->verbs->hca.name, m->verbs->door->strangers);
}

enum fp_status verbs_door_await(struct verbs *verbs,
                                const struct xport_peer *peer,
                                struct verbs_ep **ret_ep,
                                struct verbs_why *ret_why, struct fp_err *err)
{
	struct meeting m = { .verbs = verbs, .peer = peer, .why = ret_why };
	enum fp_status status = mail_hear(&m, err);
	struct verbs_come come;
	struct verbs_guest *g;

	while (status == FP_OK) {
		g = guest_of(verbs->door, peer);
		if (g && verbs_note_come(g->ep, &come))
			break;
		status = is_late(&m) ? await_late(&m, g, err)
		                     : meeting_nap(&m, err);
	}
	if (status != FP_OK)
		return status;
	status = verbs_conn_regions(g->ep, peer->tx_bytes, peer->rx_bytes, err);
	if (status == FP_OK)
		status = note_region(g->ep, err);
	why_of(g->ep, ret_why);
	if (status != FP_OK)
		return status;
	*ret_ep = g->ep;
	g->ep = NULL;
	return FP_OK;
}
