// SPDX-License-Identifier: Apache-2.0
// Datagrams that come to a door, and endpoints that lead to one.
#include <stdlib.h>
#include <string.h>

#include "probes/xport/verbs_note.h"
#include "tests/fuzz/verbs_device.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAILS 8

static const struct wire_setup setup;
static struct trial trial = { .id = 7, .src = 0, .dst = 1 };

/* A letter: a byte that says how much of it is made to fit, then the rest. */
static size_t letter(const struct verbs *verbs, const uint8_t *data,
                     size_t size)
{
	const struct door_words hello =
		door_words_make(setup.data_token, trial.id, 0, 1, 0);
	struct verbs_words words = { .who = hello };
	size_t n = size - 1 < sizeof(words) ? size - 1 : sizeof(words);

	memcpy(&words, data + 1, n);
	if (data[0] & 1)
		words.who = hello;
	if (data[0] & 2)
		words.who = door_words_answer(&hello);
	if (data[0] & 4) {
		words.end.n_qps = (uint32_t)verbs->opts.qps;
		words.end.mtu = IBV_MTU_1024;
	}
	device_mail(verbs->door->qp, &words, data[0] & 8 ? n : sizeof(words));
	return n + 1;
}

/* Who was let in says its first note. */
static void first_notes(struct verbs *verbs)
{
	struct verbs_tail tail = { .number = 1 };
	struct verbs_door *door = verbs->door;

	tail.seal = verbs_note_seal(&tail, 1, NULL, 0);
	for (size_t i = 0; i < door->n_guests; i++)
		if (door->guests[i].ep)
			door->guests[i].ep->box->notes[0].tail = tail;
}

static void meet(struct verbs *verbs, struct wire_blob *blob, bool call)
{
	struct xport_peer peer = {
		.trial = &trial,
		.me = call ? 0 : 1,
		.peer = call ? 1 : 0,
		.side = call ? XPORT_ACTIVE : XPORT_PASSIVE,
		.tx_bytes = 64,
		.rx_bytes = 64,
		.blob = blob,
	};
	struct verbs_why why = { 0 };
	struct verbs_ep *ep = NULL;

	if ((call ? verbs_door_call : verbs_door_await)(verbs, &peer, &ep, &why,
	                                                NULL) == FP_OK)
		verbs_ep_close(&ep->port.ep);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct xport_env env = { .setup = &setup };
	struct wire_blob mine, blob = { .bytes = { 0 } };
	struct verbs verbs;
	size_t at = 2;

	if (size < at)
		return 0;
	device_open(&verbs, &env, WIRE_RDMA_WRITE, data[0] % 4 + 1);
	if (verbs_door_open(&verbs, &trial, data[1] % 3 + 1, &mine, NULL) !=
	    FP_OK)
		abort();
	device_offers(data[1] & 0x20 ? 0x5 : 0);
	blob = mine;
	if (data[1] & 0x80 && size - at > 0)
		memcpy(blob.bytes, data + at,
		       size - at < sizeof(blob.bytes) ? size - at
		                                      : sizeof(blob.bytes));
	for (int i = 0; i < MAILS && at < size; i++)
		at += letter(&verbs, data + at, size - at);
	if (data[1] & 0x40) {
		meet(&verbs, &blob, true);
	} else {
		meet(&verbs, &blob, false);
		first_notes(&verbs);
		meet(&verbs, &blob, false);
	}
	verbs_door_shut(&verbs);
	device_check();
	return 0;
}
