// SPDX-License-Identifier: Apache-2.0
// Fuzzes what takes prefixes and odd characters off pasted texts, and all
// readers of saved text behind it.
#include "tests/fuzz/map_fuzz.h"

#include "topo/source/paste.h"

static size_t lines_in(const char *data, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += data[i] == '\n';
	return n;
}

static void check_paste(const struct source_text *raw)
{
	char *clean = malloc(paste_room(raw->len));
	struct paste paste;
	size_t len;

	CHECK(clean);
	len = paste_clean(raw, clean);
	CHECK(len < paste_room(raw->len));
	CHECK(!memchr(clean, '\r', len) && !memchr(clean, '\033', len));
	CHECK(strlen(clean) == len);
	CHECK(paste_open(raw, &paste, NULL) == FP_OK);
	CHECK(paste.text.len <= len);
	CHECK(lines_in(paste.text.data, paste.text.len) ==
	      lines_in(clean, len));
	paste_close(&paste);
	free(clean);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct source_text raw = { (const char *)data, size };
	struct fp_text kinds = { 0 };
	struct topo_host host = { .n_cpus = -1 };

	check_paste(&raw);
	(void)topo_host_from_text(&raw, &host, &kinds, NULL);
	fp_text_free(&kinds);
	topo_host_done(&host);
	return 0;
}
