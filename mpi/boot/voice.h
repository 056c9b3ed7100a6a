/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who says what every rank of a job would say: before they know each other, by
 * what the launcher put into their environments. One line, not one a rank.
 */
#ifndef FP_MPI_BOOT_VOICE_H
#define FP_MPI_BOOT_VOICE_H

#include <stdbool.h>

/** enum boot_whole - of what all ranks would say the same. */
enum boot_whole {
	BOOT_WHOLE_JOB,
	BOOT_WHOLE_HOST,
};

/**
 * boot_voice_is_mine() - is this the first rank of its @whole, or does the
 * environment (read by @getenv_fn: getenv, or a test's) not tell? Ranks that
 * were numbered by hand (FABRICPROBE_RANK) speak each for itself.
 */
bool boot_voice_is_mine(enum boot_whole whole,
                        char *(*getenv_fn)(const char *));

/** boot_is_wrapped() - was this started by fabricprobe-run? */
bool boot_is_wrapped(char *(*getenv_fn)(const char *));

/**
 * boot_voice_defer() - let the one whose voice it is speak, before this rank
 * ends. A launcher that ends all ranks for the end of one would end it before
 * it said a word. Returns as soon as this one is told to end (SIGTERM, SIGINT,
 * SIGHUP; they are blocked from then on), at the latest after a second; at once
 * under fabricprobe-run, where nobody's end is another's.
 */
void boot_voice_defer(char *(*getenv_fn)(const char *));

#endif
