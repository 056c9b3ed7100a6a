// SPDX-License-Identifier: Apache-2.0
// Culprits from tests: known cases, and the best choice against all choices.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "probes/attribute/attribute.h"
#include "probes/attribute/evidence.h"
#include "probes/attribute/kinds.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define COMPS 12
#define PRIOR 3e-3

/* "ab+" is a sound test of components a and b, "ab-" a slow one. */
static void tests_add(struct evidence *e, const char *text)
{
	int32_t ids[COMPS];
	size_t n = 0;

	for (; *text; text++) {
		if (*text >= 'a' && *text < 'a' + COMPS) {
			ids[n++] = *text - 'a';
		} else if (*text != ' ') {
			assert_int_equal(
				evidence_add(e, ids, n, *text == '-', NULL),
				FP_OK);
			n = 0;
		}
	}
}

static void run(const struct evidence *e, const double *logit,
                struct attribute_result *r)
{
	struct attribute_tests tests = evidence_tests(e);
	struct attribute_opts opts;

	attribute_defaults(&opts, logit);
	assert_int_equal(attribute(&tests, &opts, r, NULL), FP_OK);
}

static void even_priors(double logit[static COMPS])
{
	size_t i;

	for (i = 0; i < COMPS; i++)
		logit[i] = log(PRIOR / (1 - PRIOR));
}

static const struct {
	const char *tests;
	const char *bad;   /* as letters, sorted */
	const char *group; /* of the first culprit */
	const char *unknown;
	bool definite;
} cases[] = {
	{ "", "", "", "", false },
	{ "ab+ cd+", "", "", "", false },
	/* One slow test of two: not enough against two sound ones. */
	{ "ab- ab+ ab+", "", "", "", false },
	/* a in three, each partner sound elsewhere. */
	{ "ab- ac- ad- bc+ cd+ bd+", "a", "", "", true },
	/* a and b always together: either. */
	{ "abc- abd- abe- cd+ de+ ce+", "a", "b", "b", true },
	/* Two far apart. */
	{ "ab- ac- bc+ de- df- ef+", "ad", "", "", true },
	/* k is only ever tested below the bad a. */
	{ "ab- ac- ak- bc+ bd+ cd+", "a", "", "k", true },
	/* A false flag among many sound ones. */
	{ "ab- ac+ ad+ ae+ bc+ bd+ be+", "", "", "", false },
	/* A miss does not save a. */
	{ "ab- ac- ad- ae- af+ bc+ cd+ de+ ef+ fb+", "a", "", "", false },
};

static void letters(const struct attribute_result *r, unsigned state, char *buf)
{
	int32_t c;

	for (c = 0; c < COMPS; c++)
		if (r->state[c] == state)
			*buf++ = (char)('a' + c);
	*buf = '\0';
}

static void known_cases(void **state)
{
	struct attribute_result r;
	char buf[COMPS + 1];
	double logit[COMPS];
	struct evidence e;
	size_t i, j;

	(void)state;
	even_priors(logit);
	for (i = 0; i < COUNT(cases); i++) {
		evidence_init(&e, COMPS);
		tests_add(&e, cases[i].tests);
		run(&e, logit, &r);
		letters(&r, ATTRIBUTE_BAD, buf);
		assert_string_equal(buf, cases[i].bad);
		assert_int_equal(r.n, strlen(cases[i].bad));
		letters(&r, ATTRIBUTE_UNKNOWN, buf);
		assert_string_equal(buf, cases[i].unknown);
		if (r.n) {
			assert_int_equal(r.culprits[0].n_group,
			                 strlen(cases[i].group));
			for (j = 0; j < r.culprits[0].n_group; j++)
				assert_int_equal(
					r.groups[r.culprits[0].group_first + j],
					cases[i].group[j] - 'a');
			assert_true(r.culprits[0].proven);
		}
		attribute_result_done(&r);
		evidence_done(&e);
	}
	attribute_result_done(NULL);
}

/* J of the set @bits, from its definition. */
static double objective(const struct evidence *e, const double *logit,
                        unsigned bits)
{
	double j = 0;
	size_t t, i;
	bool hit;

	for (i = 0; i < COMPS; i++)
		j += bits & 1u << i ? logit[i] : 0;
	for (t = 0; t < e->n; t++) {
		hit = false;
		for (i = e->first[t]; i < e->first[t + 1]; i++)
			hit |= (bits & 1u << e->comps[i]) != 0;
		if (hit)
			j += e->slow[t] ? log((1 - .02) / 1e-3)
			                : log(.02 / (1 - 1e-3));
	}
	return j;
}

static unsigned pseudo(unsigned *s)
{
	*s = *s * 1664525u + 1013904223u;
	return *s >> 16;
}

static void random_tests(struct evidence *e, unsigned *seed)
{
	unsigned t, i,
		bad = 1u << pseudo(seed) % COMPS | 1u << pseudo(seed) % COMPS;
	int32_t ids[COMPS];
	size_t n;
	bool slow;

	for (t = 0; t < 24; t++) {
		n = 0;
		slow = pseudo(seed) % 12 == 0;
		for (i = 0; i < COMPS; i++) {
			if (pseudo(seed) % 4)
				continue;
			ids[n++] = (int32_t)i;
			if (bad & 1u << i)
				slow = pseudo(seed) % 8 != 0;
		}
		assert_int_equal(evidence_add(e, ids, n, slow, NULL), FP_OK);
	}
}

/* Exoneration, parts and search together miss no better choice. */
static void the_best_choice_is_found(void **state)
{
	struct attribute_result r;
	double logit[COMPS], best, j;
	unsigned seed = 1, turn, bits;
	struct evidence e;
	size_t i;

	(void)state;
	even_priors(logit);
	for (i = 0; i < COMPS; i += 2)
		logit[i] += .3 + (double)i / 20;
	for (turn = 0; turn < 60; turn++) {
		evidence_init(&e, COMPS);
		random_tests(&e, &seed);
		run(&e, logit, &r);
		best = 0;
		for (bits = 0; bits < 1u << COMPS; bits++) {
			j = objective(&e, logit, bits);
			best = j > best ? j : best;
		}
		assert_true(fabs(best - r.score) < 1e-6);
		bits = 0;
		for (i = 0; i < r.n; i++)
			bits |= 1u << r.culprits[i].comp;
		assert_true(fabs(objective(&e, logit, bits) - r.score) < 1e-6);
		attribute_result_done(&r);
		evidence_done(&e);
	}
}

static void confidence_is_posterior_odds(void **state)
{
	struct attribute_result r;
	double logit[COMPS];
	struct evidence e;

	(void)state;
	even_priors(logit);
	logit[1] -= 2;
	evidence_init(&e, COMPS);
	tests_add(&e, "abc- abd- abe- cd+ de+ ce+");
	run(&e, logit, &r);
	assert_int_equal(r.n, 1);
	assert_true(fabs(r.culprits[0].confidence - 1 / (1 + exp(-2))) < 1e-9);
	assert_true(r.culprits[0].group_confidence > .999);
	assert_int_equal(r.culprits[0].n_slow, 3);
	assert_string_equal(attribute_grade(r.culprits[0].confidence), "LOW");
	assert_string_equal(attribute_grade(.95), "MED");
	assert_string_equal(attribute_grade(.999), "HIGH");
	attribute_result_done(&r);
	evidence_done(&e);
}

static void nonsense_is_refused(void **state)
{
	const size_t first[] = { 0, 1 };
	const int32_t comps[] = { 3 };
	const uint8_t slow[] = { 1 };
	const double logit[3] = { -6, -6, -6 };
	struct attribute_tests tests = { .n_comps = 3,
		                         .n_tests = 1,
		                         .first = first,
		                         .comps = comps,
		                         .slow = slow };
	struct attribute_result r;
	struct attribute_opts opts;

	(void)state;
	attribute_defaults(&opts, logit);
	assert_int_equal(attribute(&tests, &opts, &r, NULL), FP_ERR_INPUT);
	tests.n_comps = 3;
	opts.beta = 1;
	assert_int_equal(attribute(&tests, &opts, &r, NULL), FP_ERR_INPUT);
}

static void a_test_separates_kinds(void **state)
{
	unsigned a, b;

	(void)state;
	for (a = 0; a < FABRIC_KIND_COUNT; a++)
		for (b = 0; b < FABRIC_KIND_COUNT; b++) {
			assert_int_equal(attribute_next_test(a, b),
			                 attribute_next_test(b, a));
			assert_int_not_equal(attribute_next_test(a, b),
			                     NEXT_NONE);
		}
	assert_int_equal(attribute_next_test(FABRIC_GPU, FABRIC_HCA),
	                 NEXT_HOST_MEMORY);
	assert_int_equal(attribute_next_test(FABRIC_LEAF, FABRIC_UPLINK),
	                 NEXT_SAME_LEAF);
	assert_int_equal(attribute_next_test(FABRIC_KIND_COUNT, 0), NEXT_NONE);
	assert_non_null(attribute_next_text(NEXT_COUNT));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_cases),
		cmocka_unit_test(the_best_choice_is_found),
		cmocka_unit_test(confidence_is_posterior_odds),
		cmocka_unit_test(nonsense_is_refused),
		cmocka_unit_test(a_test_separates_kinds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
