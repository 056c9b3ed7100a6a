// SPDX-License-Identifier: Apache-2.0
// libnccl's double: the life of a communicator.
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "tests/doubles/nccl_impl.h"

#define CONFIG_MAGIC 0xcafebeefu

static void *init_main(void *arg)
{
	struct ncclComm *c = arg;

	(void)cudaSetDevice(c->dev);
	atomic_store(&c->async, nc_init(c));
	return NULL;
}

/* A driver that is not there shows at once, and no communicator is made. */
static ncclResult_t device_check(void)
{
	int n = 0;
	cudaError_t e = cudaGetDeviceCount(&n);

	if (e == cudaSuccess)
		return ncclSuccess;
	return nc_fail(ncclUnhandledCudaError, "Cuda failure '%s'",
	               cudaGetErrorString(e));
}

static ncclResult_t arguments_check(int n, int rank, const ncclConfig_t *config)
{
	if (n < 1 || n > NC_RANKS_MAX || rank < 0 || rank >= n)
		return nc_fail(ncclInvalidArgument,
		               "Invalid rank requested : "
		               "%d/%d",
		               rank, n);
	if (config && config->magic != CONFIG_MAGIC)
		return nc_fail(ncclInvalidArgument,
		               "ncclConfig_t argument not initialized via "
		               "NCCL_CONFIG_INITIALIZER");
	return ncclSuccess;
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t *ret, int n, ncclUniqueId id,
                                    int rank, ncclConfig_t *config)
{
	ncclResult_t rc = nc_call("ncclCommInitRankConfig");
	struct ncclComm *c;

	if (rc == ncclSuccess)
		rc = device_check();
	if (rc == ncclSuccess)
		rc = arguments_check(n, rank, config);
	if (rc != ncclSuccess)
		return rc;
	c = calloc(1, sizeof(*c));
	if (!c)
		return ncclSystemError;
	c->n = n;
	c->rank = rank;
	c->blocking = !config || config->blocking != 0;
	c->place = fpd_current();
	memcpy(&c->id, &id, sizeof(c->id));
	c->id_fd = c->id.pid == getpid() ? c->id.fd : -1;
	(void)cudaGetDevice(&c->dev);
	*ret = c;
	if (c->blocking)
		return nc_init(c);
	atomic_store(&c->async, ncclInProgress);
	c->threaded = pthread_create(&c->thread, NULL, init_main, c) == 0;
	return c->threaded ? ncclInProgress : ncclSystemError;
}

ncclResult_t ncclCommInitRank(ncclComm_t *ret, int n, ncclUniqueId id, int rank)
{
	return ncclCommInitRankConfig(ret, n, id, rank, NULL);
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t c, ncclResult_t *ret)
{
	*ret = (ncclResult_t)atomic_load(&c->async);
	return nc_call("ncclCommGetAsyncError");
}

static void drain(struct ncclComm *c)
{
	const struct timespec ts = { .tv_nsec = 1000000 };

	while (atomic_load(&c->pending))
		nanosleep(&ts, NULL);
}

static void comm_free(struct ncclComm *c)
{
	if (c->threaded)
		pthread_join(c->thread, NULL);
	drain(c);
	nc_maps_drop(c);
	if (c->sh) {
		atomic_store(&c->sh->seats[c->rank].gone, 1);
		munmap(c->sh, sizeof(*c->sh));
	}
	if (c->id_fd >= 0)
		close(c->id_fd);
	free(c);
}

ncclResult_t ncclCommAbort(ncclComm_t c)
{
	const struct fpd_fault *f = NULL;
	ncclResult_t rc = nc_call("ncclCommAbort");

	while ((f = fpd_fault_find(FPD_HANG, c->place.host, c->place.gpu, f)))
		while (strcmp(f->where, "abort") == 0)
			(void)pause();
	atomic_store(&c->abort, true);
	comm_free(c);
	return rc;
}

ncclResult_t ncclCommFinalize(ncclComm_t c)
{
	drain(c);
	return nc_call("ncclCommFinalize");
}

ncclResult_t ncclCommDestroy(ncclComm_t c)
{
	drain(c);
	comm_free(c);
	return nc_call("ncclCommDestroy");
}

ncclResult_t ncclCommCount(const ncclComm_t c, int *ret)
{
	*ret = c->n;
	return ncclSuccess;
}

ncclResult_t ncclCommUserRank(const ncclComm_t c, int *ret)
{
	*ret = c->rank;
	return ncclSuccess;
}

ncclResult_t ncclCommCuDevice(const ncclComm_t c, int *ret)
{
	*ret = c->dev;
	return ncclSuccess;
}

ncclResult_t ncclGetVersion(int *version)
{
	const struct fpd_fault *f = fpd_fault_find(FPD_NCCL_VERSION, fpd_host(),
	                                           fpd_current().gpu, NULL);

	*version = f ? f->code : fpd_world()->nccl_version;
	return ncclSuccess;
}

const char *ncclGetLastError(ncclComm_t c)
{
	(void)c;
	return nc_last_error();
}

const char *ncclGetErrorString(ncclResult_t code)
{
	static const char *const texts[] = {
		[ncclSuccess] = "no error",
		[ncclUnhandledCudaError] =
			"unhandled cuda error (run with NCCL_DEBUG=INFO for "
			"details)",
		[ncclSystemError] = "unhandled system error (run with "
				    "NCCL_DEBUG=INFO for details)",
		[ncclInternalError] = "internal error - please report this "
				      "issue to the NCCL developers",
		[ncclInvalidArgument] =
			"invalid argument (run with NCCL_DEBUG=WARN for "
			"details)",
		[ncclInvalidUsage] = "invalid usage (run with NCCL_DEBUG=WARN "
				     "for details)",
		[ncclRemoteError] =
			"remote process exited or there was a network error",
		[ncclInProgress] = "NCCL operation in progress",
	};

	return code >= 0 && code <= ncclInProgress ? texts[code]
	                                           : "unknown result code";
}

/* As NCCL: buffers of a communicator that is there, each once given back. */
ncclResult_t ncclCommRegister(const ncclComm_t c, void *buf, size_t size,
                              void **handle)
{
	ncclResult_t rc = nc_call("ncclCommRegister");

	if (rc == ncclSuccess && (!c || !buf || !size))
		return nc_fail(ncclInvalidArgument, "ncclCommRegister: no %s",
		               c ? "buffer" : "communicator");
	*handle = buf;
	return rc;
}

ncclResult_t ncclCommDeregister(const ncclComm_t c, void *handle)
{
	return c && handle ? nc_call("ncclCommDeregister")
	                   : ncclInvalidArgument;
}

ncclResult_t ncclMemAlloc(void **p, size_t bytes)
{
	return cudaMalloc(p, bytes) == cudaSuccess ? ncclSuccess
	                                           : ncclUnhandledCudaError;
}

ncclResult_t ncclMemFree(void *p)
{
	return cudaFree(p) == cudaSuccess ? ncclSuccess
	                                  : ncclUnhandledCudaError;
}
