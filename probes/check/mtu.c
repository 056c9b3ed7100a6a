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

/* What all parts of the check need. @used: bits of each host's first network
 * devices that a rank of it sends data by. */
struct mtus {
	const struct check_input *in;
	struct reading *values;
	uint64_t *used;
};

#define USED_BITS 64

static void note_ranks(const struct topo_job *job, uint64_t *used)
{
	for (size_t i = 0; i < job->n_ranks; i++) {
		const struct topo_rank *r = &job->ranks[i];

		if (r->host >= 0 && r->netdev >= 0 && r->netdev < USED_BITS)
			used[r->host] |= 1ull << r->netdev;
	}
}

/* Bridges and service networks of a host are its own affair: those count
 * that data take, by a rank or by an HCA. */
static bool carries_data(const struct mtus *m, size_t host, size_t dev)
{
	const struct topo_netdev *d = &m->in->job->hosts[host].netdevs[dev];

	if (d->loopback || !d->up)
		return false;
	return d->hca || (dev < USED_BITS && m->used[host] >> dev & 1);
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
static void judge_name(const struct mtus *m, const char *name,
                       struct check_out *out)
{
	const struct mixed mixed = {
		.in = m->in,
		.values = m->values,
		.what = "MTU",
		.device = name,
		.code = FINDING_MTU_MIXED,
		.kind = LOCUS_NETDEV,
	};

	for (size_t i = 0; i < m->in->n_hosts; i++) {
		const struct topo_host *host = m->in->hosts[i].host;
		int32_t dev = topo_host_find_netdev(host, name);

		m->values[i].kind = READING_KIND_COUNT;
		if (dev >= 0 && carries_data(m, i, (size_t)dev))
			m->values[i] =
				mtu_of(&m->in->hosts[i], &host->netdevs[dev]);
	}
	mixed_judge(&mixed, out);
}

static void judge_netdevs(const struct mtus *m, struct check_out *out)
{
	struct names names = { .n = 0 };

	for (size_t i = 0; i < m->in->n_hosts; i++) {
		const struct topo_host *host = m->in->hosts[i].host;

		for (size_t k = 0; k < host->n_netdevs; k++) {
			if (carries_data(m, i, k))
				names_add(&names, host->netdevs[k].name);
		}
	}
	for (size_t i = 0; i < names.n; i++)
		judge_name(m, names.name[i], out);
}

static void judge_port(const struct mtus *m, const char *name,
                       struct check_out *out)
{
	const struct mixed mixed = {
		.in = m->in,
		.values = m->values,
		.what = "active MTU",
		.device = name,
		.code = FINDING_PORT_MTU_MIXED,
		.kind = LOCUS_PORT,
	};

	for (size_t i = 0; i < m->in->n_hosts; i++) {
		if (!look_get(&m->in->hosts[i], name, "port.active_mtu",
		              &m->values[i]))
			m->values[i].kind = READING_KIND_COUNT;
	}
	mixed_judge(&mixed, out);
}

static void judge_ports(const struct mtus *m, struct check_out *out)
{
	struct names names = { .n = 0 };
	struct reading r;

	for (size_t i = 0; i < m->in->n_hosts; i++) {
		const struct check_host *host = &m->in->hosts[i];

		for (size_t k = 0; k < host->n_devices; k++) {
			const char *name = host->devices[k].name;

			if (host->devices[k].kinds & KIND_PORT &&
			    look_get(host, name, "port.active_mtu", &r))
				names_add(&names, name);
		}
	}
	for (size_t i = 0; i < names.n; i++)
		judge_port(m, names.name[i], out);
}

static void judge(const struct check_input *in, struct check_out *out)
{
	struct mtus m = {
		.in = in,
		.values = calloc(in->n_hosts + 1, sizeof(*m.values)),
		.used = calloc(in->n_hosts + 1, sizeof(*m.used)),
	};

	if (m.values && m.used) {
		note_ranks(in->job, m.used);
		judge_netdevs(&m, out);
		judge_ports(&m, out);
	} else {
		out->failed = true;
	}
	free(m.used);
	free(m.values);
}

const struct check_ops check_mtu_ops = {
	.name = "mtu",
	.help = "MTU of data devices and RDMA ports, equal on all hosts",
	.needs = "netdev.mtu, port.active_mtu",
	.job = judge,
};
