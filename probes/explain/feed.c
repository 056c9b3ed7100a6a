// SPDX-License-Identifier: Apache-2.0
// Skips to the next line that somebody wants, and hands it out.
#include "probes/explain/feed.h"

#include <stdlib.h>
#include <string.h>

#define BIT(i) (UINT64_C(1) << (i))

enum fp_status feed_needles(struct needles *ret, struct fp_err *err)
{
	enum fp_status status = FP_OK;
	size_t n;
	const struct explain_reader *const *readers = explain_readers(&n);

	*ret = (struct needles){ 0 };
	for (uint32_t i = 0; i < n && status == FP_OK; i++) {
		const char *word;

		for (size_t k = 0; readers[i]->needle && status == FP_OK &&
		                   (word = readers[i]->needle(k));
		     k++)
			status = needles_add(ret, word, i, err);
	}
	return status == FP_OK ? needles_compile(ret, err) : status;
}

/* Readers of columns get lines without what every line begins with. */
static void strip_begin(struct feed *feed, const char *head, size_t len)
{
	size_t n;
	const struct explain_reader *const *readers = explain_readers(&n);

	strip_find(&feed->strip, head, len);
	for (size_t i = 0; i < n && feed->strip.n; i++)
		if (readers[i]->line && readers[i]->bare)
			feed->stripped |= BIT(i);
}

enum fp_status feed_open(struct feed *feed, const struct needles *needles,
                         const struct intake *base, const char *head,
                         size_t head_len, struct fp_err *err)
{
	size_t n;
	const struct explain_reader *const *readers = explain_readers(&n);

	feed->needles = needles;
	feed->number = 0;
	feed->seams = NULL;
	feed->wanting = 0;
	feed->stripped = 0;
	feed->joining = 0;
	for (size_t i = 0; i < n; i++) {
		feed->intake[i] = *base;
		feed->intake[i].state = NULL;
	}
	for (size_t i = 0; i < n; i++) {
		if (!readers[i]->line)
			continue;
		feed->intake[i].state = calloc(1, readers[i]->state_size + 1);
		if (!feed->intake[i].state) {
			feed_close(feed);
			return fp_err_set(err, FP_ERR_NOMEM, "no memory");
		}
		if (readers[i]->sniff && readers[i]->sniff(head, head_len) > 0)
			feed->wanting |= BIT(i);
	}
	strip_begin(feed, head, head_len);
	return FP_OK;
}

/* @line as those want it that read without the strip. */
static struct logline *make_bare(struct feed *feed, const struct logline *line)
{
	size_t n = strip_len(&feed->strip, line->raw, line->raw_len);

	logline_clean(&feed->bare, line->raw + n, line->raw_len - n,
	              line->number);
	feed->bare.last = line->last;
	feed->bare.unended = line->unended;
	if (feed->bare.stamp == STAMP_NONE) {
		feed->bare.time_ns = line->time_ns;
		feed->bare.stamp = line->stamp;
	}
	if (feed->bare.rank < 0)
		feed->bare.rank = line->rank;
	if (feed->bare.pid < 0)
		feed->bare.pid = line->pid;
	if (!feed->bare.host[0])
		memcpy(feed->bare.host, line->host, sizeof(line->host));
	return &feed->bare;
}

/* Give @whole to the readers of @who. */
static void give(struct feed *feed, struct logline *whole, uint64_t who)
{
	size_t n;
	const struct explain_reader *const *readers = explain_readers(&n);
	struct logline *bare =
		who & feed->stripped ? make_bare(feed, whole) : whole;

	while (who) {
		unsigned i = (unsigned)__builtin_ctzll(who);
		struct logline *line = feed->stripped & BIT(i) ? bare : whole;
		enum reader_want want;

		who &= who - 1;
		want = readers[i]->line(&feed->intake[i], line);
		feed->wanting &= ~BIT(i);
		if (want == LINE_MORE)
			feed->wanting |= BIT(i);
		if (want == LINE_JOIN && !line->last)
			feed->joining |= BIT(i);
	}
}

/* Nothing can be joined to what is held: its readers get it as it is. */
static void release_held(struct feed *feed, uint64_t who)
{
	feed->joining &= ~who;
	feed->held.last = true;
	give(feed, &feed->held, who);
}

/* Behind what is held comes @raw, as a terminal's wrap would leave it. */
static void join_held(struct feed *feed, const char *raw, size_t len)
{
	uint64_t who = feed->joining;
	uint32_t number = feed->held.number;
	size_t room, have = feed->held.raw_len;

	if (have > LOGLINE_MAX / 2)
		have = LOGLINE_MAX / 2;
	memmove(feed->joined, feed->held.raw, have);
	while (len && (raw[len - 1] == '\r' || raw[len - 1] == ' '))
		len--;
	room = sizeof(feed->joined) - have;
	len = len < room ? len : room;
	memcpy(feed->joined + have, raw, len);
	logline_clean(&feed->held, feed->joined, have + len, number);
	feed->held.last = have + len > LOGLINE_MAX / 2;
	feed->held.unended = feed->unended;
	feed->joining = 0;
	give(feed, &feed->held, who);
}

static void hold(struct feed *feed)
{
	size_t len = feed->line.raw_len;

	while (len && (feed->line.raw[len - 1] == '\r' ||
	               feed->line.raw[len - 1] == ' '))
		len--;
	feed->held = feed->line;
	feed->held.raw_len = len < LOGLINE_MAX ? len : LOGLINE_MAX;
	memcpy(feed->joined, feed->line.raw, feed->held.raw_len);
	feed->held.raw = feed->joined;
}

static void one_line(struct feed *feed, const char *raw, size_t len,
                     uint64_t who)
{
	uint64_t held = feed->joining;

	if (held & who)
		release_held(feed, held & who);
	if (feed->joining)
		join_held(feed, raw, len);
	if (!who)
		return;
	logline_clean(&feed->line, raw, len, feed->number);
	feed->line.unended = feed->unended;
	held = feed->joining;
	give(feed, &feed->line, who);
	if (feed->joining & ~held)
		hold(feed);
}

/* Lines are short, and memchr() is fast on short ones too. */
static uint32_t count_lines(const char *data, size_t len)
{
	const char *end = data + len;
	uint32_t n = 0;

	while (data < end &&
	       (data = memchr(data, '\n', (size_t)(end - data)))) {
		data++;
		n++;
	}
	return n;
}

static void count_seams(struct feed *feed, size_t from, size_t to)
{
	if (feed->seams && feed->seams->n)
		feed->number += (uint32_t)undress_lines(feed->seams, from, to);
}

/* Where the next wanted line begins at or after @at. */
static size_t next_wanted(struct feed *feed, const char *data, size_t len,
                          size_t at)
{
	const char *start;
	uint32_t owner;
	size_t hit;

	if (at >= len || feed->wanting | feed->joining)
		return at;
	hit = needles_next(feed->needles, data, len, at, &owner);
	if (hit >= len)
		hit = len;
	start = memrchr(data + at, '\n', hit - at);
	hit = hit == len ? len : start ? (size_t)(start - data) + 1 : at;
	feed->number += count_lines(data + at, hit - at);
	count_seams(feed, at, hit);
	return hit;
}

void feed_lines(struct feed *feed, const char *data, size_t len)
{
	size_t at = 0;

	while ((at = next_wanted(feed, data, len, at)) < len) {
		const char *end = memchr(data + at, '\n', len - at);
		size_t n = end ? (size_t)(end - data) - at : len - at;
		uint64_t who = needles_owners(feed->needles, data + at, n);

		feed->number++;
		feed->unended = !end;
		one_line(feed, data + at, n, who | feed->wanting);
		count_seams(feed, at, at + n + 1);
		at += n + 1;
	}
}

void feed_close(struct feed *feed)
{
	size_t n;
	const struct explain_reader *const *readers = explain_readers(&n);

	if (feed->joining)
		release_held(feed, feed->joining);
	for (size_t i = 0; i < n; i++) {
		if (feed->intake[i].state && readers[i]->end)
			readers[i]->end(&feed->intake[i]);
		free(feed->intake[i].state);
		feed->intake[i].state = NULL;
	}
}
