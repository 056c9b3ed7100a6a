// SPDX-License-Identifier: Apache-2.0
// The catalogue is complete, lists grow and sort, places read well.
#include <ctype.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "probes/finding/finding.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void check_id(const char *id)
{
	assert_true(strncmp(id, "FP-", 3) == 0);
	for (; *id; id++)
		assert_true(isupper((unsigned char)*id) ||
		            isdigit((unsigned char)*id) || *id == '-');
}

static void every_code_has_its_row(void **state)
{
	const struct finding_info *info;
	unsigned code, other;

	(void)state;
	for (code = 0; code < FINDING_CODE_COUNT; code++) {
		info = finding_info(code);
		check_id(info->id);
		assert_true(info->severity <= SEVERITY_FAULT);
		assert_true(info->layer < LAYER_COUNT);
		assert_true(strlen(info->title) > 10);
		assert_true(strlen(info->title) < 72);
		assert_true(strlen(info->next) > 20);
		assert_int_not_equal(info->title[strlen(info->title) - 1], '.');
		for (other = 0; other < code; other++)
			assert_string_not_equal(info->id,
			                        finding_info(other)->id);
	}
	assert_string_equal(finding_info(FINDING_NIC_RX_SLOW)->id,
	                    "FP-NIC-RX-SLOW");
	assert_string_equal(finding_info(FINDING_CODE_COUNT)->id, "FP-UNKNOWN");
	assert_string_equal(finding_info(~0u)->id, "FP-UNKNOWN");
}

static void a_new_finding_is_neutral(void **state)
{
	struct findings list = { 0 };
	struct finding *f = findings_add(&list, FINDING_CC_MIXED);

	(void)state;
	assert_non_null(f);
	assert_int_equal(f->severity, SEVERITY_WARN);
	assert_int_equal(f->locus.kind, LOCUS_JOB);
	assert_int_equal(f->locus.rank, -1);
	assert_int_equal(f->locus.peer_rank, -1);
	assert_true(isnan(f->observed) && isnan(f->expected));
	assert_true(f->confidence >= 1 && f->confidence <= 1);
	assert_int_equal(f->n_evidence, 0);
	findings_done(&list);
	assert_null(list.f);
	findings_done(NULL);
}

static void evidence_is_cut_and_bounded(void **state)
{
	struct findings list = { 0 };
	struct finding *f = findings_add(&list, FINDING_PAIR_SLOW);
	char longer[2 * FINDING_TEXT_MAX];
	unsigned i;

	(void)state;
	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	for (i = 0; i < FINDING_EVIDENCE_MAX + 3; i++)
		finding_evidence(f, "%u %s", i, longer);
	assert_int_equal(f->n_evidence, FINDING_EVIDENCE_MAX);
	assert_int_equal(strlen(f->evidence[0]), FINDING_TEXT_MAX - 1);
	assert_int_equal(f->evidence[FINDING_EVIDENCE_MAX - 1][0], '7');
	findings_done(&list);
}

static void worst_come_first(void **state)
{
	static const unsigned codes[] = {
		FINDING_STRANGERS,   FINDING_PAIR_SLOW, FINDING_JOURNAL,
		FINDING_NIC_TX_SLOW, FINDING_PAIR_SLOW,
	};
	static const unsigned want[] = {
		FINDING_NIC_TX_SLOW, FINDING_PAIR_SLOW, FINDING_PAIR_SLOW,
		FINDING_JOURNAL,     FINDING_STRANGERS,
	};
	struct findings list = { 0 };
	size_t i;

	(void)state;
	assert_int_equal(findings_worst(&list), -1);
	findings_sort(&list);
	for (i = 0; i < COUNT(codes); i++)
		findings_add(&list, codes[i])->locus.rank = 9 - (int32_t)i;
	findings_sort(&list);
	for (i = 0; i < COUNT(want); i++)
		assert_int_equal(list.f[i].code, want[i]);
	assert_true(list.f[1].locus.rank < list.f[2].locus.rank);
	assert_int_equal(findings_worst(&list), SEVERITY_FAULT);
	findings_done(&list);
}

static const struct {
	struct locus l;
	const char *want;
} places[] = {
	{ { .kind = LOCUS_JOB }, "the job" },
	{ { .kind = LOCUS_HOST, .host = "h3" }, "host h3" },
	{ { .kind = LOCUS_HOST, .host = "h3", .direction = DIRECTION_RX },
	  "host h3, receiving" },
	{ { .kind = LOCUS_NETDEV,
	    .host = "h3",
	    .netdev = "eth0",
	    .direction = DIRECTION_RX },
	  "host h3, eth0, receiving" },
	{ { .kind = LOCUS_RANK,
	    .rank = 2,
	    .host = "h1",
	    .direction = DIRECTION_BOTH },
	  "rank 2 (h1), both directions" },
	{ { .kind = LOCUS_RANK, .rank = 2 }, "rank 2" },
	{ { .kind = LOCUS_PAIR,
	    .rank = 2,
	    .peer_rank = 5,
	    .host = "h1",
	    .peer_host = "h3",
	    .direction = DIRECTION_TX },
	  "rank 2 (h1) -> rank 5 (h3)" },
	{ { .kind = LOCUS_PAIR,
	    .rank = 2,
	    .peer_rank = 5,
	    .host = "h1",
	    .peer_host = "h1",
	    .direction = DIRECTION_BOTH },
	  "rank 2 (h1) <-> rank 5 (h1)" },
	{ { .kind = LOCUS_HOST_PAIR,
	    .host = "h1",
	    .peer_host = "h3",
	    .direction = DIRECTION_TX },
	  "host h1 -> host h3" },
	{ { .kind = LOCUS_GPU, .host = "h1", .device = "GPU2" },
	  "host h1, GPU2" },
	{ { .kind = LOCUS_PORT, .host = "h1", .device = "mlx5_0/1" },
	  "host h1, port mlx5_0/1" },
	{ { .kind = LOCUS_PCIE, .host = "h1", .device = "0000:0f:00.0" },
	  "host h1, PCI 0000:0f:00.0" },
	{ { .kind = 99 }, "the job" },
};

static void places_read_well(void **state)
{
	char buf[256], small[8];
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(places); i++) {
		locus_text(&places[i].l, buf, sizeof(buf));
		assert_string_equal(buf, places[i].want);
		locus_text(&places[i].l, small, sizeof(small));
		assert_int_equal(strncmp(small, places[i].want, 7), 0);
	}
}

static void numbers_out_of_range_have_no_name(void **state)
{
	(void)state;
	assert_string_equal(finding_severity_name(SEVERITY_FAULT), "fault");
	assert_string_equal(finding_severity_name(SEVERITY_WARN), "warn");
	assert_string_equal(finding_severity_name(3), "?");
	assert_string_equal(finding_layer_name(LAYER_DRIVER), "driver");
	assert_string_equal(finding_layer_name(LAYER_COUNT), "?");
	assert_string_equal(locus_kind_name(LOCUS_NETDEV), "netdev");
	assert_string_equal(locus_kind_name(LOCUS_KIND_COUNT), "?");
	assert_string_equal(locus_direction_name(DIRECTION_NONE), "");
	assert_string_equal(locus_direction_name(DIRECTION_TX), "tx");
	assert_string_equal(locus_direction_name(4), "?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_code_has_its_row),
		cmocka_unit_test(a_new_finding_is_neutral),
		cmocka_unit_test(evidence_is_cut_and_bounded),
		cmocka_unit_test(worst_come_first),
		cmocka_unit_test(places_read_well),
		cmocka_unit_test(numbers_out_of_range_have_no_name),
	};

	return cmocka_run_group_tests_name("finding", tests, NULL, NULL);
}
