// SPDX-License-Identifier: Apache-2.0
// Readers of wiring, the short description, and what a job alone tells.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "topo/fabric/wiring.h"
#include "topo/json/json_fabric.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

typedef enum fp_status read_fn(struct wiring *w, const char *text,
                               struct fp_err *err);

/* Plugs as "host/nic>leaf/port ". */
static void wiring_text(const struct wiring *w, char *buf, size_t size)
{
	size_t i, at = 0;

	buf[0] = '\0';
	for (i = 0; i < w->n; i++)
		at += (size_t)snprintf(buf + at, size - at, "%s/%d>%s/%d%s%s ",
		                       w->plugs[i].host, (int)w->plugs[i].nic,
		                       w->plugs[i].leaf, (int)w->plugs[i].port,
		                       w->plugs[i].cable[0] ? "/" : "",
		                       w->plugs[i].cable);
}

static const struct {
	read_fn *read;
	const char *text, *want; /* NULL: FP_ERR_INPUT */
} cases[] = {
	{ wiring_read_slurm,
	  "# two leaves\nSwitchName=s0 Nodes=h[0-2]\n"
	  "switchname=s1 LinkSpeed=9 nodes=h[08-10,3]x,z # end\n"
	  "SwitchName=top Switches=s[0-1]",
	  "h0/-1>s0/-1 h1/-1>s0/-1 h2/-1>s0/-1 h08x/-1>s1/-1 h09x/-1>s1/-1 "
	  "h10x/-1>s1/-1 h3x/-1>s1/-1 z/-1>s1/-1 " },
	{ wiring_read_slurm, "", "" },
	{ wiring_read_slurm, "SwitchName=s0 Nodes=h[0-", NULL },
	{ wiring_read_slurm, "SwitchName=s0 Nodes=h[a]", NULL },
	{ wiring_read_slurm, "SwitchName=s0 Nodes=h[3-1]", NULL },
	{ wiring_read_slurm, "SwitchName=s0 Nodes=h[1]a[2]", NULL },
	{ wiring_read_slurm, "SwitchName=s0 Nodes=h[0-99999999]", NULL },
	{ wiring_read_ibnet,
	  "#\n# Topology file\nvendid=0x2c9\nswitchguid=0xb8(b8)\n"
	  "Switch\t41 \"S-b8\"\t\t# \"MF0;leaf7:MQM8700/U1\" port 0 lid 1\n"
	  "[1]\t\"H-10\"[1](10) \t\t# \"node01 HCA-1\" lid 5 4xHDR\n"
	  "[2]\t\"S-99\"[3]\t\t# \"MF0;spine1:MQM8700/U1\" lid 6 4xHDR\n"
	  "[31]\t\"H-11\"[1](11) \t\t# \"node02 mlx5_3\" lid 7 4xHDR\n\n"
	  "Ca\t1 \"H-10\"\t\t# \"node01 HCA-1\"\n"
	  "[1](10) \t\"S-b8\"[1]\t\t# lid 5 lmc 0 \"MF0;leaf7\" lid 1 4xHDR\n",
	  "node01/0>leaf7/1 node02/3>leaf7/31 " },
	{ wiring_read_ibnet, "[1] \"H-1\"[1] # \"n HCA-1\"", "" },
	{ wiring_read_csv,
	  "port,host,x,switch,nic,cable\n7, h0 ,?,\"l0\",2,c9\n\n,h1,,l0,,\n",
	  "h0/2>l0/7/c9 h1/-1>l0/-1 " },
	{ wiring_read_csv, "host,nic\nh0,1\n", NULL },
	{ wiring_read_csv, "host,nic,switch\nh0,x,l0\n", NULL },
	{ wiring_read_csv, "host,nic,switch\nh0,64,l0\n", NULL },
	{ wiring_read_csv, "host,nic,switch\n,1,l0\n", NULL },
	{ wiring_read_csv, "", NULL },
};

static void wiring_is_read(void **state)
{
	enum fp_status status;
	struct wiring w;
	char text[512];
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		w = (struct wiring){ 0 };
		status = cases[i].read(&w, cases[i].text, NULL);
		assert_int_equal(status, cases[i].want ? FP_OK : FP_ERR_INPUT);
		if (cases[i].want) {
			wiring_text(&w, text, sizeof(text));
			assert_string_equal(text, cases[i].want);
		}
		wiring_done(&w);
	}
	wiring_done(NULL);
}

static void wiring_replugs_a_fabric(void **state)
{
	static const char *const map = "host,nic,switch,port,cable\n"
				       "1,0,west,3,c3\n0,1,east,4,\n"
				       "7,0,west,1,\n1,9,west,1,\n";
	char buf[FABRIC_NAME_MAX];
	struct wiring w = { 0 };
	struct fabric_spec spec;
	struct fabric f;
	size_t unknown;

	(void)state;
	fabric_spec_defaults(&spec, 2);
	assert_int_equal(fabric_init(&f, &spec, NULL), FP_OK);
	assert_int_equal(wiring_read_csv(&w, map, NULL), FP_OK);
	assert_int_equal(wiring_apply(&w, &f, &unknown, NULL), FP_OK);
	assert_int_equal(unknown, 2);
	assert_int_equal(f.n_leaves, 2);
	assert_int_equal(fabric_leaf(&f, 0, 1), 0);
	assert_int_equal(fabric_leaf(&f, 1, 0), 1);
	assert_int_equal(fabric_leaf(&f, 0, 0), -1);
	assert_string_equal(
		fabric_locus(&f, fabric_host_id(&f, FABRIC_PORT_RX, 1, 0), buf),
		"port 0 of host 1, receiving (leaf west, port 3, cable c3)");
	wiring_done(&w);
	fabric_done(&f);
}

static const struct {
	const char *text, *wrong; /* NULL: can be read */
} specs[] = {
	{ "{\"hosts\": 64}", NULL },
	{ "{\"hosts\": 4, \"gpus\": 4, \"nvlinks\": 12, \"nics\": 2, "
	  "\"nic_gbps\": 200, \"hosts_per_leaf\": 2, \"leaves\": 4, "
	  "\"spines\": 2, \"oversubscription\": 2.5, "
	  "\"rail_optimised\": true, \"inside\": \"pcie\"}",
	  NULL },
	{ "{}", "hosts is 0" },
	{ "[]", "no object" },
	{ "{", "line 1" },
	{ "{\"hosts\": 1, \"hosts\": 2}", "line 1" },
	{ "{\"hosts\": 1, \"host\": 2}", "'host'" },
	{ "{\"hosts\": 1.5}", "'hosts'" },
	{ "{\"hosts\": -1}", "'hosts'" },
	{ "{\"hosts\": 1, \"nic_gbps\": \"x\"}", "'nic_gbps'" },
	{ "{\"hosts\": 1, \"inside\": \"magic\"}", "'inside'" },
	{ "{\"hosts\": 1, \"rail_optimised\": 1}", "'rail_optimised'" },
};

static void descriptions_are_read(void **state)
{
	struct fabric_spec spec;
	enum fp_status status;
	struct fp_err err;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(specs); i++) {
		err = (struct fp_err){ 0 };
		status = fabric_spec_read(specs[i].text, strlen(specs[i].text),
		                          &spec, &err);
		assert_int_equal(status, specs[i].wrong ? FP_ERR_INPUT : FP_OK);
		if (specs[i].wrong)
			assert_non_null(strstr(err.text, specs[i].wrong));
	}
	assert_int_equal(fabric_spec_read(specs[1].text, strlen(specs[1].text),
	                                  &spec, NULL),
	                 FP_OK);
	assert_int_equal(spec.gpus, 4);
	assert_int_equal(spec.inside, FABRIC_INSIDE_PCIE);
	assert_true(spec.oversubscription == 2.5);
}

static void a_job_tells_its_hosts_and_rails(void **state)
{
	struct topo_netdev devs[3] = {
		{ .name = "lo", .up = true, .loopback = true },
		{ .name = "eth0", .up = true },
		{ .name = "eth1", .up = true },
	};
	struct topo_host hosts[2] = {
		{ .name = "a", .netdevs = devs, .n_netdevs = 3 },
		{ .name = "b" },
	};
	struct topo_rank ranks[3] = {
		{ .rank = 0, .host = 0, .local_rank = 0 },
		{ .rank = 1, .host = 0, .local_rank = 1 },
		{ .rank = 2, .host = 1, .local_rank = 0 },
	};
	struct topo_job job = {
		.hosts = hosts, .n_hosts = 2, .ranks = ranks, .n_ranks = 3
	};
	struct fabric f;

	(void)state;
	assert_int_equal(fabric_infer(&f, &job, NULL), FP_OK);
	assert_int_equal(f.spec.gpus, 2);
	assert_int_equal(f.spec.nics, 2);
	assert_int_equal(f.n_leaves, 2);
	assert_string_equal(f.host_names[1], "b");
	fabric_done(&f);
	job.n_hosts = 0;
	assert_int_equal(fabric_infer(&f, &job, NULL), FP_ERR_INPUT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wiring_is_read),
		cmocka_unit_test(wiring_replugs_a_fabric),
		cmocka_unit_test(descriptions_are_read),
		cmocka_unit_test(a_job_tells_its_hosts_and_rails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
