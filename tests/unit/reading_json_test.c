// SPDX-License-Identifier: Apache-2.0
// Unit tests of readings in snapshots.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/reading_bed.h"
#include "topo/json/snapshot.h"
#include "topo/model/model.h"

#define N_ROWS(table) (sizeof(table) / sizeof(*(table)))

static void make_job(struct topo_job *job)
{
	struct topo_host a = { .name = "a", .host_id = "a", .n_cpus = -1 };
	struct topo_host b = { .name = "b", .host_id = "b", .n_cpus = -1 };
	struct topo_host c = { .name = "c", .host_id = "c", .n_cpus = -1 };

	a.readings = reading_bed_set();
	b.readings = reading_bed_other();
	assert_int_equal(topo_job_init(job, 4, NULL), FP_OK);
	assert_int_equal(topo_job_place(job, 0, &a, NULL), FP_OK);
	assert_int_equal(topo_job_place(job, 1, &b, NULL), FP_OK);
	assert_int_equal(topo_job_place(job, 2, &c, NULL), FP_OK);
	assert_int_equal(topo_job_place(job, 3, &b, NULL), FP_OK);
	topo_host_done(&a);
	topo_host_done(&b);
}

static void test_a_snapshot_keeps_readings_and_their_sharing(void **state)
{
	struct topo_job job, again;
	char *first, *second;

	(void)state;
	make_job(&job);
	assert_ptr_equal(readings_base(job.hosts[1].readings),
	                 job.hosts[0].readings);
	first = topo_job_to_json(&job);
	assert_non_null(first);
	assert_non_null(strstr(first, "\"like\":0"));
	assert_int_equal(topo_job_from_json(first, strlen(first), &again, NULL),
	                 FP_OK);
	assert_ptr_equal(readings_base(again.hosts[1].readings),
	                 again.hosts[0].readings);
	assert_null(again.hosts[2].readings);
	for (size_t i = 0; i < 2; i++)
		reading_bed_check_same(job.hosts[i].readings,
		                       again.hosts[i].readings);
	second = topo_job_to_json(&again);
	assert_string_equal(first, second);
	free(second);
	free(first);
	topo_job_done(&again);
	topo_job_done(&job);
}

static void test_a_host_alone_has_all_of_its_rows(void **state)
{
	struct topo_host host;
	struct topo_job job;
	char *text;

	(void)state;
	make_job(&job);
	text = topo_host_to_json(&job.hosts[1]);
	assert_non_null(text);
	assert_int_equal(topo_host_from_json(text, strlen(text), &host, NULL),
	                 FP_OK);
	reading_bed_check_same(host.readings, job.hosts[1].readings);
	free(text);
	topo_host_done(&host);
	topo_job_done(&job);
}

static void test_hostile_readings_are_refused_by_name(void **state)
{
	static const struct {
		const char *text, *word;
	} rows[] = {
		{ "[]", "time_s" },
		{ "{\"time_s\":\"x\"}", "time_s" },
		{ "{\"time_s\":-1}", "time_s" },
		{ "{\"rows\":{}}", "'rows'" },
		{ "{\"rows\":[1]}", "row 0" },
		{ "{\"rows\":[[\"\",\"\",\"sysfs\",1]]}", "row 0" },
		{ "{\"rows\":[[\"\",\"a\",\"sysfs\",1],[\"\",\"a\"]]}",
		  "row 1" },
		{ "{\"rows\":[[\"\",\"a\",\"sysfs\",[]]]}", "row 0" },
		{ "{\"rows\":[[\"\",\"a\",\"sysfs\",1,2]]}", "row 0" },
		{ "{\"time_s\":9223372036854775807,"
		  "\"rows\":[[\"\",\"a\",\"sysfs\",1,\"\",1]]}",
		  "row 0" },
		{ "{\"like\":0,\"rows\":[]}", "like" },
	};

	(void)state;
	for (size_t i = 0; i < N_ROWS(rows); i++) {
		struct fp_err err = { 0 };
		struct topo_host host;
		char text[256];

		(void)snprintf(text, sizeof(text), "{\"readings\":%s}",
		               rows[i].text);
		assert_int_equal(
			topo_host_from_json(text, strlen(text), &host, &err),
			FP_ERR_INPUT);
		if (!strstr(err.text, rows[i].word))
			fail_msg("'%s' is not in '%s'", rows[i].word, err.text);
	}
}

static void test_a_source_that_is_not_known_is_still_read(void **state)
{
	static const char text[] =
		"{\"readings\":{\"rows\":[[\"\",\"a\",\"later one\",1]]}}";
	struct topo_host host;

	(void)state;
	assert_int_equal(topo_host_from_json(text, strlen(text), &host, NULL),
	                 FP_OK);
	assert_int_equal(readings_at(host.readings, 0).source, READ_UNKNOWN);
	topo_host_done(&host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_a_snapshot_keeps_readings_and_their_sharing),
		cmocka_unit_test(test_a_host_alone_has_all_of_its_rows),
		cmocka_unit_test(test_hostile_readings_are_refused_by_name),
		cmocka_unit_test(test_a_source_that_is_not_known_is_still_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
