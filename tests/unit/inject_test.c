// SPDX-License-Identifier: Apache-2.0
// Unit tests of --inject's grammar and of when a rule applies.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "probes/xport/inject.h"

static const struct inject_rule any = {
	.src = -1,
	.dst = -1,
	.rank = -1,
	.xport = -1,
	.op = -1,
	.bytes = 1,
	.factor = 1,
	.p = 1,
};

static struct inject_rule parsed(const char *text)
{
	struct inject_rule rule;
	struct fp_err err = { 0 };

	if (inject_parse(text, &rule, &err) != FP_OK)
		fail_msg("'%s': %s", text, err.text);
	return rule;
}

static void assert_rule(const char *text, struct inject_rule want)
{
	struct inject_rule is = parsed(text);

	assert_int_equal(is.kind, want.kind);
	assert_int_equal(is.src, want.src);
	assert_int_equal(is.dst, want.dst);
	assert_int_equal(is.rank, want.rank);
	assert_int_equal(is.xport, want.xport);
	assert_int_equal(is.op, want.op);
	assert_int_equal(is.min_bytes, want.min_bytes);
	assert_int_equal(is.bytes, want.bytes);
	assert_int_equal(is.after, want.after);
	assert_int_equal(is.seed, want.seed);
	assert_true(is.factor == want.factor && is.ms == want.ms);
	assert_true(is.p == want.p);
	assert_true(is.from_s == want.from_s && is.until_s == want.until_s);
}

static void test_link_kinds(void **state)
{
	struct inject_rule want = any;

	(void)state;
	want.kind = INJECT_SLOW;
	want.src = 1;
	want.dst = 3;
	want.factor = 4;
	assert_rule("slow src=1 dst=3 factor=4", want);
	assert_rule("  slow\tfactor=4.0  dst=3 src=1 rank=*\n", want);

	want = any;
	want.kind = INJECT_CORRUPT;
	want.p = 0.5;
	want.bytes = 1024;
	want.min_bytes = 65536;
	assert_rule("corrupt p=.5 bytes=1K min=64K src=* dst=*", want);

	want = any;
	want.kind = INJECT_HANG;
	want.xport = XPORT_TCP;
	want.op = OP_WRITE;
	want.from_s = 1.5;
	want.until_s = 3;
	assert_rule("hang xport=tcp op=write from=1.5 until=3s", want);

	want = any;
	want.kind = INJECT_DROP;
	want.after = 12;
	want.seed = UINT64_MAX;
	assert_rule("drop after=12 seed=18446744073709551615", want);

	want = any;
	want.kind = INJECT_JITTER;
	want.ms = 2;
	want.p = 0.1;
	want.op = OP_ALLREDUCE;
	assert_rule("jitter ms=2 op=all_reduce", want);
}

static void test_process_kinds(void **state)
{
	static const struct {
		const char *text;
		uint32_t kind;
	} rows[] = {
		{ "die rank=2", INJECT_DIE },
		{ "stop rank=2", INJECT_STOP },
		{ "stubborn rank=2", INJECT_STUBBORN },
		{ "flood rank=2", INJECT_FLOOD },
		{ "garbage rank=2", INJECT_GARBAGE },
		{ "half rank=2", INJECT_HALF },
	};
	struct inject_rule want = any;

	(void)state;
	want.rank = 2;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		want.kind = rows[i].kind;
		assert_rule(rows[i].text, want);
	}
}

/* Each message must name the wrong word and what would be right. */
static void test_errors_name_word_and_accepted(void **state)
{
	static const struct {
		const char *text, *word, *accepted;
	} rows[] = {
		{ "", "''", "slow corrupt hang drop jitter die" },
		{ "slw factor=2", "slw", "garbage half" },
		{ "slow", "slow", "factor=" },
		{ "jitter p=1", "jitter", "ms=" },
		{ "slow factor", "factor", "key=value" },
		{ "slow factor=", "factor=", "from 1 to 1e+06" },
		{ "slow factor=x", "factor=x", "from 1 to 1e+06" },
		{ "slow factor=0.5", "factor=0.5", "from 1" },
		{ "slow factor=nan", "factor=nan", "from 1" },
		{ "slow factor=inf", "factor=inf", "from 1" },
		{ "slow factor=4 facto=4", "'facto'",
		  "src= dst= rank= factor=" },
		{ "slow factor=2 ms=3", "'ms'", "factor=" },
		{ "slow factor=2 factor=3", "factor=", "twice" },
		{ "slow factor=2 src=-1", "src=-1", "a rank or *" },
		{ "slow factor=2 src=65536", "src=65536", "a rank or *" },
		{ "slow factor=2 src=1x", "src=1x", "a rank or *" },
		{ "die src=1", "'src'", "rank=" },
		{ "hang xport=ib", "xport=ib", "auto shm tcp verbs cuda nccl" },
		{ "hang op=read", "op=read", "write latency datagram" },
		{ "hang from=later", "from=later", "500ms" },
		{ "hang from=-1", "from=-1", "500ms" },
		{ "hang from=3 until=2", "until=", "from=" },
		{ "hang p=1.5", "p=1.5", "from 0 to 1" },
		{ "corrupt bytes=0", "bytes=0", "64K" },
		{ "corrupt min=99999999999999999999", "min=9", "64K" },
		{ "hang after=4294967296", "after=4294967296", "whole" },
		{ "hang seed=18446744073709551616", "seed=1", "whole" },
		{ "slow factor=2 "
		  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		  "aaaaaaaaaaaa=1",
		  "aaaa", "63 characters" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct inject_rule rule = { .kind = 77 };
		struct fp_err err = { 0 };

		assert_int_equal(inject_parse(rows[i].text, &rule, &err),
		                 FP_ERR_USAGE);
		assert_int_equal(rule.kind, 77);
		if (!strstr(err.text, rows[i].word) ||
		    !strstr(err.text, rows[i].accepted))
			fail_msg("'%s': %s", rows[i].text, err.text);
	}
}

/* A moment at which everything of the table below would apply. */
static struct inject_now moment(const struct trial *t)
{
	return (struct inject_now){
		.trial = t,
		.rank = 3,
		.from = 1,
		.to = 3,
		.age_s = 10,
		.trials_done = 5,
	};
}

static void test_applies(void **state)
{
	static const struct {
		const char *text;
		bool applies;
	} rows[] = {
		{ "hang", true },
		{ "hang src=1 dst=3", true },
		{ "hang src=1", true },
		{ "hang dst=3", true },
		{ "hang src=3 dst=1", false },
		{ "hang src=2", false },
		{ "hang dst=1", false },
		{ "hang rank=3", true },
		{ "hang rank=1", false },
		{ "hang xport=tcp", true },
		{ "hang xport=auto", true },
		{ "hang xport=shm", false },
		{ "hang op=write", true },
		{ "hang op=latency", false },
		{ "hang min=1M", true },
		{ "hang min=1048577", false },
		{ "hang from=10", true },
		{ "hang from=10.1", false },
		{ "hang until=10.1", true },
		{ "hang until=10", false },
		{ "hang from=9 until=11", true },
		{ "hang after=5", true },
		{ "hang after=6", false },
		{ "hang p=0", true },
		{ "die rank=3", true },
		{ "die rank=0", false },
		{ "die", true },
	};
	const struct trial t = {
		.xport = XPORT_TCP,
		.op = OP_WRITE,
		.bytes = 1 << 20,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct inject_rule rule = parsed(rows[i].text);
		struct inject_now now = moment(&t);

		if (inject_applies(&rule, &now) != rows[i].applies)
			fail_msg("'%s'", rows[i].text);
	}
}

static void test_process_kinds_need_no_link(void **state)
{
	const struct trial t = { .op = OP_ALLREDUCE };
	struct inject_rule die = parsed("die rank=3");
	struct inject_rule hang = parsed("hang src=1");
	struct inject_now now = moment(&t);

	(void)state;
	now.from = now.to = -1;
	assert_true(inject_applies(&die, &now));
	assert_false(inject_applies(&hang, &now));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_link_kinds),
		cmocka_unit_test(test_process_kinds),
		cmocka_unit_test(test_errors_name_word_and_accepted),
		cmocka_unit_test(test_applies),
		cmocka_unit_test(test_process_kinds_need_no_link),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
