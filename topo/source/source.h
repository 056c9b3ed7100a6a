/* SPDX-License-Identifier: Apache-2.0 */
/* Readers of saved text: each knows its kind and adds what it tells. */
#ifndef FP_TOPO_SOURCE_SOURCE_H
#define FP_TOPO_SOURCE_SOURCE_H

#include "topo/model/model.h"
#include "topo/model/model_map.h"
#include "topo/reading/reading.h"

#define SOURCE_MAX_BYTES (16u << 20)

/** struct source_text - a file's bytes; NULs and anything else may be in. */
struct source_text {
	const char *data;
	size_t len;
};

/** enum source_phase - who goes first where a file holds several texts. */
enum source_phase {
	SOURCE_WHOLE,   /* all of the file is this: nobody else reads it */
	SOURCE_DEVICES, /* says which devices there are */
	SOURCE_DETAILS  /* adds to devices that are there */
};

/**
 * struct source_ops - a reader.
 * @sniff: is any of this kind in @text? By content; linear.
 * @read:  add what @text tells to @map. FP_ERR_INPUT and FP_ERR_LIMIT name
 *         line and column; what can be read in spite of damage is read, with
 *         a note and map->partial. NULL: it tells of no map.
 * @tell:  add the values that @text tells to @set. NULL: it tells none.
 */
struct source_ops {
	const char *name, *help;
	uint32_t phase; /* enum source_phase */
	bool (*sniff)(const struct source_text *text);
	enum fp_status (*read)(const struct source_text *text,
	                       struct topo_map *map, struct fp_err *err);
	enum fp_status (*tell)(const struct source_text *text,
	                       struct readings *set, struct fp_err *err);
};

extern const struct source_ops source_snapshot_ops;
extern const struct source_ops source_smi_topo_ops;
extern const struct source_ops source_smi_nvlink_ops;
extern const struct source_ops source_smi_query_ops;
extern const struct source_ops source_ibstat_ops;
extern const struct source_ops source_ibv_devinfo_ops;
extern const struct source_ops source_nccl_xml_ops;
extern const struct source_ops source_hwloc_xml_ops;
extern const struct source_ops source_kmsg_ops;

/** source_has() - does @word occur in @text? */
bool source_has(const struct source_text *text, const char *word);

#endif
