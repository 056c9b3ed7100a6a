/* SPDX-License-Identifier: Apache-2.0 */
/* What is measured to find who is bad, and what one repetition showed. */
#ifndef FP_PROBES_LOCATE_TEST_H
#define FP_PROBES_LOCATE_TEST_H

#include <stdbool.h>

#include "topo/fabric/fabric.h"

/** enum locate_class - tests of which the same is expected. */
enum locate_class {
	LOCATE_COPY,        /* memory of the host to a GPU, or back */
	LOCATE_INSIDE,      /* GPU to GPU by NVLink */
	LOCATE_INSIDE_PCIE, /* without one */
	LOCATE_LOOPBACK,    /* out of one HCA into one of the same host */
	LOCATE_LOOPBACK_MEMORY,
	LOCATE_SAME_LEAF,
	LOCATE_CROSS_LEAF,
	LOCATE_SWAPPED, /* by another HCA than the GPU's own */
	LOCATE_SWAPPED_CROSS,
	LOCATE_MEMORY, /* between memories of hosts */
	LOCATE_MEMORY_CROSS,
	LOCATE_RAILS, /* between HCAs of different rails */
	LOCATE_RAILS_CROSS,
	LOCATE_CLASS_COUNT
};

/** struct locate_test - one transfer of a plan. */
struct locate_test {
	struct fabric_transfer t;
	uint32_t group; /* tests of one logical round; ascending */
	uint8_t cls;    /* enum locate_class */
	uint8_t stage;  /* enum trial_stage */
};

/** struct locate_look - what one repetition of a test showed: logarithms of
 * parts of what the data sheet says, or of what is usual where it says
 * nothing. */
struct locate_look {
	uint8_t state; /* enum outcome_state; NOTRUN: nothing is known */
	uint8_t stage; /* enum outcome_stage */
	bool small_ok; /* small messages passed at the usual rate */
	double capability, floor; /* ln(best rate), ln(5th percentile) */
	double latency;           /* ln(best); NaN: was not measured */
};

/** locate_class_of() - the class of @t in @f. */
enum locate_class locate_class_of(const struct fabric *f,
                                  const struct fabric_transfer *t);

/** locate_class_crosses() - do its tests go through spines? */
bool locate_class_crosses(unsigned cls);

/** locate_expected_Bps() - what one transfer of the class can carry, by the
 * hardware that @f describes: 12 GB/s for each 100 Gb/s of a port, 20.6 GB/s
 * for each NVLink (NCCL's link model), and of PCIe as much as of its port. */
double locate_expected_Bps(const struct fabric *f, unsigned cls);

/** locate_class_name() - "GPU to GPU, NVLink"; "?" for none. */
const char *locate_class_name(unsigned cls);

#endif
