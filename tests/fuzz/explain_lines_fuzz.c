// SPDX-License-Identifier: Apache-2.0
// Fuzzes each reader of lines: the first byte chooses it, and it gets every
// line, whether one of its words is in it or not.
#include <string.h>

#include "tests/fuzz/explain_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void give_lines(struct intake *r, const struct explain_reader *reader,
                       const char *text, size_t len)
{
	static struct logline line;
	uint32_t number = 0;

	while (len) {
		const char *end = memchr(text, '\n', len);
		size_t n = end ? (size_t)(end - text) : len;

		logline_clean(&line, text, n, ++number);
		if (reader->line(r, &line) == LINE_JOIN) {
			line.last = true;
			(void)reader->line(r, &line);
		}
		n += end != NULL;
		text += n;
		len -= n;
	}
	if (reader->end)
		reader->end(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t n;
	const struct explain_reader *const *readers = explain_readers(&n);
	const struct explain_reader *reader;
	struct gather gather = { 0 };
	struct intake r = { .events = &gather.events,
		            .path = "log",
		            .file_rank = -1 };

	if (!size || !readers[data[0] % n]->line)
		return 0;
	reader = readers[data[0] % n];
	r.state = calloc(1, reader->state_size + 1);
	if (r.state)
		give_lines(&r, reader, (const char *)data + 1, size - 1);
	free(r.state);
	fuzz_story(&gather);
	return 0;
}
