/* SPDX-License-Identifier: Apache-2.0 */
/* The causes that can be named, each a row of data. */
#ifndef FP_PROBES_EXPLAIN_CAUSE_H
#define FP_PROBES_EXPLAIN_CAUSE_H

#include "probes/explain/event.h"

#define CAUSE_ALL 3
#define CAUSE_ANY 16
#define CAUSE_NONE 4
#define CAUSE_NUMBERS 16

/** struct cause_sign - an event of this kind, and n[0] one of these. */
struct cause_sign {
	uint32_t kind;                  /* enum seen_kind; 0: no sign */
	int16_t numbers[CAUSE_NUMBERS]; /* until the first 0; none: any */
};

/** enum cause_tier - of several causes the one of the lower tier is named. */
enum cause_tier {
	CAUSE_HARD,    /* the hardware itself says so */
	CAUSE_PLAIN,   /* a message that leaves no choice */
	CAUSE_LIKELY,  /* a pattern of several causes, one of them likely */
	CAUSE_DERIVED, /* from where ranks stand */
	CAUSE_WEAK,    /* what is left of a failure */
	CAUSE_STALL,   /* it hangs; the input does not tell why */
	CAUSE_SLOW,    /* makes it slow, and ends nothing */
	CAUSE_OPEN,    /* something is wrong; the input does not tell what */
	CAUSE_NOTE     /* worth a word; nothing is wrong */
};

/** enum cause_who - whom the first sign points at. */
enum cause_who {
	WHO_SELF, /* the one that wrote it */
	WHO_PEER, /* the other end */
	WHO_PAIR, /* the path between both */
	WHO_HANG, /* the ranks of a hang */
	WHO_JOB   /* everybody */
};

/** enum cause_probe - what traffic between ranks would show it, if it is so. */
enum cause_probe {
	CAUSE_PROBE_NONE,    /* none: it is in the program, or of one host */
	CAUSE_PROBE_TRAFFIC, /* any */
	CAUSE_PROBE_RDMA,    /* of RDMA, from host or GPU memory */
	CAUSE_PROBE_GPU      /* between GPUs */
};

/**
 * struct cause - a row. It is named where all of @all, at least one of @any
 * (if there are some) and nothing of @none was seen.
 * @code:   stable id, "FP-EXPLAIN-..."
 * @layer:  enum finding_layer
 * @probe:  enum cause_probe
 * @confidence: with one sign only; each further kind of sign adds to it
 * @next:   what a person does next
 * @disprove: what would show that it is something else
 */
struct cause {
	const char *code, *title;
	uint32_t layer, tier, who, probe;
	double confidence;
	struct cause_sign all[CAUSE_ALL], any[CAUSE_ANY], none[CAUSE_NONE];
	const char *next, *disprove;
};

/** struct cause_table - rows of one realm. */
struct cause_table {
	const struct cause *rows;
	size_t n;
};

/** cause_tables() - all tables, *@ret_n; earlier ones first in a tier. */
const struct cause_table *const *cause_tables(size_t *ret_n);

extern const struct cause_table cause_gpu, cause_net, cause_setup, cause_job;

/** cause_find() - by @code; NULL: none. */
const struct cause *cause_find(const char *code);

/** cause_tier_severity() - SEVERITY_FAULT, -WARN or -INFO of a tier. */
uint32_t cause_tier_severity(unsigned tier);

#endif
