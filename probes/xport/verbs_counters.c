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
	close(fd);
}
