// SPDX-License-Identifier: Apache-2.0
// libcudart's double: copies that really move, at the model's rate.
#include <string.h>

#include "tests/doubles/cuda_impl.h"
#include "tests/doubles/path.h"

/* Where memory is; gpu -1: the host's. */
static struct fpd_end place_of(const void *p)
{
	struct cu_block b;

	if (cu_block_find(p, &b))
		return (struct fpd_end){ b.share.host, b.share.gpu };
	return (struct fpd_end){ .host = fpd_host(), .gpu = -1 };
}

static double copy_s(struct fpd_end from, struct fpd_end to, size_t bytes)
{
	const struct fpd_world *w = fpd_world();
	struct fpd_path p;
	struct fpd_end gpu;

	if (from.gpu >= 0 && to.gpu >= 0) {
		p = fpd_path(from, to, (struct fpd_switches){ 0 });
		return fpd_path_s(&p, bytes);
	}
	gpu = from.gpu >= 0 ? from : to;
	if (gpu.gpu < 0)
		return 0;
	return w->launch_s + (double)bytes / fpd_pcie_Bps(gpu);
}

static void corrupt(const struct cu_op *op, struct fpd_end from,
                    struct fpd_end to)
{
	const struct fpd_fault *f = NULL;
	uint8_t *bytes = op->dst;

	while ((f = fpd_fault_find(FPD_CORRUPT, from.host, from.gpu, f))) {
		if (fpd_fault_ripe(f) &&
		    (f->to.host < 0 || f->to.host == to.host) &&
		    (f->to.gpu < 0 || f->to.gpu == to.gpu) &&
		    (!f->via[0] || strcmp(f->via, "nvlink") == 0) &&
		    f->n < op->bytes)
			bytes[f->n] = (uint8_t)~bytes[f->n];
	}
}

static void run_copy(struct cu_op *op)
{
	struct fpd_end from = place_of(op->src), to = place_of(op->dst);

	memmove(op->dst, op->src, op->bytes);
	if (from.gpu >= 0 && to.gpu >= 0 && from.gpu != to.gpu)
		corrupt(op, from, to);
}

cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t bytes,
                            enum cudaMemcpyKind kind, cudaStream_t stream)
{
	const struct cu_op op = {
		.run = run_copy,
		.dst = dst,
		.src = src,
		.bytes = bytes,
		.cost_s = copy_s(place_of(src), place_of(dst), bytes),
	};
	cudaError_t e = cu_enter("cudaMemcpyAsync");

	(void)kind;
	return e == cudaSuccess ? cu_push(stream, &op) : e;
}

cudaError_t cudaMemcpyPeerAsync(void *dst, int dst_dev, const void *src,
                                int src_dev, size_t bytes, cudaStream_t stream)
{
	(void)dst_dev;
	(void)src_dev;
	return cudaMemcpyAsync(dst, src, bytes, cudaMemcpyDefault, stream);
}

cudaError_t cudaMemcpy(void *dst, const void *src, size_t bytes,
                       enum cudaMemcpyKind kind)
{
	cudaError_t e = cudaMemcpyAsync(dst, src, bytes, kind, NULL);

	return e == cudaSuccess ? cudaStreamSynchronize(NULL) : e;
}

static void run_set(struct cu_op *op)
{
	memset(op->dst, op->value, op->bytes);
}

cudaError_t cudaMemsetAsync(void *dst, int value, size_t bytes,
                            cudaStream_t stream)
{
	const struct cu_op op = {
		.run = run_set,
		.dst = dst,
		.bytes = bytes,
		.value = value,
		.cost_s = fpd_world()->launch_s +
		          (double)bytes / fpd_world()->gpu.hbm_Bps,
	};
	cudaError_t e = cu_enter("cudaMemsetAsync");

	return e == cudaSuccess ? cu_push(stream, &op) : e;
}

cudaError_t cudaMemset(void *dst, int value, size_t bytes)
{
	cudaError_t e = cudaMemsetAsync(dst, value, bytes, NULL);

	return e == cudaSuccess ? cudaStreamSynchronize(NULL) : e;
}
