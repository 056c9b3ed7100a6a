// SPDX-License-Identifier: Apache-2.0
// Reads addresses of network devices with their subnets: from the kernel, or
// as capture-host wrote them, a file a device.
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topo/source/live.h"
#include "topo/source/sysfs.h"

#define SAVED LIVE_EXTRAS "/addr"

/* IPv4 before IPv6; link-local ones say nothing of a subnet. */
static int worth_of(const struct sockaddr *addr)
{
	const struct sockaddr_in6 *in6 = (const void *)addr;

	if (addr->sa_family == AF_INET)
		return 2;
	return addr->sa_family == AF_INET6 &&
	       !IN6_IS_ADDR_LINKLOCAL(&in6->sin6_addr);
}

static unsigned bits_of(const struct sockaddr *mask)
{
	const struct sockaddr_in *in = (const void *)mask;
	const struct sockaddr_in6 *in6 = (const void *)mask;
	unsigned bits = 0;

	if (mask->sa_family == AF_INET)
		return (unsigned)__builtin_popcount(in->sin_addr.s_addr);
	for (size_t i = 0; i < sizeof(in6->sin6_addr.s6_addr); i++)
		bits += (unsigned)__builtin_popcount(in6->sin6_addr.s6_addr[i]);
	return bits;
}

static void put_addr(const struct ifaddrs *best, struct reading_pen *pen)
{
	socklen_t len = best->ifa_addr->sa_family == AF_INET
	                        ? sizeof(struct sockaddr_in)
	                        : sizeof(struct sockaddr_in6);
	char addr[NI_MAXHOST], text[NI_MAXHOST + 8];

	if (getnameinfo(best->ifa_addr, len, addr, sizeof(addr), NULL, 0,
	                NI_NUMERICHOST) != 0)
		return;
	(void)snprintf(text, sizeof(text), "%s/%u", addr,
	               bits_of(best->ifa_netmask));
	reading_put_text(pen, "netdev.addr", text);
}

static void put_best(const struct ifaddrs *all, const char *dev,
                     struct reading_pen *pen)
{
	const struct ifaddrs *best = NULL;
	int most = 0;

	for (const struct ifaddrs *a = all; a; a = a->ifa_next) {
		int worth;

		if (!a->ifa_addr || !a->ifa_netmask ||
		    strcmp(a->ifa_name, dev) != 0)
			continue;
		worth = worth_of(a->ifa_addr);
		if (worth <= most)
			continue;
		most = worth;
		best = a;
	}
	if (best)
		put_addr(best, pen);
}

/* "10.1.2.3/24", and nothing else. */
static bool is_addr(const char *text)
{
	unsigned char bytes[sizeof(struct in6_addr)];
	char addr[INET6_ADDRSTRLEN], *end;
	size_t len = strcspn(text, "/");
	bool v4;
	long bits;

	if (!text[len] || len >= sizeof(addr) || text[len + 1] < '0' ||
	    text[len + 1] > '9')
		return false;
	memcpy(addr, text, len);
	addr[len] = '\0';
	bits = strtol(text + len + 1, &end, 10);
	v4 = inet_pton(AF_INET, addr, bytes) == 1;
	return !*end && bits <= (v4 ? 32 : 128) &&
	       (v4 || inet_pton(AF_INET6, addr, bytes) == 1);
}

static void put_saved(struct live *live, const char *dev,
                      struct reading_pen *pen)
{
	char path[TOPO_NAME_MAX + sizeof(SAVED) + 1], text[128];

	(void)snprintf(path, sizeof(path), SAVED "/%s", dev);
	if (sysfs_read(live->root_fd, path, text, sizeof(text)) &&
	    is_addr(text))
		reading_put_text(pen, "netdev.addr", text);
}

static enum fp_status read(struct live *live, struct fp_err *err)
{
	enum fp_status status = FP_OK;
	struct ifaddrs *all = NULL;

	if (live->running && getifaddrs(&all) != 0)
		return FP_OK; /* what is known of devices is known already */
	for (size_t i = 0; i < live->host->n_netdevs && status == FP_OK; i++) {
		const struct topo_netdev *dev = &live->host->netdevs[i];
		struct reading_pen pen =
			live_pen(live, READ_NETLINK, dev->name, err);

		if (!dev->loopback && live->running)
			put_best(all, dev->name, &pen);
		else if (!dev->loopback)
			put_saved(live, dev->name, &pen);
		status = pen.status;
	}
	if (all)
		freeifaddrs(all);
	return status;
}

const struct live_ops live_addr_ops = {
	.name = "addresses",
	.help = "addresses of network devices, and their subnets",
	.where = LIVE_FILES,
	.read = read,
};
