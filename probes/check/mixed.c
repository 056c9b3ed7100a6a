// SPDX-License-Identifier: Apache-2.0
// The majority among hosts, by two passes and no table (Boyer and Moore).
#include "probes/check/mixed.h"

#include <stdio.h>
#include <string.h>

#include "probes/check/accuse.h"
#include "probes/check/look.h"

#define ODD_MAX 16     /* hosts that are named for one thing */
#define EXAMPLES_MAX 6 /* values, where there is no majority */

static bool votes(const struct reading *value)
{
	return value->kind != READING_KIND_COUNT;
}

int32_t mixed_majority(const struct reading *values, size_t n,
                       size_t *ret_votes, size_t *ret_agree)
{
	size_t lead = 0, all = 0, agree = 0;
	int32_t best = -1;

	for (size_t i = 0; i < n; i++) {
		if (!votes(&values[i]))
			continue;
		all++;
		if (!lead)
			best = (int32_t)i;
		if (reading_equal(&values[i], &values[best]))
			lead++;
		else
			lead--;
	}
	for (size_t i = 0; best >= 0 && i < n; i++)
		agree += votes(&values[i]) &&
		         reading_equal(&values[i], &values[best]);
	*ret_votes = all;
	*ret_agree = agree;
	return 2 * agree > all ? best : -1;
}

static const struct topo_host *host_of(const struct mixed *m, size_t i)
{
	return m->in->hosts[i].host;
}

static void accuse_odd(const struct mixed *m, size_t odd, int32_t best,
                       size_t agree, struct check_out *out)
{
	const struct reading *value = &m->values[odd];
	char seen[READING_WORDS_MAX], want[READING_WORDS_MAX];
	struct finding *f =
		accuse(out, m->code, m->kind, host_of(m, odd), m->device);

	reading_words(value, seen);
	reading_words(&m->values[best], want);
	accuse_say(f, "%s: %.60s here, %.60s on %zu other host%s", m->what,
	           seen, want, agree, agree == 1 ? "" : "s");
	accuse_note(f, "%s: %.60s; %.60s on %zu hosts, such as %.40s", m->what,
	            seen, want, agree, host_of(m, (size_t)best)->name);
}

/* Each value once, with the first host that has it. */
static void accuse_all(const struct mixed *m, struct check_out *out)
{
	struct finding *f = accuse(out, m->code, LOCUS_JOB, NULL, "");
	const struct reading *last = NULL;
	char words[READING_WORDS_MAX];
	size_t examples = 0;

	accuse_say(f, "%s differs, and no value is that of most hosts",
	           m->what);
	for (size_t i = 0; i < m->in->n_hosts && examples < EXAMPLES_MAX; i++) {
		const struct reading *value = &m->values[i];

		if (!votes(value) || (last && reading_equal(last, value)))
			continue;
		accuse_note(f, "%s: %.60s on %.60s", m->what,
		            reading_words(value, words), host_of(m, i)->name);
		last = value;
		examples++;
	}
}

void mixed_judge(const struct mixed *m, struct check_out *out)
{
	size_t n = m->in->n_hosts, n_votes, agree, odd = 0;
	int32_t best = mixed_majority(m->values, n, &n_votes, &agree);

	if (n_votes < 2 || agree == n_votes)
		return;
	if (best < 0 || n_votes == 2) {
		accuse_all(m, out);
		return;
	}
	for (size_t i = 0; i < n && odd < ODD_MAX; i++) {
		if (!votes(&m->values[i]) ||
		    reading_equal(&m->values[i], &m->values[best]))
			continue;
		accuse_odd(m, i, best, agree, out);
		odd++;
	}
	if (n_votes - agree > odd)
		skip_add(out, NULL, m->what,
		         "differs on more hosts than can be named");
}
