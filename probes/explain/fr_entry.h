/* SPDX-License-Identifier: Apache-2.0 */
/* One entry of a Flight Recorder dump: what is called, and how far it is. */
#ifndef FP_PROBES_EXPLAIN_FR_ENTRY_H
#define FP_PROBES_EXPLAIN_FR_ENTRY_H

#include "probes/explain/reader.h"
#include "probes/explain/value.h"

/** enum entry_key - what is read of each entry, in the order in which dumps
 * have it. */
enum entry_key {
	ENTRY_FRAMES,
	ENTRY_RECORD,
	ENTRY_PG,
	ENTRY_GROUP,
	ENTRY_COLL,
	ENTRY_P2P,
	ENTRY_NAME,
	ENTRY_CREATED,
	ENTRY_SIZES,
	ENTRY_TYPES,
	ENTRY_STATE,
	ENTRY_ENDED,
	ENTRY_TIMEOUT,
	ENTRY_IS_P2P,
	ENTRY_COUNT
};

/** fr_entry_pick() - the members of the entry @of; see value_pick(). */
void fr_entry_pick(const struct value *of, struct value_shape *shape,
                   const struct value *ret[static ENTRY_COUNT]);

/**
 * fr_entry_signature() - the name for operation, sizes and types, as far as
 * they must be equal on all ranks: those that take a list of tensors may
 * differ. 0: the entry tells no operation.
 */
uint32_t fr_entry_signature(struct intake *r, const struct value *const *entry);

/** fr_entry_state() - enum fr_state. */
unsigned fr_entry_state(const struct value *const *entry);

/** fr_entry_peer() - of "nccl:send 1->2", "nccl:recv 3<-0": a rank of the
 * group; -1: none. */
int32_t fr_entry_peer(const struct value *const *entry);

/** fr_entry_direction() - FR_SEND or FR_RECV of a point-to-point entry. */
int64_t fr_entry_direction(const struct value *const *entry);

/** fr_entry_frame() - add where the program called it, if the dump tells;
 * @of: the entry's event. */
void fr_entry_frame(struct intake *r, const struct value *const *entry,
                    const struct event *of);

#endif
