// SPDX-License-Identifier: Apache-2.0
// Data and words over one end of a connection.
#include "probes/measure/lane.h"

#include <string.h>

#define CACHE_LINE 64

static uint16_t word_check(const struct measure_word *word)
{
	uint64_t x = word->batch;

	x = (x ^ word->iters) * 0x9e3779b97f4a7c15ULL;
	x = (x ^ (x >> 32) ^ word->piece) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 32) ^ word->flags) * 0x94d049bb133111ebULL;
	return (uint16_t)(x >> 48);
}

struct measure_word measure_word_seal(struct measure_word word)
{
	word.check = word_check(&word);
	return word;
}

bool measure_word_intact(const struct measure_word *word)
{
	return word->check == word_check(word);
}

size_t measure_lane_word_off(size_t bytes)
{
	return (bytes + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
}

enum fp_status measure_lane_send(const struct measure_lane *l, size_t off,
                                 size_t len, struct fp_err *err)
{
	const struct xport_step step = {
		.to = l->ep,
		.tx_off = off,
		.tx_len = len,
		.deadline_ns = l->deadline_ns,
	};

	return l->ep->ops->step(&step, err);
}

enum fp_status measure_lane_recv(const struct measure_lane *l, void *buf,
                                 size_t len, struct fp_err *err)
{
	const struct xport_step step = {
		.from = l->ep,
		.rbuf = buf,
		.rx_len = len,
		.deadline_ns = l->deadline_ns,
	};

	return l->ep->ops->step(&step, err);
}

enum fp_status measure_lane_put(const struct measure_lane *l, size_t off,
                                size_t at, size_t len, struct fp_err *err)
{
	const struct xport_step step = {
		.to = l->ep,
		.tx_off = off,
		.tx_at = at,
		.tx_len = len,
		.placed = true,
		.deadline_ns = l->deadline_ns,
	};

	return l->ep->ops->step(&step, err);
}

enum fp_status measure_lane_get(const struct measure_lane *l, void *buf,
                                size_t len, struct xport_mark *mark,
                                struct fp_err *err)
{
	const struct xport_step step = {
		.from = l->ep,
		.rbuf = buf,
		.rx_len = len,
		.placed = true,
		.mark = mark,
		.deadline_ns = l->deadline_ns,
	};

	return l->ep->ops->step(&step, err);
}

enum fp_status measure_lane_tell(const struct measure_lane *l,
                                 struct measure_word word, struct fp_err *err)
{
	uint8_t *region = l->ep->ops->tx_region(l->ep);

	word = measure_word_seal(word);
	memcpy(region + l->word_off, &word, sizeof(word));
	return measure_lane_send(l, l->word_off, sizeof(word), err);
}

enum fp_status measure_lane_hear(const struct measure_lane *l,
                                 struct measure_word *ret, struct fp_err *err)
{
	return measure_lane_recv(l, ret, sizeof(*ret), err);
}
