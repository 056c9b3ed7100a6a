// SPDX-License-Identifier: Apache-2.0
// libcudart's double: devices, versions, errors.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/doubles/cuda_impl.h"
#include "tests/doubles/path.h"

/* Programs look for this, so as never to take a model for hardware. */
extern const char fpd_is_double[];
const char fpd_is_double[] = "libcudart";

static _Thread_local int thread_device;
static _Thread_local cudaError_t thread_error;

/* GPUs that CUDA_VISIBLE_DEVICES leaves, in its order; an unknown one ends
 * the list. */
static unsigned visible(int gpus[static FPD_GPUS_MAX])
{
	const struct fpd_world *w = fpd_world();
	const char *list = getenv("CUDA_VISIBLE_DEVICES");
	unsigned n = 0;
	char *end;
	long gpu;

	if (!list) {
		for (; n < w->n_gpus; n++)
			gpus[n] = (int)n;
		return n;
	}
	while (*list && n < FPD_GPUS_MAX) {
		gpu = strtol(list, &end, 10);
		if (end == list || gpu < 0 || gpu >= (long)w->n_gpus)
			break;
		gpus[n++] = (int)gpu;
		list = *end == ',' ? end + 1 : end;
	}
	return n;
}

static int gpu_of(int dev)
{
	int gpus[FPD_GPUS_MAX];
	unsigned n = visible(gpus);

	return dev >= 0 && (unsigned)dev < n ? gpus[dev] : -1;
}

int cu_device(void)
{
	return thread_device;
}

struct fpd_end cu_end_of(int dev)
{
	return (struct fpd_end){ .host = fpd_host(), .gpu = gpu_of(dev) };
}

struct fpd_end fpd_current(void)
{
	return cu_end_of(thread_device);
}

cudaError_t cu_fail(cudaError_t e)
{
	if (e != cudaSuccess && e != cudaErrorNotReady)
		thread_error = e;
	return e;
}

static cudaError_t injected(const char *call)
{
	const struct fpd_fault *f = NULL;

	while ((f = fpd_fault_find(FPD_CUDA, fpd_host(), gpu_of(thread_device),
	                           f))) {
		if (strcmp(f->call, "*") != 0 && strcmp(f->call, call) != 0)
			continue;
		if (fpd_fault_due(f, fpd_count_fault(f)))
			return (cudaError_t)f->code;
	}
	return cudaSuccess;
}

cudaError_t cu_enter(const char *call)
{
	int gpus[FPD_GPUS_MAX];

	if (fpd_fault_find(FPD_NO_DRIVER, fpd_host(), -1, NULL))
		return cu_fail(cudaErrorInsufficientDriver);
	if (visible(gpus) == 0 ||
	    fpd_fault_find(FPD_NO_DEVICE, fpd_host(), -1, NULL))
		return cu_fail(cudaErrorNoDevice);
	return cu_fail(injected(call));
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
	*version = CUDART_VERSION;
	return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version)
{
	*version = fpd_fault_find(FPD_NO_DRIVER, fpd_host(), -1, NULL)
	                   ? 0
	                   : fpd_world()->cuda_driver;
	return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int *count)
{
	int gpus[FPD_GPUS_MAX];
	cudaError_t e = cu_enter("cudaGetDeviceCount");

	if (e == cudaSuccess)
		*count = (int)visible(gpus);
	return e;
}

cudaError_t cudaSetDevice(int dev)
{
	cudaError_t e = cu_enter("cudaSetDevice");

	if (e != cudaSuccess)
		return e;
	if (gpu_of(dev) < 0)
		return cu_fail(cudaErrorInvalidDevice);
	thread_device = dev;
	return cudaSuccess;
}

cudaError_t cudaGetDevice(int *dev)
{
	*dev = thread_device;
	return cu_enter("cudaGetDevice");
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr,
                                   int dev)
{
	const struct fpd_gpu *g = &fpd_world()->gpu;
	cudaError_t e = cu_enter("cudaDeviceGetAttribute");

	if (e != cudaSuccess)
		return e;
	if (gpu_of(dev) < 0)
		return cu_fail(cudaErrorInvalidDevice);
	switch (attr) {
	case cudaDevAttrComputeCapabilityMajor:
		*value = g->cc_major;
		return cudaSuccess;
	case cudaDevAttrComputeCapabilityMinor:
		*value = g->cc_minor;
		return cudaSuccess;
	case cudaDevAttrMultiProcessorCount:
		*value = 132;
		return cudaSuccess;
	default:
		return cu_fail(cudaErrorInvalidValue);
	}
}

cudaError_t cudaDeviceGetPCIBusId(char *bus, int len, int dev)
{
	cudaError_t e = cu_enter("cudaDeviceGetPCIBusId");

	if (e != cudaSuccess)
		return e;
	if (gpu_of(dev) < 0 || len < 13)
		return cu_fail(cudaErrorInvalidValue);
	fpd_bus_id(gpu_of(dev), false, bus, (size_t)len);
	return cudaSuccess;
}

cudaError_t cudaDeviceGetByPCIBusId(int *dev, const char *bus)
{
	char mine[16];
	cudaError_t e = cu_enter("cudaDeviceGetByPCIBusId");

	for (int i = 0; e == cudaSuccess && gpu_of(i) >= 0; i++) {
		fpd_bus_id(gpu_of(i), false, mine, sizeof(mine));
		if (strcmp(mine, bus) == 0) {
			*dev = i;
			return cudaSuccess;
		}
	}
	return e == cudaSuccess ? cu_fail(cudaErrorInvalidDevice) : e;
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int dev, int peer)
{
	cudaError_t e = cu_enter("cudaDeviceCanAccessPeer");

	if (e != cudaSuccess)
		return e;
	if (gpu_of(dev) < 0 || gpu_of(peer) < 0)
		return cu_fail(cudaErrorInvalidDevice);
	*can = fpd_peer_ok(cu_end_of(dev), cu_end_of(peer));
	return cudaSuccess;
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
	cudaError_t e = cu_enter("cudaDeviceEnablePeerAccess");

	if (e != cudaSuccess)
		return e;
	if (flags || gpu_of(peer) < 0)
		return cu_fail(cudaErrorInvalidValue);
	return fpd_peer_ok(fpd_current(), cu_end_of(peer))
	               ? cudaSuccess
	               : cu_fail(cudaErrorPeerAccessUnsupported);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
	*least = 0;
	*greatest = -5;
	return cu_enter("cudaDeviceGetStreamPriorityRange");
}

cudaError_t cudaMemGetInfo(size_t *avail, size_t *total)
{
	cudaError_t e = cu_enter("cudaMemGetInfo");

	*total = fpd_world()->gpu.memory_bytes;
	*avail = *total - cu_memory_used(gpu_of(thread_device));
	return e;
}

cudaError_t cudaGetLastError(void)
{
	cudaError_t e = thread_error;

	/* What no call can cure stays. */
	if (e != cudaErrorInsufficientDriver)
		thread_error = cudaSuccess;
	return e;
}

cudaError_t cudaPeekAtLastError(void)
{
	return thread_error;
}

static const struct {
	cudaError_t code;
	const char *name, *text;
} cuda_errors[] = {
	{ cudaSuccess, "cudaSuccess", "no error" },
	{ cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument" },
	{ cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation",
	  "out of memory" },
	{ cudaErrorInsufficientDriver, "cudaErrorInsufficientDriver",
	  "CUDA driver version is insufficient for CUDA runtime version" },
	{ cudaErrorNoDevice, "cudaErrorNoDevice",
	  "no CUDA-capable device is detected" },
	{ cudaErrorInvalidDevice, "cudaErrorInvalidDevice",
	  "invalid device ordinal" },
	{ cudaErrorECCUncorrectable, "cudaErrorECCUncorrectable",
	  "uncorrectable ECC error encountered" },
	{ cudaErrorPeerAccessUnsupported, "cudaErrorPeerAccessUnsupported",
	  "peer access is not supported between these two devices" },
	{ cudaErrorNvlinkUncorrectable, "cudaErrorNvlinkUncorrectable",
	  "uncorrectable NVLink error detected during the execution" },
	{ cudaErrorNotReady, "cudaErrorNotReady", "device not ready" },
	{ cudaErrorIllegalAddress, "cudaErrorIllegalAddress",
	  "an illegal memory access was encountered" },
	{ cudaErrorLaunchFailure, "cudaErrorLaunchFailure",
	  "unspecified launch failure" },
	{ cudaErrorNoKernelImageForDevice, "cudaErrorNoKernelImageForDevice",
	  "no kernel image is available for execution on the device" },
	{ cudaErrorSystemNotReady, "cudaErrorSystemNotReady",
	  "system not yet initialized" },
	{ cudaErrorUnknown, "cudaErrorUnknown", "unknown error" },
};

const char *cudaGetErrorName(cudaError_t e)
{
	for (size_t i = 0; i < sizeof(cuda_errors) / sizeof(*cuda_errors); i++)
		if (cuda_errors[i].code == e)
			return cuda_errors[i].name;
	return "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t e)
{
	for (size_t i = 0; i < sizeof(cuda_errors) / sizeof(*cuda_errors); i++)
		if (cuda_errors[i].code == e)
			return cuda_errors[i].text;
	return "unrecognized error code";
}
