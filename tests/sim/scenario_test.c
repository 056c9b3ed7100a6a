// SPDX-License-Identifier: Apache-2.0
// Each kind of fault at some place of clusters of three sizes is named; nobody
// is accused in healthy ones, whatever the noise.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "probes/sim/catalogue.h"

#define SEEDS 4
#define ROUNDS_MAX 70

static const struct {
	int32_t hosts;
	uint32_t seeds;
} sizes[] = { { 1, 4 * SEEDS }, { 8, 2 * SEEDS }, { 64, SEEDS } };

/* One host has no other to compare with: what cannot be told apart there is in
 * a group with the right answer. */
static bool is_ambiguous(unsigned kind)
{
	return kind == SIM_LEAF_SLOW || kind == SIM_UPLINK_MEMBER ||
	       kind == SIM_DOWNLINK_MEMBER || kind == SIM_ROCE ||
	       kind == SIM_PFC_STORM || kind == SIM_SPINES_SLOW;
}

static void every_fault_is_named(void **state)
{
	struct sim_cell c = { .n_kinds = 1, .faults = 1, .seed = 7 };
	struct sim_tally got;
	uint8_t kind;
	size_t i;

	(void)state;
	c.noise = sim_noise_usual();
	c.kinds = &kind;
	for (kind = 0; kind < SIM_FAULT_COUNT; kind++)
		for (i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
			c.hosts = sizes[i].hosts;
			c.trials = sizes[i].seeds;
			assert_int_equal(sim_cell_run(&c, &got, NULL), FP_OK);
			if (c.hosts == 1 && is_ambiguous(kind))
				got.exact += got.grouped;
			if (got.exact != got.trials)
				fail_msg("%s, %d hosts: %u of %u",
				         sim_fault_info(kind)->name,
				         (int)c.hosts, got.exact, got.trials);
		}
}

/* What is found of two is never wrong; the second may hide. */
static void two_faults_are_told_apart(void **state)
{
	static const uint8_t kinds[] = {
		SIM_GPU_THROTTLE, SIM_GPU_PCIE,  SIM_NIC_SLOW,  SIM_CABLE_TX,
		SIM_CABLE_RX,     SIM_LEAF_SLOW, SIM_HOST_SLOW, SIM_GDR_OFF,
		SIM_PCIE_SWITCH,  SIM_NIC_DEAD,  SIM_GPU_LOST,  SIM_FIREWALL,
	};
	struct sim_cell c = {
		.hosts = 8,
		.kinds = kinds,
		.n_kinds = sizeof(kinds),
		.faults = 2,
		.noise = sim_noise_usual(),
		.trials = 60,
		.seed = 9,
	};
	struct sim_tally got;

	(void)state;
	assert_int_equal(sim_cell_run(&c, &got, NULL), FP_OK);
	assert_int_equal(got.innocent, 0);
	assert_true(got.exact >= 57);
}

/* Where all that crosses leaves is slow among others, few of it is tested
 * again, and yet a bad cable is found. */
static void a_fault_is_found_where_all_is_loaded(void **state)
{
	static const uint8_t kinds[] = { SIM_OVERSUBSCRIBED, SIM_CABLE_TX };
	struct sim_cell c = {
		.hosts = 64,
		.kinds = kinds,
		.n_kinds = sizeof(kinds),
		.faults = 2,
		.noise = sim_noise_usual(),
		.trials = 6,
		.seed = 3,
	};
	struct sim_tally got;

	(void)state;
	assert_int_equal(sim_cell_run(&c, &got, NULL), FP_OK);
	assert_int_equal(got.exact, got.trials);
	assert_true(got.rounds <= (uint64_t)ROUNDS_MAX * got.trials);
}

/* Behind a set of two links, one of them bad, a port may be slow by each hash
 * that was tried: once in a hundred runs, as here. */
static void a_port_behind_a_bad_link_is_spared(void **state)
{
	static const uint8_t kinds[] = { SIM_DOWNLINK_MEMBER };
	struct sim_cell c = {
		.hosts = 8,
		.kinds = kinds,
		.n_kinds = sizeof(kinds),
		.faults = 1,
		.noise = sim_noise_usual(),
		.trials = 2,
		.seed = 19,
	};
	struct sim_tally got;

	(void)state;
	assert_int_equal(sim_cell_run(&c, &got, NULL), FP_OK);
	assert_int_equal(got.exact, got.trials);
}

static void the_healthy_are_spared(void **state)
{
	struct sim_cell c = { .hosts = 64, .trials = 13, .seed = 11 };
	struct sim_tally got;
	int collide;

	(void)state;
	for (collide = 0; collide < 2; collide++) {
		c.noise = sim_noise_usual();
		c.noise.collide = collide;
		assert_int_equal(sim_cell_run(&c, &got, NULL), FP_OK);
		assert_true(got.pairs > 90000);
		assert_int_equal(got.accused, 0);
	}
}

/* Rounds are what a run costs, and there are no more of them where there are
 * more hosts. */
static void rounds_do_not_grow(void **state)
{
	static const uint8_t kinds[] = {
		SIM_CABLE_TX,       SIM_NIC_SLOW,      SIM_GPU_THROTTLE,
		SIM_HOST_SLOW,      SIM_LEAF_SLOW,     SIM_LOSSY_TX,
		SIM_PFC_STORM,      SIM_UPLINK_MEMBER, SIM_GDR_ROOT,
		SIM_OVERSUBSCRIBED,
	};
	struct sim_cell c = {
		.hosts = 1024,
		.n_kinds = 1,
		.faults = 1,
		.noise = sim_noise_usual(),
		.trials = 1,
		.seed = 19,
	};
	struct sim_tally got;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(kinds); i++) {
		c.kinds = &kinds[i];
		assert_int_equal(sim_cell_run(&c, &got, NULL), FP_OK);
		if (got.rounds > ROUNDS_MAX || got.exact != 1)
			fail_msg("%s: %u rounds, %u exact",
			         sim_fault_info(kinds[i])->name,
			         (unsigned)got.rounds, got.exact);
	}
}

static void the_same_seed_is_the_same_run(void **state)
{
	static const uint8_t kinds[] = { SIM_LOSSY_TX };
	struct sim_cell c = {
		.hosts = 8,
		.kinds = kinds,
		.n_kinds = 1,
		.faults = 1,
		.noise = sim_noise_usual(),
		.trials = 3,
		.seed = 13,
	};
	struct sim_tally a, b;

	(void)state;
	assert_int_equal(sim_cell_run(&c, &a, NULL), FP_OK);
	assert_int_equal(sim_cell_run(&c, &b, NULL), FP_OK);
	assert_int_equal(a.exact, b.exact);
	assert_int_equal(a.accused, b.accused);
	assert_int_equal(a.retests, b.retests);
	assert_int_equal(a.rounds, b.rounds);
	c.seed++;
	assert_int_equal(sim_cell_run(&c, &b, NULL), FP_OK);
	assert_int_not_equal(a.retests, b.retests);
	c.faults = SIM_FAULTS_MAX + 1;
	assert_int_equal(sim_cell_run(&c, &a, NULL), FP_ERR_INPUT);
}

static void kinds_have_names(void **state)
{
	unsigned k;

	(void)state;
	for (k = 0; k < SIM_KIND_COUNT; k++)
		assert_int_equal(sim_fault_find(sim_fault_info(k)->name), k);
	assert_int_equal(sim_fault_find("no such"), SIM_KIND_COUNT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_fault_is_named),
		cmocka_unit_test(two_faults_are_told_apart),
		cmocka_unit_test(a_fault_is_found_where_all_is_loaded),
		cmocka_unit_test(a_port_behind_a_bad_link_is_spared),
		cmocka_unit_test(the_healthy_are_spared),
		cmocka_unit_test(rounds_do_not_grow),
		cmocka_unit_test(the_same_seed_is_the_same_run),
		cmocka_unit_test(kinds_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
