/* SPDX-License-Identifier: Apache-2.0 */
/* Finds any of many words in a large block, at the speed of skipping. */
#ifndef FP_PROBES_EXPLAIN_NEEDLE_H
#define FP_PROBES_EXPLAIN_NEEDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "topo/base/status.h"

#define NEEDLE_LEN_MIN 6 /* of a word: shorter ones slow all of them down */
#define NEEDLES_MAX 512

/** struct needle - a word, and a number of who wants it. */
struct needle {
	const char *text;
	uint32_t len, owner;
	uint32_t start; /* its first four bytes */
};

/** struct needles - a compiled set. needles_done() at the end. */
struct needles {
	struct needle all[NEEDLES_MAX];
	uint16_t next[NEEDLES_MAX]; /* of the same block, index + 1 */
	uint32_t n, window;         /* window: the shortest word */
	uint8_t *shift;             /* by the last two bytes of a window */
	uint16_t *head;             /* the same: index + 1 */
};

/**
 * needles_add() - one more word. @text must outlive the set.
 *
 * Return: FP_OK; FP_ERR_LIMIT if there are too many or it is too short.
 */
enum fp_status needles_add(struct needles *set, const char *text,
                           uint32_t owner, struct fp_err *err);

/**
 * needles_compile() - after the last word. The method is Wu and Manber, "A
 * fast algorithm for multi-pattern searching" (1994), with blocks of two.
 *
 * Return: FP_OK; FP_ERR_NOMEM.
 */
enum fp_status needles_compile(struct needles *set, struct fp_err *err);

/**
 * needles_next() - the first word at or after @from.
 * @ret_owner: whose.
 *
 * Return: where it begins, or @len for none. Of several that end in the same
 * place any one is found.
 */
size_t needles_next(const struct needles *set, const char *data, size_t len,
                    size_t from, uint32_t *ret_owner);

/**
 * needles_owners() - a bit for each owner below 64 of a word in @data.
 */
uint64_t needles_owners(const struct needles *set, const char *data,
                        size_t len);

/** needles_done() - free; takes NULL. */
void needles_done(struct needles *set);

#endif
