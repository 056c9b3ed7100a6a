// SPDX-License-Identifier: Apache-2.0
// What a hang may cost a run, and what a run that is cut may not say.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/session_bed.h"

#define COUNT(a) (sizeof(a) / sizeof(*(a)))

/* One partner inside the host, and one outside that no stage has tried: it is
 * the rank, not two pairs. What hangs over shared memory is tried over loopback
 * once, and collectives do without it. */
static void test_hung_sender(void **state)
{
	static const struct {
		const char *shape;
		uint32_t hung_rounds; /* with the retest, and one a transport */
		uint32_t coll_ranks;
	} rows[] = {
		{ "4", 4, 3 },
		{ "2 2", 4, 2 },
	};
	struct bed_case c = {
		.rules = { { .kind = FAKE_HANG, .src = 1, .dst = FAKE_ANY } },
		.n_rules = 1,
		.mode = MODE_STANDARD,
	};
	const struct results *r;
	struct bed bed;
	size_t i, k;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		c.shape = rows[i].shape;
		bed_run(&bed, &c, NULL);
		assert_non_null(bed_find(&bed, FINDING_RANK_HANG));
		assert_int_equal(bed_find(&bed, FINDING_RANK_HANG)->locus.rank,
		                 1);
		assert_int_equal(
			bed_find(&bed, FINDING_RANK_HANG)->locus.direction,
			DIRECTION_TX);
		assert_int_equal(bed.session.findings.n, 1);
		if (bed.fake.n_hung_rounds > rows[i].hung_rounds)
			fail_msg("row %zu: %u rounds hung", i,
			         bed.fake.n_hung_rounds);
		r = &bed.session.results;
		for (k = 0; k < r->n_trials; k++)
			if (!trial_is_pair(&r->trials[k]))
				assert_int_equal(r->trials[k].member_count,
				                 rows[i].coll_ranks);
		assert_true(bed_has_skip(&bed, "ran without rank"));
		session_bed_close(&bed);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hung_sender),
	};

	return cmocka_run_group_tests_name("session_hung", tests, NULL, NULL);
}
