// SPDX-License-Identifier: Apache-2.0
// The model: numbers that repeat, faults that show where they should and
// nowhere else.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "probes/sim/catalogue.h"
#include "probes/trial/trial.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void numbers_repeat_and_are_even(void **state)
{
	double sum = 0, squares = 0, x;
	struct stats_rng a, b;
	int32_t seat[8] = { 0, 1, 2, 3, 4, 5, 6, 7 };
	unsigned seen = 0;
	int i;

	(void)state;
	stats_rng_init(&a, 1, 2);
	stats_rng_init(&b, 1, 2);
	for (i = 0; i < 100; i++)
		assert_true(stats_rng_next(&a) == stats_rng_next(&b));
	stats_rng_init(&b, 1, 3);
	assert_true(stats_rng_next(&a) != stats_rng_next(&b));
	for (i = 0; i < 20000; i++) {
		x = stats_rng_normal(&a);
		sum += x;
		squares += x * x;
		assert_true(stats_rng_below(&a, 7) < 7);
	}
	assert_true(fabs(sum / 20000) < .03);
	assert_true(fabs(squares / 20000 - 1) < .05);
	assert_int_equal(stats_rng_below(&a, 0), 0);
	stats_rng_shuffle(&a, seat, 8);
	for (i = 0; i < 8; i++)
		seen |= 1u << seat[i];
	assert_int_equal(seen, 255);
}

static void build(struct fabric *f, int32_t hosts)
{
	struct fabric_spec spec;

	sim_cluster(&spec, hosts, SIM_FAULT_COUNT);
	assert_int_equal(fabric_init(f, &spec, NULL), FP_OK);
}

/* GPU 2 of host 0 to its twin of host 1, alone or not, by rail 2. */
static const struct fabric_transfer rail = { { 0, 2, 2 }, { 1, 2, 2 } };
static const struct fabric_transfer back = { { 1, 2, 2 }, { 0, 2, 2 } };
static const struct fabric_transfer far = { { 0, 2, 2 }, { 7, 2, 2 } };
static const struct fabric_transfer memory = { { 0, -1, 2 }, { 1, -1, 2 } };
static const struct fabric_transfer nvlink = { { 0, 2, -1 }, { 0, 3, -1 } };
static const struct fabric_transfer copy = { { 0, -1, -1 }, { 0, 2, -1 } };

static const struct {
	unsigned kind, local; /* of host 0 */
	const struct fabric_transfer *shows, *hides;
	bool solo; /* hides because it is alone */
} cases[] = {
	{ SIM_GPU_THROTTLE, 2, &nvlink, &copy, false },
	{ SIM_GPU_PCIE, 2, &copy, &nvlink, false },
	{ SIM_NVLINK_LOST, 2, &nvlink, &rail, false },
	{ SIM_NVSWITCH_DOWN, 0, &nvlink, &rail, false },
	{ SIM_NIC_DEAD, 2, &memory, &nvlink, false },
	{ SIM_NIC_SLOW, 2, &back, &copy, false },
	{ SIM_CABLE_TX, 2, &rail, &back, false },
	{ SIM_CABLE_RX, 2, &back, &rail, false },
	{ SIM_OVERSUBSCRIBED, 0, &far, &rail, false },
	{ SIM_OVERSUBSCRIBED, 0, &far, &far, true },
	{ SIM_PCIE_SWITCH, 1, &copy, &nvlink, false },
	{ SIM_ACS, 0, &rail, &memory, false },
	{ SIM_GDR_OFF, 0, &rail, &memory, false },
	{ SIM_GDR_ROOT, 2, &rail, &copy, false },
	{ SIM_ROCE, 0, &memory, &nvlink, false },
	{ SIM_FIREWALL, 0, &memory, &nvlink, false },
	{ SIM_GPU_LOST, 2, &copy, &memory, false },
	{ SIM_HOST_SLOW, 0, &copy, NULL, false },
};

static bool is_bad(const struct sim_model *m, const struct fabric_transfer *t,
                   bool solo)
{
	struct locate_test test = { .t = *t };
	struct locate_look l;

	test.cls = (uint8_t)locate_class_of(m->f, t);
	l = sim_look(m, &test, 0, 0, solo);
	return l.state != OUTCOME_OK || l.capability < -.03;
}

static void faults_show_where_they_are(void **state)
{
	struct sim_fault fault;
	struct sim_model m = { .faults = &fault, .n_faults = 1 };
	struct fabric f;
	size_t i;

	(void)state;
	build(&f, 8);
	m.f = &f;
	for (i = 0; i < COUNT(cases); i++) {
		unsigned at = sim_fault_info(cases[i].kind)->at;
		int32_t comp = f.first[at] + (int32_t)cases[i].local;

		fault = sim_fault_make(cases[i].kind, comp);
		assert_true(is_bad(&m, cases[i].shows, false));
		if (cases[i].hides)
			assert_false(is_bad(&m, cases[i].hides, cases[i].solo));
	}
	fabric_done(&f);
}

static void a_slow_cluster_is_below_the_data_sheet(void **state)
{
	struct locate_opts opts = { .seed = 3, .partners = 2 };
	struct sim_fault fault;
	struct sim_model m = { .faults = &fault, .n_faults = 1, .seed = 5 };
	struct locate l;
	struct fabric f;

	(void)state;
	build(&f, 8);
	m.f = &f;
	m.noise = sim_noise_usual();
	fault = sim_fault_make(SIM_OVERSUBSCRIBED,
	                       fabric_id(&f, FABRIC_CLUSTER, 0));
	fault.info.when = 0;
	opts.extent = locate_extent_of(&f, LOCATE_STANDARD);
	assert_int_equal(locate_init(&l, &f, &opts, NULL), FP_OK);
	assert_int_equal(sim_run(&m, &l, NULL), FP_OK);
	assert_int_equal(l.a.n, 1);
	assert_int_equal(l.a.list[0].culprit.comp, fault.comp);
	locate_done(&l);
	locate_done(NULL);
	fabric_done(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_repeat_and_are_even),
		cmocka_unit_test(faults_show_where_they_are),
		cmocka_unit_test(a_slow_cluster_is_below_the_data_sheet),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
