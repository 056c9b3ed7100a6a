// SPDX-License-Identifier: Apache-2.0
// What terminals, editors, launchers and mailers make of a tool's text.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topo/base/fmt.h"
#include "topo/source/paste.h"

#define N(table) (sizeof(table) / sizeof(*(table)))

/* The text that @raw is, and its label. */
static char *opened(const char *raw, size_t len, char label[PASTE_LABEL_MAX],
                    size_t *ret_others)
{
	const struct source_text text = { raw, len };
	struct paste paste;
	char *copy;

	assert_int_equal(paste_open(&text, &paste, NULL), FP_OK);
	copy = strndup(paste.text.data, paste.text.len);
	assert_non_null(copy);
	assert_int_equal(strlen(copy), paste.text.len);
	memcpy(label, paste.label, PASTE_LABEL_MAX);
	*ret_others = paste.others;
	paste_close(&paste);
	return copy;
}

static void becomes(const char *raw, size_t len, const char *want)
{
	char label[PASTE_LABEL_MAX], *got;
	size_t others;

	got = opened(raw, len, label, &others);
	assert_string_equal(got, want);
	assert_int_equal(others, 0);
	free(got);
}

static void characters(void **state)
{
	static const struct {
		const char *raw, *want;
	} rows[] = {
		{ "a\033[4mGPU0\033[0m\033[K\n", "aGPU0\n" },
		{ "^[[1;32mX^[[0m", "X" },
		{ "[4mGPU0[0m [01;31mX[m [1] [12] [7m", "GPU0 X[m [1] [12] " },
		{ "\033]0;u@h: ~\a$ nvidia-smi\033[?2004l\n",
		  "$ nvidia-smi\n" },
		{ "\033]0;no bell\nb", "\nb" },
		{ "a\r\nb\r\r\nc", "a\nb\nc" },
		{ "a\rb\rc", "a\nb\nc" },
		{ "\xef\xbb\xbf"
		  "CA 'mlx5_0'\n",
		  "CA 'mlx5_0'\n" },
		{ "a\xc2\xa0\xe2\x80\x83\xe2\x80\xaf\xe3\x80\x80z", "a    z" },
		{ "N\xe2\x80\x8bV4\xe2\x81\xa0\xc2\xad", "NV4" },
		{ "\xe2\x94\x82 X \xe2\x95\x91\xef\xbd\x9c", "| X ||" },
		{ "0\xe2\x80\x93"
		  "55,\xe2\x88\x92",
		  "0-55,-" },
		{ "\xe2\x80\x98mlx5_0\xe2\x80\x99 \xe2\x80\x9c",
		  "'mlx5_0' \"" },
		/* Latin-1, and what is neither */
		{ "\xa0X\xa0\xe9", " X \xe9" },
		{ "\xe2\x82", "\xe2\x82" },
		{ "caf\xc3\xa9", "caf\xc3\xa9" },
		{ "<pre>a<br>\nb<br/>\n</pre><system>", "a\nb\n<system>" },
		{ "\033", "" },
		{ "\033[", "" },
		{ "", "" },
	};

	(void)state;
	for (size_t i = 0; i < N(rows); i++)
		becomes(rows[i].raw, strlen(rows[i].raw), rows[i].want);
}

static void utf_16(void **state)
{
	static const char little[] = "\xff\xfeG\0P\0U\0\r\0\n\0\xa0\0\x02\x25";
	static const char big[] = "\xfe\xff\0G\0P\0U\0\n\x20\x13";

	(void)state;
	becomes(little, sizeof(little) - 1, "GPU\n |");
	becomes(big, sizeof(big) - 1, "GPU\n-");
	/* half a character at the end */
	becomes(big, sizeof(big) - 2, "GPU\n");
}

/* Of four kinds; none of them looks as if its lines had a prefix. */
static const char *const texts[] = {
	"\tGPU0\tGPU1\tCPU Affinity\n"
	"GPU0\t X \tNV4\t0-3\n"
	"GPU1\tNV4\t X \t4-7\n"
	"\n"
	"Legend:\n"
	"\n"
	"  X    = Self\n",
	"CA 'mlx5_0'\n"
	"\tCA type: MT4129\n"
	"\tNumber of ports: 1\n"
	"\tPort 1:\n"
	"\t\tState: Active\n"
	"\t\tRate: 400\n",
	"<system version=\"1\">\n"
	"  <cpu numaid=\"0\">\n"
	"    <pci busid=\"0000:01:00.0\"/>\n"
	"  </cpu>\n"
	"</system>\n",
	"GPU 0: NVIDIA A100 (UUID: GPU-1)\n"
	"\t Link 0: 25 GB/s\n"
	"\t Link 1: <inactive>\n"
	"\t Link 2: 25 GB/s",
	"[   12.345678] NVRM: Xid (PCI:0000:01:00): 79, GPU has fallen\n"
	"[   12.345679] pcieport 0000:00:03.0: AER: Corrected error\n"
	"[   12.345680] NVRM: GPU 0000:01:00.0: GPU has fallen off the bus.\n"
	"[   12.345681] mlx5_core 0000:41:00.0: Link down\n",
};

/* Each line of @text with @before, in which %d is its number from @first. */
static char *prefixed(const char *text, const char *before, int first)
{
	struct fp_text out = { 0 };
	const char *number = strstr(before, "%d");

	for (const char *line = text; *line; first++) {
		size_t len = strcspn(line, "\n");

		len += line[len] == '\n';
		if (number)
			fp_text_printf(&out, "%.*s%d%s", (int)(number - before),
			               before, first, number + 2);
		else
			fp_text_printf(&out, "%s", before);
		fp_text_printf(&out, "%.*s", (int)len, line);
		line += len;
	}
	assert_false(out.failed);
	return out.data;
}

static void prefixes(void **state)
{
	static const char *const before[] = {
		"0: ",
		" 3: ",
		"[1,0]<stdout>:",
		"[1,12]<stderr>: ",
		"[prterun-h1-99@1,0]<stdout>: ",
		"[3] ",
		"[default0]:",
		"[pod/trainer-0/main] ",
		"node17: ",
		"gpu-3.cluster.local: ",
		"worker-1  | ",
		"(Worker pid=811, ip=10.0.0.7) ",
		"> ",
		"> > ",
		">> ",
		"+",
		"# ",
		"2025-03-04T10:11:12.123456Z ",
		"2025-03-04T10:11:12.1+02:00 stdout F ",
		"2025-03-04T10:11:12.1Z stderr P ",
		"2025-03-04T10:11:12.1Z stdout ",
		"  %d  ",
		"%d:",
		"%d: ",
		"   %d\t",
		" %d | ",
		"> %d: ",
		"0: [1,0]<stdout>:",
	};

	(void)state;
	for (size_t t = 0; t < N(texts); t++) {
		becomes(texts[t], strlen(texts[t]), texts[t]);
		for (size_t i = 0; i < N(before); i++) {
			char *raw = prefixed(texts[t], before[i], 8);

			becomes(raw, strlen(raw), texts[t]);
			free(raw);
		}
	}
}

/* What only looks as if it had them. */
static void no_prefixes(void **state)
{
	static const char *const rows[] = {
		"| | GPU0 | GPU1 |\n|---|---|---|\n| GPU0 | X | NV4 |\n"
		"| GPU1 | NV4 | X |\n",
		"GPU0 | X | NV4\nGPU1 | NV4 | X\nNIC0 | PIX | SYS\n",
		"NVRM: Xid 79\nNVRM: GPU lost\nNVRM: GPU lost\n",
		"nvidia-nvswitch0: SXid (PCI:0000:c1:00.0): 1\n"
		"nvidia-nvswitch0: SXid (PCI:0000:c1:00.0): 2\n"
		"nvidia-nvswitch0: SXid (PCI:0000:c1:00.0): 3\n",
		"10:11:12 h kernel: NVRM: Xid\n10:11:13 h kernel: NVRM: Xid\n"
		"10:11:14 h kernel: NVRM: Xid\n",
		"2025-01-21T02:21:33,498559+00:00 NVRM: Xid (PCI:0000:01:00): "
		"79\n"
		"2025-01-21T02:21:34,498559+00:00 NVRM: a\n"
		"2025-01-21T02:21:35,498559+00:00 NVRM: b\n",
		"0: a\nb\nc\nd\n",
		"0: a\n0: b\n",
		"mlx5_0: 1\neth0: 2\nens3: 3\n",
	};

	(void)state;
	for (size_t i = 0; i < N(rows); i++)
		becomes(rows[i], strlen(rows[i]), rows[i]);
}

#define POD                                                                 \
	"pod/pretraining-of-a-large-model-with-a-name-as-people-give-them-" \
	"worker-"

static void several_tasks(void **state)
{
	static const char both[] = "0: a\n1: a\n0: b\n0: c\n1: b\n1: c\n";
	static const char other[] = "n1: a\nn2: a\nn1: b\nn1: c\nn2: b\n"
				    "n2: x\n";
	static const char kernel[] = "n1: NVRM: Xid (PCI:0000:01:00): 79, a\n"
				     "n1: x\nn1: y\n"
				     "n2: NVRM: Xid (PCI:0000:02:00): 79, a\n"
				     "n2: x\nn2: y\n";
	static const char pods[] =
		"[" POD "1/main] a\n[" POD "2/main] a\n[" POD "1/main] b\n"
		"[" POD "1/main] c\n[" POD "2/main] b\n[" POD "2/main] x\n";
	char label[PASTE_LABEL_MAX], *got;
	size_t others;

	(void)state;
	got = opened(both, strlen(both), label, &others);
	assert_string_equal(got, "a\n\nb\nc\n\n\n");
	assert_string_equal(label, "0");
	assert_int_equal(others, 0);
	free(got);
	got = opened(other, strlen(other), label, &others);
	assert_string_equal(got, "a\n\nb\nc\n\n\n");
	assert_string_equal(label, "n1");
	assert_int_equal(others, 1);
	free(got);
	got = opened(pods, strlen(pods), label, &others);
	assert_string_equal(got, "a\n\nb\nc\n\n\n");
	assert_string_equal(label, POD "1/main");
	assert_int_equal(others, 1);
	free(got);
	/* of a kernel log nothing is left out */
	got = opened(kernel, strlen(kernel), label, &others);
	assert_non_null(strstr(got, "\nNVRM: Xid (PCI:0000:02:00)"));
	assert_int_equal(others, 0);
	free(got);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(characters),    cmocka_unit_test(utf_16),
		cmocka_unit_test(prefixes),      cmocka_unit_test(no_prefixes),
		cmocka_unit_test(several_tasks),
	};

	return cmocka_run_group_tests_name("paste", tests, NULL, NULL);
}
