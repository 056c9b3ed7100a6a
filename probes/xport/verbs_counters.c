// SPDX-License-Identifier: Apache-2.0
// What a port counts, by whatever names its driver has for it.
#include <stdio.h>
#include <unistd.h>

#include "probes/xport/verbs_env.h"
#include "topo/source/sysfs.h"

#define NAMES_MAX 6

/* All that there are of a row are added up: they count different things. */
static const char *const names[VERBS_COUNTERS][NAMES_MAX] = {
	[VERBS_SENT] = { "hw_counters/sent_pkts",
	                 "counters/port_xmit_packets" },
	[VERBS_RETRIED] = { "hw_counters/completer_retry_err",
	                    "hw_counters/local_ack_timeout_err",
	                    "hw_counters/packet_seq_err",
	                    "hw_counters/roce_adp_retrans" },
	[VERBS_HOLES] = { "hw_counters/out_of_seq_request",
	                  "hw_counters/out_of_sequence" },
	[VERBS_DOWNS] = { "hw_counters/link_downed", "counters/link_downed" },
	[VERBS_TX_WORDS] = { "counters/port_xmit_data" },
	[VERBS_RX_WORDS] = { "counters/port_rcv_data" },
	[VERBS_TX_BYTES] = { "hw_counters/tx_bytes", "hw_counters/ip4OutOctets",
	                     "hw_counters/ip6OutOctets" },
	[VERBS_RX_BYTES] = { "hw_counters/rx_bytes", "hw_counters/ip4InOctets",
	                     "hw_counters/ip6InOctets" },
};

static uint64_t row_read(int root_fd, const char *port, unsigned row)
{
	char path[256];
	int64_t value;
	uint64_t sum = 0;

	for (size_t i = 0; i < NAMES_MAX && names[row][i]; i++) {
		(void)snprintf(path, sizeof(path), "%s/%s", port,
		               names[row][i]);
		value = sysfs_read_int(root_fd, path, 0);
		sum += value > 0 ? (uint64_t)value : 0;
	}
	return sum;
}

/* The port's own network device; of an InfiniBand port there is none. */
static void net_read(int root_fd, const char *port, uint64_t *ret)
{
	char path[256], netdev[64];
	int64_t tx, rx;

	(void)snprintf(path, sizeof(path), "%s/gid_attrs/ndevs/0", port);
	if (!sysfs_read(root_fd, path, netdev, sizeof(netdev)) || !netdev[0])
		return;
	(void)snprintf(path, sizeof(path),
	               "sys/class/net/%s/statistics/tx_bytes", netdev);
	tx = sysfs_read_int(root_fd, path, 0);
	(void)snprintf(path, sizeof(path),
	               "sys/class/net/%s/statistics/rx_bytes", netdev);
	rx = sysfs_read_int(root_fd, path, 0);
	ret[VERBS_NET_TX_BYTES] = tx > 0 ? (uint64_t)tx : 0;
	ret[VERBS_NET_RX_BYTES] = rx > 0 ? (uint64_t)rx : 0;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

struct verbs_moved verbs_port_moved(const uint64_t delta[static VERBS_COUNTERS],
                                    uint64_t own)
{
	uint64_t net_tx = delta[VERBS_NET_TX_BYTES];
	uint64_t net_rx = delta[VERBS_NET_RX_BYTES];
	uint64_t tx = larger(4 * delta[VERBS_TX_WORDS], delta[VERBS_TX_BYTES]);
	uint64_t rx = larger(4 * delta[VERBS_RX_WORDS], delta[VERBS_RX_BYTES]);

	if (larger(net_tx, net_rx) < own)
		return (struct verbs_moved){ tx + net_tx, rx + net_rx };
	return (struct verbs_moved){ larger(tx, net_tx), larger(rx, net_rx) };
}

void verbs_counters_read(const char *sysroot, const char *hca, int port,
                         uint64_t ret[static VERBS_COUNTERS])
{
	char path[128];
	int fd = -1;

	for (unsigned i = 0; i < VERBS_COUNTERS; i++)
		ret[i] = 0;
	if (sysfs_open(sysroot, &fd, NULL) != FP_OK)
		return;
	(void)snprintf(path, sizeof(path),
	               "sys/class/infiniband/%.63s/ports/%d", hca, port);
	for (unsigned i = 0; i < VERBS_COUNTERS; i++)
		ret[i] = row_read(fd, path, i);
	net_read(fd, path, ret);
	close(fd);
}
