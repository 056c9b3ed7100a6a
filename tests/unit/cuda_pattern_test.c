// SPDX-License-Identifier: Apache-2.0
// Unit tests of the patterns of GPU memory: sums that every type holds.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "probes/xport/cuda_pattern.h"

/* The kernels' own source, run by the host. */
#define FPK_DEVICE static inline
#define FPK_KERNEL static inline
#define FPK_FIRST ((size_t)0)
#define FPK_STRIDE ((size_t)1)
#define FPK_ADD(p, v) (*(p) += (v))
#define FPK_MIN(p, v) (*(p) = *(p) < (v) ? *(p) : (v))

#include "probes/xport/cuda_kernel_body.h"

#define COUNT 1000

/* Kernels see bits where this file sees floats. */
#define FORGET_TYPES() __asm__ volatile("" : : : "memory")

/* What a type holds exactly: whole numbers up to here; 0: it wraps. */
static const uint32_t exact[CUDA_TYPE_COUNT] = {
	[CUDA_TYPE_FLOAT] = 1u << 24,
	[CUDA_TYPE_HALF] = 1u << 11,
	[CUDA_TYPE_BFLOAT16] = 1u << 8,
};

static void test_sums_are_held(void **state)
{
	static const uint32_t members[] = { 2, 3, 8, 16, 100 };

	(void)state;
	for (unsigned type = 0; type < CUDA_TYPE_COUNT; type++) {
		for (size_t k = 0; k < 5; k++) {
			struct cuda_pattern p =
				cuda_pattern_sum(5, members[k], type);

			assert_true(p.modulus >= 2);
			assert_true(p.modulus <= CUDA_PATTERN_SUMS);
			for (uint32_t i = 0; i < p.modulus && exact[type]; i++)
				assert_true(p.sums[i] <= exact[type]);
		}
	}
}

/* Every position: what all bring adds up to what is checked for. */
static void test_parts_add_up(void **state)
{
	const uint32_t n = 7;
	const struct cuda_pattern sum =
		cuda_pattern_sum(11, n, CUDA_TYPE_FLOAT);
	unsigned long long tally[2] = { 0, UINT64_MAX };
	float into[COUNT] = { 0 }, part[COUNT];

	(void)state;
	for (uint32_t r = 0; r < n; r++) {
		fpk_fill(part, COUNT,
		         cuda_pattern_part(11, n, r, CUDA_TYPE_FLOAT));
		FORGET_TYPES();
		for (size_t i = 0; i < COUNT; i++)
			into[i] += part[i];
	}
	FORGET_TYPES();
	fpk_check(into, COUNT, sum, tally);
	assert_int_equal(tally[0], 0);
	into[123] += 1;
	into[777] -= 1;
	FORGET_TYPES();
	fpk_check(into, COUNT, sum, tally);
	assert_int_equal(tally[0], 2);
	assert_int_equal(tally[1], 123);
}

static void test_words_differ(void **state)
{
	uint32_t a[COUNT], b[COUNT];
	unsigned long long tally[2] = { 0, UINT64_MAX };

	(void)state;
	fpk_fill(a, COUNT, cuda_pattern_words(1, 0, CUDA_TYPE_UINT32));
	fpk_fill(b, COUNT, cuda_pattern_words(1, 1, CUDA_TYPE_UINT32));
	fpk_check(a, COUNT, cuda_pattern_words(1, 0, CUDA_TYPE_UINT32), tally);
	assert_int_equal(tally[0], 0);
	fpk_check(b, COUNT, cuda_pattern_words(1, 0, CUDA_TYPE_UINT32), tally);
	assert_true(tally[0] > COUNT - 3);
	/* A part checked where it lies in the whole. */
	tally[0] = 0;
	{
		struct cuda_pattern p =
			cuda_pattern_words(1, 0, CUDA_TYPE_UINT32);

		p.first = 100;
		fpk_check(a + 100, COUNT - 100, p, tally);
	}
	assert_int_equal(tally[0], 0);
}

static void test_halves(void **state)
{
	(void)state;
	assert_int_equal(fpk_half_bits(0), 0);
	assert_int_equal(fpk_half_bits(1), 0x3c00);
	assert_int_equal(fpk_half_bits(2), 0x4000);
	assert_int_equal(fpk_half_bits(3), 0x4200);
	assert_int_equal(fpk_half_bits(2047), 0x67ff);
	assert_int_equal(fpk_encode(CUDA_TYPE_BFLOAT16, 1), 0x3f80);
	assert_int_equal(fpk_encode(CUDA_TYPE_BFLOAT16, 255), 0x437f);
	assert_int_equal(fpk_encode(CUDA_TYPE_INT8, 300), 300 & 0xff);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums_are_held),
		cmocka_unit_test(test_parts_add_up),
		cmocka_unit_test(test_words_differ),
		cmocka_unit_test(test_halves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
