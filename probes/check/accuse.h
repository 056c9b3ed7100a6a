/* SPDX-License-Identifier: Apache-2.0 */
/* How checks write findings and skips; without memory they do nothing. */
#ifndef FP_PROBES_CHECK_ACCUSE_H
#define FP_PROBES_CHECK_ACCUSE_H

#include "probes/check/check.h"
#include "topo/reading/reading.h"

/**
 * accuse() - the finding of @code at @device of @host: a new one, or the one
 * that is there already, so that what else is found there is its evidence.
 * @kind:   enum locus_kind; LOCUS_JOB with @host NULL
 * @device: "" for the host itself
 *
 * Return: valid until the next call; NULL without memory, which all of the
 * functions below take.
 */
struct finding *accuse(struct check_out *out, unsigned code, uint32_t kind,
                       const struct topo_host *host, const char *device);

/** accuse_rank() - the same of a rank on @host. */
struct finding *accuse_rank(struct check_out *out, unsigned code,
                            const struct topo_host *host, int32_t rank);

/** accuse_say() - the sentence for this case, unless there is one. */
void accuse_say(struct finding *f, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/** accuse_cite() - a reading as evidence: raw value, source, time. */
void accuse_cite(struct finding *f, const struct reading *reading);

/** accuse_note() - any other line of evidence. */
void accuse_note(struct finding *f, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/** accuse_values() - what was seen and what was expected, in base units. */
void accuse_values(struct finding *f, double observed, double expected,
                   const char *unit);

/** accuse_mild() - not as bad as the catalogue has it. */
void accuse_mild(struct finding *f, uint32_t severity);

/** skip_add() - @what of @host (NULL: of none in particular) could not be
 * looked at because of @why; hosts of which the same is said are counted. */
void skip_add(struct check_out *out, const struct topo_host *host,
              const char *what, const char *why);

#define READING_WORDS_MAX 96

/** reading_words() - the value with its unit, for people. Return: @buf. */
char *reading_words(const struct reading *reading,
                    char buf[static READING_WORDS_MAX]);

#endif
