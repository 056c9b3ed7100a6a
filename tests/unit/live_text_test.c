// SPDX-License-Identifier: Apache-2.0
// Unit tests of the small parsers of a live host's texts.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <linux/dcbnl.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>

#include <cmocka.h>

#include "topo/model/host_list.h"
#include "topo/source/dcb_answer.h"
#include "topo/source/pci_config.h"
#include "topo/source/proc_text.h"

#define N_ROWS(table) (sizeof(table) / sizeof(*(table)))

/* Extended capabilities: (id, next) at their places. */
static void put_capability(uint8_t *config, size_t at, unsigned id,
                           unsigned next)
{
	uint32_t head = id | 1u << 16 | next << 20;

	for (size_t i = 0; i < 4; i++)
		config[at + i] = (uint8_t)(head >> 8 * i);
}

static void test_acs_is_found_in_the_chain(void **state)
{
	uint8_t config[PCI_CONFIG_MAX] = { 0 };
	uint16_t control = 0;

	(void)state;
	assert_int_equal(pci_config_acs(config, 64, &control), PCI_ACS_HIDDEN);
	put_capability(config, 0x100, 0x0001, 0x150);
	put_capability(config, 0x150, 0x000d, 0);
	config[0x156] = 0x1d;
	assert_int_equal(pci_config_acs(config, sizeof(config), &control),
	                 PCI_ACS_FOUND);
	assert_int_equal(control, 0x1d);
	/* Cut before the register, without it, and in a ring. */
	assert_int_equal(pci_config_acs(config, 0x156, &control), PCI_ACS_NONE);
	put_capability(config, 0x150, 0x0002, 0x100);
	assert_int_equal(pci_config_acs(config, sizeof(config), &control),
	                 PCI_ACS_NONE);
}

/* An attribute behind what is there; padded. Return: the new end. */
static size_t put_attr(uint8_t *at, size_t end, unsigned type, const void *data,
                       size_t len)
{
	struct nlattr head = { .nla_len = (uint16_t)(sizeof(head) + len),
		               .nla_type = (uint16_t)type };

	memcpy(at + end, &head, sizeof(head));
	memcpy(at + end + sizeof(head), data, len);
	return end + ((sizeof(head) + len + 3) & ~(size_t)3);
}

/* What the kernel sends of a device with PFC on priority 3, trusting DSCP. */
static size_t make_dcb(uint8_t *answer)
{
	const struct ieee_pfc pfc = { .pfc_cap = 8, .pfc_en = 1 << 3 };
	const struct dcb_app app = { .selector = IEEE_8021QAZ_APP_SEL_DSCP,
		                     .priority = 3,
		                     .protocol = 26 };
	uint8_t rules[64] = { 0 }, ieee[512] = { 0 };
	struct nlmsghdr head = { .nlmsg_type = RTM_GETDCB };
	size_t n, end = NLMSG_LENGTH(sizeof(struct dcbmsg));

	end = put_attr(answer, end, DCB_ATTR_IFNAME, "e0", 3);
	n = put_attr(ieee, 0, DCB_ATTR_IEEE_PFC, &pfc, sizeof(pfc));
	n = put_attr(ieee, n, DCB_ATTR_IEEE_APP_TABLE, rules,
	             put_attr(rules, 0, DCB_ATTR_IEEE_APP, &app, sizeof(app)));
	end = put_attr(answer, end, DCB_ATTR_IEEE, ieee, n);
	head.nlmsg_len = (uint32_t)end;
	memcpy(answer, &head, sizeof(head));
	return end;
}

static void test_dcb_says_pfc_and_trust(void **state)
{
	uint8_t answer[1024] = { 0 };
	size_t n = make_dcb(answer);
	struct dcb_answer dcb;

	(void)state;
	assert_true(dcb_answer_read(answer, n, &dcb));
	assert_true(dcb.has_pfc);
	assert_true(dcb.has_apps);
	assert_int_equal(dcb.pfc, 8);
	assert_int_equal(dcb.dscp_rules, 1);
	for (size_t len = 0; len < n; len++)
		assert_false(dcb_answer_read(answer, len, &dcb));
}

static void test_values_of_proc(void **state)
{
	static const char text[] = "processor\t: 0\nmodel\t\t: 143\n"
				   "model name\t: A CPU  \nempty:\n";
	char value[16];

	(void)state;
	assert_true(proc_text_value(text, "model", value, sizeof(value)));
	assert_string_equal(value, "143");
	assert_true(proc_text_value(text, "model name", value, sizeof(value)));
	assert_string_equal(value, "A CPU");
	assert_true(proc_text_value(text, "empty", value, sizeof(value)));
	assert_string_equal(value, "");
	assert_false(proc_text_value(text, "mode", value, sizeof(value)));
	assert_true(proc_text_has_word("fpu vme\nde", "vme"));
	assert_false(proc_text_has_word("fpu vme", "vm"));
	assert_int_equal(proc_text_number_behind("node12", "node"), 12);
	assert_int_equal(proc_text_number_behind("node12x", "node"), -1);
	assert_int_equal(proc_text_number_behind("node-1", "node"), -1);
}

static void test_versions_are_found(void **state)
{
	static const struct {
		const char *text, *version;
	} rows[] = {
		{ "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.15 "
		  "Tue Mar  5 22:23:56 UTC 2024",
		  "550.54.15" },
		{ "2.20.5", "2.20.5" },
		{ "2", "" },
		{ "x86.64 1.2.", "1.2" },
		{ "", "" },
	};
	char version[32];

	(void)state;
	for (size_t i = 0; i < N_ROWS(rows); i++) {
		assert_int_equal(proc_text_version(rows[i].text, version,
		                                   sizeof(version)),
		                 rows[i].version[0] != 0);
		assert_string_equal(version, rows[i].version);
	}
}

static void test_hosts_are_listed_shortly(void **state)
{
	static const struct {
		const char *names[6], *want;
	} rows[] = {
		{ { "node03", "node01", "node02", "node07" },
		  "node[01-03,07]" },
		{ { "node1", "node01" }, "node1,node01" },
		{ { "a1-ib", "a2-ib", "b1-ib" }, "a[1-2]-ib,b1-ib" },
		{ { "login", "n9", "n10", "n11" }, "login,n[9-11]" },
		{ { "vm", "vm" }, "vm" },
		{ { "n5", "n10", "n01", "n02" }, "n5,n[01-02,10]" },
		{ { "n0", "n1", "n10", "n100" }, "n[0-1,10,100]" },
		{ { "r1n1", "r1n2", "r2n1" }, "r1n[1-2],r2n1" },
		{ { "x99999999999" }, "x99999999999" },
		{ { "" }, "" },
	};

	(void)state;
	for (size_t i = 0; i < N_ROWS(rows); i++) {
		struct fp_text text = { 0 };
		size_t n = 0;

		while (n < 6 && rows[i].names[n])
			n++;
		assert_int_equal(host_list_write(rows[i].names, n, &text, NULL),
		                 FP_OK);
		assert_string_equal(fp_text_str(&text), rows[i].want);
		fp_text_free(&text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_acs_is_found_in_the_chain),
		cmocka_unit_test(test_dcb_says_pfc_and_trust),
		cmocka_unit_test(test_values_of_proc),
		cmocka_unit_test(test_versions_are_found),
		cmocka_unit_test(test_hosts_are_listed_shortly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
