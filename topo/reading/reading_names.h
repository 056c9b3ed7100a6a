/* SPDX-License-Identifier: Apache-2.0 */
/* The names of readings: what each means, and what to expect of it. */
#ifndef FP_TOPO_READING_READING_NAMES_H
#define FP_TOPO_READING_READING_NAMES_H

#include <stddef.h>
#include <stdint.h>

/**
 * enum reading_use - what the value on one host says about others.
 * @READING_SAME:    hosts of a job should agree
 * @READING_OWN:     each host has its own: a name, a serial number, an address
 * @READING_CHANGES: a counter, a temperature: another one every time
 */
enum reading_use { READING_SAME, READING_OWN, READING_CHANGES };

/**
 * struct reading_name - a row of the table.
 * @name: of the reading; a '*' in it stands for any text.
 * @of:   the kind of device: "host", "pci", "gpu", "hca", "port", "netdev",
 *        "numa", "nvlink", "process"
 * @unit: "" for texts, states and counts
 */
struct reading_name {
	const char *name, *of, *unit;
	uint32_t use; /* enum reading_use */
	const char *meaning;
};

/** reading_names() - the whole table. */
const struct reading_name *reading_names(size_t *ret_n);

/**
 * reading_name_find() - the row for @name.
 *
 * Return: NULL for a name that is in no table.
 */
const struct reading_name *reading_name_find(const char *name);

/** reading_use() - enum reading_use of @name; what has no row is
 * READING_CHANGES: nothing is known of it. */
uint32_t reading_use(const char *name);

#endif
