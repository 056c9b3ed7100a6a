// SPDX-License-Identifier: Apache-2.0
// Components, their ids and words, and what transfers cross.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "topo/fabric/fabric.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void build(struct fabric *f, int32_t hosts, uint32_t inside)
{
	struct fabric_spec spec;

	fabric_spec_defaults(&spec, hosts);
	spec.hosts_per_leaf = 4;
	spec.inside = inside;
	assert_int_equal(fabric_init(f, &spec, NULL), FP_OK);
}

static void ids_and_places_agree(void **state)
{
	struct fabric_place at;
	struct fabric f;
	int32_t id;

	(void)state;
	build(&f, 8, FABRIC_INSIDE_NVSWITCH);
	assert_int_equal(f.n_leaves, 16);
	assert_int_equal(fabric_count(&f, FABRIC_GPU), 64);
	assert_int_equal(fabric_count(&f, FABRIC_LEAF), 16);
	for (id = 0; id < fabric_size(&f); id++) {
		at = fabric_place(&f, id);
		assert_int_equal(fabric_id(&f, at.kind, at.index), id);
		if (at.host >= 0)
			assert_int_equal(
				fabric_host_id(&f, at.kind, at.host, at.local),
				id);
	}
	assert_int_equal(fabric_id(&f, FABRIC_GPU, 64), -1);
	assert_int_equal(fabric_id(&f, FABRIC_KIND_COUNT, 0), -1);
	assert_int_equal(fabric_host_id(&f, FABRIC_GPU, 8, 0), -1);
	assert_int_equal(fabric_host_id(&f, FABRIC_GPU, 0, 8), -1);
	fabric_done(&f);
	fabric_done(NULL);
}

/* A path as its kinds and numbers: "host0 GPU0.1 ...". */
static void path_text(const struct fabric *f, const struct fabric_transfer *t,
                      char *buf, size_t size)
{
	static const char *const abbr[FABRIC_KIND_COUNT] = {
		"H",  "G",  "NV", "NS", "GP", "PS", "SO", "HC", "TX",
		"RX", "CG", "CN", "L",  "UP", "DN", "SL", "CL",
	};
	int32_t ids[FABRIC_PATH_MAX];
	size_t n = fabric_cross(f, t, ids), i, at = 0;
	struct fabric_place p;

	buf[0] = '\0';
	for (i = 0; i < n; i++) {
		p = fabric_place(f, ids[i]);
		if (p.host >= 0)
			at += (size_t)snprintf(buf + at, size - at, "%s%d.%d ",
			                       abbr[p.kind], (int)p.host,
			                       (int)p.local);
		else
			at += (size_t)snprintf(buf + at, size - at, "%s%d ",
			                       abbr[p.kind], (int)p.index);
	}
}

static const struct {
	uint32_t inside;
	struct fabric_transfer t;
	const char *want;
} paths[] = {
	{ FABRIC_INSIDE_NVSWITCH,
	  { { 1, 2, -1 }, { 1, 5, -1 } },
	  "H1.0 G1.2 G1.5 NV1.2 NS1.0 NV1.5 " },
	{ FABRIC_INSIDE_NVLINK,
	  { { 1, 2, -1 }, { 1, 3, -1 } },
	  "H1.0 G1.2 G1.3 NV1.1 " },
	{ FABRIC_INSIDE_NVLINK,
	  { { 1, 1, -1 }, { 1, 2, -1 } },
	  "H1.0 G1.1 GP1.1 PS1.0 G1.2 GP1.2 PS1.1 SO1.0 " },
	{ FABRIC_INSIDE_PCIE,
	  { { 0, 0, -1 }, { 0, 7, -1 } },
	  "H0.0 G0.0 GP0.0 PS0.0 G0.7 GP0.7 PS0.3 SO0.0 SO0.1 " },
	{ FABRIC_INSIDE_NVSWITCH,
	  { { 0, -1, -1 }, { 0, 6, -1 } },
	  "H0.0 GP0.6 PS0.3 SO0.1 " },
	{ FABRIC_INSIDE_NVSWITCH, /* the same rail under one leaf */
	  { { 0, 2, 2 }, { 3, 2, 2 } },
	  "H0.0 CN0.0 CG0.0 SL2 G0.2 GP0.2 PS0.1 HC0.2 TX0.2 L2 RX3.2 H3.0 "
	  "CN3.0 "
	  "CG3.0 G3.2 GP3.2 PS3.1 HC3.2 CL0 " },
	{ FABRIC_INSIDE_NVSWITCH, /* across leaves, from memory */
	  { { 0, -1, 2 }, { 4, -1, 2 } },
	  "H0.0 CN0.0 SO0.0 PS0.1 HC0.2 TX0.2 L2 UP2 DN10 L10 RX4.2 H4.0 CN4.0 "
	  "SO4.0 PS4.1 HC4.2 CL0 " },
	{ FABRIC_INSIDE_NVSWITCH, /* by an HCA under another switch */
	  { { 0, 0, 7 }, { 1, 7, 7 } },
	  "H0.0 CN0.0 CG0.0 SL0 G0.0 GP0.0 PS0.0 SO0.1 PS0.3 HC0.7 TX0.7 L7 "
	  "RX1.7 "
	  "H1.0 CN1.0 CG1.0 SL7 G1.7 GP1.7 PS1.3 HC1.7 CL0 " },
	{ FABRIC_INSIDE_NVSWITCH, /* loopback */
	  { { 0, 0, 0 }, { 0, 1, 1 } },
	  "H0.0 CN0.0 CG0.0 SL0 G0.0 GP0.0 PS0.0 HC0.0 TX0.0 L0 UP0 DN1 L1 "
	  "RX0.1 "
	  "SL1 G0.1 GP0.1 HC0.1 CL0 " },
	{ FABRIC_INSIDE_NVSWITCH, { { 0, 1, -1 }, { 1, 1, -1 } }, "" },
	{ FABRIC_INSIDE_NVSWITCH, { { 0, 1, -1 }, { 0, 1, -1 } }, "" },
	{ FABRIC_INSIDE_NVSWITCH, { { 0, 1, 1 }, { 1, 1, -1 } }, "" },
	{ FABRIC_INSIDE_NVSWITCH, { { 0, 8, 1 }, { 1, 1, 1 } }, "" },
	{ FABRIC_INSIDE_NVSWITCH, { { 8, 1, 1 }, { 1, 1, 1 } }, "" },
};

static void transfers_cross_what_they_should(void **state)
{
	struct fabric f;
	char text[512];
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(paths); i++) {
		build(&f, 8, paths[i].inside);
		path_text(&f, &paths[i].t, text, sizeof(text));
		assert_string_equal(text, paths[i].want);
		fabric_done(&f);
	}
}

static void kinds_can_be_left_out(void **state)
{
	struct fabric_transfer t = { { 0, 0, 0 }, { 1, 0, 0 } };
	int32_t ids[FABRIC_PATH_MAX];
	struct fabric_spec spec;
	struct fabric f;

	(void)state;
	fabric_spec_defaults(&spec, 2);
	spec.kinds = 1u << FABRIC_HOST | 1u << FABRIC_PORT_TX;
	assert_int_equal(fabric_init(&f, &spec, NULL), FP_OK);
	assert_int_equal(fabric_size(&f), 2 + 16);
	assert_int_equal(fabric_cross(&f, &t, ids), 3);
	fabric_done(&f);
}

static void bad_descriptions_are_refused(void **state)
{
	struct fabric_spec good, spec;
	struct fabric f;

	(void)state;
	fabric_spec_defaults(&good, 8);
	assert_int_equal(fabric_spec_check(&good, NULL), FP_OK);
	spec = good;
	spec.hosts = 0;
	assert_int_equal(fabric_init(&f, &spec, NULL), FP_ERR_INPUT);
	spec = good;
	spec.gpus = FABRIC_MAX_PER_HOST + 1;
	assert_int_equal(fabric_init(&f, &spec, NULL), FP_ERR_INPUT);
	spec = good;
	spec.oversubscription = .5;
	assert_int_equal(fabric_init(&f, &spec, NULL), FP_ERR_INPUT);
	spec = good;
	spec.leaves = 3;
	assert_int_equal(fabric_init(&f, &spec, NULL), FP_ERR_INPUT);
}

static void uplinks_follow_oversubscription(void **state)
{
	struct fabric_spec spec;
	struct fabric f;

	(void)state;
	fabric_spec_defaults(&spec, 64);
	spec.oversubscription = 3;
	assert_int_equal(fabric_init(&f, &spec, NULL), FP_OK);
	assert_int_equal(fabric_uplinks(&f), 11);
	fabric_done(&f);
}

static void loci_are_words(void **state)
{
	char buf[FABRIC_NAME_MAX];
	struct fabric f;

	(void)state;
	build(&f, 8, FABRIC_INSIDE_NVSWITCH);
	assert_string_equal(
		fabric_locus(&f, fabric_host_id(&f, FABRIC_HOST, 3, 0), buf),
		"host 3");
	assert_string_equal(
		fabric_locus(&f, fabric_host_id(&f, FABRIC_GPU, 3, 2), buf),
		"GPU 2 of host 3");
	f.ports[3 * 8 + 5].port = 7;
	(void)snprintf(f.ports[3 * 8 + 5].cable, 24, "c12");
	assert_string_equal(
		fabric_locus(&f, fabric_host_id(&f, FABRIC_PORT_TX, 3, 5), buf),
		"port 5 of host 3, sending (leaf 5, port 7, cable c12)");
	assert_string_equal(
		fabric_locus(&f, fabric_id(&f, FABRIC_UPLINK, 4), buf),
		"uplinks of leaf 4");
	assert_string_equal(
		fabric_locus(&f, fabric_id(&f, FABRIC_SLOT, 3), buf),
		"every host, GPU 3");
	assert_string_equal(
		fabric_locus(&f, fabric_id(&f, FABRIC_CLUSTER, 0), buf),
		"settings of the whole cluster");
	assert_string_equal(fabric_kind_name(FABRIC_KIND_COUNT), "?");
	fabric_done(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ids_and_places_agree),
		cmocka_unit_test(transfers_cross_what_they_should),
		cmocka_unit_test(kinds_can_be_left_out),
		cmocka_unit_test(bad_descriptions_are_refused),
		cmocka_unit_test(uplinks_follow_oversubscription),
		cmocka_unit_test(loci_are_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
