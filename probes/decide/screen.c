// SPDX-License-Identifier: Apache-2.0
// Screening matchings and retests with cleared partners.
#include "probes/decide/screen.h"

#include <stdlib.h>
#include <string.h>

enum fp_status decide_screen_init(struct decide_screen *s, uint32_t n,
                                  struct fp_err *err)
{
	*s = (struct decide_screen){
		.n = n,
		.flags = calloc((size_t)n + 1, sizeof(*s->flags)),
		.tried = calloc((size_t)n + 1, sizeof(*s->tried)),
		.again = calloc((size_t)n + 1, sizeof(*s->again)),
	};
	if (s->flags && s->tried && s->again)
		return FP_OK;
	decide_screen_done(s);
	return fp_err_set(err, FP_ERR_NOMEM, "no memory for a screening");
}

void decide_screen_done(struct decide_screen *s)
{
	if (!s)
		return;
	free(s->flags);
	free(s->tried);
	free(s->again);
	*s = (struct decide_screen){ 0 };
}

void decide_screen_clear(struct decide_screen *s)
{
	s->rounds = 0;
	memset(s->flags, 0, s->n * sizeof(*s->flags));
	memset(s->tried, 0, s->n * sizeof(*s->tried));
	memset(s->again, 0, s->n * sizeof(*s->again));
}

void decide_screen_pair(struct decide_screen *s, uint32_t a, uint32_t b,
                        bool slow)
{
	s->flags[a] += slow;
	s->flags[b] += slow;
}

size_t decide_screen_cleared(const struct decide_screen *s, uint32_t *ret)
{
	size_t k = 0;
	uint32_t v;

	for (v = 0; v < s->n; v++)
		if (!decide_screen_suspect(s, v))
			ret[k++] = v;
	return k;
}

void decide_screen_retest(struct decide_screen *s, uint32_t v, bool slow)
{
	s->tried[v]++;
	s->again[v] += slow;
}

bool decide_screen_bad(const struct decide_screen *s, uint32_t v)
{
	if (s->tried[v])
		return 2 * s->again[v] > s->tried[v];
	return 2 * s->flags[v] > s->rounds;
}
