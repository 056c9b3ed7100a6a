// SPDX-License-Identifier: Apache-2.0
// Accusations of components as findings, with what speaks for them.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/attribute/kinds.h"
#include "probes/session/located.h"
#include "probes/stats/stats.h"
#include "topo/base/fmt.h"

#define EVIDENCE_TESTS 3
#define GROUP_NAMED 3

/* What a signature is called in the catalogue; in the order of its rows. */
static const struct {
	const char *name;
	uint32_t code;
} codes[] = {
	{ "gpu-lost", FINDING_GPU_LOST },
	{ "gpu-throttle", FINDING_GPU_SLOW },
	{ "gpu-pcie", FINDING_GPU_PCIE_SLOW },
	{ "nvlink-lost", FINDING_NVLINK_DEGRADED },
	{ "nvlink-bridge", FINDING_NVLINK_BRIDGE },
	{ "nvswitch-down", FINDING_NVSWITCH_DOWN },
	{ "pcie-switch", FINDING_PCIE_SWITCH_SLOW },
	{ "acs", FINDING_PCIE_ACS },
	{ "gdr-off", FINDING_GDR_OFF },
	{ "gdr-root", FINDING_GDR_ROOT },
	{ "nic-dead", FINDING_HCA_DEAD },
	{ "nic-slow", FINDING_HCA_SLOW },
	{ "mtu", FINDING_HCA_MTU },
	{ "rail-swap", FINDING_HCA_CABLING },
	{ "cable-tx", FINDING_PORT_TX_SLOW },
	{ "cable-rx", FINDING_PORT_RX_SLOW },
	{ "lossy-tx", FINDING_PORT_TX_LOSSY },
	{ "lossy-rx", FINDING_PORT_RX_LOSSY },
	{ "firewall", FINDING_HOST_FIREWALL },
	{ "roce", FINDING_HOST_ROCE },
	{ "host-slow", FINDING_HOST_WEAK },
	{ "leaf-slow", FINDING_LEAF_SLOW },
	{ "pfc-storm", FINDING_LEAF_PAUSES },
	{ "uplinks-slow", FINDING_UPLINK_SLOW },
	{ "uplink-member", FINDING_UPLINK_MEMBER },
	{ "downlink-member", FINDING_DOWNLINK_MEMBER },
	{ "oversubscribed", FINDING_OVERSUBSCRIBED },
	{ "spines-slow", FINDING_SPINES_SLOW },
};

static uint32_t code_of(const char *name, unsigned kind)
{
	size_t i;

	for (i = 0; i < sizeof(codes) / sizeof(*codes); i++)
		if (strcmp(codes[i].name, name) == 0)
			return codes[i].code;
	return kind == FABRIC_CLUSTER ? FINDING_CLUSTER_SLOW
	                              : FINDING_COMPONENT;
}

static const char *host_name(const struct fabric *f, int32_t host,
                             char buf[static TOPO_NAME_MAX])
{
	if (f->host_names)
		return f->host_names[host];
	(void)snprintf(buf, TOPO_NAME_MAX, "%d", (int)host);
	return buf;
}

/* "port 5" of "port 5 of host h3, sending (leaf ...)": the host and the
 * direction have their own places. */
static void fill_locus(const struct fabric *f, int32_t comp, struct locus *l)
{
	static const char of_host[] = " of host ";
	struct fabric_place at = fabric_place(f, comp);
	char name[FABRIC_NAME_MAX], host[TOPO_NAME_MAX], *cut;

	l->kind = at.kind == FABRIC_HOST ? LOCUS_HOST : LOCUS_COMPONENT;
	if (at.kind == FABRIC_PORT_TX)
		l->direction = DIRECTION_TX;
	if (at.kind == FABRIC_PORT_RX)
		l->direction = DIRECTION_RX;
	if (at.host >= 0)
		fp_copy(l->host, sizeof(l->host), host_name(f, at.host, host));
	if (at.kind == FABRIC_HOST)
		return;
	(void)fabric_locus(f, comp, name);
	cut = strstr(name, of_host);
	if (cut)
		*cut = '\0';
	fp_copy(l->device, sizeof(l->device), name);
}

static bool crosses(const struct locate *l, size_t t, int32_t comp)
{
	size_t j;

	for (j = l->e.first[t]; j < l->e.first[t + 1]; j++)
		if (l->e.comps[j] == comp)
			return true;
	return false;
}

static char *end_text(const struct fabric *f, const struct fabric_end *e,
                      char buf[static 96])
{
	char host[TOPO_NAME_MAX], at[24] = "memory", by[24] = "";

	if (e->gpu >= 0)
		(void)snprintf(at, sizeof(at), "GPU %d", (int)e->gpu);
	if (e->nic >= 0)
		(void)snprintf(by, sizeof(by), " by HCA %d", (int)e->nic);
	(void)snprintf(buf, 96, "%.40s %s%s", host_name(f, e->host, host), at,
	               by);
	return buf;
}

static void evidence_of(const struct locate *l, size_t t, struct finding *f)
{
	const struct locate_test *test = &l->tests.t[t];
	const struct locate_look *look = &l->looks[t];
	char src[96], dst[96], seen[48];

	if (look->state != OUTCOME_OK)
		(void)snprintf(seen, sizeof(seen), "%s at %s",
		               outcome_state_name(look->state),
		               outcome_stage_name(look->stage));
	else
		(void)snprintf(seen, sizeof(seen), "%.0f %% of expected",
		               100 * exp(look->capability));
	finding_evidence(f, "%s -> %s (%s): %s",
	                 end_text(l->f, &test->t.src, src),
	                 end_text(l->f, &test->t.dst, dst),
	                 locate_class_name(test->cls), seen);
}

/* The rates of its tests, and a few of them in words. */
static void weigh_tests(const struct locate *l,
                        const struct attribute_accused *a, struct finding *f)
{
	double *x = calloc(l->tests.n + 1, sizeof(*x));
	uint32_t told = 0;
	size_t t, n = 0;

	if (!x)
		return;
	for (t = 0; t < l->e.n; t++) {
		if (!(l->signs[t] & 1u << a->sign) ||
		    !crosses(l, t, a->culprit.comp))
			continue;
		if (told++ < EVIDENCE_TESTS)
			evidence_of(l, t, f);
		if (l->looks[t].state == OUTCOME_OK)
			x[n++] = 100 * exp(a->sign == SIGN_FLAKY
			                           ? l->looks[t].floor
			                           : l->looks[t].capability);
	}
	if (n && a->sign != SIGN_LATE && a->sign != SIGN_BROKEN) {
		stats_sort(x, n);
		f->observed = stats_quantile(x, n, .5);
		f->expected = 100;
		fp_copy(f->unit, sizeof(f->unit), "%");
	}
	free(x);
}

/* "As likely: GPU 3 of host h1. To tell them apart: ..." */
static void tell_group(const struct locate *l,
                       const struct attribute_culprit *c, struct finding *f)
{
	const int32_t *group = l->a.groups + c->group_first;
	unsigned kind = fabric_place(l->f, c->comp).kind, next;
	char name[FABRIC_NAME_MAX];
	struct fp_text text = { 0 };
	size_t j, n = 0;

	for (j = 0; j < c->n_group; j++) {
		if (group[j] == c->comp || n++ >= GROUP_NAMED)
			continue;
		fp_text_printf(&text, "%s%s", text.len ? ", " : "As likely: ",
		               fabric_locus(l->f, group[j], name));
	}
	if (n) {
		next = attribute_next_test(
			kind,
			fabric_place(l->f, group[group[0] == c->comp]).kind);
		if (n > GROUP_NAMED)
			fp_text_printf(&text, " and %zu more", n - GROUP_NAMED);
		fp_text_printf(&text, ". To tell: %s.",
		               attribute_next_text(next));
	}
	fp_copy(f->detail, sizeof(f->detail), fp_text_str(&text));
	fp_text_free(&text);
}

/* Where a port is plugged, if somebody wrote that down. */
static void tell_plug(const struct fabric *f, int32_t comp, struct finding *ret)
{
	char name[FABRIC_NAME_MAX];
	const char *plug = strstr(fabric_locus(f, comp, name), " (leaf ");

	if (plug && f->leaf_names)
		finding_evidence(ret, "plugged into %.*s",
		                 (int)strcspn(plug + 2, ")"), plug + 2);
}

enum fp_status session_accuse_component(const struct locate *l, size_t i,
                                        struct findings *list,
                                        struct fp_err *err)
{
	const struct attribute_accused *a = &l->a.list[i];
	const struct attribute_culprit *c = &a->culprit;
	unsigned kind = fabric_place(l->f, c->comp).kind;
	struct finding *f = findings_add(list, code_of(l->names[i], kind));

	if (!f)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for findings");
	fill_locus(l->f, c->comp, &f->locus);
	f->confidence = c->confidence;
	/* Measured, not only read: whatever the catalogue thinks of it. */
	f->severity = a->sign == SIGN_LOADED ? SEVERITY_WARN : SEVERITY_FAULT;
	if (c->n_slow + c->n_ok)
		finding_evidence(f,
		                 "%u of %u tests across it that nobody else "
		                 "explains show it",
		                 c->n_slow, c->n_slow + c->n_ok);
	tell_plug(l->f, c->comp, f);
	weigh_tests(l, a, f);
	tell_group(l, c, f);
	return FP_OK;
}
