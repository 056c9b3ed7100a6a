/* SPDX-License-Identifier: Apache-2.0 */
/* The words of a matrix as nvidia-smi topo draws it: cells and labels. */
#ifndef FP_TOPO_SOURCE_SMI_WORDS_H
#define FP_TOPO_SOURCE_SMI_WORDS_H

#include "topo/model/model_map.h"

/** struct smi_cell - of -m a path, of -p2p a status. */
struct smi_cell {
	struct path path;
	uint8_t p2p; /* enum p2p_status */
};

/** struct smi_label - a device at the head of a row or column. */
struct smi_label {
	char name[MAP_NAME_MAX];
	int32_t index; /* of GPU<index> and NIC<index>; else -1 */
	bool gpu;
};

/**
 * smi_cell_take() - the cell at *@at, which may be glued to the next one
 * ("NODENODE").
 *
 * Return: true with *@at behind it; false if there is none.
 */
bool smi_cell_take(const char **at, struct smi_cell *ret);

/**
 * smi_label_take() - the device name at *@at; "GPU0GPU1" are two.
 *
 * Return: true with *@at behind it; false if there is none, which is so for
 * what would be a cell, too.
 */
bool smi_label_take(const char **at, struct smi_label *ret);

/** smi_gap() - blanks, rules and emphasis at @s. Return: their number. */
size_t smi_gap(const char *s);

/**
 * smi_tail_find() - where the headings behind the devices begin ("CPU
 * Affinity"), and which there are.
 *
 * Return: the place; the end of @line if there are none.
 */
const char *smi_tail_find(const char *line, uint32_t *ret_columns);

#endif
