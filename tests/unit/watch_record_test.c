// SPDX-License-Identifier: Apache-2.0
// Unit tests of what a watcher records: what rose, how much fits, the journal.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "probes/journal/tables.h"

#define BUS "0000:31:00.0"

static void sample_clean(struct gpu_sample *s)
{
	memset(s, 0xff, sizeof(*s));
	s->value[GPU_TEMPERATURE] = 41;
	s->value[GPU_CLOCK_EVENTS] = 0;
	s->value[GPU_PCIE_REPLAYS] = 3;
	s->link[0][17] = 7;
}

static void test_rises(void **state)
{
	struct gpu_sample a, b;
	struct watch w = { .n = 0 };
	char key[WATCH_KEY_MAX];

	(void)state;
	sample_clean(&a);
	sample_clean(&b);
	watch_fill(NULL, &b, &w);
	assert_int_equal(watch_get(&w, GPU_TEMPERATURE, -1), 41);
	assert_int_equal(watch_get(&w, GPU_PCIE_REPLAYS, -1), -1);
	assert_false(watch_has_news(&w));
	watch_fill(&a, &b, &w);
	assert_false(watch_has_news(&w));
	b.link[0][17] = 12;
	b.link[1][17] = 5; /* not known before: nothing is known to rise */
	b.value[GPU_PCIE_REPLAYS] = 1; /* reset meanwhile */
	watch_fill(&a, &b, &w);
	assert_true(watch_has_news(&w));
	assert_int_equal(w.n, 3);
	assert_int_equal(w.values[2].value, 5);
	assert_string_equal(watch_key(&w.values[2], key), "nvlink_replays/17");
	assert_string_equal(watch_key(&w.values[0], key), "temperature_C");
	b = a;
	b.value[GPU_CLOCK_EVENTS] = GPU_EVENT_POWER_CAP | 1;
	watch_fill(&a, &b, &w);
	assert_false(watch_has_news(&w));
	b.value[GPU_CLOCK_EVENTS] = GPU_EVENT_HEAT_HW;
	watch_fill(&a, &b, &w);
	assert_true(watch_has_news(&w));
}

/* Every counter of every link rises at once: what has room is kept. */
static void test_room(void **state)
{
	struct gpu_sample a, b;
	struct watch w = { .n = 0 };

	(void)state;
	memset(&a, 0, sizeof(a));
	memset(&b, 1, sizeof(b));
	watch_fill(&a, &b, &w);
	assert_int_equal(w.n, WATCH_VALUES);
	assert_null(watch_check(&w, 1));
}

static void test_checks(void **state)
{
	const struct watch good = { .rank = 1,
		                    .first = 2,
		                    .last = 3,
		                    .n = 1,
		                    .t0_s = 1,
		                    .t1_s = 2,
		                    .device = BUS,
		                    .values = { { GPU_POWER, -1, 5 } } };
	struct watch w = good;

	(void)state;
	assert_null(watch_check(&w, 2));
	assert_non_null(watch_check(&w, 1));
	w.first = 4;
	assert_non_null(watch_check(&w, 2));
	w = good;
	w.t1_s = 0.5;
	assert_non_null(watch_check(&w, 2));
	w = good;
	w.n = WATCH_VALUES + 1;
	assert_non_null(watch_check(&w, 2));
	w = good;
	w.values[0].link = 0;
	assert_non_null(watch_check(&w, 2));
	w.values[0].id = GPU_LINK_CRC;
	assert_null(watch_check(&w, 2));
	w.values[0].link = GPU_LINKS_MAX;
	assert_non_null(watch_check(&w, 2));
	w = good;
	w.values[0].value = -1;
	assert_non_null(watch_check(&w, 2));
	w = good;
	memset(w.device, 'x', sizeof(w.device));
	assert_non_null(watch_check(&w, 2));
}

static void test_journal(void **state)
{
	const struct watch w = { .rank = 3,
		                 .first = 7,
		                 .last = 9,
		                 .n = 3,
		                 .t0_s = 1.5,
		                 .t1_s = 2.5,
		                 .device = BUS,
		                 .values = { { GPU_TEMPERATURE, -1, 84 },
		                             { GPU_LINK_CRC, 11, 6 },
		                             { GPU_XIDS, 119, 2 } } };
	struct fp_err err = { .status = FP_OK };
	json_t *json = journal_watch_to_json(&w);
	struct watch back;

	(void)state;
	assert_non_null(json);
	assert_int_equal(journal_watch_from_json(json, &back, &err), FP_OK);
	assert_memory_equal(&back, &w, sizeof(w));
	json_decref(json);
}

/* What the GPU of the last rank shows, and what that is. */
int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rises),
		cmocka_unit_test(test_room),
		cmocka_unit_test(test_checks),
		cmocka_unit_test(test_journal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
