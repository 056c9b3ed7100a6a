// SPDX-License-Identifier: Apache-2.0
// Suspects of a log as ranks of a job.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/confirm/confirm.h"
#include "probes/trial/grow.h"

/* The name or address @word without what logs write around it: "fd00::1%eth0",
 * "10.0.0.2<45832>", and IPv4 as a GID has it. */
static void trim(const char *word, char *buf, size_t size)
{
	static const char mapped[] = "::ffff:";

	if (!strncmp(word, mapped, sizeof(mapped) - 1) && strchr(word, '.'))
		word += sizeof(mapped) - 1;
	fp_copy(buf, size, word);
	buf[strcspn(buf, "<%")] = '\0';
}

/* "node1" and "node1.cluster" are one machine, "10.0.0.1" and "10.0.0.2" not. */
static bool same_name(const char *a, const char *b)
{
	size_t na = strcspn(a, "."), nb = strcspn(b, ".");

	if (!strcmp(a, b))
		return true;
	return na && na == nb && !strncmp(a, b, na) && (!a[na] || !b[nb]);
}

static bool is_host(const struct topo_host *host, const char *word)
{
	char name[TOPO_NAME_MAX], addr[TOPO_ADDR_MAX];

	trim(word, name, sizeof(name));
	if (!*name || same_name(host->name, name))
		return *name != '\0';
	for (size_t i = 0; i < host->n_netdevs; i++) {
		trim(host->netdevs[i].addr, addr, sizeof(addr));
		if (!host->netdevs[i].loopback && !strcmp(addr, name))
			return true;
	}
	return false;
}

static int32_t find_host(const struct topo_job *job, const char *word)
{
	for (size_t i = 0; i < job->n_hosts; i++)
		if (is_host(&job->hosts[i], word))
			return (int32_t)i;
	return -1;
}

static enum fp_status add(struct confirm *c, int32_t rank, struct fp_err *err)
{
	size_t at = c->n;
	enum fp_status status;

	for (size_t i = 0; i < c->n; i++)
		if (c->ranks[i] == rank)
			return FP_OK;
	status = grow_room(&c->ranks, &c->room, c->n + 1, sizeof(*c->ranks),
	                   err);
	if (status != FP_OK)
		return status;
	for (; at > 0 && c->ranks[at - 1] > rank; at--)
		c->ranks[at] = c->ranks[at - 1];
	c->ranks[at] = rank;
	c->n++;
	return FP_OK;
}

static enum fp_status add_host(struct confirm *c, const struct topo_job *job,
                               int32_t host, struct fp_err *err)
{
	enum fp_status status = FP_OK;

	for (size_t i = 0; i < job->n_ranks && status == FP_OK; i++)
		if (job->ranks[i].host == host)
			status = add(c, (int32_t)i, err);
	return status;
}

static void put_away(struct confirm *c, const char *word, const char *why)
{
	size_t used = strlen(c->away);

	(void)snprintf(c->away + used, sizeof(c->away) - used, "%s%s%s%s",
	               used ? ", " : "", word, *why ? " " : "", why);
}

/* A suspect of which the log tells a number, and perhaps the host. */
static enum fp_status add_rank(struct confirm *c, const struct topo_job *job,
                               int32_t rank, struct fp_err *err)
{
	const char *name = story_host(&c->story->gather->events, rank);
	size_t world = story_world(c->story);
	int32_t host = *name ? find_host(job, name) : -1;
	bool alike = (!world || world == job->n_ranks) &&
	             (size_t)rank < job->n_ranks;
	char word[TOPO_NAME_MAX + 32], why[64] = "";

	if (*name && host < 0) {
		(void)snprintf(word, sizeof(word), "rank %d on %.63s",
		               (int)rank, name);
		put_away(c, word, "");
		return FP_OK;
	}
	if (alike && (host < 0 || job->ranks[rank].host == host))
		return add(c, rank, err);
	if (host >= 0)
		return add_host(c, job, host, err);
	(void)snprintf(word, sizeof(word), "rank %d", (int)rank);
	if (world)
		(void)snprintf(why, sizeof(why), "of a job of %zu ranks",
		               world);
	put_away(c, word, why);
	return FP_OK;
}

static enum fp_status add_word(struct confirm *c, const struct topo_job *job,
                               const char *word, struct fp_err *err)
{
	char *end;
	long rank = strtol(word, &end, 10);
	int32_t host;

	if (end != word && !*end && rank >= 0 && rank <= INT32_MAX)
		return add_rank(c, job, (int32_t)rank, err);
	host = find_host(job, word);
	if (host >= 0)
		return add_host(c, job, host, err);
	put_away(c, word, "");
	return FP_OK;
}

enum fp_status confirm_plan(const struct story *story,
                            const struct topo_job *job, struct confirm *ret,
                            struct fp_err *err)
{
	const struct story_cause *first = story->n ? &story->causes[0] : NULL;
	const char *text = first ? first->suspects : "";
	char word[STORY_SUSPECTS_MAX];
	enum fp_status status;
	size_t len;

	*ret = (struct confirm){ .story = story };
	status = beside_find(job, &ret->beside, err);
	for (; *text && status == FP_OK; text += len + (text[len] == ',')) {
		len = strcspn(text, ",");
		(void)snprintf(word, sizeof(word), "%.*s", (int)len, text);
		if (*word)
			status = add_word(ret, job, word, err);
	}
	return status;
}

/* Is a rank of @rank's host on the list already? */
static bool has_mate(const struct confirm *c, const struct topo_job *job,
                     size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (job->ranks[c->ranks[i]].host ==
		    job->ranks[c->ranks[at]].host)
			return true;
	return false;
}

void confirm_suspects(const struct confirm *c, const struct topo_job *job,
                      char *buf, size_t size)
{
	size_t used = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < c->n; i++) {
		char word[16];
		int len;

		if (job->ranks[c->ranks[i]].host < 0 ||
		    (job->n_hosts > 1 && has_mate(c, job, i)))
			continue;
		len = snprintf(word, sizeof(word), "%s%d", used ? "," : "",
		               (int)c->ranks[i]);
		if (len < 0 || used + (size_t)len >= size)
			return;
		memcpy(buf + used, word, (size_t)len + 1);
		used += (size_t)len;
	}
}

void confirm_done(struct confirm *c)
{
	if (!c)
		return;
	free(c->ranks);
	beside_done(&c->beside);
	*c = (struct confirm){ 0 };
}
