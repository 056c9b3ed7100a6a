/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of the kernel log: what they tell of, and where their text begins. */
#ifndef FP_TOPO_SOURCE_KMSG_LINE_H
#define FP_TOPO_SOURCE_KMSG_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "topo/reading.h"

/** struct kmsg_event - what a line tells of. */
struct kmsg_event {
	const char *name; /* of the reading: "kmsg.xid"; a constant */
	char device[READING_NAME_MAX]; /* PCI function, netdev; "" */
	int64_t number;                /* of an Xid or SXid; else 1 */
};

/**
 * kmsg_line_classify() - is @message (without stamp and level) one of those
 * that explain a slow or lost device?
 *
 * Return: false if it is not; then @ret is untouched.
 */
bool kmsg_line_classify(const char *message, struct kmsg_event *ret);

/**
 * kmsg_line_record() - take a record of /dev/kmsg apart:
 * "6,3973,2271234,-;message", then lines that belong to it.
 * @ret_since_boot_us: its stamp.
 *
 * Return: the message, in @record, which is cut behind its first line; NULL
 * if that is no record.
 */
const char *kmsg_line_record(char *record, int64_t *ret_since_boot_us);

/**
 * kmsg_line_text() - skip level and stamp of a line as dmesg and syslog show
 * it: "<6>[   12.3] ", "[Sun Feb 23 10:00:00 2025] ", "kern  :warn  : ...".
 * @ret_since_boot_us: of a stamp that counts from boot; -1 for any other.
 *
 * Return: the message in @line.
 */
const char *kmsg_line_text(const char *line, int64_t *ret_since_boot_us);

#endif
