// SPDX-License-Identifier: Apache-2.0
// Where only hosts are measured: leaves and their links beside what the judge
// says of devices and pairs.
#include <string.h>

#include "probes/session/located.h"
#include "topo/base/fmt.h"

static bool is_of_fabric(const struct fabric *f, int32_t comp)
{
	unsigned kind = fabric_place(f, comp).kind;

	return kind == FABRIC_LEAF || kind == FABRIC_UPLINK ||
	       kind == FABRIC_DOWNLINK || kind == FABRIC_CLUSTER;
}

static int32_t find_host(const struct fabric *f, const char *name)
{
	int32_t h;

	for (h = 0; h < f->spec.hosts; h++)
		if (strcmp(f->host_names[h], name) == 0)
			return h;
	return -1;
}

/* Slow spines are on no way between hosts under one leaf. */
static bool is_far_only(const struct locate *l, int32_t id, int32_t a,
                        int32_t b)
{
	return l->spines_slow &&
	       fabric_place(l->f, id).kind == FABRIC_CLUSTER &&
	       fabric_leaf(l->f, a, 0) == fabric_leaf(l->f, b, 0);
}

/* Does an accused part of the fabric lie between two hosts, either way? */
static bool is_between(const struct locate *l, int32_t a, int32_t b)
{
	struct fabric_transfer t = { { a, -1, 0 }, { b, -1, 0 } };
	int32_t ids[FABRIC_PATH_MAX];
	size_t n, i;
	int way;

	for (way = 0; way < 2; way++) {
		n = fabric_cross(l->f, &t, ids);
		for (i = 0; i < n; i++)
			if (l->a.state[ids[i]] == ATTRIBUTE_BAD &&
			    is_of_fabric(l->f, ids[i]) &&
			    !is_far_only(l, ids[i], a, b))
				return true;
		t = (struct fabric_transfer){ t.dst, t.src };
	}
	return false;
}

static bool is_port_bad(const struct locate *l, int32_t host)
{
	static const uint8_t kinds[] = { FABRIC_PORT_TX, FABRIC_PORT_RX,
		                         FABRIC_HCA };
	size_t k;

	for (k = 0; k < sizeof(kinds); k++)
		if (l->a.state[fabric_host_id(l->f, kinds[k], host, 0)] ==
		    ATTRIBUTE_BAD)
			return true;
	return false;
}

static bool is_symptom(unsigned code)
{
	switch (code) {
	case FINDING_NIC_TX_SLOW:
	case FINDING_NIC_RX_SLOW:
	case FINDING_NIC_SLOW:
	case FINDING_RANK_TX_SLOW:
	case FINDING_RANK_RX_SLOW:
	case FINDING_RANK_SLOW:
	case FINDING_NIC_LOSS:
	case FINDING_NIC_JITTER:
	case FINDING_PAIR_SLOW:
	case FINDING_PAIR_LOSS:
	case FINDING_PAIR_JITTER:
	case FINDING_PAIR_LATENCY:
		return true;
	default:
		return false;
	}
}

/* Is what leads to @host's leaf accused? */
static bool is_behind(const struct locate *l, int32_t host)
{
	static const uint8_t kinds[] = { FABRIC_LEAF, FABRIC_UPLINK,
		                         FABRIC_DOWNLINK };
	int32_t leaf = fabric_leaf(l->f, host, 0), id;
	size_t k;

	for (k = 0; k < sizeof(kinds); k++) {
		id = fabric_id(l->f, kinds[k], leaf);
		if (id >= 0 && l->a.state[id] == ATTRIBUTE_BAD)
			return true;
	}
	return false;
}

/* What a narrow link does to a pair across it, or to a host whose own port is
 * not accused, is the fabric's. @slow: a whole link is narrow; one of a set is
 * felt behind its leaf only. */
static bool is_explained(const struct locate *l, bool slow,
                         const struct finding *f)
{
	int32_t a = find_host(l->f, f->locus.host);
	int32_t b = find_host(l->f, f->locus.peer_host);

	if (!is_symptom(f->code) || a < 0)
		return false;
	if (b >= 0)
		return is_between(l, a, b);
	return !is_port_bad(l, a) && (slow || is_behind(l, a));
}

static size_t drop_explained(const struct locate *l, bool slow,
                             struct findings *list)
{
	size_t i, n = 0, dropped;

	for (i = 0; i < list->n; i++)
		if (!is_explained(l, slow, &list->f[i]))
			list->f[n++] = list->f[i];
	dropped = list->n - n;
	list->n = n;
	return dropped;
}

enum fp_status session_hosts_judge(struct session *s, struct fp_err *err)
{
	const struct locate *l = s->locate;
	enum fp_status status = FP_OK;
	size_t first = 0, dropped = 0, i;
	bool slow = false, flaky = false;

	for (i = 0; i < l->a.n; i++) {
		if (!is_of_fabric(l->f, l->a.list[i].culprit.comp))
			continue;
		slow |= l->a.list[i].sign == SIGN_SLOW;
		flaky |= l->a.list[i].sign == SIGN_FLAKY;
	}
	if (slow || flaky)
		dropped = drop_explained(l, slow, &s->findings);
	first = s->findings.n;
	for (i = 0; !status && i < l->a.n; i++)
		if (is_of_fabric(l->f, l->a.list[i].culprit.comp))
			status = session_accuse_component(l, i, &s->findings,
			                                  err);
	if (!status && dropped && s->findings.n > first)
		finding_evidence(&s->findings.f[first],
		                 "%zu findings about devices and pairs are its "
		                 "consequence",
		                 dropped);
	findings_sort(&s->findings);
	return status;
}
