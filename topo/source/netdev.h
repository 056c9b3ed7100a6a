/* SPDX-License-Identifier: Apache-2.0 */
/* Network devices of a host: from the kernel where it is live, and sysfs. */
#ifndef FP_TOPO_SOURCE_NETDEV_H
#define FP_TOPO_SOURCE_NETDEV_H

#include <stdbool.h>

#include "topo/model/model.h"

/**
 * netdev_read() - the devices of the host below @root_fd, in the kernel's
 * order; at most TOPO_MAX_NETDEVS, those without an address go first.
 * @live: the running host: devices, addresses and state come from the kernel
 *        and are of the caller's network namespace. Else all is read from
 *        files, in the order of their names, and no address is known.
 * @host: n_netdevs and netdevs are set, the rest is not touched.
 *
 * Return: FP_OK, FP_ERR_SYS, FP_ERR_NOMEM. Undo with topo_host_done().
 */
enum fp_status netdev_read(int root_fd, bool live, struct topo_host *host,
                           struct fp_err *err);

/**
 * netdev_files_are_ours() - are the files that sysfs has for @name those of
 * the device that this process has by that name? In a container they may be
 * of another network namespace.
 */
bool netdev_files_are_ours(int root_fd, const char *name);

#endif
