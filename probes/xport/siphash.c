// SPDX-License-Identifier: Apache-2.0
// SipHash-2-4, after section 2 of the paper.
#include "probes/xport/siphash.h"

struct sip {
	uint64_t v[4];
};

static uint64_t rotate(uint64_t x, unsigned bits)
{
	return x << bits | x >> (64 - bits);
}

static uint64_t load_le(const uint8_t *p, size_t n)
{
	uint64_t x = 0;
	size_t i;

	for (i = 0; i < n; i++)
		x |= (uint64_t)p[i] << (8 * i);
	return x;
}

/* Half a round mixes one pair of words; its mirror image the other. */
static void sip_half(uint64_t *a, uint64_t *b, uint64_t *c, uint64_t *d,
                     const unsigned bits[2])
{
	*a += *b;
	*b = rotate(*b, bits[0]) ^ *a;
	*a = rotate(*a, 32);
	*c += *d;
	*d = rotate(*d, bits[1]) ^ *c;
}

static void sip_rounds(struct sip *s, unsigned n)
{
	static const unsigned first[2] = { 13, 16 }, second[2] = { 17, 21 };
	uint64_t *v = s->v;

	while (n-- > 0) {
		sip_half(&v[0], &v[1], &v[2], &v[3], first);
		sip_half(&v[2], &v[1], &v[0], &v[3], second);
	}
}

static void sip_word(struct sip *s, uint64_t word)
{
	s->v[3] ^= word;
	sip_rounds(s, 2);
	s->v[0] ^= word;
}

uint64_t siphash(const uint8_t key[static SIPHASH_KEY_BYTES], const void *data,
                 size_t len)
{
	const uint64_t k0 = load_le(key, 8), k1 = load_le(key + 8, 8);
	const uint8_t *p = data;
	struct sip s = { {
		k0 ^ 0x736f6d6570736575u,
		k1 ^ 0x646f72616e646f6du,
		k0 ^ 0x6c7967656e657261u,
		k1 ^ 0x7465646279746573u,
	} };
	size_t left = len;

	for (; left >= 8; left -= 8, p += 8)
		sip_word(&s, load_le(p, 8));
	sip_word(&s, (uint64_t)len << 56 | load_le(p, left));
	s.v[2] ^= 0xff;
	sip_rounds(&s, 4);
	return s.v[0] ^ s.v[1] ^ s.v[2] ^ s.v[3];
}
