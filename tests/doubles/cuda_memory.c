// SPDX-License-Identifier: Apache-2.0
// libcudart's double: memory. Each allocation is a memfd, so that another
// process can map it through /proc, and nothing is left when this one dies.
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/doubles/cuda_impl.h"
#include "tests/doubles/path.h"

#define BLOCKS_MAX 4096

static struct cu_block blocks[BLOCKS_MAX]; /* under blocks_lock */
static pthread_mutex_t blocks_lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic uint32_t serials;

static bool block_add(const struct cu_block *b)
{
	bool added = false;

	pthread_mutex_lock(&blocks_lock);
	for (size_t i = 0; i < BLOCKS_MAX && !added; i++) {
		if (blocks[i].p)
			continue;
		blocks[i] = *b;
		added = true;
	}
	pthread_mutex_unlock(&blocks_lock);
	return added;
}

/* Takes the block that begins at @p out of the table. */
static bool block_take(const void *p, bool mapped, struct cu_block *ret)
{
	bool taken = false;

	pthread_mutex_lock(&blocks_lock);
	for (size_t i = 0; i < BLOCKS_MAX && !taken; i++) {
		if (!p || blocks[i].p != p || blocks[i].mapped != mapped)
			continue;
		*ret = blocks[i];
		blocks[i].p = NULL;
		taken = true;
	}
	pthread_mutex_unlock(&blocks_lock);
	return taken;
}

bool cu_block_find(const void *p, struct cu_block *ret)
{
	const uint8_t *at = p;
	bool found = false;

	pthread_mutex_lock(&blocks_lock);
	for (size_t i = 0; i < BLOCKS_MAX && !found; i++) {
		if (!blocks[i].p || at < blocks[i].p ||
		    at >= blocks[i].p + blocks[i].bytes)
			continue;
		*ret = blocks[i];
		found = true;
	}
	pthread_mutex_unlock(&blocks_lock);
	return found;
}

size_t cu_memory_used(int gpu)
{
	size_t used = 0;

	pthread_mutex_lock(&blocks_lock);
	for (size_t i = 0; i < BLOCKS_MAX; i++)
		if (blocks[i].p && !blocks[i].mapped &&
		    blocks[i].share.gpu == gpu)
			used += blocks[i].bytes;
	pthread_mutex_unlock(&blocks_lock);
	return used;
}

bool fpd_memory_share(const void *p, struct fpd_share *ret)
{
	struct cu_block b;

	if (!cu_block_find(p, &b))
		return false;
	*ret = b.share;
	ret->offset = (uint64_t)((const uint8_t *)p - b.p);
	return true;
}

void *fpd_memory_map(const struct fpd_share *share)
{
	char path[64];
	void *p;
	int fd;

	(void)snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)share->pid,
	               (int)share->fd);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	p = mmap(NULL, share->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return p == MAP_FAILED ? NULL : p;
}

void fpd_memory_unmap(void *p, const struct fpd_share *share)
{
	if (p)
		munmap(p, share->bytes);
}

static cudaError_t block_make(size_t bytes, struct cu_block *b)
{
	const struct fpd_end here = fpd_current();

	*b = (struct cu_block){ .bytes = bytes };
	b->share = (struct fpd_share){
		.pid = getpid(),
		.fd = memfd_create("fake-gpu", MFD_CLOEXEC),
		.serial = (uint64_t)getpid() << 32 |
		          atomic_fetch_add(&serials, 1),
		.bytes = bytes,
		.host = here.host,
		.gpu = here.gpu,
	};
	if (b->share.fd < 0 || ftruncate(b->share.fd, (off_t)bytes) < 0)
		return cudaErrorMemoryAllocation;
	b->p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
	            b->share.fd, 0);
	if (b->p == MAP_FAILED)
		b->p = NULL;
	return b->p ? cudaSuccess : cudaErrorMemoryAllocation;
}

static void block_drop(const struct cu_block *b)
{
	if (b->p)
		munmap(b->p, b->bytes);
	if (!b->mapped && b->share.fd >= 0)
		close(b->share.fd);
}

cudaError_t cudaMalloc(void **p, size_t bytes)
{
	cudaError_t e = cu_enter("cudaMalloc");
	struct cu_block b;

	if (e != cudaSuccess)
		return e;
	if (bytes == 0) {
		*p = NULL;
		return cudaSuccess;
	}
	if (bytes >
	    fpd_world()->gpu.memory_bytes - cu_memory_used(fpd_current().gpu))
		return cu_fail(cudaErrorMemoryAllocation);
	e = block_make(bytes, &b);
	if (e != cudaSuccess || !block_add(&b)) {
		block_drop(&b);
		return cu_fail(cudaErrorMemoryAllocation);
	}
	*p = b.p;
	return cudaSuccess;
}

cudaError_t cudaFree(void *p)
{
	cudaError_t e = cu_enter("cudaFree");
	struct cu_block b;

	if (e != cudaSuccess || !p)
		return e;
	if (!block_take(p, false, &b))
		return cu_fail(cudaErrorInvalidValue);
	block_drop(&b);
	return cudaSuccess;
}

cudaError_t cudaMallocHost(void **p, size_t bytes)
{
	cudaError_t e = cu_enter("cudaMallocHost");

	if (e != cudaSuccess)
		return e;
	*p = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
	return *p ? cudaSuccess : cu_fail(cudaErrorMemoryAllocation);
}

cudaError_t cudaHostAlloc(void **p, size_t bytes, unsigned flags)
{
	(void)flags;
	return cudaMallocHost(p, bytes);
}

cudaError_t cudaFreeHost(void *p)
{
	free(p);
	return cu_enter("cudaFreeHost");
}

_Static_assert(sizeof(struct fpd_share) <= sizeof(cudaIpcMemHandle_t),
               "a handle holds what says where memory is");

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *p)
{
	cudaError_t e = cu_enter("cudaIpcGetMemHandle");
	struct fpd_share share;

	if (e != cudaSuccess)
		return e;
	if (!fpd_memory_share(p, &share))
		return cu_fail(cudaErrorInvalidValue);
	share.offset = 0;
	memset(handle, 0, sizeof(*handle));
	memcpy(handle, &share, sizeof(share));
	return cudaSuccess;
}

static cudaError_t share_check(const struct fpd_share *share)
{
	const struct fpd_end here = fpd_current();
	const struct fpd_end there = { share->host, share->gpu };

	if (share->pid == getpid())
		return cudaErrorInvalidResourceHandle;
	if (there.host != here.host)
		return cudaErrorInvalidResourceHandle;
	if (there.gpu != here.gpu && !fpd_peer_ok(here, there))
		return cudaErrorPeerAccessUnsupported;
	return cudaSuccess;
}

cudaError_t cudaIpcOpenMemHandle(void **p, cudaIpcMemHandle_t handle,
                                 unsigned flags)
{
	cudaError_t e = cu_enter("cudaIpcOpenMemHandle");
	struct cu_block b = { .mapped = true };

	(void)flags;
	memcpy(&b.share, &handle, sizeof(b.share));
	if (e == cudaSuccess)
		e = share_check(&b.share);
	if (e != cudaSuccess)
		return cu_fail(e);
	b.bytes = b.share.bytes;
	b.p = fpd_memory_map(&b.share);
	if (!b.p)
		return cu_fail(cudaErrorInvalidResourceHandle);
	if (!block_add(&b)) {
		block_drop(&b);
		return cu_fail(cudaErrorMemoryAllocation);
	}
	*p = b.p;
	return cudaSuccess;
}

cudaError_t cudaIpcCloseMemHandle(void *p)
{
	cudaError_t e = cu_enter("cudaIpcCloseMemHandle");
	struct cu_block b;

	if (e != cudaSuccess)
		return e;
	if (!block_take(p, true, &b))
		return cu_fail(cudaErrorInvalidValue);
	block_drop(&b);
	return cudaSuccess;
}
