// SPDX-License-Identifier: Apache-2.0
// Reads network devices.
#include "topo/source/netdev.h"

#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topo/base/fmt.h"
#include "topo/source/sysfs.h"

#define NETDEV_MBPS_MAX 100000000 /* drivers say 2^32-1 for "unknown" */
#define NETDEV_LIST_MAX 65536

/** struct netdevs - devices as they are found. */
struct netdevs {
	struct topo_netdev *devs;
	size_t n, room;
};

static struct topo_netdev *netdevs_find(struct netdevs *list, const char *name)
{
	for (size_t i = 0; i < list->n; i++) {
		if (strcmp(list->devs[i].name, name) == 0)
			return &list->devs[i];
	}
	return NULL;
}

static struct topo_netdev *netdevs_add(struct netdevs *list, const char *name,
                                       struct fp_err *err)
{
	size_t room = list->room ? 2 * list->room : 16;
	struct topo_netdev *dev;

	if (list->n == list->room) {
		dev = reallocarray(list->devs, room, sizeof(*dev));
		if (!dev) {
			(void)fp_err_set(err, FP_ERR_NOMEM,
			                 "no memory for network devices");
			return NULL;
		}
		list->devs = dev;
		list->room = room;
	}
	dev = &list->devs[list->n++];
	*dev = (struct topo_netdev){ .speed_bps = -1, .mtu_bytes = -1 };
	fp_copy(dev->name, sizeof(dev->name), name);
	return dev;
}

/* How much a peer can do with an address; 0: nothing. */
static int addr_worth(const struct sockaddr *addr)
{
	const struct sockaddr_in *in = (const void *)addr;
	const struct sockaddr_in6 *in6 = (const void *)addr;

	if (!addr)
		return 0;
	if (addr->sa_family == AF_INET)
		return ntohl(in->sin_addr.s_addr) >> 16 == 0xa9fe ? 2 : 4;
	if (addr->sa_family == AF_INET6)
		return IN6_IS_ADDR_LINKLOCAL(&in6->sin6_addr) ? 1 : 3;
	return 0;
}

/* The best address that @name has among @all, the first of equals. An alias
 * ("eth0:1") is an address of its device. */
static const struct sockaddr *best_addr(const struct ifaddrs *all,
                                        const char *name)
{
	const struct sockaddr *best = NULL;
	size_t len = strlen(name);

	for (const struct ifaddrs *a = all; a; a = a->ifa_next) {
		if (strncmp(a->ifa_name, name, len) != 0 ||
		    (a->ifa_name[len] && a->ifa_name[len] != ':'))
			continue;
		if (addr_worth(a->ifa_addr) > addr_worth(best))
			best = a->ifa_addr;
	}
	return best;
}

static void addr_text(const struct sockaddr *addr, char *buf, size_t size)
{
	socklen_t len = sizeof(struct sockaddr_in);
	char text[NI_MAXHOST];

	if (addr && addr->sa_family == AF_INET6)
		len = sizeof(struct sockaddr_in6);
	if (!addr || getnameinfo(addr, len, text, sizeof(text), NULL, 0,
	                         NI_NUMERICHOST) != 0)
		text[0] = '\0';
	/* A scope cut short would be another scope. */
	fp_copy(buf, size, strlen(text) < size ? text : "");
}

static enum fp_status netdevs_ask_kernel(struct netdevs *list,
                                         struct fp_err *err)
{
	enum fp_status status = FP_OK;
	struct ifaddrs *all;

	if (getifaddrs(&all) != 0)
		return fp_err_sys(err, errno, "list network devices");
	for (const struct ifaddrs *a = all; a; a = a->ifa_next) {
		struct topo_netdev *dev;
		char name[TOPO_NAME_MAX];

		fp_copy(name, sizeof(name), a->ifa_name);
		if (strchr(name, ':') || netdevs_find(list, name))
			continue;
		dev = netdevs_add(list, name, err);
		if (!dev) {
			status = FP_ERR_NOMEM;
			break;
		}
		dev->up =
			(a->ifa_flags & IFF_UP) && (a->ifa_flags & IFF_RUNNING);
		dev->loopback = a->ifa_flags & IFF_LOOPBACK;
		addr_text(best_addr(all, a->ifa_name), dev->addr,
		          sizeof(dev->addr));
	}
	freeifaddrs(all);
	return status;
}

static enum fp_status netdevs_list_files(struct netdevs *list, int root_fd,
                                         struct fp_err *err)
{
	enum fp_status status;
	char **names;
	size_t n;

	status = sysfs_list(root_fd, "sys/class/net", NETDEV_LIST_MAX, &names,
	                    &n, err);
	if (status != FP_OK)
		return status;
	for (size_t i = 0; i < n && status == FP_OK; i++) {
		/* The class holds files too: "bonding_masters". */
		char path[320];

		(void)snprintf(path, sizeof(path), "sys/class/net/%s/.",
		               names[i]);
		if (sysfs_exists(root_fd, path) &&
		    !netdevs_add(list, names[i], err))
			status = FP_ERR_NOMEM;
	}
	sysfs_list_free(names, n);
	return status;
}

/** struct netdev_folder - where sysfs has a device. */
struct netdev_folder {
	int root_fd;
	char name[TOPO_NAME_MAX];
	char path[TOPO_NAME_MAX + 64];
};

static const char *folder_file(struct netdev_folder *folder, const char *file)
{
	(void)snprintf(folder->path, sizeof(folder->path),
	               "sys/class/net/%s/%s", folder->name, file);
	return folder->path;
}

static int64_t folder_int(struct netdev_folder *folder, const char *file)
{
	return sysfs_read_int(folder->root_fd, folder_file(folder, file), -1);
}

static void netdev_read_files(struct topo_netdev *dev,
                              struct netdev_folder *folder)
{
	int64_t mbps = folder_int(folder, "speed");
	int64_t mtu = folder_int(folder, "mtu");

	if (mbps > 0 && mbps <= NETDEV_MBPS_MAX)
		dev->speed_bps = mbps * 1000000;
	if (mtu > 0 && mtu <= INT32_MAX)
		dev->mtu_bytes = (int32_t)mtu;
	sysfs_link_name(folder->root_fd, folder_file(folder, "device/driver"),
	                dev->driver, sizeof(dev->driver));
	dev->hca = sysfs_exists(folder->root_fd,
	                        folder_file(folder, "device/infiniband"));
}

static void netdev_read_state(struct topo_netdev *dev,
                              struct netdev_folder *folder)
{
	dev->up = folder_int(folder, "carrier") == 1;
	dev->loopback = folder_int(folder, "type") == ARPHRD_LOOPBACK;
}

/* In a container /sys may show another network namespace, whose eth0 is not
 * ours. A tree without the file is a made one and meant to be believed. */
static bool folder_is_ours(struct netdev_folder *folder)
{
	int64_t index = folder_int(folder, "ifindex");

	return index < 0 || index == (int64_t)if_nametoindex(folder->name);
}

bool netdev_files_are_ours(int root_fd, const char *name)
{
	struct netdev_folder folder = { .root_fd = root_fd };

	fp_copy(folder.name, sizeof(folder.name), name);
	return folder_is_ours(&folder);
}

/* Keep those with an address, then the first. */
static void netdevs_limit(struct netdevs *list)
{
	size_t excess =
		list->n > TOPO_MAX_NETDEVS ? list->n - TOPO_MAX_NETDEVS : 0;

	for (size_t i = list->n; i > 0 && excess > 0; i--) {
		if (list->devs[i - 1].addr[0])
			continue;
		memmove(&list->devs[i - 1], &list->devs[i],
		        (list->n - i) * sizeof(*list->devs));
		list->n--;
		excess--;
	}
	list->n -= excess;
}

enum fp_status netdev_read(int root_fd, bool live, struct topo_host *host,
                           struct fp_err *err)
{
	struct netdevs list = { 0 };
	enum fp_status status;

	status = live ? netdevs_ask_kernel(&list, err)
	              : netdevs_list_files(&list, root_fd, err);
	if (status != FP_OK) {
		free(list.devs);
		return status;
	}
	netdevs_limit(&list);
	for (size_t i = 0; i < list.n; i++) {
		struct netdev_folder folder = { .root_fd = root_fd };

		memcpy(folder.name, list.devs[i].name, sizeof(folder.name));
		if (live && !folder_is_ours(&folder))
			continue;
		netdev_read_files(&list.devs[i], &folder);
		if (!live)
			netdev_read_state(&list.devs[i], &folder);
	}
	host->netdevs = list.devs;
	host->n_netdevs = list.n;
	return FP_OK;
}
