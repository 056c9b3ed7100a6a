// SPDX-License-Identifier: Apache-2.0
// The program's kernels for the host: its own source, thread after thread.
#include <string.h>

#include "probes/xport/cuda_type.h"
#include "tests/doubles/cuda_impl.h"

/* Threads of a kernel neither wait for each other nor share memory, so one of
 * them may do the work of all. */
#define FPK_DEVICE static inline
#define FPK_KERNEL static
#define FPK_FIRST ((size_t)0)
#define FPK_STRIDE ((size_t)1)
#define FPK_ADD(p, v) (*(p) += (v))
#define FPK_MIN(p, v) (*(p) = *(p) < (v) ? *(p) : (v))

#include "probes/xport/cuda_kernel_body.h"

static void run_fill(dim3 grid, dim3 block, void **a)
{
	(void)grid;
	(void)block;
	fpk_fill(*(void **)a[0], *(size_t *)a[1], *(struct cuda_pattern *)a[2]);
}

static double cost_of_bytes(double threads, void **a, double hbm_Bps,
                            double flops)
{
	const struct cuda_pattern *p = a[2];

	(void)threads;
	(void)flops;
	return (double)*(size_t *)a[1] * p->bytes / hbm_Bps;
}

static void run_check(dim3 grid, dim3 block, void **a)
{
	(void)grid;
	(void)block;
	fpk_check(*(const void **)a[0], *(size_t *)a[1],
	          *(struct cuda_pattern *)a[2], *(unsigned long long **)a[3]);
}

static void run_burn(dim3 grid, dim3 block, void **a)
{
	(void)grid;
	(void)block;
	/* Nobody reads the result; its time is the model's. */
	fpk_burn(*(float **)a[0], 1);
}

static double cost_of_burn(double threads, void **a, double hbm_Bps,
                           double flops)
{
	(void)hbm_Bps;
	return 2.0 * *(uint32_t *)a[1] * threads / flops;
}

static const struct cu_kernel kernels[] = {
	{ "fpk_fill",
	  { sizeof(void *), sizeof(size_t), sizeof(struct cuda_pattern) },
	  run_fill,
	  cost_of_bytes },
	{ "fpk_check",
	  { sizeof(void *), sizeof(size_t), sizeof(struct cuda_pattern),
	    sizeof(void *) },
	  run_check,
	  cost_of_bytes },
	{ "fpk_burn",
	  { sizeof(void *), sizeof(uint32_t) },
	  run_burn,
	  cost_of_burn },
};

const struct cu_kernel *cu_kernel_named(const char *name)
{
	for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++)
		if (strcmp(kernels[i].name, name) == 0)
			return &kernels[i];
	return NULL;
}
