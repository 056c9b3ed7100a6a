// SPDX-License-Identifier: Apache-2.0
// Decisions on arrays: what is usual, the ladder, when to stop, shapes,
// effects, screening and names of faults.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "probes/attribute/evidence.h"
#include "probes/attribute/layers.h"
#include "probes/decide/effects.h"
#include "probes/decide/ladder.h"
#include "probes/decide/screen.h"
#include "probes/decide/shape.h"
#include "probes/decide/signature.h"
#include "probes/decide/sprt.h"
#include "topo/fabric/fabric.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static bool near(double got, double want)
{
	return fabs(got - want) < 1e-9 * (1 + fabs(want));
}

static void slow_members_do_not_widen_a_class(void **state)
{
	double x[12] = { 0, .01, -.01, .02, -.02, 0, .01, -.01, .02 };
	struct decide_baseline b;
	double scratch[12];

	(void)state;
	x[9] = x[10] = x[11] = -.7;
	b = decide_baseline(x, 12, DECIDE_SIGMA_FLOOR, scratch);
	assert_true(b.able && b.n == 12);
	assert_true(near(b.med, 0));
	assert_true(near(b.sigma, 1.4826 * .01));
	assert_true(near(decide_drop(&b, log(.5)), .5));
	b = decide_baseline(x, 3, DECIDE_SIGMA_FLOOR, scratch);
	assert_false(b.able);
	assert_true(near(b.sigma, DECIDE_SIGMA_FLOOR));
	b = decide_baseline(x, 0, DECIDE_SIGMA_FLOOR, scratch);
	assert_true(isnan(b.med) && !b.able);
}

/* A quarter that is 6 % slow would move the median by half a sigma. */
static void a_slow_quarter_does_not_move_a_class(void **state)
{
	double x[16] = { -.02, -.015, -.01, -.005, 0,    0,    .005, .01,
		         .015, .02,   0,    0,     -.06, -.06, -.06, -.06 };
	struct decide_baseline b;
	double scratch[16];

	(void)state;
	b = decide_baseline(x, 16, DECIDE_SIGMA_FLOOR, scratch);
	assert_true(near(b.med, 0));
	assert_int_equal(b.n, 16);
}

static void opinions_differ(void **state)
{
	static const struct {
		struct decide_opinions o;
		double ratio;
		unsigned want;
	} cases[] = {
		{ { NAN, NAN, NAN }, .1, 0 },
		{ { 0, NAN, NAN }, .89, DECIDE_BELOW_CLASS },
		{ { 0, NAN, NAN }, .91, 0 },
		{ { NAN, 0, NAN }, .79, DECIDE_BELOW_EXPECTED },
		{ { NAN, 0, NAN }, .85, DECIDE_NEAR_EXPECTED },
		{ { NAN, 0, NAN }, .95, 0 },
		/* A cluster that is slow as a whole, and was not before. */
		{ { -.69, 0, 0 },
		  .5,
		  DECIDE_BELOW_EXPECTED | DECIDE_BELOW_SAVED },
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++)
		assert_int_equal(
			decide_against(&cases[i].o, log(cases[i].ratio), .10),
			cases[i].want);
}

static void the_ladder_convicts_only_what_is_reproduced(void **state)
{
	static const struct {
		double first, again[3]; /* parts of usual */
		size_t n;
		enum decide_verdict want;
	} cases[] = {
		{ 1, { 1, 1, 1 }, 3, DECIDE_OK },
		{ .97, { .5, .5, .5 }, 3, DECIDE_OK },
		{ .85, { 1 }, 0, DECIDE_SUSPECT },
		{ .85, { .85, .85 }, 2, DECIDE_SLOW },
		{ .85, { .85, 1, .85 }, 3, DECIDE_SLOW },
		{ .85, { .85, 1, 1 }, 3, DECIDE_FLAKY },
		{ .85, { .85, 1 }, 2, DECIDE_SUSPECT },
		{ .85, { 1, 1 }, 2, DECIDE_OK },
		{ .93, { .93, .93, 1 }, 3, DECIDE_DEGRADED },
		{ .93, { .93, .93, .93 }, 3, DECIDE_DEGRADED },
		{ .88, { .93, .93, .93 }, 3, DECIDE_DEGRADED },
	};
	struct decide_baseline b = { .sigma = .01, .able = true };
	struct decide_ladder l;
	double again[3];
	size_t i, j;

	(void)state;
	decide_ladder_defaults(&l);
	for (i = 0; i < COUNT(cases); i++) {
		for (j = 0; j < 3; j++)
			again[j] = log(cases[i].again[j]);
		assert_int_equal(decide_retested(&l, &b, log(cases[i].first),
		                                 again, cases[i].n),
		                 cases[i].want);
	}
	assert_string_equal(decide_verdict_name(DECIDE_SLOW), "SLOW");
	assert_string_equal(decide_verdict_name(DECIDE_VERDICT_COUNT), "?");
}

static void what_can_but_does_not_is_flaky(void **state)
{
	struct decide_baseline b = { .sigma = .01, .able = true };
	double x[] = { -.01, -1.2, 0 };
	struct decide_sample s = decide_sample(x, 3);
	struct decide_ladder l;

	(void)state;
	decide_ladder_defaults(&l);
	assert_true(near(s.capability, 0) && near(s.typical, -.01));
	assert_int_equal(decide_first(&l, &b, &s), DECIDE_FLAKY);
	s.capability = -.2;
	assert_int_equal(decide_first(&l, &b, &s), DECIDE_SUSPECT);
	s.capability = s.floor = 0;
	assert_int_equal(decide_first(&l, &b, &s), DECIDE_OK);
}

static void the_sequential_test_needs_several(void **state)
{
	struct decide_baseline b = { .sigma = .01 };
	struct decide_sprt s;
	int i;

	(void)state;
	decide_sprt_init(&s, &b);
	for (i = 0; i < 4; i++)
		assert_int_equal(decide_sprt_add(&s, -3), DECIDE_SUSPECT);
	assert_int_equal(decide_sprt_add(&s, -3), DECIDE_SLOW);
	decide_sprt_init(&s, &b);
	assert_int_equal(decide_sprt_add(&s, 0), DECIDE_SUSPECT);
	assert_int_equal(decide_sprt_add(&s, 0), DECIDE_OK);
	decide_sprt_init(&s, &b);
	for (i = 0; i < 11; i++)
		assert_int_equal(decide_sprt_add(&s, i % 2 ? 0 : -1),
		                 DECIDE_SUSPECT);
	assert_int_equal(decide_sprt_add(&s, 0), DECIDE_FLAKY);
}

static void two_modes_are_seen(void **state)
{
	double two[] = { 0, .01, -.01, -.7, -.71, -.69, .02, 0 };
	double one[] = { 0, .01, -.01, .02, -.02, .03, 0, .01 };
	double freak[] = { 0, .01, -.01, .02, -.02, .03, 0, -.9 };
	struct decide_modes m;

	(void)state;
	m = decide_modes(two, COUNT(two), .01);
	assert_true(m.two && m.below == 3 && m.split < -.2);
	assert_false(decide_modes(one, COUNT(one), .01).two);
	assert_false(decide_modes(freak, COUNT(freak), .01).two);
	assert_false(decide_modes(one, 0, .01).two);
	assert_true(isnan(decide_modes(one, 3, .01).coefficient));
}

static void directions_and_rounds(void **state)
{
	struct decide_round r = { .canary_x = NAN };

	(void)state;
	assert_int_equal(decide_way(-.2, 0, .01), DECIDE_WAY_FORTH);
	assert_int_equal(decide_way(0, -.2, .01), DECIDE_WAY_BACK);
	assert_int_equal(decide_way(-.08, 0, .01), DECIDE_WAY_NONE);
	assert_int_equal(decide_way(-.2, 0, .05), DECIDE_WAY_NONE);
	assert_int_equal(decide_spoiled(&r), 0);
	r = (struct decide_round){ .canary_x = -.1,
		                   .canary_sigma = .01,
		                   .foreign_Bps = 2,
		                   .line_Bps = 100,
		                   .paused = 1 };
	assert_int_equal(decide_spoiled(&r),
	                 DECIDE_CANARY | DECIDE_FOREIGN | DECIDE_PAUSED);
}

#define SIDE 6

static void polish_takes_rows_and_columns_apart(void **state)
{
	struct decide_cell cells[SIDE * SIDE];
	struct decide_polished p;
	size_t n = 0;
	int32_t r, c;

	(void)state;
	for (r = 0; r < SIDE; r++)
		for (c = 0; c < SIDE; c++) {
			if (r == c)
				continue;
			cells[n].row = r;
			cells[n].col = c;
			cells[n].x = 2 - (r == 1 ? .5 : 0) - (c == 4 ? .3 : 0);
			if (r == 2 && c == 3)
				cells[n].x -= 1;
			n++;
		}
	assert_int_equal(decide_polish(cells, n, SIDE, SIDE, &p, NULL), FP_OK);
	assert_true(near(p.overall, 2));
	assert_true(near(p.rows[1], -.5) && near(p.rows[0], 0));
	assert_true(near(p.cols[4], -.3) && near(p.cols[0], 0));
	while (n-- > 0)
		assert_true(
			near(cells[n].residual,
		             cells[n].row == 2 && cells[n].col == 3 ? -1 : 0));
	decide_polished_done(&p);
	cells[0].row = SIDE;
	assert_int_equal(decide_polish(cells, 1, SIDE, SIDE, &p, NULL),
	                 FP_ERR_INPUT);
	assert_int_equal(decide_polish(cells, 0, 0, 0, &p, NULL), FP_OK);
	decide_polished_done(&p);
}

static void a_part_is_slow_in_all_of_its_tests(void **state)
{
	const double z[] = { -5, -4, -6, -5, 0, 0, .5 };
	struct decide_part parts[3];
	struct attribute_tests tests;
	struct evidence e;
	size_t i;

	(void)state;
	evidence_init(&e, 3);
	for (i = 0; i < COUNT(z); i++) {
		int32_t ids[] = { i < 4 ? 0 : 1 };

		assert_int_equal(evidence_add(&e, ids, 1, false, NULL), FP_OK);
	}
	tests = evidence_tests(&e);
	assert_int_equal(decide_parts(&tests, z, parts, NULL), FP_OK);
	assert_true(near(parts[0].u, -5) && parts[0].flagged);
	assert_int_equal(parts[0].below, 4);
	assert_true(near(parts[1].u, 0) && !parts[1].flagged);
	assert_true(isnan(parts[2].u) && !parts[2].flagged);
	evidence_done(&e);
}

static void screening_needs_a_majority(void **state)
{
	struct decide_screen s;
	uint32_t cleared[4], i;

	(void)state;
	assert_int_equal(decide_screen_init(&s, 4, NULL), FP_OK);
	s.rounds = 3;
	decide_screen_pair(&s, 0, 1, true);
	decide_screen_pair(&s, 0, 2, true);
	decide_screen_pair(&s, 0, 3, false);
	assert_true(decide_screen_bad(&s, 0));
	assert_false(decide_screen_bad(&s, 1));
	assert_int_equal(decide_screen_cleared(&s, cleared), 1);
	assert_int_equal(cleared[0], 3);
	for (i = 0; i < 5; i++) {
		decide_screen_retest(&s, 0, i < 2);
		decide_screen_retest(&s, 1, i < 3);
	}
	assert_false(decide_screen_bad(&s, 0));
	assert_true(decide_screen_bad(&s, 1));
	decide_screen_clear(&s);
	assert_false(decide_screen_suspect(&s, 0));
	decide_screen_done(&s);
	decide_screen_done(NULL);
}

static void faults_have_names(void **state)
{
	static const struct {
		unsigned sign, kind, features;
		const char *want;
	} cases[] = {
		{ SIGN_SLOW, FABRIC_PORT_TX, 0, "cable-tx" },
		{ SIGN_BROKEN, FABRIC_HCA, FEATURE_HANG, "nic-dead" },
		{ SIGN_BROKEN, FABRIC_HCA, FEATURE_HANG | FEATURE_SMALL_OK,
		  "mtu" },
		{ SIGN_BROKEN, FABRIC_CONFIG_NET, FEATURE_INIT, "firewall" },
		{ SIGN_BROKEN, FABRIC_CONFIG_NET, 0, "roce" },
		{ SIGN_MILD, FABRIC_NVLINK, 0, "nvlink-lost" },
		{ SIGN_SLOW, FABRIC_NVLINK, FEATURE_BRIDGE, "nvlink-bridge" },
		{ SIGN_LOADED, FABRIC_HOST, 0, "other" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		assert_string_equal(decide_signature(cases[i].sign,
		                                     cases[i].kind,
		                                     cases[i].features),
		                    cases[i].want);
		assert_non_null(decide_signature_advice(cases[i].want));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slow_members_do_not_widen_a_class),
		cmocka_unit_test(a_slow_quarter_does_not_move_a_class),
		cmocka_unit_test(opinions_differ),
		cmocka_unit_test(the_ladder_convicts_only_what_is_reproduced),
		cmocka_unit_test(what_can_but_does_not_is_flaky),
		cmocka_unit_test(the_sequential_test_needs_several),
		cmocka_unit_test(two_modes_are_seen),
		cmocka_unit_test(directions_and_rounds),
		cmocka_unit_test(polish_takes_rows_and_columns_apart),
		cmocka_unit_test(a_part_is_slow_in_all_of_its_tests),
		cmocka_unit_test(screening_needs_a_majority),
		cmocka_unit_test(faults_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
