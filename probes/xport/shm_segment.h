/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that two processes share: anonymous files, passed over a socket. No
 * name in any file system, so nothing is left however a process ends; sealed,
 * so that nobody can take it away under the other.
 */
#ifndef FP_PROBES_XPORT_SHM_SEGMENT_H
#define FP_PROBES_XPORT_SHM_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "topo/base/status.h"

/** struct shm_segment - a mapping; zero-initialise. */
struct shm_segment {
	void *data; /* NULL: none */
	size_t bytes;
};

/**
 * shm_segment_make() - @bytes > 0 of zeroed memory, all of it there.
 * @ret_fd: to be passed to the peer, then closed by the caller.
 *
 * Return: FP_OK, FP_ERR_SYS, FP_ERR_NOMEM. Undo with shm_segment_done().
 */
enum fp_status shm_segment_make(size_t bytes, struct shm_segment *ret_seg,
                                int *ret_fd, struct fp_err *err);

/**
 * shm_segment_map() - map what a peer passed: all of @fd, which stays the
 * caller's. FP_ERR_PROTO unless it is sealed against shrinking.
 * @writable: else it can only be read.
 */
enum fp_status shm_segment_map(int fd, bool writable,
                               struct shm_segment *ret_seg, struct fp_err *err);

/** shm_segment_done() - unmap; takes an empty one. */
void shm_segment_done(struct shm_segment *seg);

/** shm_fd_send() - pass @fd over the AF_UNIX socket @sock; FP_ERR_PEER if the
 * other end is gone, FP_ERR_SYS. */
enum fp_status shm_fd_send(int sock, int fd, struct fp_err *err);

/** shm_fd_recv() - take what shm_fd_send() passed, which must be there;
 * FP_ERR_PROTO if it is not. */
enum fp_status shm_fd_recv(int sock, int *ret_fd, struct fp_err *err);

#endif
