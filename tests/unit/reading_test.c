// SPDX-License-Identifier: Apache-2.0
// Unit tests of readings: what goes in comes out, hosts that are alike share,
// and the snapshot keeps all of it.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "topo/model.h"
#include "topo/reading.h"
#include "topo/reading_names.h"
#include "topo/snapshot.h"

#define N_ROWS(table) (sizeof(table) / sizeof(*(table)))
#define WHEN 1700000000

static const struct reading samples[] = {
	{ "", "kernel.release", READING_TEXT, READ_PROCFS, 0, 0, "6.1", WHEN },
	{ "", "limit.memlock", READING_INT, READ_PROCESS, -1, 0, "", WHEN },
	{ "0000:0f:00.0", "pcie.speed", READING_INT, READ_SYSFS, 32000, 0,
	  "32.0 GT/s PCIe", WHEN },
	{ "0000:0f:00.0", "pcie.width", READING_SKIP, READ_SYSFS, 0, 0,
	  "no such file", WHEN },
	{ "eth0", "netdev.ratio", READING_REAL, READ_NETLINK, 0, 0.25, "",
	  WHEN },
	{ "0000:0f:00.0", "kmsg.xid", READING_INT, READ_KMSG, 79, 0,
	  "NVRM: Xid: 79", WHEN - 5000 },
	{ "0000:0f:00.0", "kmsg.xid", READING_INT, READ_KMSG, 48, 0,
	  "NVRM: Xid: 48", WHEN - 4000 },
};

static struct readings *make_set(void)
{
	struct readings *set = readings_new(WHEN);

	assert_non_null(set);
	for (size_t i = 0; i < N_ROWS(samples); i++)
		assert_int_equal(readings_add(set, &samples[i], NULL), FP_OK);
	return set;
}

static void check_row(const struct reading *got, const struct reading *want)
{
	assert_string_equal(got->device, want->device);
	assert_string_equal(got->name, want->name);
	assert_int_equal(got->source, want->source);
	assert_int_equal(got->time_s, want->time_s);
	assert_true(reading_equal(got, want));
}

static void check_samples(const struct readings *set)
{
	assert_true(readings_count(set) >= N_ROWS(samples));
	for (size_t i = 0; i < N_ROWS(samples); i++) {
		struct reading got = readings_at(set, i);

		check_row(&got, &samples[i]);
	}
}

static void test_what_goes_in_comes_out(void **state)
{
	struct readings *set = make_set();
	struct reading got;

	(void)state;
	check_samples(set);
	assert_int_equal(readings_count(NULL), 0);
	assert_int_equal(readings_time_s(set), WHEN);
	assert_int_equal(readings_get_int(set, "", "limit.memlock", 7), -1);
	assert_int_equal(readings_get_int(set, "", "kernel.release", 7), 7);
	assert_string_equal(readings_get_text(set, "", "kernel.release"),
	                    "6.1");
	assert_string_equal(readings_get_text(set, "eth0", "kernel.release"),
	                    "");
	assert_false(readings_get(set, "0000:0f:00.0", "pcie.width", &got));
	assert_string_equal(got.text, "no such file");
	readings_unref(set);
}

static void test_a_hint_finds_the_first_row_of_a_key(void **state)
{
	struct readings *set = make_set();

	(void)state;
	for (size_t hint = 0; hint < 9; hint++) {
		assert_int_equal(
			readings_find(set, "0000:0f:00.0", "kmsg.xid", hint),
			5);
		assert_int_equal(readings_find(set, "eth0", "netdev.mtu", hint),
		                 READINGS_NONE);
	}
	readings_unref(set);
}

static void test_what_makes_no_sense_is_refused(void **state)
{
	char name[READING_NAME_MAX + 1];
	const struct {
		struct reading reading;
		enum fp_status status;
	} rows[] = {
		{ { "", "", READING_INT, 0, 1, 0, "", 0 }, FP_ERR_INPUT },
		{ { "", name, READING_INT, 0, 1, 0, "", 0 }, FP_ERR_LIMIT },
		{ { name, "a", READING_INT, 0, 1, 0, "", 0 }, FP_ERR_LIMIT },
		{ { "", "a", READING_KIND_COUNT, 0, 1, 0, "", 0 },
		  FP_ERR_INPUT },
		{ { "", "a", READING_INT, READ_SOURCE_COUNT, 1, 0, "", 0 },
		  FP_ERR_INPUT },
		{ { "", "a", READING_REAL, 0, 0, (double)NAN, "", 0 },
		  FP_ERR_INPUT },
	};
	struct readings *set = make_set();

	(void)state;
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	for (size_t i = 0; i < N_ROWS(rows); i++)
		assert_int_equal(readings_add(set, &rows[i].reading, NULL),
		                 rows[i].status);
	check_samples(set);
	assert_int_equal(readings_count(set), N_ROWS(samples));
	readings_unref(set);
}

static void test_texts_are_fit_to_print_and_cut(void **state)
{
	char longer[2 * READING_TEXT_MAX];
	struct readings *set = readings_new(WHEN);
	struct reading_pen pen = { .set = set, .source = READ_ENV };

	(void)state;
	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	reading_put_text(&pen, "env.A", "a\033[1m\xff");
	reading_put_text(&pen, "env.B", longer);
	assert_int_equal(pen.status, FP_OK);
	assert_string_equal(readings_get_text(set, "", "env.A"), "a?[1m?");
	assert_int_equal(strlen(readings_get_text(set, "", "env.B")),
	                 READING_TEXT_MAX - 1);
	readings_unref(set);
}

static void test_a_pen_remembers_its_first_failure(void **state)
{
	struct readings *set = readings_new(WHEN);
	struct fp_err err = { 0 };
	struct reading_pen pen = { .set = set, .device = "eth0", .err = &err };

	(void)state;
	reading_put_int(&pen, "netdev.mtu", 9000);
	reading_put_int(&pen, "", 1);
	reading_put_skip(&pen, "netdev.speed", "%s", "not told");
	assert_int_equal(pen.status, FP_ERR_INPUT);
	assert_int_equal(err.status, FP_ERR_INPUT);
	assert_int_equal(readings_count(set), 2);
	readings_unref(set);
}

/* A second host's: the same rows with two other values, and one row more. */
static struct readings *make_other(void)
{
	struct readings *set = readings_new(WHEN + 7);

	for (size_t i = 0; i < N_ROWS(samples); i++) {
		struct reading r = samples[i];

		r.time_s += 7;
		if (i == 1)
			r.number = 65536;
		if (i == 3) {
			r.kind = READING_INT;
			r.number = 8;
			r.text = "";
		}
		assert_int_equal(readings_add(set, &r, NULL), FP_OK);
	}
	assert_int_equal(readings_add(set,
	                              &(struct reading){ .device = "",
	                                                 .name = "more",
	                                                 .kind = READING_INT,
	                                                 .text = "" },
	                              NULL),
	                 FP_OK);
	return set;
}

static void check_same(const struct readings *a, const struct readings *b)
{
	assert_int_equal(readings_count(a), readings_count(b));
	for (size_t i = 0; i < readings_count(a); i++) {
		struct reading ra = readings_at(a, i), rb = readings_at(b, i);

		check_row(&ra, &rb);
	}
}

static void test_alike_sets_share_and_read_as_before(void **state)
{
	struct readings *base = make_set(), *set = make_other();
	struct readings *plain = make_other();

	(void)state;
	readings_share(&set, base);
	assert_ptr_equal(readings_base(set), base);
	assert_false(readings_differs(set, 0));
	assert_true(readings_differs(set, 1));
	assert_true(readings_differs(set, 3));
	assert_true(readings_differs(set, N_ROWS(samples)));
	check_same(set, plain);
	for (size_t i = 0; i < N_ROWS(samples); i++)
		assert_int_equal(readings_find(set, samples[i].device,
		                               samples[i].name, i),
		                 readings_find(plain, samples[i].device,
		                               samples[i].name, 0));
	/* The base lives as long as somebody shares with it. */
	readings_unref(base);
	check_same(set, plain);
	readings_unref(set);
	readings_unref(plain);
}

static void test_sets_with_other_rows_do_not_share(void **state)
{
	struct readings *base = make_other(), *set = make_set();

	(void)state;
	readings_share(&set, base); /* one row is missing */
	assert_null(readings_base(set));
	check_samples(set);
	readings_share(&set, set);
	assert_null(readings_base(set));
	readings_unref(base);
	readings_unref(set);
}

static void test_merging_adds_what_is_new(void **state)
{
	struct readings *base = make_set(), *set = make_other();
	struct readings *none = NULL, *plain = make_other();

	(void)state;
	readings_share(&set, base);
	assert_int_equal(readings_merge(&set, base, NULL), FP_OK);
	check_same(set, plain); /* nothing new: first come stays */
	assert_int_equal(readings_merge(&base, set, NULL), FP_OK);
	assert_int_equal(readings_count(base), N_ROWS(samples) + 1);
	check_samples(base);
	assert_int_equal(readings_merge(&none, set, NULL), FP_OK);
	check_same(none, set);
	assert_int_equal(readings_merge(&none, NULL, NULL), FP_OK);
	readings_unref(none);
	readings_unref(base);
	readings_unref(set);
	readings_unref(plain);
}

static void make_job(struct topo_job *job)
{
	struct topo_host a = { .name = "a", .host_id = "a", .n_cpus = -1 };
	struct topo_host b = { .name = "b", .host_id = "b", .n_cpus = -1 };
	struct topo_host c = { .name = "c", .host_id = "c", .n_cpus = -1 };

	a.readings = make_set();
	b.readings = make_other();
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
		check_same(job.hosts[i].readings, again.hosts[i].readings);
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
	check_same(host.readings, job.hosts[1].readings);
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

static void test_names_are_found_by_pattern(void **state)
{
	size_t n;
	const struct reading_name *rows = reading_names(&n);

	(void)state;
	assert_string_equal(reading_name_find("lib.nccl.path")->name,
	                    "lib.*.path");
	assert_string_equal(reading_name_find("env.NCCL_DEBUG")->name, "env.*");
	assert_null(reading_name_find("environment"));
	assert_int_equal(reading_use("gpu.uuid"), READING_OWN);
	assert_int_equal(reading_use("never heard of"), READING_CHANGES);
	for (size_t i = 0; i < n; i++)
		assert_ptr_equal(reading_name_find(rows[i].name), &rows[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_goes_in_comes_out),
		cmocka_unit_test(test_a_hint_finds_the_first_row_of_a_key),
		cmocka_unit_test(test_what_makes_no_sense_is_refused),
		cmocka_unit_test(test_texts_are_fit_to_print_and_cut),
		cmocka_unit_test(test_a_pen_remembers_its_first_failure),
		cmocka_unit_test(test_alike_sets_share_and_read_as_before),
		cmocka_unit_test(test_sets_with_other_rows_do_not_share),
		cmocka_unit_test(test_merging_adds_what_is_new),
		cmocka_unit_test(
			test_a_snapshot_keeps_readings_and_their_sharing),
		cmocka_unit_test(test_a_host_alone_has_all_of_its_rows),
		cmocka_unit_test(test_hostile_readings_are_refused_by_name),
		cmocka_unit_test(test_a_source_that_is_not_known_is_still_read),
		cmocka_unit_test(test_names_are_found_by_pattern),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
