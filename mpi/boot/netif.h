/* SPDX-License-Identifier: Apache-2.0 */
/* Which of rank 0's addresses agents are to use for control traffic. */
#ifndef FP_MPI_BOOT_NETIF_H
#define FP_MPI_BOOT_NETIF_H

#include <stdbool.h>
#include <stddef.h>

#include "mpi/boot/boot.h"
#include "topo/base/status.h"

#define NETIF_NAME_MAX 16 /* IFNAMSIZ */

/** struct netif - one address of a network interface that is up. */
struct netif {
	char name[NETIF_NAME_MAX];
	char addr[BOOT_ADDR_MAX]; /* numeric */
	bool v6;
	bool loopback;
	bool local;   /* valid on this host or link only */
	bool virtual; /* a bridge of containers or virtual machines */
	bool hca;     /* belongs to an RDMA device */
	bool route;   /* the launcher is reached from here */
};

/**
 * netif_list() - all addresses of interfaces that are up, in the kernel's
 * order.
 * @sysroot: "/", or a folder with a sys/class/net of a test's making.
 * @ret: array for free(3).
 *
 * Return: FP_OK; FP_ERR_SYS, FP_ERR_NOMEM.
 */
enum fp_status netif_list(const char *sysroot, struct netif **ret,
                          size_t *ret_n, struct fp_err *err);

/**
 * netif_mark_route() - set .route on the addresses from which this host
 * reaches those that @uri names, as launchers give them:
 * "123.0;tcp://192.0.2.2,198.51.100.7:51097;tcp6://[fd00::2]:37123".
 * Sends nothing. Loopback addresses in it are passed over. @uri may be NULL.
 */
void netif_mark_route(struct netif *list, size_t n, const char *uri);

/**
 * netif_choose() - the addresses to offer, best first: the launcher's route,
 * then IPv4 before IPv6; an HCA's only where there is no other network;
 * bridges after those; loopback last.
 * @only: "" or the interface that must be used.
 * @meet: addrs and n_addrs are filled.
 *
 * Return: FP_OK; FP_ERR_USAGE naming the interfaces there are, when @only has
 * no address; FP_ERR_NOTSUP when there is no address at all.
 */
enum fp_status netif_choose(const struct netif *list, size_t n,
                            const char *only, struct boot_meet *meet,
                            struct fp_err *err);

/**
 * netif_control_addrs() - the three above for this host and the launcher that
 * the environment names.
 * @only: --control-if, or "".
 */
enum fp_status netif_control_addrs(const char *only, struct boot_meet *meet,
                                   struct fp_err *err);

/**
 * netif_shares() - does control traffic to the best address of @meet cross
 * the data device @netdev, or a device below or above it (VLAN, bond)?
 * @ret_name: of the control interface; unchanged unless true.
 */
bool netif_shares(const struct boot_meet *meet, const char *netdev,
                  char *ret_name, size_t size);

/**
 * netif_choose_names() - the interfaces, "eth0,eth1", that this host's ranks
 * use for start-up over sockets: those of the launcher's route, else all of
 * the network, by the rules of netif_choose() and IPv4 if there is any.
 * @ret: "" when there are none, or more than @size has room for.
 */
void netif_choose_names(const struct netif *list, size_t n, char *ret,
                        size_t size);

/** netif_control_names() - the same for this host. */
void netif_control_names(char *ret, size_t size);

#endif
