// SPDX-License-Identifier: Apache-2.0
// Layers of attribution: what is broken explains first, each layer has its own
// rule, and load is nobody's fault.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "probes/attribute/layers.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define COMPS 12
#define TESTS_MAX 64

/* A letter is a component, a sign ends a test: "+" sound, "!" broken, "-"
 * slow, "~" mild, "?" flaky, "^" late, "=" loaded. */
static const char sign_chars[] = "!-~?^=";

static void add_tests(struct evidence *e, uint8_t *signs, const char *text)
{
	int32_t ids[COMPS];
	const char *at;
	size_t n = 0;

	for (; *text; text++) {
		if (*text == ' ')
			continue;
		if (*text >= 'a' && *text < 'a' + COMPS) {
			ids[n++] = *text - 'a';
			continue;
		}
		at = strchr(sign_chars, *text);
		signs[e->n] = (uint8_t)(at ? 1u << (at - sign_chars) : 0);
		assert_int_equal(evidence_add(e, ids, n, false, NULL), FP_OK);
		n = 0;
	}
}

static const struct {
	const char *tests;
	const char *want;    /* culprit and sign, in order */
	const char *unknown; /* masked */
} cases[] = {
	{ "ab+ bc+", "", "" },
	{ "ab- ac- ad- bc+ bd+ cd+", "a-", "" },
	/* One slow test alone accuses nobody. */
	{ "ab- bc+ cd+", "", "" },
	/* b is slow, but in part behind the broken a. */
	{ "ab! ac! ad! bc- bd- be- cd+ de+ ce+", "a!b-", "" },
	/* Slow tests of the broken a are explained by it. */
	{ "ab! ac! ad- bc+ bd+ cd+", "a!", "" },
	/* k hides behind a. */
	{ "ab- ac- ak- bc+ bc+", "a-", "k" },
	/* Half of them slow: a link behind a, one of two, not a itself. */
	{ "ab- ac- ad- ae- ab+ ac+ ad+ ae+ bc+ de+ bd+ ce+", "", "" },
	/* Mildness takes four tests, and three quarters of all. */
	{ "ab~ ac~ ad~ bc+ bd+ cd+", "", "" },
	{ "ab~ ac~ ad~ ae~ bc+ bd+ cd+ ce+", "a~", "" },
	{ "ab? ac? ad? ae? bc+ bd+ cd+ ce+", "a?", "" },
	{ "ab^ ac^ ad^ ae^ bc+ bd+ cd+ ce+", "a^", "" },
	{ "ab= ac= ad= ae= af= ag= ah= ai= bc+ de+ fg+ hi+", "a=", "" },
};

static void everyone_is_accused_in_their_layer(void **state)
{
	struct attribute_accusations a;
	uint8_t signs[TESTS_MAX];
	double logit[COMPS];
	struct evidence e;
	size_t i, j;

	(void)state;
	for (i = 0; i < COMPS; i++)
		logit[i] = log(3e-3);
	for (i = 0; i < COUNT(cases); i++) {
		struct attribute_case k = { &e, signs, logit };

		evidence_init(&e, COMPS);
		add_tests(&e, signs, cases[i].tests);
		assert_int_equal(attribute_accusations_init(&a, COMPS, NULL),
		                 FP_OK);
		assert_int_equal(attribute_layers(&k, SIGN_BROKEN, SIGN_LOADED,
		                                  &a, NULL),
		                 FP_OK);
		assert_int_equal(2 * a.n, strlen(cases[i].want));
		for (j = 0; j < a.n; j++) {
			int32_t comp = cases[i].want[2 * j] - 'a';
			char sign = cases[i].want[2 * j + 1];

			assert_int_equal(a.list[j].culprit.comp, comp);
			assert_int_equal(sign_chars[a.list[j].sign], sign);
			assert_int_equal(a.state[comp],
			                 sign == '=' ? ATTRIBUTE_CLEAR
			                             : ATTRIBUTE_BAD);
		}
		for (j = 0; cases[i].unknown[j]; j++)
			assert_int_equal(a.state[cases[i].unknown[j] - 'a'],
			                 ATTRIBUTE_UNKNOWN);
		assert_int_equal(a.state[COMPS - 1], ATTRIBUTE_UNTESTED);
		attribute_accusations_done(&a);
		evidence_done(&e);
	}
	attribute_accusations_done(NULL);
}

/* Somebody else found a; the layers start from there. */
static void what_is_known_explains(void **state)
{
	const struct attribute_culprit a_known = { .comp = 0 };
	struct attribute_accusations a;
	uint8_t signs[TESTS_MAX];
	double logit[COMPS] = { 0 };
	struct evidence e;
	struct attribute_case k = { &e, signs, logit };

	(void)state;
	evidence_init(&e, COMPS);
	add_tests(&e, signs, "ab- ac- bc- bd+ cd+ bd+ cd+");
	assert_int_equal(attribute_accusations_init(&a, COMPS, NULL), FP_OK);
	assert_int_equal(attribute_accuse(&a, &a_known, SIGN_FLAKY, NULL, NULL),
	                 FP_OK);
	assert_int_equal(
		attribute_layers(&k, SIGN_BROKEN, SIGN_LOADED, &a, NULL),
		FP_OK);
	assert_int_equal(a.n, 1);
	attribute_accusations_done(&a);
	evidence_done(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everyone_is_accused_in_their_layer),
		cmocka_unit_test(what_is_known_explains),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
