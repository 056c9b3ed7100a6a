/* SPDX-License-Identifier: Apache-2.0 */
/* The mailbox's sockets: listening, tuning, names, how many there may be. */
#ifndef FP_MPI_MAILBOX_SOCK_H
#define FP_MPI_MAILBOX_SOCK_H

#include <netdb.h>
#include <stdint.h>
#include <sys/socket.h>

#include "topo/base/status.h"

#define MAILBOX_SOCK_NAME_MAX 80 /* room for an address and a port */

/**
 * mailbox_sock_listen() - a listening TCP socket, non-blocking and
 * close-on-exec.
 * @addr: numeric address to bind; NULL: every address, IPv4 and IPv6.
 * @port: 0: the kernel chooses.
 * @ret_fd: the caller's to close.
 *
 * Return: FP_OK; FP_ERR_USAGE if @addr is no numeric address; FP_ERR_SYS
 * naming address and port.
 */
enum fp_status mailbox_sock_listen(const char *addr, uint32_t port, int *ret_fd,
                                   struct fp_err *err);

/** mailbox_sock_port() - the local port of @fd; 0 if it has none. */
uint32_t mailbox_sock_port(int fd);

/**
 * mailbox_sock_small() - before connect(2) or listen(2): segments so small
 * that they pass wherever anything passes (1280-byte IPv6 minimum), so that a
 * path MTU fault is found by a trial and does not silence an agent.
 */
void mailbox_sock_small(int fd);

/**
 * mailbox_sock_tune() - non-blocking, close-on-exec, and for TCP: no delay,
 * keepalive, and unacknowledged data for @dead_s seconds is the end.
 */
void mailbox_sock_tune(int fd, double dead_s);

/**
 * mailbox_sock_resolve() - addresses of a numeric @host and @port, without
 * asking anybody.
 *
 * Return: FP_OK with a list for freeaddrinfo(); FP_ERR_USAGE naming @host.
 */
enum fp_status mailbox_sock_resolve(const char *host, uint32_t port,
                                    struct addrinfo **ret, struct fp_err *err);

/**
 * mailbox_sock_name() - an address as people write it: "10.0.0.1:4000",
 * "[fd00::2]:4000"; without port if @port is 0; IPv4 in IPv6 as IPv4; "" for
 * other families.
 */
void mailbox_sock_name(const struct sockaddr *sa, int port,
                       char ret[static MAILBOX_SOCK_NAME_MAX]);

/**
 * mailbox_sock_files() - make sure that this process may open @n_fds
 * descriptors: raises RLIMIT_NOFILE as far as it may.
 *
 * Return: FP_OK; FP_ERR_LIMIT with what to raise.
 */
enum fp_status mailbox_sock_files(uint64_t n_fds, struct fp_err *err);

#endif
