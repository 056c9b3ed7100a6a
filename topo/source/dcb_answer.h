/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's answer about Data Center Bridging, taken apart. */
#ifndef FP_TOPO_SOURCE_DCB_ANSWER_H
#define FP_TOPO_SOURCE_DCB_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** struct dcb_answer - what a device is set to. */
struct dcb_answer {
	bool has_pfc, has_apps;
	uint8_t pfc;         /* bit n: priority n is never dropped */
	uint32_t dscp_rules; /* DSCP values that choose a priority: it trusts
	                        DSCP if there is any */
};

/**
 * dcb_answer_read() - from the bytes of one netlink message.
 *
 * Return: false for an error message, or bytes that are no such answer.
 */
bool dcb_answer_read(const void *data, size_t len, struct dcb_answer *ret);

#endif
