// SPDX-License-Identifier: Apache-2.0
// Whom a cause points at, in words and for the next command.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "probes/explain/story.h"

#define WHOS_MAX 4
#define LIKES_MAX 128 /* events that are looked at for names */

/* Text of a fixed size that is filled piece by piece. */
struct piece {
	char *at;
	size_t room;
};

static void put(struct piece *p, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void put(struct piece *p, const char *fmt, ...)
{
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(p->at, p->room, fmt, args);
	va_end(args);
	if (n < 0 || (size_t)n >= p->room) {
		n = p->room ? (int)p->room - 1 : 0;
		if (n > 3)
			memcpy(p->at + n - 3, "...", 3);
	}
	p->at += n;
	p->room -= (size_t)n;
}

void story_ranks(const int32_t *ranks, size_t n, char *buf, size_t size)
{
	struct piece p = { buf, size };
	size_t i = 0;

	buf[0] = '\0';
	while (i < n) {
		size_t k = i;

		while (k + 1 < n && ranks[k + 1] == ranks[k] + 1)
			k++;
		if (p.room < 32) {
			put(&p, ", ...");
			return;
		}
		put(&p, "%s%d", i ? ", " : "", ranks[i]);
		if (k > i)
			put(&p, "%s%d", k > i + 1 ? "-" : ", ", ranks[k]);
		i = k + 1;
	}
}

static void put_parts(struct piece *p, const struct story *s,
                      const struct event *e, int32_t rank)
{
	const struct events *ev = &s->gather->events;
	const char *host =
		e->host ? event_str(ev, e->host) : story_host(ev, rank);
	const char *gap = "";

	if (rank >= 0) {
		put(p, "rank %d", rank);
		gap = ", ";
	}
	if (e->device) {
		put(p, "%s%s", gap, event_str(ev, e->device));
		gap = ", ";
	}
	if (e->bus) {
		const char *bus = event_str(ev, e->bus);

		put(p, "%s%s%s", gap, strchr(bus, ':') ? "PCI " : "", bus);
		gap = ", ";
	} else if (e->gpu >= 0) {
		put(p, "%sGPU %d", gap, e->gpu);
		gap = ", ";
	}
	if (e->kind == KIND_XID && e->n[1] >= 0)
		put(p, "%slink %lld", gap, (long long)e->n[1]);
	if (*host)
		put(p, "%shost %s", gap, host);
}

static void describe(const struct story *s, const struct cause *cause,
                     const struct event *e, char *buf, size_t size)
{
	const struct events *ev = &s->gather->events;
	struct piece p = { buf, size };
	bool peer = cause->who == WHO_PEER || cause->who == WHO_PAIR;

	buf[0] = '\0';
	if (cause->who == WHO_JOB)
		return;
	if (cause->who == WHO_PEER && e->peer_host) {
		put(&p, "%s", event_str(ev, e->peer_host));
		if (e->host)
			put(&p, ", as seen by host %s", event_str(ev, e->host));
		return;
	}
	put_parts(&p, s, e, story_rank(ev, e));
	if (cause->who == WHO_PAIR && e->peer_host)
		put(&p, "%s%s", *buf ? " and its peer " : "peer ",
		    event_str(ev, e->peer_host));
	else if (e->peer >= 0)
		put(&p, "%s rank %d", peer ? " and" : " with", e->peer);
}

/* Is @e one of those that the cause points at with its first sign? */
static bool is_like_first(const struct story_cause *c, const struct event *e)
{
	bool numbered = e->kind == KIND_XID || e->kind == KIND_SXID;

	return e->kind == c->first.kind &&
	       (!numbered || e->n[0] == c->first.n[0]);
}

/* Add whom @e is about, unless it is said; false: enough are. */
static bool name_one(const struct story *s, struct story_cause *c,
                     const struct event *e, size_t *n)
{
	size_t used = strlen(c->who);
	struct piece p = { c->who + used, sizeof(c->who) - used };
	char one[128];

	describe(s, c->cause, e, one, sizeof(one));
	if (!*one || strstr(c->who, one))
		return true;
	put(&p, "%s%s", used ? "; " : "", *n < WHOS_MAX ? one : "...");
	return ++*n <= WHOS_MAX;
}

/* All like the first; of a pair both ends; else whoever has a name. */
static void place_events(const struct story *s, struct story_cause *c)
{
	const struct events *ev = &s->gather->events;
	bool pair = c->cause->who == WHO_PAIR;
	size_t n = 0, looked_at = 0;

	c->who[0] = '\0';
	if (!name_one(s, c, &c->first, &n))
		return;
	for (size_t i = 0; i < ev->n && looked_at < LIKES_MAX; i++)
		if (is_like_first(c, &ev->e[i]) && ++looked_at &&
		    !name_one(s, c, &ev->e[i], &n))
			return;
	for (size_t i = 0; (pair || !*c->who) && i < c->n_evidence; i++)
		if (!name_one(s, c, &ev->e[c->evidence[i]], &n))
			return;
}

/* Is @name one of the names in @list, which have commas between them? */
static bool is_listed(const char *list, const char *name)
{
	size_t len = strlen(name);

	while (*list) {
		size_t n = strcspn(list, ",");

		if (n == len && !strncmp(list, name, len))
			return true;
		list += n + (list[n] == ',');
	}
	return false;
}

static void put_name(struct piece *p, const char *from, const char *name)
{
	if (*name && !is_listed(from, name))
		put(p, "%s%s", *from ? "," : "", name);
}

/* The rank where it is known, else the host, else the peer's address. */
static void suspect_one(const struct story *s, struct story_cause *c,
                        const struct event *e)
{
	const struct events *ev = &s->gather->events;
	size_t used = strlen(c->suspects);
	struct piece p = { c->suspects + used, sizeof(c->suspects) - used };
	int32_t rank = story_rank(ev, e);
	char number[16];

	if (p.room < 80)
		return;
	(void)snprintf(number, sizeof(number), "%d", rank);
	if (c->cause->who == WHO_PEER && e->peer_host)
		put_name(&p, c->suspects, event_str(ev, e->peer_host));
	else
		put_name(&p, c->suspects,
		         rank >= 0 ? number : event_str(ev, e->host));
	if (c->cause->who == WHO_PAIR)
		put_name(&p, c->suspects, event_str(ev, e->peer_host));
}

static void suspect_events(const struct story *s, struct story_cause *c)
{
	const struct events *ev = &s->gather->events;
	bool pair = c->cause->who == WHO_PAIR;
	size_t looked_at = 0;

	c->suspects[0] = '\0';
	suspect_one(s, c, &c->first);
	for (size_t i = 0; i < ev->n && looked_at < LIKES_MAX; i++)
		if (is_like_first(c, &ev->e[i]) && ++looked_at)
			suspect_one(s, c, &ev->e[i]);
	for (size_t i = 0; (pair || !*c->suspects) && i < c->n_evidence; i++)
		suspect_one(s, c, &ev->e[c->evidence[i]]);
}

static void place_hang(const struct story *s, struct story_cause *c)
{
	const struct hang *h = c->hang;
	struct piece p = { c->who, sizeof(c->who) };
	char list[160];
	const char *host =
		h->n == 1 ? story_host(&s->gather->events, h->ranks[0]) : "";

	story_ranks(h->ranks, h->n, list, sizeof(list));
	c->who[0] = '\0';
	if (h->all_but)
		put(&p, "the %zu ranks other than ", h->n_behind);
	put(&p, "%s %s", h->n == 1 ? "rank" : "ranks", list);
	if (*host)
		put(&p, ", host %s", host);
	if (!h->all_but) {
		struct piece q = { c->suspects, sizeof(c->suspects) };

		for (size_t i = 0; i < h->n && q.room > 16; i++)
			put(&q, "%s%d", i ? "," : "", h->ranks[i]);
	}
}

/* "14 ranks wait in nccl:all_reduce, number 5 of group 3". */
static void tell_hang(const struct story *s, struct story_cause *c)
{
	const struct events *ev = &s->gather->events;
	const struct hang *h = c->hang;
	struct piece p = { c->what, sizeof(c->what) };

	put(&p, "%zu rank%s %s %s", h->n_waiting, h->n_waiting == 1 ? "" : "s",
	    h->from_ras         ? "launched"
	    : h->n_waiting == 1 ? "waits in"
	                        : "wait in",
	    *event_str(ev, h->op) ? event_str(ev, h->op) : "a collective");
	put(&p, ", number %lld", (long long)h->seq);
	if (*event_str(ev, h->group))
		put(&p, " of group %s", event_str(ev, h->group));
	if ((h->class == HANG_ABSENT || h->from_ras) && h->seq2 >= 0)
		put(&p, "; the last one that these launched is %lld",
		    (long long)h->seq2);
	if (h->class == HANG_MISMATCH && h->op2)
		put(&p, "; these call %s", event_str(ev, h->op2));
	if (h->class == HANG_STUCK && h->ahead > 0)
		put(&p, "; up to %lld more are launched behind it",
		    (long long)h->ahead);
	if (s->hangs.n_members > s->hangs.n_dumps)
		put(&p, "; %zu of %zu ranks told something", s->hangs.n_dumps,
		    s->hangs.n_members);
}

static void tell_events(struct story_cause *c)
{
	struct piece p = { c->what, sizeof(c->what) };

	put(&p, "%s", kind_info(c->first.kind)->words);
	if (c->first.kind == KIND_XID || c->first.kind == KIND_SXID)
		put(&p, " %lld", (long long)c->first.n[0]);
	if (c->n_events > 1)
		put(&p, "; %zu events speak for this", c->n_events);
}

void story_place(const struct story *s, struct story_cause *c)
{
	size_t hang = (size_t)c->first.n[0];
	bool derived = c->first.kind >= KIND_HANG_ABSENT &&
	               c->first.kind <= KIND_RAS_BEHIND;

	if (derived && hang < s->hangs.n) {
		c->hang = &s->hangs.h[hang];
		place_hang(s, c);
		tell_hang(s, c);
		return;
	}
	place_events(s, c);
	suspect_events(s, c);
	tell_events(c);
}
