/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From marks on directed pairs to whom they point at: rows and columns over
 * hosts, devices and ranks, strongest first; what an accused end explains is
 * not held against anybody else. Pairs that are left speak for themselves.
 */
#ifndef FP_PROBES_JUDGE_BLAME_H
#define FP_PROBES_JUDGE_BLAME_H

#include <stdbool.h>

#include "probes/finding/finding.h"
#include "probes/judge/judge.h"
#include "probes/judge/ports.h"

/** enum symptom - what is held against somebody. */
enum symptom {
	SYMPTOM_CORRUPT,
	SYMPTOM_DEAD, /* hangs and errors */
	SYMPTOM_SLOW,
	SYMPTOM_LOSS,
	SYMPTOM_STALL,  /* bandwidth, now and then */
	SYMPTOM_JITTER, /* round trips, now and then */
	SYMPTOM_LATENCY,
	SYMPTOM_COUNT
};

/** enum mark_kind - how a pair is dead; MARK_ANY elsewhere. */
enum mark_kind {
	MARK_ANY,
	MARK_BLACKHOLE, /* datagrams vanish, too */
	MARK_MTU,       /* full-size ones do */
	MARK_HANG,      /* nothing known of datagrams */
	MARK_ERROR,
	MARK_HANG_ALIVE, /* datagrams pass */
	MARK_ERROR_ALIVE,
	MARK_KIND_COUNT
};

enum mark_weight { MARK_GOOD, MARK_SOFT, MARK_HARD };

/** struct judge_mark - what one symptom shows on one directed pair. */
struct judge_mark {
	int32_t src, dst;
	uint8_t weight; /* enum mark_weight: SOFT was seen only once */
	uint8_t kind;   /* enum mark_kind */
	bool alone;     /* bad enough to be named without others */
	bool mild;      /* named alone, it is a warning */
	bool local;     /* inside a host, or over loopback */
	uint8_t xport;  /* enum trial_xport */
	const struct matrix *m;
	const struct matrix_cell *cell; /* NULL: only datagrams */
	int32_t blame;                  /* index of who explains it; -1 */
};

enum blame_level {
	BLAME_HOST,
	BLAME_PORT,
	BLAME_PORT_PAIR,
	BLAME_RANK,
	BLAME_PAIR,
	BLAME_LEVEL_COUNT
};

/** struct judge_blame - somebody accused. */
struct judge_blame {
	uint8_t symptom;   /* enum symptom */
	uint8_t level;     /* enum blame_level */
	uint8_t direction; /* enum locus_direction: of a pair TX is a -> b */
	uint8_t kind;      /* enum mark_kind, of most of its marks */
	bool mild;
	int32_t a, b; /* host, port or rank; b: other end of a pair, or -1 */
	uint32_t n_bad, n_good; /* pairs of ends at that level */
	double confidence;
	int32_t by; /* index of the blame that explains this one; -1 */
		    /* its marks are found by struct judge_mark.blame */
};

/** struct judge_case - all marks and blames of a run. */
struct judge_case {
	const struct topo_job *job;
	const struct results *results;
	const struct judge_ports *ports;
	const struct judge_opts *opts;
	struct judge_mark *marks;
	size_t n_marks, room_marks;
	struct judge_blame *blames;
	size_t n_blames, room_blames;
};

/** struct blame_family - marks that are weighed against each other. */
struct blame_family {
	uint8_t symptom;
	bool local;
	bool undirected; /* round trips: both ends alike */
	struct judge_mark *marks;
	size_t n;
};

/**
 * judge_blame_ends() - accuse the hosts, devices and ranks that the marks of
 * @f point at; sets their blame.
 *
 * Return: FP_OK or FP_ERR_NOMEM.
 */
enum fp_status judge_blame_ends(struct judge_case *c,
                                const struct blame_family *f,
                                struct fp_err *err);

/**
 * judge_blame_ranks() - accuse ranks whose marks lie on several paths: @f is
 * all families of a symptom, after each was heard by itself.
 *
 * Return: FP_OK or FP_ERR_NOMEM.
 */
enum fp_status judge_blame_ranks(struct judge_case *c,
                                 const struct blame_family *f,
                                 struct fp_err *err);

/**
 * judge_blame_pairs() - accuse the pairs of @f that no end explains.
 *
 * Return: FP_OK or FP_ERR_NOMEM.
 */
enum fp_status judge_blame_pairs(struct judge_case *c,
                                 const struct blame_family *f,
                                 struct fp_err *err);

/**
 * judge_blame_covers() - would the place accused in @b explain a mark of
 * @src -> @dst? @undirected: or of the way back.
 */
bool judge_blame_covers(const struct judge_case *c, const struct judge_blame *b,
                        const struct judge_mark *mark, bool undirected);

/**
 * judge_blame_resolve() - who explains whom; sets their by.
 *
 * Return: FP_OK or FP_ERR_NOMEM.
 */
enum fp_status judge_blame_resolve(struct judge_case *c, struct fp_err *err);

#endif
