/* SPDX-License-Identifier: Apache-2.0 */
/* What tests of readers share: read a text, look for events. */
#ifndef FP_TESTS_UNIT_EXPLAIN_BED_H
#define FP_TESTS_UNIT_EXPLAIN_BED_H

#include "probes/explain/gather.h"

/** struct seen - an event that a text must give; -2: whatever. */
struct seen {
	unsigned kind;
	int rank, peer;
	const char *host, *peer_host, *device; /* NULL: whatever */
	long n0, n1;
};

/** explain_bed_read() - @text as a file named @name; fails the test else. */
void explain_bed_read(struct gather *g, const char *name, const char *text);

/** explain_bed_find() - the event as @want has it; NULL: none. */
const struct event *explain_bed_find(const struct gather *g,
                                     const struct seen *want);

/** explain_bed_expect() - it is there, or the test fails and lists all. */
const struct event *explain_bed_expect(const struct gather *g,
                                       const struct seen *want);

#endif
