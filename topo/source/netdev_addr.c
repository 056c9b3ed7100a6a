// SPDX-License-Identifier: Apache-2.0
// Reads addresses of network devices with their subnets.
#include <ifaddrs.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include "topo/source/live.h"

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

static enum fp_status read(struct live *live, struct fp_err *err)
{
	enum fp_status status = FP_OK;
	struct ifaddrs *all;

	if (getifaddrs(&all) != 0)
		return FP_OK; /* what is known of devices is known already */
	for (size_t i = 0; i < live->host->n_netdevs && status == FP_OK; i++) {
		const struct topo_netdev *dev = &live->host->netdevs[i];
		struct reading_pen pen =
			live_pen(live, READ_NETLINK, dev->name, err);

		if (!dev->loopback)
			put_best(all, dev->name, &pen);
		status = pen.status;
	}
	freeifaddrs(all);
	return status;
}

const struct live_ops live_addr_ops = {
	.name = "addresses",
	.help = "addresses of network devices, and their subnets",
	.where = LIVE_RUNNING,
	.read = read,
};
