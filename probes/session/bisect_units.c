// SPDX-License-Identifier: Apache-2.0
// Units of a bisection: hosts or ranks, suspects first.
#include <stdlib.h>
#include <string.h>

#include "probes/session/bisect.h"
#include "topo/base/fmt.h"

#define WORD_MAX TOPO_NAME_MAX

static bool spans_hosts(const struct topo_job *job, const int32_t *members,
                        size_t n)
{
	size_t i;

	for (i = 1; i < n; i++)
		if (job->ranks[members[i]].host != job->ranks[members[0]].host)
			return true;
	return false;
}

/* A number that tells the rank's unit from others. */
static int32_t key_of(const struct topo_job *job, bool hosts, int32_t rank)
{
	return hosts ? job->ranks[rank].host : rank;
}

static size_t key_room(const struct topo_job *job)
{
	return job->n_hosts > job->n_ranks ? job->n_hosts : job->n_ranks;
}

/* Marks the units that a word names; false: it names none. */
static bool mark_word(const struct topo_job *job, bool hosts, const char *word,
                      bool *marked)
{
	char *end;
	long rank = strtol(word, &end, 10);
	bool any = false;
	size_t i;

	if (end != word && !*end && rank >= 0 && (size_t)rank < job->n_ranks &&
	    job->ranks[rank].host >= 0) {
		marked[key_of(job, hosts, (int32_t)rank)] = true;
		return true;
	}
	for (i = 0; i < job->n_ranks; i++) {
		if (job->ranks[i].host < 0 ||
		    strcmp(topo_job_host_name(job, (int32_t)i), word) != 0)
			continue;
		marked[key_of(job, hosts, (int32_t)i)] = true;
		any = true;
	}
	return any;
}

static enum fp_status mark_suspects(const struct topo_job *job, bool hosts,
                                    const char *text, bool *marked,
                                    struct fp_err *err)
{
	char word[WORD_MAX];
	size_t len;

	for (; *text; text += len + (text[len] == ',')) {
		len = strcspn(text, ",");
		fp_copy(word, len < WORD_MAX ? len + 1 : WORD_MAX, text);
		if (!mark_word(job, hosts, word, marked))
			return fp_err_set(err, FP_ERR_USAGE,
			                  "--suspects '%s': is no rank and no "
			                  "host of this job",
			                  word);
	}
	return FP_OK;
}

/* Appends the units whose mark is @wanted, in the order of their ranks. */
static void append(const struct topo_job *job, const int32_t *members, size_t n,
                   const bool *marked, bool wanted, struct bisect_units *u)
{
	size_t i, k, at = u->first[u->n];
	int32_t key;

	for (i = 0; i < n; i++) {
		key = key_of(job, u->hosts, members[i]);
		for (k = 0; k < i; k++)
			if (key_of(job, u->hosts, members[k]) == key)
				break;
		if (k < i || marked[key] != wanted)
			continue;
		for (k = i; k < n; k++)
			if (key_of(job, u->hosts, members[k]) == key)
				u->ranks[at++] = members[k];
		u->first[++u->n] = at;
	}
}

static void find_least(struct bisect_units *u)
{
	size_t i;

	u->least = 1;
	for (i = 0; i < u->n; i++)
		if (u->first[i + 1] - u->first[i] < 2)
			u->least = 2;
}

enum fp_status bisect_units_make(const struct topo_job *job,
                                 const int32_t *members, size_t n,
                                 const char *suspects, struct bisect_units *ret,
                                 struct fp_err *err)
{
	bool *marked = calloc(key_room(job) + 1, sizeof(*marked));
	struct bisect_units u = {
		.hosts = spans_hosts(job, members, n),
		.ranks = calloc(n + 1, sizeof(*u.ranks)),
		.first = calloc(n + 1, sizeof(*u.first)),
	};
	enum fp_status status = FP_OK;

	if (marked && u.ranks && u.first)
		status = mark_suspects(job, u.hosts, suspects, marked, err);
	else
		status = fp_err_set(err, FP_ERR_NOMEM, "no memory to bisect");
	if (!status) {
		append(job, members, n, marked, true, &u);
		u.suspects = u.n;
		append(job, members, n, marked, false, &u);
		find_least(&u);
		*ret = u;
	} else {
		bisect_units_done(&u);
	}
	free(marked);
	return status;
}

void bisect_units_done(struct bisect_units *u)
{
	free(u->ranks);
	free(u->first);
	*u = (struct bisect_units){ 0 };
}
