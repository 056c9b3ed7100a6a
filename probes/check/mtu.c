// SPDX-License-Identifier: Apache-2.0
// MTUs: those of network devices and of RDMA ports, host against host.
#include <stdlib.h>
#include <string.h>

#include "probes/check/accuse.h"
#include "probes/check/look.h"
#include "probes/check/mixed.h"
#include "topo/base/fmt.h"

#define NAMES_MAX 64 /* device names that are told apart */

struct names {
	char name[NAMES_MAX][TOPO_NAME_MAX];
	size_t n;
};

static void names_add(struct names *names, const char *name)
{
	for (size_t i = 0; i < names->n; i++) {
		if (strcmp(names->name[i], name) == 0)
			return;
	}
	if (names->n < NAMES_MAX)
		fp_copy(names->name[names->n++], TOPO_NAME_MAX, name);
}

/* Bridges and service networks of a host are its own affair: those count
 * that data take, by a rank or by an HCA. */
static bool carries_data(const struct topo_job *job, size_t host, size_t dev)
{
	const struct topo_netdev *d = &job->hosts[host].netdevs[dev];

	if (d->loopback || !d->up)
		return false;
	for (size_t i = 0; !d->hca && i < job->n_ranks; i++) {
		if (job->ranks[i].host == (int32_t)host &&
		    job->ranks[i].netdev == (int32_t)dev)
			return true;
	}
	return d->hca;
}

static struct reading mtu_of(const struct check_host *host,
                             const struct topo_netdev *dev)
{
	struct reading r;

	if (!look_get(host, dev->name, "netdev.mtu", &r) ||
	    r.kind != READING_INT)
		r = (struct reading){ .kind = dev->mtu_bytes > 0
			                              ? READING_INT
			                              : READING_KIND_COUNT,
			              .source = READ_SYSFS,
			              .number = dev->mtu_bytes };
	r.device = dev->name;
	r.name = "netdev.mtu";
	r.text = "";
	return r;
}

/* The data devices of all hosts by one name, which is their rail. */
static void judge_name(const struct check_input *in, const char *name,
                       struct reading *values, struct check_out *out)
{
	const struct mixed m = {
		.in = in,
		.values = values,
		.what = "MTU",
		.device = name,
		.code = FINDING_MTU_MIXED,
		.kind = LOCUS_NETDEV,
	};

	for (size_t i = 0; i < in->n_hosts; i++) {
		const struct topo_host *host = in->hosts[i].host;
		int32_t dev = topo_host_find_netdev(host, name);

		values[i].kind = READING_KIND_COUNT;
		if (dev >= 0 && carries_data(in->job, i, (size_t)dev))
			values[i] = mtu_of(&in->hosts[i], &host->netdevs[dev]);
	}
	mixed_judge(&m, out);
}

static void judge_netdevs(const struct check_input *in, struct reading *values,
                          struct check_out *out)
{
	struct names names = { .n = 0 };

	for (size_t i = 0; i < in->n_hosts; i++) {
		const struct topo_host *host = in->hosts[i].host;

		for (size_t k = 0; k < host->n_netdevs; k++) {
			if (host->netdevs[k].hca || carries_data(in->job, i, k))
				names_add(&names, host->netdevs[k].name);
		}
	}
	for (size_t i = 0; i < names.n; i++)
		judge_name(in, names.name[i], values, out);
}

static void judge_port(const struct check_input *in, const char *name,
                       struct reading *values, struct check_out *out)
{
	const struct mixed m = {
		.in = in,
		.values = values,
		.what = "active MTU",
		.device = name,
		.code = FINDING_PORT_MTU_MIXED,
		.kind = LOCUS_PORT,
	};

	for (size_t i = 0; i < in->n_hosts; i++) {
		if (!look_get(&in->hosts[i], name, "port.active_mtu",
		              &values[i]))
			values[i].kind = READING_KIND_COUNT;
	}
	mixed_judge(&m, out);
}

static void judge_ports(const struct check_input *in, struct reading *values,
                        struct check_out *out)
{
	struct names names = { .n = 0 };
	struct reading r;

	for (size_t i = 0; i < in->n_hosts; i++) {
		const struct check_host *host = &in->hosts[i];

		for (size_t k = 0; k < host->n_devices; k++) {
			const char *name = host->devices[k].name;

			if (host->devices[k].kinds & KIND_PORT &&
			    look_get(host, name, "port.active_mtu", &r))
				names_add(&names, name);
		}
	}
	for (size_t i = 0; i < names.n; i++)
		judge_port(in, names.name[i], values, out);
}

static void judge(const struct check_input *in, struct check_out *out)
{
	struct reading *values = calloc(in->n_hosts + 1, sizeof(*values));

	if (!values) {
		out->failed = true;
		return;
	}
	judge_netdevs(in, values, out);
	judge_ports(in, values, out);
	free(values);
}

const struct check_ops check_mtu_ops = {
	.name = "mtu",
	.help = "MTU of data devices and RDMA ports, equal on all hosts",
	.needs = "netdev.mtu, port.active_mtu",
	.job = judge,
};
