// SPDX-License-Identifier: Apache-2.0
// Finds frames in bytes and refuses those that no record of ours fits.
#include "probes/trial/wire.h"

#include <string.h>

#define WIRE_TEXT_MAX 4096

/* Fields of chars in a record. */
struct wire_text {
	const char *name;
	uint32_t at, size;
};

/* What a frame of a type looks like: a record, then up to @items_max items. */
struct wire_shape {
	const char *name;
	uint32_t record, item, items_max;
	bool counted;      /* the record says how many items follow */
	uint32_t count_at; /* where */
	const struct wire_text *texts;
	uint32_t n_texts;
	const char *(*check)(const uint8_t *payload); /* NULL: fine as it is */
};

#define TEXT(record, field)                                           \
	{                                                             \
		.name = #field, .at = offsetof(struct record, field), \
		.size = sizeof(((struct record *)0)->field)           \
	}
#define TEXTS(rows) .texts = (rows), .n_texts = sizeof(rows) / sizeof(*(rows))

static const struct wire_text hello_texts[] = {
	TEXT(wire_hello, version), TEXT(wire_hello, host_name),
	TEXT(wire_hello, host_id), TEXT(wire_hello, boot_id),
	TEXT(wire_hello, kernel),
};
static const struct wire_text setup_texts[] = {
	TEXT(wire_setup, version),   TEXT(wire_setup, netdev),
	TEXT(wire_setup, addr),      TEXT(wire_setup, tcp_cc),
	TEXT(wire_setup, host_name), TEXT(wire_setup, host_id),
	TEXT(wire_setup, sysroot),   TEXT(wire_setup, no_gpu),
	TEXT(wire_setup, nccl_lib),  TEXT(wire_setup, inject),
	TEXT(wire_setup, rdma.hca),
};
static const struct wire_text ready_texts[] = {
	TEXT(wire_ready, version),
	TEXT(wire_ready, ports),
	TEXT(wire_ready, text),
};
static const struct wire_text outcome_texts[] = {
	TEXT(outcome, cc),
	TEXT(outcome, err),
};
static const struct wire_text watch_texts[] = {
	TEXT(watch, device),
};
static const struct wire_text event_texts[] = {
	TEXT(run_event, text),
};

static const char *check_ready(const uint8_t *payload)
{
	struct wire_ready ready;

	memcpy(&ready, payload, sizeof(ready));
	return ready.status < FP_STATUS_COUNT ? NULL : "unknown status";
}

static const char *check_prepare(const uint8_t *payload)
{
	struct wire_prepare prepare;

	memcpy(&prepare, payload, sizeof(prepare));
	if (prepare.me >= prepare.n_members)
		return "its receiver is not among the members";
	if (trial_is_alone(&prepare.trial))
		return prepare.n_members == 1 ? NULL : "one rank is not one";
	if (trial_is_pair(&prepare.trial) && prepare.n_members != 2)
		return "a pair is not two members";
	return NULL;
}

static const char *check_bye(const uint8_t *payload)
{
	uint32_t bye;

	memcpy(&bye, payload, sizeof(bye));
	return bye <= WIRE_BYE_EXIT ? NULL : "unknown way to end";
}

static const struct wire_shape wire_shapes[WIRE_TYPE_COUNT] = {
	[WIRE_HELLO] = { .name = "hello",
	                 .record = sizeof(struct wire_hello),
	                 TEXTS(hello_texts) },
	[WIRE_REFUSE] = { .name = "refuse",
	                  .item = 1,
	                  .items_max = WIRE_TEXT_MAX },
	[WIRE_SETUP] = { .name = "setup",
	                 .record = sizeof(struct wire_setup),
	                 TEXTS(setup_texts) },
	[WIRE_READY] = { .name = "ready",
	                 .record = sizeof(struct wire_ready),
	                 TEXTS(ready_texts),
	                 .check = check_ready },
	[WIRE_FACTS] = { .name = "facts",
	                 .item = 1,
	                 .items_max = WIRE_PAYLOAD_MAX },
	[WIRE_PREPARE] = { .name = "prepare",
	                   .record = sizeof(struct wire_prepare),
	                   .item = sizeof(int32_t),
	                   .items_max = WIRE_MEMBERS_MAX,
	                   .counted = true,
	                   .count_at = offsetof(struct wire_prepare, n_members),
	                   .check = check_prepare },
	[WIRE_ENDPOINT] = { .name = "endpoint",
	                    .record = sizeof(struct wire_endpoint) },
	[WIRE_GO] = { .name = "go",
	              .record = sizeof(struct wire_go),
	              .item = sizeof(struct wire_endpoint),
	              .items_max = WIRE_MEMBERS_MAX,
	              .counted = true,
	              .count_at = offsetof(struct wire_go, n) },
	[WIRE_CANCEL] = { .name = "cancel", .record = sizeof(uint32_t) },
	[WIRE_OUTCOME] = { .name = "outcome",
	                   .record = sizeof(struct outcome),
	                   TEXTS(outcome_texts) },
	[WIRE_SAMPLES] = { .name = "samples",
	                   .record = sizeof(struct wire_samples),
	                   .item = sizeof(double),
	                   .items_max = WIRE_SAMPLES_MAX,
	                   .counted = true,
	                   .count_at = offsetof(struct wire_samples, n) },
	[WIRE_EVENT] = { .name = "event",
	                 .record = sizeof(struct run_event),
	                 TEXTS(event_texts) },
	[WIRE_HEARTBEAT] = { .name = "heartbeat" },
	[WIRE_BYE] = { .name = "bye",
	               .record = sizeof(uint32_t),
	               .check = check_bye },
	[WIRE_WATCH] = { .name = "watch",
	                 .record = sizeof(struct watch),
	                 TEXTS(watch_texts) },
};

const char *wire_rdma_op_name(unsigned op)
{
	static const char *const names[] = {
		[WIRE_RDMA_WRITE] = "write",
		[WIRE_RDMA_READ] = "read",
		[WIRE_RDMA_SEND] = "send",
	};

	return op < WIRE_RDMA_OPS ? names[op] : "?";
}

const char *wire_type_name(unsigned type)
{
	if (type >= WIRE_TYPE_COUNT || !wire_shapes[type].name)
		return "?";
	return wire_shapes[type].name;
}

struct wire_head wire_head_make(enum wire_type type, uint32_t rank,
                                size_t length)
{
	return (struct wire_head){
		.magic = WIRE_MAGIC,
		.version = WIRE_VERSION,
		.type = (uint16_t)type,
		.length = length > UINT32_MAX ? UINT32_MAX : (uint32_t)length,
		.rank = rank,
	};
}

static enum fp_status check_magic(const uint8_t *data, struct fp_err *err)
{
	uint32_t magic;

	memcpy(&magic, data, sizeof(magic));
	if (magic == WIRE_MAGIC)
		return FP_OK;
	if (magic == __builtin_bswap32(WIRE_MAGIC))
		return fp_err_set(err, FP_ERR_PROTO,
		                  "the sender has the other byte order");
	return fp_err_set(err, FP_ERR_PROTO,
	                  "not a frame: it begins with 0x%08x", magic);
}

static bool shape_fits(const struct wire_shape *shape, uint32_t length)
{
	uint32_t tail;

	if (length < shape->record)
		return false;
	tail = length - shape->record;
	if (shape->item == 0)
		return tail == 0;
	return tail % shape->item == 0 &&
	       tail / shape->item <= shape->items_max;
}

/* All that a head can tell, so that a hostile length is refused before a
 * byte of its payload is waited for. */
static enum fp_status check_head(const struct wire_head *head,
                                 struct fp_err *err)
{
	const struct wire_shape *shape;

	if (head->version != WIRE_VERSION)
		return fp_err_set(err, FP_ERR_PROTO,
		                  "the sender speaks version %u of the "
		                  "protocol, this program version %u",
		                  head->version, WIRE_VERSION);
	if (head->type >= WIRE_TYPE_COUNT || !wire_shapes[head->type].name)
		return fp_err_set(err, FP_ERR_PROTO,
		                  "frame of the unknown type %u", head->type);
	shape = &wire_shapes[head->type];
	if (!shape_fits(shape, head->length))
		return fp_err_set(err, FP_ERR_PROTO,
		                  "%s frame of %u bytes: its record has %u, "
		                  "with up to %u items of %u behind it",
		                  shape->name, head->length, shape->record,
		                  shape->items_max, shape->item);
	return FP_OK;
}

static enum fp_status check_payload(const struct wire_head *head,
                                    const uint8_t *payload, struct fp_err *err)
{
	const struct wire_shape *shape = &wire_shapes[head->type];
	const char *wrong;

	if (shape->counted) {
		uint32_t items = (head->length - shape->record) / shape->item;
		uint32_t count;

		memcpy(&count, payload + shape->count_at, sizeof(count));
		if (count != items)
			return fp_err_set(err, FP_ERR_PROTO,
			                  "%s frame of %u items says %u",
			                  shape->name, items, count);
	}
	for (uint32_t i = 0; i < shape->n_texts; i++) {
		const struct wire_text *text = &shape->texts[i];

		if (!memchr(payload + text->at, '\0', text->size))
			return fp_err_set(err, FP_ERR_PROTO,
			                  "%s frame: %s has no end",
			                  shape->name, text->name);
	}
	wrong = shape->check ? shape->check(payload) : NULL;
	if (wrong)
		return fp_err_set(err, FP_ERR_PROTO, "%s frame: %s",
		                  shape->name, wrong);
	return FP_OK;
}

enum fp_status wire_decode(const uint8_t *data, size_t len,
                           struct wire_frame *ret_frame, size_t *ret_used,
                           struct fp_err *err)
{
	struct wire_head head;
	enum fp_status status;

	*ret_used = 0;
	if (len < sizeof(head.magic))
		return FP_OK;
	status = check_magic(data, err);
	if (status != FP_OK || len < sizeof(head))
		return status;
	memcpy(&head, data, sizeof(head));
	status = check_head(&head, err);
	if (status != FP_OK || len - sizeof(head) < head.length)
		return status;
	status = check_payload(&head, data + sizeof(head), err);
	if (status != FP_OK)
		return status;
	ret_frame->head = head;
	ret_frame->payload = data + sizeof(head);
	*ret_used = sizeof(head) + head.length;
	return FP_OK;
}

static bool is_member(const int32_t *members, uint32_t n, int32_t rank)
{
	for (uint32_t i = 0; i < n; i++) {
		if (members[i] == rank)
			return true;
	}
	return false;
}

const char *wire_prepare_check(const struct wire_prepare *prepare,
                               const int32_t *members, int32_t rank,
                               size_t n_ranks)
{
	uint32_t n = prepare->n_members;
	struct trial trial = prepare->trial;
	const char *wrong;

	/* The slice belongs to the sender's table; here the tail is all. */
	trial.member_first = 0;
	if (!trial_is_pair(&trial))
		trial.member_count = n;
	wrong = trial_check(&trial, n_ranks, n);
	if (wrong)
		return wrong;
	if (prepare->me >= n || members[prepare->me] != rank)
		return "its receiver is not among the members";
	for (uint32_t i = 0; i < n; i++) {
		if (members[i] < 0 || (size_t)members[i] >= n_ranks)
			return "a member is no rank of this job";
	}
	if (trial_is_alone(&trial))
		return n == 1 && members[0] == trial.src
		               ? NULL
		               : "the members are not its one rank";
	if (trial_is_pair(&trial) &&
	    (n != 2 || members[0] != trial.src || members[1] != trial.dst))
		return "the members are not source and destination";
	if (trial.op == OP_BROADCAST && !is_member(members, n, trial.src))
		return "the root is not among the members";
	return NULL;
}
