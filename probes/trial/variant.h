/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Control arms: the same trial by a worker whose NCCL was told to do without
 * something. NCCL reads its environment once, so each is another process.
 * What runs in an arm and not in the job's own environment tells what is at
 * fault; where the control fails too, nothing is told.
 */
#ifndef FP_PROBES_TRIAL_VARIANT_H
#define FP_PROBES_TRIAL_VARIANT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** enum variant - values of struct trial's variant. */
enum variant {
	VARIANT_JOB, /* the job's own environment, unchanged */
	VARIANT_P2P_OFF,
	VARIANT_SHM_OFF,
	VARIANT_NET_ONLY, /* neither peer access nor shared memory */
	VARIANT_CUMEM_OFF,
	VARIANT_GDR_OFF,
	VARIANT_PXN_OFF,
	VARIANT_MNNVL_OFF,
	VARIANT_SOCKET,
	VARIANT_RING,
	VARIANT_TREE,
	VARIANT_SIMPLE,
	VARIANT_LL,
	VARIANT_LL128,
	VARIANT_NVLS_OFF,
	VARIANT_COLLNET_OFF,
	VARIANT_BARE, /* none of the job's NCCL_* settings */
	VARIANT_HCA,  /* from here on: only the first HCA, the second, ... */
	VARIANT_COUNT = VARIANT_HCA + 16
};

/* The job's environment without some of its own NCCL_* settings: bit k of such
 * a variant is the k-th of their names, in the order of strcmp(3). Of those
 * only that reading_env_shown() counts. */
#define VARIANT_WITHOUT (1u << 31)
#define VARIANT_OWN_MAX 31

/** variant_is_without() - is it one of those? */
static inline bool variant_is_without(uint32_t variant)
{
	return variant > VARIANT_WITHOUT;
}

/** enum variant_place - of which trials an arm tells something; bits. */
enum variant_place {
	VARIANT_INSIDE = 1u << 0,  /* pairs inside a host */
	VARIANT_BETWEEN = 1u << 1, /* pairs between hosts */
	VARIANT_WHOLE = 1u << 2,   /* collectives */
};

#define VARIANT_SETTINGS 3

/** struct variant_info - a row of the table. */
struct variant_info {
	const char *name; /* "p2p-off" */
	/* "NAME=value", NULL behind the last; of an HCA's, its name follows */
	const char *set[VARIANT_SETTINGS];
	uint32_t places; /* enum variant_place */
	bool bare;       /* without the job's NCCL_* settings */
};

/** variant_info() - the row of @variant; of VARIANT_JOB for one that is none.
 */
const struct variant_info *variant_info(unsigned variant);

#define VARIANT_WORDS_MAX 96

/** variant_words() - its settings as they are typed: "NCCL_P2P_DISABLE=1", or
 * "no NCCL_* setting", "HCA 2 of its host alone", "without some of the job's NCCL_*
 * settings". Return: @buf. */
const char *variant_words(unsigned variant, char buf[static VARIANT_WORDS_MAX]);

#endif
