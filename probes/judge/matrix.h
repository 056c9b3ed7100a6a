/* SPDX-License-Identifier: Apache-2.0 */
/* The fault matrix: what each directed pair did, judged. Sparse. */
#ifndef FP_PROBES_JUDGE_MATRIX_H
#define FP_PROBES_JUDGE_MATRIX_H

#include <stddef.h>
#include <stdint.h>

#include "probes/trial/trial.h"
#include "topo/base/status.h"

/** enum cell_state - the ladder, mild to severe; a hang outranks slowness. */
enum cell_state {
	CELL_NOTRUN, /* never tried, or could not start */
	CELL_OK,
	CELL_DEGRADED, /* 5-10 % below, reproduced: information */
	CELL_SUSPECT,  /* below, not (yet) reproduced */
	CELL_FLAKY,    /* capable, but not steadily */
	CELL_SLOW,     /* reproduced in 2 of 3 */
	CELL_CORRUPT,  /* data wrong, whatever the speed */
	CELL_ERROR,
	CELL_HANG,
	CELL_LOST,
	CELL_STATE_COUNT
};

/** enum cell_why - what was seen in a cell, beside its one state. */
enum cell_why {
	CELL_WHY_SLOW = 1u << 0,     /* far below its class, reproduced */
	CELL_WHY_DEGRADED = 1u << 1, /* below, reproduced */
	CELL_WHY_WEAK = 1u << 2,     /* below in most tests, not in all */
	CELL_WHY_UNSTEADY = 1u << 3, /* its worst moments, reproduced */
	CELL_WHY_LOSS = 1u << 4,     /* segments sent again, reproduced */
	CELL_WHY_FAILED = 1u << 5,   /* hung or failed, by no end's own fault */
	CELL_WHY_OPEN = 1u << 6,     /* wants another test */
	CELL_WHY_OPEN_SLOW = 1u << 7, /* for being far below; of a slow one:
	                                 not enough to be named alone */
	CELL_WHY_OPEN_LOSS = 1u << 8, /* for loss */
	CELL_WHY_PACE = 1u << 9, /* slow in each message, not for standing still
	                            now and then */
};

/** struct matrix_cell - one directed pair. */
struct matrix_cell {
	int32_t src, dst;
	uint32_t state;   /* enum cell_state */
	int32_t cls;      /* index into the matrix's classes; -1 */
	uint32_t n_tests; /* that ran */
	uint32_t n_flagged;
	uint32_t stage; /* enum outcome_stage, the least far of a failure */
	uint32_t trial; /* id of the test that decides the state */
	double pace;    /* CELL_WHY_PACE: rate of a median message in the best
	                      test but one, B/s */
	double value;   /* capability: best rate, B/s; best latency, s; 0 */
	double low;     /* worst 5th percentile of rates, B/s; p99 of
	                      latency, s; 0 */
	double ratio;   /* value / class median; < 1 is worse; 0 unknown */
	double z;       /* robust; negative is worse */
	uint64_t wrong_bytes;  /* of what src sent */
	uint64_t wrong_back;   /* of what dst sent; latency only */
	int64_t retrans, segs; /* sums; -1: unknown */
	double loss_share;     /* of tests with loss: rate over what TCP can
	                          carry with that much of it; 0 unknown */
	uint32_t why;          /* enum cell_why */
	uint32_t
		n_failed; /* tests that hung or failed, by no end's own fault */
	int32_t culprit;  /* the rank whose own failure this is; -1 */
};

/** struct matrix_class - pairs of which the same is expected. */
struct matrix_class {
	char name[64]; /* "shm same host", "tcp between hosts 10 Gb/s" */
	uint32_t n;    /* cells with a value */
	double median; /* of ends' medians of first tests: B/s or s; 0 unknown */
	double sigma;  /* of ln(value) */
	double low;    /* what "low" of a cell mostly is; 0 unknown */
	double pace;   /* the same of "pace" */
	double loss;   /* segments sent again / segments, mostly; 0 unknown */
	uint32_t local; /* CPU-bound: inside a host, or over loopback */
	uint32_t pad;
};

/** struct matrix - one table of a report. */
struct matrix {
	uint32_t xport, op, mem, dir;
	uint64_t bytes;
	int32_t src_ep, dst_ep; /* verbs: the rails of its ends; -1: the only */
	int32_t n_ranks;
	struct matrix_cell *cells; /* sorted by src, dst */
	size_t n_cells;
	struct matrix_class *classes;
	size_t n_classes;
};

/** struct matrices - all tables of a run. */
struct matrices {
	struct matrix *m;
	size_t n;
};

/** cell_state_name() - "OK", "SLOW"; "?" for none. */
const char *cell_state_name(unsigned state);

/** matrix_find() - the cell of a directed pair, or NULL. O(log n). */
const struct matrix_cell *matrix_find(const struct matrix *m, int32_t src,
                                      int32_t dst);

/** matrices_done() - free all; takes NULL. */
void matrices_done(struct matrices *m);

#endif
