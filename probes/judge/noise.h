/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What comes now and then without any fault: where cores are shared, healthy
 * pairs stall in some of their tests, and lose packets to time-outs. How often
 * they do is seen in the run itself, in pairs that share no end with a suspect.
 */
#ifndef FP_PROBES_JUDGE_NOISE_H
#define FP_PROBES_JUDGE_NOISE_H

#include "probes/judge/flags.h"

/**
 * judge_noise_make() - set @g's flags: what each of its tests shows. What clean
 * pairs did is known already.
 *
 * Return: FP_OK or FP_ERR_NOMEM.
 */
enum fp_status judge_noise_make(struct judge_group *g, struct fp_err *err);

/**
 * judge_noise_is_rare() - is @x of @cell so low as hardly a test gets of pairs
 * in its class that send and receive elsewhere? Paths that are CPU-bound have
 * paces for that; false of them.
 */
bool judge_noise_is_rare(const struct judge_group *g,
                         const struct matrix_cell *cell, double x);

/** struct judge_noise - tests of others, and how many of them show a flag. */
struct judge_noise {
	uint32_t n, hits;
	size_t cells; /* that might show it by chance */
};

/**
 * judge_noise_beside() - @flag in tests of pairs in the class of @cell that
 * send and receive elsewhere, but for those that show it in every test.
 */
struct judge_noise judge_noise_beside(const struct judge_group *g, size_t cell,
                                      enum judge_flag flag);

/**
 * judge_noise_shows() - is a flag in @hits of @n tests more than noise? So much
 * that this would name one of all its pairs in less than one run of a thousand.
 * How often noise comes is known as well as @z tells: hits follow a beta-binomial
 * distribution (Jeffreys' prior); and a binomial one where it was never seen, of
 * the chance that leaves that as likely as not. Yes where nothing is known.
 */
bool judge_noise_shows(const struct judge_noise *z, uint32_t n, uint32_t hits);

#endif
