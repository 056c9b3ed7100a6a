// SPDX-License-Identifier: Apache-2.0
// A session runs on the model as on a cluster: each fault ends as a finding at
// its place, a healthy cluster is healthy, and what time cuts is said.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "probes/locate/locate.h"
#include "probes/session/session.h"
#include "probes/sim/catalogue.h"
#include "probes/sim/exec.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define FAULTS_MAX 2

/* struct bed - a modelled cluster, and a run on it. */
struct bed {
	struct fabric f;
	struct topo_job job;
	struct sim_fault faults[FAULTS_MAX];
	size_t n_faults;
	uint64_t seed;
	struct session session;
};

static void bed_open(struct bed *b, int32_t hosts, int32_t gpus)
{
	struct fabric_spec spec;

	memset(b, 0, sizeof(*b));
	b->seed = 3;
	fabric_spec_defaults(&spec, hosts);
	spec.gpus = gpus;
	if (!gpus)
		spec.nics = 1;
	spec.hosts_per_leaf = hosts > 3 ? hosts / 4 : 0;
	assert_int_equal(fabric_init(&b->f, &spec, NULL), FP_OK);
	assert_int_equal(sim_name_hosts(&b->f, NULL), FP_OK);
	assert_int_equal(sim_job(&b->f, &b->job, NULL), FP_OK);
}

static void bed_fault(struct bed *b, const char *text)
{
	struct fp_err err = { 0 };

	if (sim_fault_parse(&b->f, text, &b->faults[b->n_faults++], &err))
		fail_msg("%s: %s", text, err.text);
}

static void bed_run(struct bed *b, const struct session_opts *opts)
{
	struct sim_model m = {
		.f = &b->f,
		.faults = b->faults,
		.n_faults = b->n_faults,
		.noise = sim_noise_usual(),
		.seed = b->seed,
	};
	struct sim_exec x = { .m = &m, .job = &b->job };

	assert_int_equal(session_init(&b->session, &b->job, opts, NULL), FP_OK);
	b->session.fabric = &b->f;
	assert_int_equal(
		session_run(&b->session, &sim_exec_ops, &x, NULL, NULL), FP_OK);
}

static void bed_close(struct bed *b)
{
	session_done(&b->session);
	topo_job_done(&b->job);
	fabric_done(&b->f);
}

static const struct {
	const char *fault, *where;
	uint32_t code;
} cases[] = {
	{ "gpu-throttle h1/2", "host h1, GPU 2", FINDING_GPU_SLOW },
	{ "gpu-pcie 3/7", "host h3, PCIe link of GPU 7",
	  FINDING_GPU_PCIE_SLOW },
	{ "gpu-lost 0/1", "host h0, GPU 1", FINDING_GPU_LOST },
	{ "nvlink-lost 2/3", "host h2, NVLink 3", FINDING_NVLINK_DEGRADED },
	{ "nvswitch-down h5", "host h5, NVSwitch plane",
	  FINDING_NVSWITCH_DOWN },
	{ "pcie-switch 6/2", "host h6, PCIe switch 2",
	  FINDING_PCIE_SWITCH_SLOW },
	{ "nic-dead h3/3", "host h3, HCA 3", FINDING_HCA_DEAD },
	{ "nic-slow 7/0", "host h7, HCA 0", FINDING_HCA_SLOW },
	{ "mtu 3/1", "host h3, HCA 1", FINDING_HCA_MTU },
	{ "rail-swap 3/1", "host h3, HCA 1", FINDING_HCA_CABLING },
	{ "cable-tx 3/5", "host h3, port 5, sending", FINDING_PORT_TX_SLOW },
	{ "cable-rx 3/5 ratio=.8", "host h3, port 5, receiving",
	  FINDING_PORT_RX_SLOW },
	{ "lossy-tx 4/4", "host h4, port 4, sending", FINDING_PORT_TX_LOSSY },
	{ "lossy-rx 4/4", "host h4, port 4, receiving", FINDING_PORT_RX_LOSSY },
	{ "acs h4", "host h4, GPUDirect settings", FINDING_PCIE_ACS },
	{ "gdr-off h4", "host h4, GPUDirect settings", FINDING_GDR_OFF },
	{ "firewall 2", "host h2, network settings", FINDING_HOST_FIREWALL },
	{ "roce 2", "host h2, network settings", FINDING_HOST_ROCE },
	{ "host-slow 3", "host h3", FINDING_HOST_WEAK },
	{ "leaf-slow 5", "leaf 5", FINDING_LEAF_SLOW },
	{ "uplink-member 3", "uplinks of leaf 3", FINDING_UPLINK_MEMBER },
	{ "downlink-member 3", "downlinks to leaf 3", FINDING_DOWNLINK_MEMBER },
};

static void faults_are_found_at_their_place(void **state)
{
	struct session_opts opts;
	char where[FINDING_TEXT_MAX];
	struct bed b;
	size_t i;

	(void)state;
	session_defaults(&opts);
	for (i = 0; i < COUNT(cases); i++) {
		const struct findings *fs;

		bed_open(&b, 8, 8);
		bed_fault(&b, cases[i].fault);
		bed_run(&b, &opts);
		fs = &b.session.findings;
		if (fs->n != 1 || fs->f[0].code != cases[i].code)
			fail_msg("%s: %zu findings, the first %s",
			         cases[i].fault, fs->n,
			         fs->n ? finding_info(fs->f[0].code)->id
			               : "none");
		locus_text(&fs->f[0].locus, where, sizeof(where));
		assert_string_equal(where, cases[i].where);
		assert_true(fs->f[0].confidence > .9);
		assert_true(fs->f[0].n_evidence >= 2);
		assert_int_equal(session_exit_status(&b.session), 1);
		bed_close(&b);
	}
}

static void the_healthy_are_healthy(void **state)
{
	static const struct {
		int32_t hosts, gpus;
	} sizes[] = { { 1, 8 }, { 2, 8 }, { 8, 8 }, { 40, 4 }, { 12, 0 } };
	struct session_opts opts;
	uint32_t mode;
	struct bed b;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(sizes); i++)
		for (mode = 0; mode < MODE_COUNT; mode++) {
			session_defaults(&opts);
			opts.mode = mode;
			opts.time_limit_s = 80000;
			bed_open(&b, sizes[i].hosts, sizes[i].gpus);
			bed_run(&b, &opts);
			if (session_exit_status(&b.session))
				fail_msg("%d hosts, mode %u: %zu findings",
				         (int)sizes[i].hosts, mode,
				         b.session.findings.n);
			bed_close(&b);
		}
}

/* What a busy fabric takes from single moments of a stream is no jitter of the
 * pair that it takes them from, however many pairs there are. */
static void a_busy_fabric_is_no_jitter(void **state)
{
	struct session_opts opts;
	struct bed b;
	uint64_t seed;

	(void)state;
	session_defaults(&opts);
	for (seed = 0; seed < 25; seed++) {
		bed_open(&b, 12, 0);
		b.seed = seed;
		bed_run(&b, &opts);
		if (b.session.findings.n || session_exit_status(&b.session))
			fail_msg("seed %d: %s", (int)seed,
			         b.session.findings.n
			                 ? finding_info(
						   b.session.findings.f[0].code)
			                           ->id
			                 : "not healthy");
		bed_close(&b);
	}
}

/* Pairs are as usual: only groups of ranks tell. */
static void collectives_are_bisected(void **state)
{
	static const struct {
		const char *fault, *where;
		int32_t gpus;
		uint32_t code;
	} coll[] = {
		{ "coll-host 6", "host h6", 8, FINDING_COLL_CULPRIT },
		{ "coll-pair 2,5", "host h2 <-> host h5", 8,
		  FINDING_COLL_INTERACTION },
		{ "coll-scale from=5", "the job", 8, FINDING_COLL_SCALE },
		{ "coll-host 6", "host h6", 0, FINDING_COLL_CULPRIT },
		{ "coll-pair 2,3", "host h2 <-> host h3", 0,
		  FINDING_COLL_INTERACTION },
	};
	struct session_opts opts;
	char where[FINDING_TEXT_MAX];
	struct bed b;
	size_t i;

	(void)state;
	session_defaults(&opts);
	for (i = 0; i < COUNT(coll); i++) {
		const struct findings *fs;

		bed_open(&b, 8, coll[i].gpus);
		bed_fault(&b, coll[i].fault);
		bed_run(&b, &opts);
		fs = &b.session.findings;
		if (fs->n != 1 || fs->f[0].code != coll[i].code)
			fail_msg("%s: %zu findings, the first %s",
			         coll[i].fault, fs->n,
			         fs->n ? finding_info(fs->f[0].code)->id
			               : "none");
		locus_text(&fs->f[0].locus, where, sizeof(where));
		if (coll[i].gpus || fs->f[0].locus.kind != LOCUS_RANK)
			assert_string_equal(where, coll[i].where);
		assert_int_equal(session_judge(&b.session, NULL), FP_OK);
		assert_int_equal(b.session.findings.n, 1);
		bed_close(&b);
	}
}

/* A bisection takes slow groups for failing ones, if it is told what is slow,
 * and finds whom the others are slow by. */
static void slow_collectives_are_bisected(void **state)
{
	static const struct {
		const char *fault, *where;
		double floor_Bps;
		uint32_t code;
	} coll[] = {
		{ "coll-host 6 state=OK ratio=.3", "host h6", 40e9,
		  FINDING_COLL_CULPRIT },
		{ "cable-tx 5/7 ratio=.3", "rank 47 (h5)", 40e9,
		  FINDING_COLL_CULPRIT },
		{ "coll-pair 2,5 state=OK ratio=.3", "host h2 <-> host h5",
		  40e9, FINDING_COLL_INTERACTION },
		{ "coll-scale from=5 state=OK ratio=.3", "the job", 40e9,
		  FINDING_COLL_SCALE },
		{ "coll-host 6 state=OK ratio=.3", "the job", 1e6,
		  FINDING_APPLICATION },
	};
	struct session_opts opts;
	char where[FINDING_TEXT_MAX];
	struct bed b;
	size_t i;

	(void)state;
	session_defaults(&opts);
	opts.kind = SESSION_BISECT;
	for (i = 0; i < COUNT(coll); i++) {
		const struct findings *fs;

		bed_open(&b, 8, 8);
		bed_fault(&b, coll[i].fault);
		opts.floor_Bps = coll[i].floor_Bps;
		bed_run(&b, &opts);
		/* The last one: where pairs tell as well, they come first. */
		fs = &b.session.findings;
		if (!fs->n || fs->f[fs->n - 1].code != coll[i].code)
			fail_msg("%s: %zu findings, the first %s",
			         coll[i].fault, fs->n,
			         fs->n ? finding_info(fs->f[0].code)->id
			               : "none");
		locus_text(&fs->f[fs->n - 1].locus, where, sizeof(where));
		assert_string_equal(where, coll[i].where);
		bed_close(&b);
	}
}

static void an_oversubscribed_cluster_is_no_fault(void **state)
{
	struct session_opts opts;
	struct bed b;

	(void)state;
	session_defaults(&opts);
	bed_open(&b, 8, 8);
	bed_fault(&b, "oversubscribed");
	bed_run(&b, &opts);
	assert_int_equal(b.session.findings.n, 1);
	assert_int_equal(b.session.findings.f[0].code, FINDING_OVERSUBSCRIBED);
	assert_int_equal(session_exit_status(&b.session), 0);
	bed_close(&b);
}

static void one_host_says_what_it_cannot_tell(void **state)
{
	struct session_opts opts;
	struct bed b;

	(void)state;
	session_defaults(&opts);
	opts.time_limit_s = 80000;
	bed_open(&b, 1, 8);
	bed_fault(&b, "leaf-slow 5");
	bed_run(&b, &opts);
	assert_int_equal(b.session.findings.n, 1);
	assert_non_null(strstr(b.session.findings.f[0].detail, "As likely: "));
	assert_non_null(strstr(b.session.findings.f[0].detail, "To tell: "));
	bed_close(&b);
}

static void what_time_cuts_accuses_nobody_and_is_said(void **state)
{
	struct session_opts opts;
	struct bed b;
	size_t i, missing = 0;

	(void)state;
	session_defaults(&opts);
	opts.time_limit_s = 25;
	bed_open(&b, 8, 8);
	bed_fault(&b, "cable-tx 3/5");
	bed_run(&b, &opts);
	assert_int_equal(b.session.findings.n, 0);
	assert_int_equal(session_exit_status(&b.session), 3);
	for (i = 0; i < b.session.coverage.n_skips; i++)
		missing += b.session.coverage.skips[i].missing;
	assert_true(missing > 0);
	bed_close(&b);
}

static void faults_are_read_or_refused(void **state)
{
	static const char *const bad[] = {
		"",
		"cable",
		"cable-tx",
		"cable-tx 3",
		"cable-tx 8/1",
		"cable-tx 1/8",
		"leaf-slow 32",
		"mtu 1/1 x=2",
		"mtu 1/1 ratio=2",
		"coll-scale",
		"coll-scale from=9",
		"coll-pair 1",
		"coll-pair 1,1",
		"host-slow nobody",
		"nvlink-bridge 9/9",
		"acs 1 state=LOST",
	};
	struct sim_fault f;
	struct fp_err err;
	struct bed b;
	size_t i;

	(void)state;
	bed_open(&b, 8, 8);
	for (i = 0; i < COUNT(bad); i++) {
		memset(&err, 0, sizeof(err));
		assert_int_equal(sim_fault_parse(&b.f, bad[i], &f, &err),
		                 FP_ERR_USAGE);
		assert_true(strlen(err.text) > 8);
	}
	assert_int_equal(sim_fault_parse(&b.f,
	                                 "  acs  h2 state=ERROR stage=INIT "
	                                 "duty=.5 latency=2",
	                                 &f, NULL),
	                 FP_OK);
	assert_int_equal(f.comp, fabric_host_id(&b.f, FABRIC_CONFIG_GDR, 2, 0));
	assert_int_equal(f.info.state, OUTCOME_ERROR);
	assert_int_equal(f.info.stage, STAGE_INIT);
	assert_true(f.info.duty > .49 && f.info.duty < .51);
	bed_close(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(faults_are_found_at_their_place),
		cmocka_unit_test(the_healthy_are_healthy),
		cmocka_unit_test(a_busy_fabric_is_no_jitter),
		cmocka_unit_test(collectives_are_bisected),
		cmocka_unit_test(slow_collectives_are_bisected),
		cmocka_unit_test(an_oversubscribed_cluster_is_no_fault),
		cmocka_unit_test(one_host_says_what_it_cannot_tell),
		cmocka_unit_test(what_time_cuts_accuses_nobody_and_is_said),
		cmocka_unit_test(faults_are_read_or_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
