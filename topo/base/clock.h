/* SPDX-License-Identifier: Apache-2.0 */
/* The one clock: CLOCK_MONOTONIC in nanoseconds, and deadlines on it. */
#ifndef FP_TOPO_BASE_CLOCK_H
#define FP_TOPO_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

#define FP_NS_PER_S 1000000000LL

/** fp_now_ns() - CLOCK_MONOTONIC, ns. */
static inline int64_t fp_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * FP_NS_PER_S + ts.tv_nsec;
}

/** fp_after_ns() - the time @seconds from now, ns, for use as a deadline. */
static inline int64_t fp_after_ns(double seconds)
{
	return fp_now_ns() + (int64_t)(seconds * 1e9);
}

/** fp_left_ms() - time to @deadline_ns for poll(2): 0 if passed, rounded up. */
static inline int fp_left_ms(int64_t deadline_ns)
{
	int64_t left_ns = deadline_ns - fp_now_ns();

	if (left_ns <= 0)
		return 0;
	if (left_ns > INT32_MAX * 1000000LL)
		return INT32_MAX;
	return (int)((left_ns + 999999) / 1000000);
}

#endif
