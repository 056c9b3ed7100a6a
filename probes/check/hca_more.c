// SPDX-License-Identifier: Apache-2.0
// HCAs: addresses, firmware, error counters, the set of them, flow control.
#include <stdlib.h>
#include <string.h>

#include "probes/check/accuse.h"
#include "probes/check/hca.h"
#include "probes/check/mixed.h"
#include "probes/check/odd.h"
#include "topo/base/fmt.h"

static bool is_zero_guid(const char *guid)
{
	return guid[0] && guid[strspn(guid, "0x:")] == '\0';
}

/* Slower ports beside those of the rails are for storage and services. */
static bool is_rail_speed(const struct check_ports *ports, size_t i)
{
	const struct check_port *p = &ports->p[i];

	for (size_t k = 0; k < ports->n; k++) {
		if (ports->p[k].host == p->host &&
		    ports->p[k].rate_bps > p->rate_bps &&
		    ports->p[k].state == PORT_ACTIVE)
			return false;
	}
	return true;
}

static void judge_gid(const struct check_input *in,
                      const struct check_ports *ports, size_t i,
                      struct check_out *out)
{
	const struct check_port *p = &ports->p[i];
	const struct check_host *host = &in->hosts[p->host];
	int64_t gids = look_int(host, p->name, "port.gids_roce_v2", -1);
	struct finding *f;

	if (p->layer != PORT_LAYER_ETHERNET || p->state != PORT_ACTIVE ||
	    gids > 0 || (gids < 0 && !is_zero_guid(p->guid)) ||
	    !is_rail_speed(ports, i))
		return;
	f = accuse(out, FINDING_PORT_GID, LOCUS_PORT, host->host, p->name);
	if (gids == 0)
		accuse_note(f, "%s: Active, Ethernet, and no GID of RoCE v2",
		            p->name);
	else
		accuse_note(f, "%s: Active, Ethernet, port GUID %s", p->name,
		            p->guid);
}

void hca_judge_gids(const struct check_input *in,
                    const struct check_ports *ports, struct check_out *out)
{
	for (size_t i = 0; i < ports->n; i++)
		judge_gid(in, ports, i, out);
}

/* Ports are in the order of types: HCAs of a type follow one another. */
static void judge_type(const struct check_input *in,
                       const struct check_port *ports, size_t n,
                       struct check_out *out)
{
	struct reading *values = calloc(n + 1, sizeof(*values));
	size_t votes, agree;
	int32_t best;

	if (!values) {
		out->failed = true;
		return;
	}
	for (size_t i = 0; i < n; i++) {
		values[i].kind = ports[i].firmware[0] ? READING_TEXT
		                                      : READING_KIND_COUNT;
		values[i].text = ports[i].firmware;
	}
	best = mixed_majority(values, n, &votes, &agree);
	for (size_t i = 0; best >= 0 && i < n; i++) {
		struct finding *f;

		if (values[i].kind != READING_TEXT ||
		    reading_equal(&values[i], &values[best]))
			continue;
		f = accuse(out, FINDING_HCA_FIRMWARE, LOCUS_HCA,
		           in->hosts[ports[i].host].host, ports[i].hca);
		accuse_note(f, "%s (%s): firmware %s; %zu others have %s",
		            ports[i].hca, ports[i].type, values[i].text, agree,
		            values[best].text);
	}
	free(values);
}

void hca_judge_firmware(const struct check_input *in,
                        const struct check_ports *ports, struct check_out *out)
{
	size_t end;

	for (size_t i = 0; i < ports->n; i = end) {
		for (end = i + 1;
		     end < ports->n &&
		     strcmp(ports->p[i].type, ports->p[end].type) == 0;
		     end++)
			;
		judge_type(in, &ports->p[i], end - i, out);
	}
}

static int text_cmp(const void *pa, const void *pb)
{
	return strcmp(*(const char *const *)pa, *(const char *const *)pb);
}

/* "mlx5_0 mlx5_1 ...", in the order of names. */
static void hca_names(const struct check_host *host, struct fp_text *text)
{
	const struct topo_map *map = host->host->map;
	size_t n = 0, n_map = map ? map->n_hcas : 0;
	const char **names;

	names = calloc(n_map + host->n_devices + 1, sizeof(*names));
	text->failed |= !names;
	for (size_t i = 0; names && i < n_map; i++)
		names[n++] = map->hcas[i].name;
	for (size_t i = 0; names && i < host->n_devices; i++) {
		if (host->devices[i].kinds & KIND_HCA)
			names[n++] = host->devices[i].name;
	}
	if (n)
		qsort(names, n, sizeof(*names), text_cmp);
	for (size_t i = 0; i < n; i++) {
		if (i && strcmp(names[i - 1], names[i]) == 0)
			continue;
		fp_text_printf(text, "%s%s", text->len ? " " : "", names[i]);
	}
	free(names);
}

static void judge_set(const struct check_input *in, struct reading *values,
                      struct fp_text *texts, struct check_out *out)
{
	const struct mixed m = {
		.in = in,
		.values = values,
		.what = "HCAs",
		.device = "",
		.code = FINDING_HCA_SET,
		.kind = LOCUS_HOST,
	};

	for (size_t i = 0; i < in->n_hosts; i++) {
		hca_names(&in->hosts[i], &texts[i]);
		out->failed |= texts[i].failed;
		values[i] = (struct reading){ .kind = READING_KIND_COUNT,
			                      .name = "hca.name" };
		if (!texts[i].len && !look_was_read(&in->hosts[i]))
			continue;
		values[i].kind = READING_TEXT;
		values[i].text = texts[i].len ? texts[i].data : "none";
	}
	mixed_judge(&m, out);
}

/* A reading of network devices that carry RDMA, by their names. */
static void judge_netdevs(const struct check_input *in, const char *name,
                          struct reading *values, struct check_out *out)
{
	const struct check_host *first = &in->hosts[0];
	struct mixed m = {
		.in = in,
		.values = values,
		.what = name,
		.code = FINDING_PFC_MIXED,
		.kind = LOCUS_NETDEV,
	};

	for (size_t k = 0; k < first->n_devices; k++) {
		if (!(first->devices[k].kinds & KIND_NETDEV))
			continue;
		m.device = first->devices[k].name;
		for (size_t i = 0; i < in->n_hosts; i++) {
			if (!look_get(&in->hosts[i], m.device, name,
			              &values[i]))
				values[i].kind = READING_KIND_COUNT;
		}
		mixed_judge(&m, out);
	}
}

void hca_judge_mixed(const struct check_input *in, struct check_out *out)
{
	struct reading *values = calloc(in->n_hosts + 1, sizeof(*values));
	struct fp_text *texts = calloc(in->n_hosts + 1, sizeof(*texts));

	if (!values || !texts) {
		out->failed = true;
	} else if (in->n_hosts > 1) {
		judge_set(in, values, texts, out);
		judge_netdevs(in, "netdev.pfc", values, out);
		judge_netdevs(in, "netdev.trust", values, out);
	}
	for (size_t i = 0; texts && i < in->n_hosts; i++)
		fp_text_free(&texts[i]);
	free(texts);
	free(values);
}

void hca_judge_errors(const struct check_input *in,
                      const struct check_host *host, struct check_out *out)
{
	static const struct {
		const char *name;
		int64_t least; /* fewer are no news */
		bool peers;    /* one port alone tells nothing */
	} rows[] = {
		{ "port.counter.link_downed", 3, false },
		{ "port.counter.link_error_recovery", 3, false },
		{ "port.counter.symbol_error", 100, false },
		{ "port.counter.port_rcv_errors", 100, false },
		{ "port.counter.local_link_integrity_errors", 3, false },
		{ "port.counter.excessive_buffer_overrun_errors", 3, false },
		/* of what this port sends; no reset of the host clears them */
		{ "port.switch.counter.symbol_error", 100, true },
		{ "port.switch.counter.port_rcv_errors", 100, true },
	};

	(void)in;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct odd odd = {
			.host = host,
			.name = rows[i].name,
			.of = KIND_PORT,
			.least = rows[i].least,
			.peers = rows[i].peers,
			.code = FINDING_PORT_ERRORS,
			.kind = LOCUS_PORT,
		};

		odd_judge(&odd, out);
	}
}
