// SPDX-License-Identifier: Apache-2.0
// A box whose peer writes what it likes: notes, counts, offers.
#include <stdlib.h>
#include <string.h>

#include "probes/xport/verbs_note.h"
#include "tests/fuzz/verbs_device.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REGION 65536
#define WORDS 64 /* of an input that is taken */

enum act { ACT_NOTE, ACT_TAKEN, ACT_PLACED, ACT_OFFER, ACT_SEND, ACT_RECV };

/* The input as numbers: one byte each, or eight behind a byte of 255. */
struct input {
	const uint8_t *at;
	size_t left;
};

static uint64_t number(struct input *in)
{
	uint64_t v = in->left ? *in->at : 0;

	if (!in->left)
		return 0;
	in->at++;
	in->left--;
	if (v != UINT8_MAX || in->left < sizeof(v))
		return v;
	memcpy(&v, in->at, sizeof(v));
	in->at += sizeof(v);
	in->left -= sizeof(v);
	return v;
}

/* Seals fit: who writes nonsense can make them. */
static void note(struct verbs_ep *ep, struct input *in)
{
	const uint64_t which = ep->taken.notes + 1;
	struct verbs_note *n = &ep->box->notes[ep->taken.notes % VERBS_NOTES];

	size_t inside;

	n->tail.kind = (uint16_t)number(in);
	n->tail.len = (uint32_t)number(in);
	memset(n->bytes, (int)number(in), sizeof(n->bytes));
	n->tail.number = (uint16_t)which;
	inside = n->tail.kind == NOTE_PIECE || n->tail.len > VERBS_SHORT
	                 ? 0
	                 : n->tail.len;
	n->tail.seal = verbs_note_seal(&n->tail, which,
	                               n->bytes + VERBS_SHORT - inside, inside);
}

static void taken(struct verbs_ep *ep, struct input *in)
{
	struct verbs_taken *t = &ep->box->taken;

	t->notes = number(in);
	t->pieces = number(in);
	t->offers = number(in);
	t->seal = verbs_seal(0, t, offsetof(struct verbs_taken, seal));
}

static void offer(struct verbs_ep *ep, struct input *in)
{
	struct verbs_offer *o =
		&ep->box->offers[ep->offers_open % VERBS_OFFERS];

	o->from = number(in);
	o->at = number(in);
	o->len = (uint32_t)number(in);
	o->rkey = (uint32_t)number(in);
	o->seal = verbs_offer_seal(o, ep->offers_open + 1);
}

static void placed(struct verbs_ep *ep, struct input *in)
{
	uint32_t q = (uint32_t)(number(in) % VERBS_QPS_MAX);
	struct verbs_placed *p = &ep->box->placed[q];

	p->bytes = number(in);
	p->seal = verbs_seal(q, &p->bytes, sizeof(p->bytes));
}

/* Never past the buffer, never done with more than was asked for. */
static void receive(struct verbs_ep *ep, struct input *in)
{
	size_t len = (size_t)(number(in) % REGION) + 1;
	struct xport_flow flow = { .ep = &ep->port.ep, .len = len };
	enum fp_status status = FP_OK;

	flow.placed = number(in) % 2;
	flow.buf = flow.placed ? NULL : malloc(len);
	if (!flow.placed && !flow.buf)
		abort();
	for (int i = 0; i < 4 && status == FP_OK && flow.done < len; i++)
		status = verbs_flow_ops.recv(&flow, NULL);
	if (flow.done > len)
		abort();
	free(flow.buf);
}

static void send(struct verbs_ep *ep, struct input *in)
{
	struct xport_flow flow = { .ep = &ep->port.ep };
	enum fp_status status = FP_OK;

	flow.len = (size_t)(number(in) % REGION) + 1;
	flow.placed = number(in) % 2;
	flow.at = (size_t)number(in);
	for (int i = 0; i < 4 && status == FP_OK && flow.done < flow.len; i++)
		status = verbs_flow_ops.send(&flow, NULL);
	if (flow.done > flow.len)
		abort();
}

static void act(struct verbs_ep *ep, struct input *in)
{
	switch ((enum act)(number(in) % 6)) {
	case ACT_NOTE:
		note(ep, in);
		break;
	case ACT_TAKEN:
		taken(ep, in);
		break;
	case ACT_PLACED:
		placed(ep, in);
		break;
	case ACT_OFFER:
		offer(ep, in);
		break;
	case ACT_SEND:
		send(ep, in);
		break;
	case ACT_RECV:
		receive(ep, in);
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct wire_setup setup;
	const struct xport_env env = { .setup = &setup };
	struct input in = { data, size };
	struct verbs_ep *ep = NULL;
	struct verbs_end end;
	struct verbs verbs;
	int n = 0;

	device_open(&verbs, &env, WIRE_RDMA_WRITE + (uint32_t)(number(&in) % 3),
	            (int32_t)(number(&in) % 4) + 1);
	if (verbs_conn_open(&verbs, &ep, NULL) != FP_OK)
		abort();
	end = verbs_conn_end(ep, 1);
	if (verbs_conn_join(ep, &end, 1, NULL) != FP_OK ||
	    verbs_conn_regions(ep, REGION, REGION, NULL) != FP_OK)
		abort();
	while (in.left && n++ < WORDS)
		act(ep, &in);
	verbs_ep_close(&ep->port.ep);
	device_check();
	return 0;
}
