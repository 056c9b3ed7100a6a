/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attribution in layers: what is broken first, then what is slow, then what is
 * only a little so. A culprit of one layer explains its tests in all later
 * ones, and each layer has its own rule for how much it takes to accuse.
 */
#ifndef FP_PROBES_ATTRIBUTE_LAYERS_H
#define FP_PROBES_ATTRIBUTE_LAYERS_H

#include "probes/attribute/evidence.h"

/** enum attribute_sign - what a test shows; a layer each. */
enum attribute_sign {
	SIGN_BROKEN, /* error or hang, reproduced */
	SIGN_SLOW,   /* 10 % or more missing, reproduced */
	SIGN_MILD,   /* 3 sigma or more below, once */
	SIGN_FLAKY,  /* can, but again and again does not */
	SIGN_LATE,   /* usual rate, higher latency */
	SIGN_LOADED, /* slow among others, not alone: nobody's fault yet */
	SIGN_COUNT
};
#define SIGN_BIT(sign) (1u << SIGN_##sign)

/** struct attribute_accused - a culprit, and of what. */
struct attribute_accused {
	struct attribute_culprit culprit; /* groups: in the list's array */
	uint32_t sign;                    /* enum attribute_sign */
};

/** struct attribute_accusations - all of them. _done() takes NULL. */
struct attribute_accusations {
	struct attribute_accused *list;
	size_t n, room;
	int32_t *groups;
	size_t n_groups, room_groups;
	uint8_t *state; /* [n_comps] enum attribute_state */
};

/** attribute_accusations_init() - nobody of @n_comps is accused. FP_OK or
 * FP_ERR_NOMEM. */
enum fp_status attribute_accusations_init(struct attribute_accusations *a,
                                          int32_t n_comps, struct fp_err *err);

/**
 * attribute_accuse() - add @culprit, whose group is among @groups. State BAD,
 * unless of SIGN_LOADED.
 *
 * Return: FP_OK or FP_ERR_NOMEM.
 */
enum fp_status attribute_accuse(struct attribute_accusations *a,
                                const struct attribute_culprit *culprit,
                                uint32_t sign, const int32_t *groups,
                                struct fp_err *err);

/** struct attribute_case - all that speaks for or against somebody. */
struct attribute_case {
	const struct evidence *e; /* which were slow is not looked at */
	const uint8_t *signs; /* [e->n] bits 1 << enum attribute_sign of each;
	                         other bits are for the caller */
	const double *logit;  /* as in struct attribute_opts */
};

/**
 * attribute_layers() - accuse, from layer @first to layer @last. Whoever is
 * BAD in @a already explains tests. States are told anew.
 *
 * Return: FP_OK, FP_ERR_NOMEM, FP_ERR_INPUT.
 */
enum fp_status attribute_layers(const struct attribute_case *k, uint32_t first,
                                uint32_t last, struct attribute_accusations *a,
                                struct fp_err *err);
void attribute_accusations_done(struct attribute_accusations *a);

#endif
