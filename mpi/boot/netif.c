// SPDX-License-Identifier: Apache-2.0
// Chooses the addresses for control traffic.
#include "mpi/boot/netif.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "mpi/mailbox/sock.h"
#include "topo/base/fmt.h"

#define NETIF_PORT 9 /* discard; nothing is sent */

static bool sys_has(const char *sysroot, const char *name, const char *what)
{
	char path[512];

	(void)snprintf(path, sizeof(path), "%s/sys/class/net/%s/%s", sysroot,
	               name, what);
	return access(path, F_OK) == 0;
}

static bool is_local(const struct sockaddr *sa)
{
	struct sockaddr_in in;
	struct sockaddr_in6 in6;

	if (sa->sa_family == AF_INET6) {
		memcpy(&in6, sa, sizeof(in6));
		return IN6_IS_ADDR_LINKLOCAL(&in6.sin6_addr) ||
		       IN6_IS_ADDR_LOOPBACK(&in6.sin6_addr);
	}
	memcpy(&in, sa, sizeof(in));
	return (ntohl(in.sin_addr.s_addr) >> 16) == 0xa9fe || /* 169.254/16 */
	       (ntohl(in.sin_addr.s_addr) >> 24) == 127;
}

static bool is_usable(const struct ifaddrs *ifa)
{
	return ifa->ifa_addr && (ifa->ifa_flags & IFF_UP) &&
	       (ifa->ifa_flags & IFF_RUNNING) &&
	       (ifa->ifa_addr->sa_family == AF_INET ||
	        ifa->ifa_addr->sa_family == AF_INET6);
}

static void netif_read(const char *sysroot, const struct ifaddrs *ifa,
                       struct netif *ret)
{
	char name[MAILBOX_SOCK_NAME_MAX];

	*ret = (struct netif){ .v6 = ifa->ifa_addr->sa_family == AF_INET6,
		               .loopback = ifa->ifa_flags & IFF_LOOPBACK,
		               .local = is_local(ifa->ifa_addr) };
	fp_copy(ret->name, sizeof(ret->name), ifa->ifa_name);
	mailbox_sock_name(ifa->ifa_addr, 0, name);
	fp_copy(ret->addr, sizeof(ret->addr), name);
	ret->virtual = sys_has(sysroot, ret->name, "bridge") ||
	               sys_has(sysroot, ret->name, "tun_flags");
	ret->hca = sys_has(sysroot, ret->name, "device/infiniband");
}

enum fp_status netif_list(const char *sysroot, struct netif **ret,
                          size_t *ret_n, struct fp_err *err)
{
	struct ifaddrs *all, *ifa;
	struct netif *list;
	size_t n = 0;

	if (getifaddrs(&all))
		return fp_err_sys(err, errno, "read the network interfaces");
	for (ifa = all; ifa; ifa = ifa->ifa_next)
		n += is_usable(ifa);
	list = calloc(n ? n : 1, sizeof(*list));
	*ret_n = 0;
	for (ifa = all; list && ifa; ifa = ifa->ifa_next)
		if (is_usable(ifa))
			netif_read(sysroot, ifa, &list[(*ret_n)++]);
	freeifaddrs(all);
	if (!list)
		return fp_err_set(err, FP_ERR_NOMEM, "network interfaces");
	*ret = list;
	return FP_OK;
}

/* The local address that the kernel would use towards @addr; "" if none. A
 * datagram socket's connect() asks the routing table and sends nothing. */
static void source_of(const char *addr, char ret[static MAILBOX_SOCK_NAME_MAX])
{
	struct sockaddr_storage ss = { 0 };
	socklen_t len = sizeof(ss);
	struct in6_addr room;
	struct addrinfo *ai = NULL;
	int fd;

	ret[0] = '\0';
	/* Stricter than resolving, which takes "123.0" for an address. */
	if (inet_pton(AF_INET, addr, &room) != 1 &&
	    inet_pton(AF_INET6, addr, &room) != 1)
		return;
	if (mailbox_sock_resolve(addr, NETIF_PORT, &ai, NULL) != FP_OK)
		return;
	fd = socket(ai->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 && !is_local(ai->ai_addr) &&
	    !connect(fd, ai->ai_addr, ai->ai_addrlen) &&
	    !getsockname(fd, (struct sockaddr *)&ss, &len))
		mailbox_sock_name((const struct sockaddr *)&ss, 0, ret);
	if (fd >= 0)
		close(fd);
	freeaddrinfo(ai);
}

static void mark_source(struct netif *list, size_t n, const char *addr)
{
	char source[MAILBOX_SOCK_NAME_MAX];

	source_of(addr, source);
	for (size_t i = 0; i < n; i++)
		list[i].route |= strcmp(list[i].addr, source) == 0;
}

void netif_mark_route(struct netif *list, size_t n, const char *uri)
{
	char word[BOOT_ADDR_MAX];
	const char *cut;
	size_t len;

	/* Whatever between these is an address, is one of the launcher's. A
	 * port that follows an IPv4 address is cut off at its colon. */
	while (uri && *uri) {
		len = strcspn(uri, ";,/[]");
		cut = memchr(uri, '.', len) ? memchr(uri, ':', len) : NULL;
		if (len > 0 && len < sizeof(word)) {
			memcpy(word, uri, len);
			word[cut ? (size_t)(cut - uri) : len] = '\0';
			mark_source(list, n, word);
		}
		uri += len + (uri[len] != '\0');
	}
}

/* Is there a way to other hosts that is not under test? */
static bool has_network(const struct netif *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!list[i].loopback && !list[i].local && !list[i].hca &&
		    !list[i].virtual)
			return true;
	return false;
}

/* Lower is better; 0 is not to be offered at all. */
static unsigned rank_of(const struct netif *i, bool network)
{
	if (i->loopback)
		return i->v6 ? 0 : 9;
	if (i->local)
		return 0;
	if (i->hca && network)
		return 0;
	return 1u + (i->virtual ? 4 : 0) + (i->route ? 0 : 2) + (i->v6 ? 1 : 0);
}

static void meet_append(struct boot_meet *meet, const char *addr)
{
	if (meet->n_addrs < BOOT_ADDRS_MAX)
		fp_copy(meet->addrs[meet->n_addrs++], BOOT_ADDR_MAX, addr);
}

/* " lo eth0": each name once, however many addresses it has. */
static void names_join(const struct netif *list, size_t n, char *ret,
                       size_t size)
{
	size_t used = 0, k;

	ret[0] = '\0';
	for (size_t i = 0; i < n && used < size - NETIF_NAME_MAX - 1; i++) {
		for (k = 0; k < i && strcmp(list[k].name, list[i].name); k++)
			;
		if (k == i)
			used += (size_t)snprintf(ret + used, size - used, " %s",
			                         list[i].name);
	}
}

static enum fp_status choose_only(const struct netif *list, size_t n,
                                  const char *only, struct boot_meet *meet,
                                  struct fp_err *err)
{
	char names[160];

	for (int v6 = 0; v6 < 2; v6++)
		for (size_t i = 0; i < n; i++)
			if (list[i].v6 == v6 && !strcmp(list[i].name, only) &&
			    (!list[i].local || list[i].loopback))
				meet_append(meet, list[i].addr);
	if (meet->n_addrs)
		return FP_OK;
	names_join(list, n, names, sizeof(names));
	return fp_err_set(err, FP_ERR_USAGE,
	                  "--control-if %s: not up, or without an address; "
	                  "there are:%s",
	                  only, names);
}

enum fp_status netif_choose(const struct netif *list, size_t n,
                            const char *only, struct boot_meet *meet,
                            struct fp_err *err)
{
	bool network = has_network(list, n);

	meet->n_addrs = 0;
	if (only[0])
		return choose_only(list, n, only, meet, err);
	for (unsigned rank = 1; rank <= 9; rank++)
		for (size_t i = 0; i < n; i++)
			if (rank_of(&list[i], network) == rank)
				meet_append(meet, list[i].addr);
	if (!meet->n_addrs)
		return fp_err_set(err, FP_ERR_NOTSUP,
		                  "no network interface is up, not even "
		                  "loopback");
	return FP_OK;
}

/* This host's addresses, with those towards the launcher marked. */
static enum fp_status host_list(struct netif **ret, size_t *ret_n,
                                struct fp_err *err)
{
	static const char *const uris[] = { "OMPI_MCA_orte_hnp_uri",
		                            "PMIX_SERVER_URI4",
		                            "PMIX_SERVER_URI3",
		                            "PMIX_SERVER_URI2" };
	enum fp_status status = netif_list("/", ret, ret_n, err);

	if (status != FP_OK)
		return status;
	for (size_t i = 0; i < sizeof(uris) / sizeof(uris[0]); i++)
		netif_mark_route(*ret, *ret_n, getenv(uris[i]));
	return FP_OK;
}

enum fp_status netif_control_addrs(const char *only, struct boot_meet *meet,
                                   struct fp_err *err)
{
	struct netif *list = NULL;
	enum fp_status status;
	size_t n = 0;

	status = host_list(&list, &n, err);
	if (status != FP_OK)
		return status;
	status = netif_choose(list, n, only, meet, err);
	free(list);
	return status;
}

static bool stacked(const char *upper, const char *lower)
{
	char link[NETIF_NAME_MAX + 8];

	(void)snprintf(link, sizeof(link), "lower_%.15s", lower);
	return sys_has("", upper, link);
}

bool netif_shares(const struct boot_meet *meet, const char *netdev,
                  char *ret_name, size_t size)
{
	struct netif *list = NULL;
	bool shares = false;
	size_t n = 0;

	if (netif_list("/", &list, &n, NULL) != FP_OK)
		return false;
	for (size_t i = 0; i < n && !shares; i++) {
		if (strcmp(list[i].addr, meet->addrs[0]) != 0)
			continue;
		shares = !strcmp(list[i].name, netdev) ||
		         stacked(list[i].name, netdev) ||
		         stacked(netdev, list[i].name);
		if (shares)
			fp_copy(ret_name, size, list[i].name);
	}
	free(list);
	return shares;
}

/* The best rank: of IPv4 if it leads to other hosts, else of any; 0: none. */
static unsigned best_rank(const struct netif *list, size_t n, bool network)
{
	unsigned best[2] = { 0 }, rank;
	bool v6;

	for (size_t i = 0; i < n; i++) {
		rank = rank_of(&list[i], network);
		v6 = list[i].v6 || list[i].loopback;
		if (rank && (!best[v6] || rank < best[v6]))
			best[v6] = rank;
	}
	return best[0] ? best[0] : best[1];
}

static bool has_word(const char *words, const char *word)
{
	size_t len = strlen(word), part;

	for (; *words; words += part + (words[part] == ',')) {
		part = strcspn(words, ",");
		if (part == len && !strncmp(words, word, len))
			return true;
	}
	return false;
}

void netif_choose_names(const struct netif *list, size_t n, char *ret,
                        size_t size)
{
	bool network = has_network(list, n);
	unsigned best = best_rank(list, n, network);
	size_t used = 0, len;

	ret[0] = '\0';
	for (size_t i = 0; best && i < n; i++) {
		if (rank_of(&list[i], network) != best ||
		    has_word(ret, list[i].name))
			continue;
		len = strlen(list[i].name);
		if (used + len + 2 > size) {
			ret[0] = '\0';
			return;
		}
		used += (size_t)snprintf(ret + used, size - used, "%s%s",
		                         used ? "," : "", list[i].name);
	}
}

void netif_control_names(char *ret, size_t size)
{
	struct netif *list = NULL;
	size_t n = 0;

	ret[0] = '\0';
	if (host_list(&list, &n, NULL) != FP_OK)
		return;
	netif_choose_names(list, n, ret, size);
	free(list);
}
