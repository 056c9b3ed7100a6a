// SPDX-License-Identifier: Apache-2.0
// Anonymous shared memory and its way to the peer.
#include "probes/xport/shm_segment.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW)

union fd_control {
	char room[CMSG_SPACE(sizeof(int))];
	struct cmsghdr align;
};

/* Without this, a page that cannot be had later is a SIGBUS. Populating
 * honours the wish for huge pages; systems before 5.14 know only the other. */
static enum fp_status segment_fill(const struct shm_segment *seg, int fd,
                                   struct fp_err *err)
{
	(void)madvise(seg->data, seg->bytes, MADV_HUGEPAGE);
	if (madvise(seg->data, seg->bytes, MADV_POPULATE_WRITE) == 0 ||
	    (errno == EINVAL && fallocate(fd, 0, 0, (off_t)seg->bytes) == 0))
		return FP_OK;
	return fp_err_set(err, FP_ERR_NOMEM, "no memory for %zu bytes to share",
	                  seg->bytes);
}

enum fp_status shm_segment_make(size_t bytes, struct shm_segment *ret_seg,
                                int *ret_fd, struct fp_err *err)
{
	struct shm_segment seg = { .bytes = bytes };
	enum fp_status status;
	int fd = memfd_create("fabricprobe", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0)
		return fp_err_sys(err, errno, "memfd_create");
	if (bytes > INT64_MAX || ftruncate(fd, (off_t)bytes) != 0 ||
	    fcntl(fd, F_ADD_SEALS, SEALS) != 0) {
		status = fp_err_sys(err, errno, "%zu bytes to share", bytes);
		goto close_fd;
	}
	seg.data = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (seg.data == MAP_FAILED) {
		status = fp_err_sys(err, errno, "mmap of %zu bytes", bytes);
		goto close_fd;
	}
	status = segment_fill(&seg, fd, err);
	if (status != FP_OK)
		goto unmap;
	*ret_seg = seg;
	*ret_fd = fd;
	return FP_OK;
unmap:
	shm_segment_done(&seg);
close_fd:
	close(fd);
	return status;
}

enum fp_status shm_segment_map(int fd, bool writable,
                               struct shm_segment *ret_seg, struct fp_err *err)
{
	const int prot = writable ? PROT_READ | PROT_WRITE : PROT_READ;
	const int seals = fcntl(fd, F_GET_SEALS);
	struct shm_segment seg;
	struct stat st;

	if (fstat(fd, &st) != 0)
		return fp_err_sys(err, errno, "fstat of the peer's memory");
	if (seals < 0 || !(seals & F_SEAL_SHRINK) || st.st_size <= 0)
		return fp_err_set(err, FP_ERR_PROTO,
		                  "what the peer passed is not sealed memory");
	seg.bytes = (size_t)st.st_size;
	seg.data = mmap(NULL, seg.bytes, prot, MAP_SHARED, fd, 0);
	if (seg.data == MAP_FAILED)
		return fp_err_sys(err, errno, "mmap of the peer's %zu bytes",
		                  seg.bytes);
	(void)madvise(seg.data, seg.bytes, MADV_HUGEPAGE);
	(void)madvise(seg.data, seg.bytes, MADV_POPULATE_READ);
	*ret_seg = seg;
	return FP_OK;
}

void shm_segment_done(struct shm_segment *seg)
{
	if (seg->data)
		munmap(seg->data, seg->bytes);
	*seg = (struct shm_segment){ .data = NULL };
}

enum fp_status shm_fd_send(int sock, int fd, struct fp_err *err)
{
	union fd_control control = { .room = { 0 } };
	uint8_t byte = 0;
	struct iovec iov = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &fd, sizeof(int));
	if (sendmsg(sock, &msg, MSG_DONTWAIT | MSG_NOSIGNAL) == 1)
		return FP_OK;
	if (errno == EPIPE || errno == ECONNRESET)
		return fp_err_set(err, FP_ERR_PEER, "the peer hung up");
	return fp_err_sys(err, errno, "sendmsg");
}

enum fp_status shm_fd_recv(int sock, int *ret_fd, struct fp_err *err)
{
	union fd_control control;
	uint8_t byte;
	struct iovec iov = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	ssize_t n = recvmsg(sock, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	struct cmsghdr *c = n == 1 ? CMSG_FIRSTHDR(&msg) : NULL;

	if (!c || c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS ||
	    c->cmsg_len != CMSG_LEN(sizeof(int)))
		return fp_err_set(err, FP_ERR_PROTO,
		                  "the peer passed no memory");
	memcpy(ret_fd, CMSG_DATA(c), sizeof(int));
	return FP_OK;
}
