/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the machine share: from looks to signs, from signs to
 * whom they accuse, and what to ask next. */
#ifndef FP_PROBES_LOCATE_BOOK_H
#define FP_PROBES_LOCATE_BOOK_H

#include "probes/locate/locate.h"

#define LOCATE_FOLLOWS 6 /* looks at what shares a port with a flaky test */
/* Beside the bits of enum attribute_sign: slow at first, not later. */
#define LOCATE_MOVED (1u << SIGN_COUNT)

/** book_ask() - append look @look at @test to the batch. FP_OK or
 * FP_ERR_NOMEM. */
enum fp_status book_ask(struct locate *l, size_t test, uint32_t look, bool solo,
                        struct fp_err *err);

/**
 * rounds_screen() - first looks: each group of the plan by itself.
 * rounds_again() - each further look at suspects with half as many at once.
 * rounds_bursts() - all looks at a test in one round.
 *
 * Return: FP_OK or FP_ERR_NOMEM.
 */
enum fp_status rounds_screen(struct locate *l, struct fp_err *err);
enum fp_status rounds_again(struct locate *l, struct fp_err *err);
enum fp_status rounds_bursts(struct locate *l, struct fp_err *err);

/** book_room() - make room for looks at all tests there are. */
enum fp_status book_room(struct locate *l, struct fp_err *err);

/** book_usual() - what is usual in each class, from all first looks. FP_OK or
 * FP_ERR_NOMEM. */
enum fp_status book_usual(struct locate *l, struct fp_err *err);

/** book_signs() - what one look at a test of @cls shows, as bits of signs. */
uint8_t book_signs(const struct locate *l, unsigned cls,
                   const struct locate_look *look);

/** book_is_slow() - one look against its class and the data sheet. */
bool book_is_slow(const struct locate *l, unsigned cls,
                  const struct locate_look *look);

/** book_is_flaky() - is its floor far below what is usual? */
bool book_is_flaky(const struct locate *l, unsigned cls,
                   const struct locate_look *look);

/** book_features() - bits of enum decide_feature of test @i. */
uint8_t book_features(const struct locate *l, size_t i);

/** book_reproduced() - signs that count, of test @i of whose retests
 * @again[sign] had each. */
uint8_t book_reproduced(const struct locate *l, size_t i,
                        const uint8_t again[static SIGN_COUNT]);

/** book_evidence() - which components each test crossed. What was not run
 * crossed none. FP_OK, FP_ERR_NOMEM. */
enum fp_status book_evidence(struct locate *l, struct fp_err *err);

/** book_spare_oversubscribed() - where all that crosses leaves is slow among
 * others and not alone, no single set of links is: drop those signs. */
void book_spare_oversubscribed(struct locate *l);

/** struct port_counts - looks at what crosses a port, and flaky ones. */
struct port_counts {
	uint32_t looks, flaky;
};

/** book_port_counts() - @looks and @flaky of each test, added up for each
 * component that is a port. For free(3); NULL: no memory, @err is set. */
struct port_counts *book_port_counts(const struct locate *l,
                                     const uint8_t *looks, const uint8_t *flaky,
                                     struct fp_err *err);

/** book_spare_flaky() - one unsteady test is load; of a port that is unsteady
 * many are: drop that sign from the others. FP_OK or FP_ERR_NOMEM. */
enum fp_status book_spare_flaky(struct locate *l, struct fp_err *err);

/** book_blame_hard() - accuse of what is broken or slow; book_blame_rest() -
 * then of links of sets, of what is flaky or late, and note the rest. FP_OK,
 * FP_ERR_NOMEM, FP_ERR_INPUT. */
enum fp_status book_blame_hard(struct locate *l, struct fp_err *err);
enum fp_status book_blame_rest(struct locate *l, struct fp_err *err);

/** book_name_all() - names of all accused. FP_OK or FP_ERR_NOMEM. */
enum fp_status book_name_all(struct locate *l, struct fp_err *err);

/** book_is_open() - could one more retest change what book_reproduced() says
 * of test @i? */
bool book_is_open(const struct locate *l, size_t i,
                  const uint8_t again[static SIGN_COUNT]);

/** retest_ask() - suspects among the tests from l->at on; as often as it takes
 * to know what LOCATE_RETESTS of each would say. */
enum fp_status retest_ask(struct locate *l, struct fp_err *err);
enum fp_status retest_eat(struct locate *l, const struct locate_look *looks,
                          struct fp_err *err);
void retest_done(struct locate_retest *r);

/** follow_ask() - a look at each test by a port that may be unsteady, as long
 * as that is open. */
enum fp_status follow_ask(struct locate *l, struct fp_err *err);
enum fp_status follow_eat(struct locate *l, const struct locate_look *looks,
                          struct fp_err *err);
void follow_done(struct locate_follow *w);

/** rehash_ask() - for leaves some of whose flows moved from slow to usual: ask
 * for many looks, alone. */
enum fp_status rehash_ask(struct locate *l, struct fp_err *err);
enum fp_status rehash_eat(struct locate *l, const struct locate_look *looks,
                          struct fp_err *err);
/** rehash_accuse() - sets of links with a bad one, by what was eaten. */
enum fp_status rehash_accuse(struct locate *l, struct fp_err *err);

/** partners_ask() - tests of whom nothing is known, or who is accused, with
 * partners that are clear. */
enum fp_status partners_ask(struct locate *l, struct fp_err *err);

#endif
