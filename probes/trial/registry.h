/* SPDX-License-Identifier: Apache-2.0 */
/* What there is: descriptions only, linked everywhere; `list` prints them. */
#ifndef FP_PROBES_TRIAL_REGISTRY_H
#define FP_PROBES_TRIAL_REGISTRY_H

#include <stddef.h>
#include <stdint.h>

/** struct registry_xport - a row about a transport, built or not. */
struct registry_xport {
	const char *name, *help;
	uint32_t id;       /* enum trial_xport */
	int built;         /* operations are in a worker of this build */
	const char *needs; /* what would make it so; "" when built */
};

/** registry_xports() - the rows; *@ret_n of them. */
const struct registry_xport *registry_xports(size_t *ret_n);

/** registry_xport_find() - by name, or NULL. */
const struct registry_xport *registry_xport_find(const char *name);

#endif
