/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What stands out in one host's map without any traffic: faults, and remarks
 * that explain what a reader may take for one. Pure.
 */
#ifndef FP_TOPO_COMPARE_ODDITY_H
#define FP_TOPO_COMPARE_ODDITY_H

#include "topo/path/path.h"

#define ODDITY_TEXT_MAX 240

/** enum oddity_kind - faults first. */
enum oddity_kind {
	ODDITY_NVLINK_NONE,  /* a GPU has none, all others have */
	ODDITY_NVLINK_FEWER, /* a GPU has fewer than the others */
	ODDITY_NVLINK_PAIR,  /* two GPUs have fewer between them */
	ODDITY_NVLINK_DOWN,  /* links are down */
	ODDITY_REMARK,       /* no fault from here on */
	ODDITY_PCIE_ONLY,
	ODDITY_MIG,
	ODDITY_CPUSET,
	ODDITY_HCA_FAR,
	ODDITY_HCA_SHARED,
	ODDITY_VIRTUAL,
	ODDITY_DANGLING,
	ODDITY_NO_CLASS,
	ODDITY_P2P,
	ODDITY_KIND_COUNT
};

/** struct oddity - one of them. */
struct oddity {
	uint32_t kind;
	int32_t gpu, other; /* indices into gpus; -1: of no GPU */
	char text[ODDITY_TEXT_MAX];
};

/** struct oddities - all of a map. Zero-initialise; oddities_done(). */
struct oddities {
	struct oddity *rows;
	size_t n;
	bool failed; /* no memory for all of them */
};

/** oddity_is_fault() - or else a remark. */
static inline bool oddity_is_fault(const struct oddity *oddity)
{
	return oddity->kind < ODDITY_REMARK;
}

/**
 * oddities_find() - all of @map. NVLinks are judged by uniformity, not by a
 * table of models: what all have is full width.
 *
 * Return: FP_OK, FP_ERR_NOMEM. Undo with oddities_done().
 */
enum fp_status oddities_find(const struct topo_map *map,
                             const struct path_matrix *matrix,
                             struct oddities *ret, struct fp_err *err);

/** oddities_done() - free; takes NULL. */
void oddities_done(struct oddities *oddities);

/** oddities_add() - one more. */
void oddities_add(struct oddities *to, uint32_t kind, int32_t gpu,
                  int32_t other, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));

/** oddities_nvlink() - the faults of NVLinks. */
void oddities_nvlink(const struct topo_map *map,
                     const struct path_matrix *matrix, struct oddities *to);

/** oddities_remarks() - what is no fault. */
void oddities_remarks(const struct topo_map *map,
                      const struct path_matrix *matrix, struct oddities *to);

#endif
